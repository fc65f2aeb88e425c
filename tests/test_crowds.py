"""Of a crowd of systems or groups people see both ends, and every form says of how many."""

from __future__ import annotations

import json
import random
import re
from itertools import combinations

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.excerpt import BEST, MOST, WORST, excerpt_of, groups_in, shown_in, shown_of
from coleval.render import text

NOTE = f"{BEST + WORST} of 150 systems: the {BEST} best and the {WORST} worst"
CASES = 300


def answers(systems: int, items: int = 24, seed: int = 1) -> pl.DataFrame:
    """Return gold and systems that are the worse the higher their number, shuffled."""
    draw = random.Random(seed)
    gold = [draw.choice("ABC") for _ in range(items)]
    columns = {
        f"s{k:03}": [g if draw.random() > 0.1 + 0.8 * k / systems else "B" for g in gold]
        for k in range(systems)
    }
    names = draw.sample(sorted(columns), len(columns))
    return pl.DataFrame({"gold": gold, **{name: columns[name] for name in names}})


@pytest.fixture(scope="module")
def corpus() -> coleval.Corpus:
    return coleval.load(answers(150), task="label")


@pytest.fixture(scope="module")
def report(corpus):
    return corpus.report(replicates=200)


def test_as_many_systems_as_can_be_read_are_all_shown():
    few = coleval.load(answers(MOST), task="label").score()
    assert few.shown is None
    assert text(few, "table").count("s0") >= MOST
    assert text(few, "json") == text(few.in_full(), "json")


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_a_crowd_is_shown_by_its_ends_under_their_places_among_all(corpus, form):
    score = corpus.score()
    shown, whole = (text(one, form, table="overall") for one in (score, score.in_full()))
    order = score["overall"]["system"].to_list()
    ends = order[:BEST] + order[-WORST:]
    assert all(name in shown for name in ends)
    assert not any(name in shown for name in order[BEST:-WORST])
    assert NOTE in shown
    assert all(name in whole for name in order)
    assert NOTE not in whole


def test_the_places_of_the_worst_are_those_among_all(corpus):
    lines = text(corpus.score(), "table", table="overall").splitlines()
    places = [int(found[0]) for line in lines if (found := re.findall(r"^ *(\d+)  s\d", line))]
    assert len(places) == BEST + WORST
    assert places[0] == 1
    assert places[-1] > 150 - 2 * WORST


def test_places_are_those_among_all_where_rows_are_made_for_the_screen_too():
    draw = random.Random(9)
    gold = [["O", "B-A", "O", "B-A"] * 3]
    systems = {
        f"s{k:02}": [[tag if draw.random() > k / 80 else "O" for tag in gold[0]]] for k in range(70)
    }
    frame = pl.DataFrame({"tokens": [list("abcdefghijkl")], "gold": gold, **systems})
    errors = coleval.load(frame, task="span").errors()
    lines = text(errors, "table", table="overall").splitlines()
    places = [int(found[0]) for line in lines if (found := re.findall(r"^ *(\d+)  s\d", line))]
    assert len(places) == BEST + WORST
    assert places[-WORST] > BEST + WORST


def test_the_best_are_those_of_the_highest_ranks_in_any_order(corpus):
    given = corpus.score(order="given")
    score = dict(given["overall"].select("system", "accuracy").iter_rows())
    both = [[score[name] for name in one.shown.systems] for one in (given, corpus.score())]
    assert both[0] == both[1]
    assert NOTE in text(given, "table", table="overall")


def test_what_programs_read_is_whole(corpus):
    score = corpus.score()
    for form in ("csv", "tsv"):
        assert text(score, form, table="overall").count("\n") == 151
    tables = json.loads(text(score, "json"))
    assert "excerpts" not in tables
    assert len(tables["tables"]["overall"]) == 150


