"""Scores that are numbers (task ``score``): read, stored, averaged, compared."""

from __future__ import annotations

import random
from itertools import product
from math import comb, sqrt
from statistics import mean, stdev

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli.main import main
from coleval.corpus.numbers import values
from coleval.errors import ColevalError, UsageError
from coleval.statistics.whole import whole_numbers

WIDE = """id,genre,score_a,score_b,note
i1,news,0.5,0.25,x
i2,news,0.75,1,y
i3,web,-0.1,0.3,z
i4,web,0.2,0.2,z
"""
LONG = """id,system,score,chrf
q1,x,3,0.5
q2,x,4,0.25
q1,y,5,0.1
q2,y,1,0.9
"""


@pytest.fixture
def wide(tmp_path):
    (tmp_path / "wide.csv").write_text(WIDE)
    return str(tmp_path / "wide.csv")


@pytest.fixture
def long(tmp_path):
    (tmp_path / "long.csv").write_text(LONG)
    return str(tmp_path / "long.csv")


def overall(corpus, **options):
    return {row["system"]: row for row in corpus.score(**options)["overall"].to_dicts()}


def test_columns_called_score_are_systems_and_their_means_a_leaderboard(wide):
    found = coleval.load(wide, task="score").score()["overall"]
    assert found["system"].to_list() == ["b", "a"]
    assert found["value"].to_list() == pytest.approx([mean([0.25, 1, 0.3, 0.2]),
                                                      mean([0.5, 0.75, -0.1, 0.2])])  # fmt: skip
    assert found["sd"].to_list()[0] == pytest.approx(stdev([0.25, 1, 0.3, 0.2]))
    assert found.select("items", "min", "median", "max").row(0) == (4, 0.2, 0.275, 1.0)


def test_items_have_numbers_not_texts_in_frames_sql_and_stores(wide, tmp_path):
    corpus = coleval.load(wide, task="score")
    assert corpus.items.schema["a"] == pl.Float64
    assert corpus.items["b"].to_list() == [0.25, 1.0, 0.3, 0.2]
    stored = coleval.open(corpus.save(tmp_path / "store"))
    for one in (corpus, stored):
        found = one.sql("select sum(a) as a, avg(mean_score) as m from item where genre = 'web'")
        assert found.row(0) == pytest.approx((0.1, 0.15))
    assert stored.score()["overall"].equals(corpus.score()["overall"])


def test_columns_may_be_chosen_and_all_columns_of_numbers_are_systems_else(wide, tmp_path):
    chosen = coleval.load(wide, task="score", columns={"system": ["score_b"], "id": "id"})
    assert chosen.systems == ("b",)
    assert chosen.items["score_a"].to_list() == [0.5, 0.75, -0.1, 0.2]
    frame = pl.DataFrame({"id": ["1", "2"], "bert": [1, 2], "lstm": [0.5, None], "who": ["a", "b"]})
    corpus = coleval.load(frame, task="score", missing="leave-out")
    assert corpus.systems == ("bert", "lstm")
    assert overall(corpus)["lstm"]["value"] == 0.5


def test_long_tables_and_their_other_scores(long):
    corpus = coleval.load(long, task="score")
    assert {name: row["value"] for name, row in overall(corpus).items()} == {"x": 3.5, "y": 3.0}
    other = coleval.load(long, task="score", score="chrf")
    assert {name: row["value"] for name, row in overall(other).items()} == {"x": 0.375, "y": 0.5}


def test_a_file_of_each_system_with_ids_and_scores(tmp_path):
    for name, numbers in {"x": (1, 2), "y": (3, 5)}.items():
        rows = "\n".join(f"q{k},{number}" for k, number in enumerate(numbers))
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{rows}\n")
    corpus = coleval.load(tmp_path / "x.csv", [tmp_path / "y.csv"], task="score")
    assert {name: row["value"] for name, row in overall(corpus).items()} == {"x": 1.5, "y": 4.0}


def test_scores_without_the_task_stay_right_and_wrong(long):
    with pytest.raises(UsageError, match="from 1 to 5"):
        coleval.load(long)
    right = coleval.load(long, threshold=4)
    assert right.task == "matrix"
    assert right.score()["overall"]["accuracy"].to_list() == [0.5, 0.5]


@pytest.mark.parametrize(("policy", "value"), [("first", 1), ("mean", 3), ("any", 5), ("all", 1)])
def test_of_several_answers_the_policy_takes_one_or_their_mean(tmp_path, policy, value):
    path = tmp_path / "epochs.csv"
    path.write_text("id,system,epoch,score\nq,x,1,1\nq,x,2,5\nq,x,3,3\n")
    corpus = coleval.load(path, task="score", epochs=policy)
    assert overall(corpus)["x"]["value"] == value


def test_a_cell_that_is_no_number_names_its_line(tmp_path):
    (tmp_path / "bad.csv").write_text(WIDE.replace("0.75", "high"))
    with pytest.raises(ColevalError, match=r"bad.csv:3: `high` in column `score_a`"):
        coleval.load(tmp_path / "bad.csv", task="score")