@pytest.mark.parametrize("seed", range(4))
def test_an_excerpt_is_some_rows_of_the_whole(seed):
    draw = random.Random(seed)
    for _ in range(CASES // 4):
        frame, named = made_up(draw)
        shown = shown_in({"overall": frame})
        found = excerpt_of("overall", frame, shown)
        systems = {name for row in frame.select(named).rows() for name in row}
        if len(systems) <= MOST:
            assert found is None
            continue
        assert found.rows == frame.height
        assert found.frame.height < frame.height
        assert found.frame.join(frame, on=frame.columns, how="semi").equals(found.frame)
        if "system" in frame.columns:
            counted = f"{found.frame['system'].n_unique()} of {len(systems):,} systems: "
        else:
            counted = f"{found.frame.height:,} of {frame.height:,} pairs: "
        assert found.note.startswith(counted)


def made_up(draw: random.Random) -> tuple[pl.DataFrame, list[str]]:
    """Return a table on systems, or on pairs of them, and the columns that name these."""
    systems = [f"s{k}" for k in range(draw.choice([2, 59, 60, 61, 62, 85]))]
    draw.shuffle(systems)
    if draw.random() < 0.5:
        rows = [(s, k) for s in systems for k in range(draw.choice([1, 3]))]
        return pl.DataFrame(rows, ["system", "k"], orient="row"), ["system"]
    sides = draw.choice([["before", "after"], ["a", "b"]])
    value = {s: draw.random() for s in systems}
    pairs = [(a, b, value[a], value[b]) for a, b in combinations(systems, 2)]
    scores = [f"accuracy_{side}" for side in sides]
    return pl.DataFrame(pairs, [*sides, *scores], orient="row"), sides


def test_a_pair_is_shown_if_both_systems_are_and_any_with_a_baseline():
    names = [f"s{k:02}" for k in range(70)]
    shown = shown_of(names)
    pairs = pl.DataFrame(list(combinations(names, 2)), ["a", "b"], orient="row")
    kept = excerpt_of("pairs", pairs, shown).frame
    assert set(kept["a"]) | set(kept["b"]) == set(shown.systems)
    assert kept.height == 25 * 24 // 2
    base = pl.DataFrame({"a": names[:30] + names[31:], "b": "s30"})
    own = excerpt_of("pairs", base, shown)
    assert own.frame["a"].to_list() == list(shown.systems)
    assert own.note.startswith("25 of 69 pairs")


def test_a_baseline_is_shown_whatever_its_place():
    names = [f"s{k:02}" for k in range(70)]
    assert shown_of(names, named=["s40", "s01"]).systems[-1] == "s40"
    assert str(shown_of(names, named=["s40"])) == "the 20 best, the 5 worst and s40"


def test_a_report_keeps_excerpts_of_what_is_too_long_and_says_so(report):
    kept = json.loads(text(report, "json"))
    assert set(kept["excerpts"]) == {"bins.tps", "changes.pairs", "items.fit"}
    for name, about in kept["excerpts"].items():
        rows, whole = kept["tables"][name], report[name].to_dicts()
        assert (about["rows"], about["of"]) == (len(rows), len(whole))
        assert about["shown"]
        everything = {json.dumps(row, sort_keys=True) for row in whole}
        assert all(json.dumps(row, sort_keys=True) in everything for row in rows)


def test_whoever_asks_for_all_of_a_report_or_names_a_table_gets_it_whole(report):
    full = json.loads(text(report.in_full(), "json"))
    assert "excerpts" not in full
    assert len(full["tables"]["changes.pairs"]) == 150 * 149 // 2
    one = json.loads(text(report, "json", table="changes.pairs"))
    assert one["tables"]["changes.pairs"] == full["tables"]["changes.pairs"]
    assert text(report, "csv", table="bins.tps").count("\n") == 150 * 151 + 1


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_every_table_of_a_crowd_says_what_is_left_out(report, form):
    for name in ("score.overall", "compare.ranks", "bins.tps", "bins.systems", "changes.pairs"):
        shown = text(report, form, table=name)
        assert re.search(r"(25 of 150 systems|300 of 11,175 pairs)", shown), name


def test_bins_of_a_crowd_are_merged_until_all_are_asked_for(corpus):
    bins = corpus.bins()
    lines = text(bins, "table", table="bins").splitlines()
    counted = [re.split(r" {2,}", line.strip()) for line in lines if re.match(r"\d", line)]
    assert len(counted) <= 30
    assert sum(int(row[1].replace(",", "")) for row in counted) == 24
    assert len(text(bins.in_full(), "table", table="bins").splitlines()) > 150


def test_of_very_many_groups_the_hardest_come_first():
    frame = answers(3, items=140).with_columns(
        dataset=pl.Series([f"d{k:02}" for k in range(70) for _ in range(2)])
    )
    corpus = coleval.load(frame, task="label", columns={"context": ["dataset"]})
    score = corpus.score(by="dataset")
    means = score["by"].group_by("by").agg(pl.col("accuracy").mean()).sort("accuracy")
    found = excerpt_of("by", score["by"], None, groups_in(score.tables))
    shown = found.frame["by"].unique(maintain_order=True).to_list()
    worst = dict(means.iter_rows())
    assert [worst[name] for name in shown] == means["accuracy"].to_list()[:20] + (
        means["accuracy"].to_list()[-5:]
    )
    assert "25 of 70 groups: the 20 with the lowest" in text(score, "markdown", table="by")


def test_the_command_line_shows_all_of_a_crowd_on_demand(tmp_path, capsys):
    path = tmp_path / "solved.csv"
    frame = answers(61)
    frame.select((pl.exclude("gold") == frame["gold"]).cast(pl.Int8)).write_csv(path)
    command = ["score", str(path), "--task", "matrix"]
    assert main([*command, "--quiet"]) == 0
    few = capsys.readouterr().out
    assert "25 of 61 systems: the 20 best and the 5 worst; --whole shows all" in few
    assert main([*command, "--quiet", "--whole"]) == 0
    assert capsys.readouterr().out.count("/24") == 61