def test_missing_numbers_are_an_error_unless_a_policy_says_what_becomes_of_them(tmp_path):
    (tmp_path / "gaps.csv").write_text(WIDE.replace("0.75", ""))
    corpus = coleval.load(tmp_path / "gaps.csv", task="score")
    with pytest.raises(ColevalError, match="`a` has nothing for 1 of 4 items: `i2`"):
        corpus.score()
    left = overall(corpus, missing="leave-out")
    assert (left["a"]["value"], left["a"]["answered"]) == (pytest.approx(0.2), 3)
    assert left["b"]["value"] == pytest.approx(1.75 / 4)
    with pytest.raises(UsageError, match="0 is not the worst"):
        corpus.score(missing="wrong")
    positive = coleval.load(tmp_path / "gaps.csv", task="score", columns={"system": "score_b"})
    assert overall(positive, missing="wrong")["b"]["value"] == pytest.approx(1.75 / 4)


def test_missing_numbers_count_as_0_where_that_is_the_worst():
    frame = pl.DataFrame({"id": ["1", "2"], "a": [4.0, None], "b": [1.0, 2.0]})
    found = overall(coleval.load(frame, task="score", missing="wrong"))
    assert (found["a"]["value"], found["b"]["value"]) == (2.0, 1.5)


def test_lower_scores_may_be_better(wide):
    corpus = coleval.load(wide, task="score")
    assert corpus.score(lower=True)["overall"]["system"].to_list() == ["a", "b"]
    found = corpus.compare(lower=True)
    assert found["ranks"]["system"].to_list() == ["a", "b"]
    assert found["pairs"].select("a_better", "b_better").row(0) == (2, 1)
    assert "better:low" in found.signature


def test_groups_are_ranked_by_their_means(wide):
    found = coleval.load(wide, task="score").score(by="genre")
    by = {(row["by"], row["system"]): row["value"] for row in found["by"].to_dicts()}
    assert by[("news", "a")] == pytest.approx(0.625)
    assert found["ranking"]["macro"].to_list() == pytest.approx([0.4375, 0.3375])


@pytest.mark.parametrize("command", sorted(n for n, one in ANALYSES.items() if not one.of_numbers))
def test_what_has_no_use_for_numbers_says_why_and_what_has(wide, command, capsys):
    assert main([command, wide, "--task", "score"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {command}: {ANALYSES[command].not_of_numbers}")
    assert "scores are for score, compare" in said


def test_whole_numbers_are_exact_for_few_decimals_and_near_otherwise():
    few = np.array([[0.1, 0.25, -3.0, np.nan]])
    whole, scale = whole_numbers(few)
    assert (whole / scale)[0, :3].tolist() == [0.1, 0.25, -3.0]
    assert whole[0, 3] == 0
    rng = np.random.default_rng(1)
    many = rng.normal(size=(2, 10_000)) * 100
    whole, scale = whole_numbers(many)
    assert np.abs(whole / scale - many).max() < 1e-7
    assert np.abs(whole.sum(axis=1) / scale - many.sum(axis=1)).max() < 1e-5


def randomisation(a, b):
    """Return p over all exchanges of items, by a plain loop."""
    size = abs(sum(a) - sum(b))
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    far = sum(abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) >= size - 1e-9
              for signs in product((1, -1), repeat=len(gaps)))  # fmt: skip
    return far / 2 ** len(gaps)


@pytest.mark.parametrize("seed", range(25))
def test_paired_tests_are_those_of_plain_loops(seed):
    rng = random.Random(seed)
    n, digits = rng.randint(4, 9), rng.choice([0, 1, 3, 12])
    a, b = ([round(rng.gauss(0, 2), digits) for _ in range(n)] for _ in range(2))
    frame = pl.DataFrame({"id": [str(k) for k in range(n)], "score_a": a, "score_b": b})
    corpus = coleval.load(frame, task="score")

    def row(test):
        found = corpus.compare(test=test, baseline="b")["pairs"].to_dicts()
        return found[0]

    wins, losses = (sum(map(better, a, b)) for better in (float.__gt__, float.__lt__))
    assert row("randomisation")["p"] == pytest.approx(randomisation(a, b))
    assert row("randomisation")["delta"] == pytest.approx(mean(a) - mean(b))
    few = min(wins, losses)
    tail = 2 * sum(comb(wins + losses, k) for k in range(few + 1)) / 2 ** (wins + losses)
    assert row("sign")["p"] == pytest.approx(min(1, tail))
    assert (row("sign")["a_better"], row("sign")["b_better"]) == (wins, losses)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    assert row("t")["effect"] == pytest.approx(mean(gaps) / stdev(gaps))


def test_intervals_of_means_are_those_of_the_normal_distribution():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"id": [str(k) for k in range(2000)], "score_a": rng.normal(size=2000),
                          "score_b": rng.exponential(size=2000)})  # fmt: skip
    for row in coleval.load(frame, task="score").score(intervals=True)["overall"].to_dicts():
        half = 1.96 * row["sd"] / sqrt(2000)
        assert row["value_high"] - row["value"] == pytest.approx(half, rel=0.12)
        assert row["value"] - row["value_low"] == pytest.approx(half, rel=0.12)


def test_clusters_widen_intervals():
    rng = np.random.default_rng(5)
    shared = np.repeat(rng.normal(size=40), 25)
    frame = pl.DataFrame({"id": [str(k) for k in range(1000)], "score_a": shared,
                          "topic": np.repeat(np.arange(40), 25)})  # fmt: skip
    corpus = coleval.load(frame, task="score", columns={"system": "score_a"})
    alone = overall(corpus, intervals=True)["a"]
    clustered = overall(corpus, intervals=True, unit_of_resampling="topic")["a"]
    width = [row["value_high"] - row["value_low"] for row in (alone, clustered)]
    assert width[1] > 3 * width[0]


def test_numbers_of_gold_are_what_errors_are_measured_from():
    frame = pl.DataFrame({"id": ["1", "2", "3"], "gold": [1.0, 2.0, 4.0],
                          "score_a": [1.5, 2.0, 3.0], "score_b": [0.0, 0.0, 0.0]})  # fmt: skip
    corpus = coleval.load(frame, task="score")
    found = corpus.score()["overall"]
    assert found["metric"].to_list() == ["mae", "mae"]
    assert found["system"].to_list() == ["a", "b"]
    assert found["value"].to_list() == pytest.approx([0.5, 7 / 3])
    for metric, of in (("rmse", lambda e: sqrt(mean(x * x for x in e))), ("mean", None)):
        ranks = {r["system"]: r["value"] for r in corpus.compare(metric=metric)["ranks"].to_dicts()}
        want = of([0.5, 0.0, -1.0]) if of else mean([1.5, 2.0, 3.0])
        assert ranks["a"] == pytest.approx(want)


@pytest.mark.parametrize("seed", range(5))
def test_correlation_and_explained_variance_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=50) * 10 + 100
    frame = pl.DataFrame(
        {
            "id": [str(k) for k in range(50)],
            "gold": gold,
            "score_a": gold + rng.normal(size=50),
            "score_b": rng.normal(size=50),
        }
    )
    corpus = coleval.load(frame, task="score")
    for name in ("a", "b"):
        own = frame[f"score_{name}"].to_numpy()
        found = {metric: {r["system"]: r["value"]
                          for r in corpus.compare(metric=metric)["ranks"].to_dicts()}[name]
                 for metric in ("pearson", "r2")}  # fmt: skip
        assert found["pearson"] == pytest.approx(np.corrcoef(own, gold)[0, 1], abs=1e-6)
        errors = ((own - gold) ** 2).sum() / ((gold - gold.mean()) ** 2).sum()
        assert found["r2"] == pytest.approx(1 - errors, rel=1e-6)


def test_a_metric_that_numbers_lack_is_an_error_that_names_theirs(wide):
    with pytest.raises(UsageError, match="there is: mean"):
        coleval.load(wide, task="score").compare(metric="f1")


def test_values_are_those_that_were_read(wide):
    items = coleval.load(wide, task="score").at()
    assert values(items).tolist() == [[0.5, 0.75, -0.1, 0.2], [0.25, 1.0, 0.3, 0.2]]


def test_right_and_wrong_as_scores_have_the_accuracies_that_were_published(data):
    """MMLU-Pro: 1 for a right answer, 0 for a wrong one, nothing where a run has no record."""
    folder = data("mmlu-pro")
    gold = pl.read_csv(folder / "gold.tsv", separator="\t", infer_schema=False)
    expected = pl.read_csv(folder / "expected.tsv", separator="\t")
    names = expected["system"].to_list()[:5]
    columns = {}
    for name in names:
        run = pl.read_csv(folder / "runs" / f"{name}.tsv.gz", separator="\t", infer_schema=False)
        answers = gold.select("id").join(run, on="id", how="left", maintain_order="left")["answer"]
        columns[f"score_{name}"] = (answers == gold["answer"]).cast(pl.Float64)
    corpus = coleval.load(gold.select("id", "category").with_columns(**columns), task="score")
    wrong, left_out = (overall(corpus, missing=policy) for policy in ("wrong", "leave-out"))
    for row in expected.head(5).to_dicts():
        name = row["system"]
        assert wrong[name]["value"] == pytest.approx(row["accuracy_wrong"])
        assert left_out[name]["value"] == pytest.approx(row["accuracy_left_out"])
    ranking = corpus.score(by="category", missing="wrong")["ranking"]
    macro = dict(ranking.select("system", "macro").iter_rows())
    for row in expected.head(5).to_dicts():
        assert macro[row["system"]] == pytest.approx(row["macro_category_wrong"])
