"""Is the difference real? Known answers, drawn tables, published tasks, and what is undefined."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import coleval
import oracle_compare as oracle
from coleval.analyses.compare.plan import setting, settled
from coleval.errors import UsageError
from coleval.statistics import draws
from coleval.statistics.paired import (
    adjusted,
    detectable,
    detectable_by_mcnemar,
    mcnemar,
    units_needed,
    widened,
    wilcoxon,
)
from coleval.statistics.ranking import rank_interval, ranks, share_best, tie_groups


def matrix(**systems):
    """Return the corpus of items that systems (strings of 0 and 1) have right or wrong."""
    return labelled("1" * len(next(iter(systems.values()))), **systems)


def labelled(gold, **systems):
    """Return the corpus of instances with one letter each."""
    columns = {"gold": list(gold), **{name: list(text) for name, text in systems.items()}}
    picks = ",".join(["gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(columns), task="label", columns=picks)


def row(report, table="pairs"):
    return report.table(table).row(0, named=True)


# ------------------------------------------------------------------------------ known answers


def test_eight_against_two_is_the_example_of_mcnemar_exact_and_mid_p():
    wins, losses = np.array([8]), np.array([2])
    assert mcnemar(wins, losses, mid=False)[0] == pytest.approx(0.109375)
    assert mcnemar(wins, losses, mid=True)[0] == pytest.approx(0.0654296875)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 5), (3, 17), (60, 40), (1, 1)])
def test_mcnemar_is_the_binomial_test(b, c):
    for mid, expected in ((False, oracle.mcnemar_exact(b, c)), (True, oracle.mcnemar_mid(b, c))):
        found = mcnemar(np.array([b]), np.array([c]), mid=mid)[0]
        assert found == pytest.approx(expected, abs=1e-12)


def test_mcnemar_is_that_of_statsmodels():
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    for b, c in ((8, 2), (30, 11), (0, 6)):
        theirs = contingency.mcnemar([[5, b], [c, 5]], exact=True).pvalue
        assert mcnemar(np.array([b]), np.array([c]), mid=False)[0] == pytest.approx(theirs)


def test_mcnemar_counts_items_and_tells_cohens_g():
    report = matrix(a="1111111100110", b="0000000011110").compare(test="mcnemar")
    found = row(report)
    assert (found["a_better"], found["b_better"]) == (8, 2)
    assert found["p"] == pytest.approx(0.109375)
    assert found["effect"] == pytest.approx(0.3)


def test_wilcoxon_is_that_of_scipy():
    rng = np.random.default_rng(0)
    units = np.round(rng.random((2, 60)), 1)
    p, effect = wilcoxon(units, np.array([[0, 1]]))
    difference = np.round(units[0] - units[1], 12)
    assert p[0] == pytest.approx(stats.wilcoxon(difference[difference != 0]).pvalue)
    assert -1 <= effect[0] <= 1


def unit_scores(spans):
    """Return the F1 of both systems in the sentences in which both have one."""
    scores = [(oracle.f1([a]), oracle.f1([b]))
              for a, b in zip(by_sentence(ONE), by_sentence(TWO), strict=True)]  # fmt: skip
    return np.array([both for both in scores if None not in both]).T


def test_paired_t_over_units_is_that_of_scipy(spans):
    one, two = unit_scores(spans)
    found = row(spans.compare(test="t", metric="f1"))
    assert found["p"] == pytest.approx(stats.ttest_rel(one, two).pvalue)
    assert found["effect"] == pytest.approx((one - two).mean() / (one - two).std(ddof=1))
    assert (found["p_from"], found["detectable"]) == ("formula", None)


def test_the_sign_test_over_units_is_binomial(spans):
    one, two = unit_scores(spans)
    better, worse = int((one > two).sum()), int((one < two).sum())
    found = row(spans.compare(test="sign", metric="f1"))
    assert (found["a_better"], found["b_better"]) == (better, worse)
    assert found["p"] == pytest.approx(stats.binomtest(better, better + worse).pvalue)
    assert found["effect"] == pytest.approx(better / (better + worse) - 0.5)
    assert found["p_from"] == "exact"


@pytest.mark.parametrize("how", ["holm", "bh"])
def test_corrections_are_those_of_statsmodels(how):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.array([0.01, 0.04, 0.03, 0.005, 0.5, 0.03])
    theirs = multitest.multipletests(p, method={"holm": "holm", "bh": "fdr_bh"}[how])[1]
    assert adjusted(p, how) == pytest.approx(theirs)


def test_holm_by_hand_and_a_test_that_was_none_is_not_counted():
    p = np.array([0.01, np.nan, 0.04, 0.03])
    assert adjusted(p, "holm")[[0, 2, 3]] == pytest.approx(oracle.holm([0.01, 0.04, 0.03]))
    assert np.isnan(adjusted(p, "holm")[1])
    assert adjusted(p, "none")[0] == 0.01


# ------------------------------------------------------- bootstrap and randomisation, again

GOLD = ["B-A O B-B", "B-A O O", "O B-B O", "B-A B-A O", "B-B O O", "O O B-A"]
ONE = ["B-A O B-B", "B-A O O", "O B-B O", "B-A O O", "B-A O O", "O O B-A"]
TWO = ["B-A O O", "B-B O O", "O B-B O", "B-A B-A O", "O O B-A", "O O O"]


def conll(sentences):
    return "\n".join("".join(f"w {tag}\n" for tag in s.split()) for s in sentences)


@pytest.fixture
def spans(write):
    paths = {n: write(n, conll(s)) for n, s in {"gold": GOLD, "one": ONE, "two": TWO}.items()}
    return coleval.load(paths["gold"], {n: paths[n] for n in ("one", "two")}, task="span")


def by_sentence(system):
    """Return (tp, answered, expected) of each sentence."""
    out = []
    for gold, answer in zip(GOLD, system, strict=True):
        pairs = list(zip(gold.split(), answer.split(), strict=True))
        out.append((sum(g == a != "O" for g, a in pairs), sum(a != "O" for _, a in pairs),
                    sum(g != "O" for g, _ in pairs)))  # fmt: skip
    return out


def test_the_bootstrap_is_a_plain_loop_over_the_same_weights(spans):
    _, plan = settled(spans, replicates=200, test="bootstrap")
    how = setting(spans, plan)
    start = draws.streams(how.resampling.key, 0)
    weights = np.concatenate([draws.poisson(start, b) for b in range(4)], axis=1)[:, :200]
    one, two = by_sentence(ONE), by_sentence(TWO)
    delta = oracle.f1(one) - oracle.f1(two)
    drawn = [(oracle.f1(one, list(w)), oracle.f1(two, list(w))) for w in weights.T.astype(int)]
    moved = [a - b for a, b in drawn if a is not None]
    count = sum(abs(d - delta) >= abs(delta) - 1e-12 for d in moved)
    found = row(spans.compare(replicates=200, test="bootstrap"))
    assert (found["a"], found["b"], found["unit"]) == ("one", "two", "sentence")
    assert found["delta"] == pytest.approx(delta)
    assert found["p"] == pytest.approx((count + 1) / (len(moved) + 1))
    # Over few units percentiles are those that Student's t asks for.
    tail = widened(0.05, 6) / 2
    assert [found["low"], found["high"]] == pytest.approx(np.quantile(moved, [tail, 1 - tail]))


def test_randomisation_comes_near_all_exchanges_there_are(spans):
    one, two = by_sentence(ONE), by_sentence(TWO)
    delta = oracle.f1(one) - oracle.f1(two)
    every = oracle.exchanges(one, two)
    exact = sum(abs(d) >= abs(delta) - 1e-12 for d in every) / len(every)
    found = row(spans.compare(test="randomisation", replicates=20_000))
    assert found["p"] == pytest.approx(exact, abs=0.015)


def by_label(system):
    """Return (tp, answered, expected) of each label in each sentence."""
    out = []
    for gold, answer in zip(GOLD, system, strict=True):
        pairs = list(zip(gold.split(), answer.split(), strict=True))
        out.append({k: (sum(g == a == f"B-{k}" for g, a in pairs),
                        sum(a == f"B-{k}" for _, a in pairs),
                        sum(g == f"B-{k}" for g, _ in pairs)) for k in "AB"})  # fmt: skip
    return out


def test_randomisation_of_an_average_comes_near_all_exchanges_there_are(spans):
    every = oracle.exchanges(by_label(ONE), by_label(TWO), oracle.macro_f1)
    delta = oracle.macro_f1(by_label(ONE)) - oracle.macro_f1(by_label(TWO))
    exact = sum(abs(d) >= abs(delta) - 1e-12 for d in every) / len(every)
    report = spans.compare(metric="macro_f1", test="randomisation", replicates=20_000)
    assert row(report)["delta"] == pytest.approx(delta)
    assert row(report)["p"] == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(
    "metric", ["precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1",
               "weighted_precision", "weighted_recall", "weighted_f1"]
)  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"labels": "gold"}, {"undefined": "0"},
                                     {"labels": "all", "undefined": "0"}])  # fmt: skip
def test_a_comparison_has_the_scores_of_the_leaderboard(spans, metric, options):
    overall = spans.score(**options).table("overall")
    expected = dict(overall.select("system", metric).iter_rows())
    found = dict(spans.compare(metric=metric, replicates=10, **options).table("ranks")
                 .select("system", "value").iter_rows())  # fmt: skip
    assert found == pytest.approx(expected)


def test_a_label_alone_and_whole_sentences_can_be_compared(spans):
    labels = spans.score().table("labels").filter(pl.col("label") == "A")
    found = spans.compare(metric="f1:A", replicates=10).table("ranks")
    assert dict(found.select("system", "value").iter_rows()) == pytest.approx(
        dict(labels.select("system", "f1").iter_rows())
    )
    overall = spans.score().table("overall")
    expected = {s: n / 6 for s, n in overall.select("system", "sentences_correct").iter_rows()}
    whole = spans.compare(metric="sentences", replicates=10).table("ranks")
    assert dict(whole.select("system", "value").iter_rows()) == pytest.approx(expected)


@pytest.mark.parametrize("where", ["", "sentence > 1"])
@pytest.mark.parametrize("score", ["precision", "recall", "f1"])
def test_fair_scores_can_be_compared(spans, where, score):
    overall = spans.errors(where=where).table("overall").filter(pl.col("method") == "fair")
    found = spans.compare(metric=f"fair_{score}", replicates=10, where=where).table("ranks")
    assert dict(found.select("system", "value").iter_rows()) == pytest.approx(
        dict(overall.select("system", score).iter_rows())
    )


def test_intervals_stand_beside_the_scores(spans):
    report = spans.score(intervals=True, replicates=200)
    overall, labels = report.table("overall"), report.table("labels")
    at = overall.columns.index("f1")
    assert overall.columns[at : at + 3] == ["f1", "f1_low", "f1_high"]
    for frame in (overall, labels):
        for low, value, high in frame.select("f1_low", "f1", "f1_high").drop_nulls().iter_rows():
            assert low <= value <= high
    ranks_ = spans.compare(replicates=200).table("ranks")
    assert dict(overall.select("system", "f1_low").iter_rows()) == pytest.approx(
        dict(ranks_.select("system", "low").iter_rows())
    )
    assert "intervals:bootstrap/200" in report.signature


# ------------------------------------------------------------------------- ranks and power


def test_equal_values_share_a_rank_and_the_first_place():
    values = np.array([[0.9, 0.9], [0.9, 0.8], [0.1, 0.1]])
    assert ranks(values).tolist() == [[1, 1], [1, 2], [3, 3]]
    assert share_best(values).tolist() == [0.75, 0.25, 0.0]
    assert rank_interval(values, 0.05).tolist() == [[1, 1], [1, 2], [3, 3]]


def test_a_group_ends_where_all_above_beat_all_below():
    better = np.zeros((4, 4), bool)
    better[0, 2] = better[0, 3] = better[1, 3] = better[2, 3] = True
    assert tie_groups(better) == [1, 1, 1, 2]
    better[1, 2] = True
    assert tie_groups(better) == [1, 1, 2, 3]


def test_a_difference_as_large_as_the_detectable_one_needs_the_units_there_are():
    found = detectable(np.array([0.01]), 0.05)
    assert found[0] == pytest.approx(0.028, abs=1e-4)
    assert units_needed(100, found, found)[0] == 100
    assert units_needed(100, found / 2, found)[0] == 400
    assert np.isnan(units_needed(100, np.zeros(1), found)[0])


def test_the_power_of_mcnemar_is_connors_formula():
    items, discordant = 1000, np.array([200])
    delta = detectable_by_mcnemar(discordant, items, 0.05)[0]
    psi = 0.2
    needed = (1.959964 * psi**0.5 + 0.841621 * (psi - delta**2) ** 0.5) ** 2 / delta**2
    assert needed == pytest.approx(items, rel=1e-4)


def test_power_that_is_not_known_is_null_with_a_reason():
    corpus = matrix(a="110110", b="011011", c="111000")
    report = corpus.compare(test="wilcoxon")
    found = row(report, "power")
    assert found["detectable"] is None
    assert "wilcoxon" in found["note"]
    assert row(corpus.compare(replicates=50), "power")["note"] is None


# ------------------------------------------------------------------------------------ groups


def test_runs_are_grouped_and_both_questions_are_kept_apart():
    rng = np.random.default_rng(0)

    def run(share):
        return "".join("01"[right] for right in (rng.random(400) < share).astype(int))

    systems = {f"{team}-seed{k}": run(share + 0.01 * k)
               for team, share in (("new", 0.8), ("old", 0.6)) for k in range(3)}  # fmt: skip
    report = matrix(**systems).compare(group="(.*)-seed[0-9]+", replicates=500)
    groups = report.table("groups")
    assert groups["group"].to_list() == ["new", "old"]
    assert groups["n"].to_list() == [3, 3]
    shares = [systems[f"new-seed{k}"].count("1") / 400 for k in range(3)]
    assert groups["mean"][0] == pytest.approx(np.mean(shares))
    assert groups["sd"][0] == pytest.approx(np.std(shares, ddof=1))
    pair = row(report, "group_pairs")
    assert pair["p"] < 0.01
    assert pair["p_runs"] < 0.05


def test_welch_over_runs_is_that_of_scipy():

    from coleval.analyses.compare.groups import _welch

    a, b = np.array([0.8, 0.82, 0.79]), np.array([0.7, 0.75, 0.74, 0.71])
    assert _welch(a, b) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_a_group_of_one_has_no_spread_and_no_test_over_runs():
    report = matrix(a="110", b="101", c="011").compare(group="([ab])", replicates=20)
    assert report.table("groups")["sd"].to_list() == [None, None, None]
    assert report.table("group_pairs")["p_runs"].null_count() == 3


# -------------------------------------------------------------------------- what is undefined


def no_nan(report):
    for name, frame in report.tables.items():
        for column in frame.select(pl.col(pl.Float64)):
            assert column.is_nan().sum() in (0, None), (name, column.name)


@pytest.mark.parametrize(
    "test", ["bootstrap", "randomisation", "wilcoxon", "mcnemar", "mcnemar-midp", "sign", "t"]
)
def test_identical_systems_differ_by_nothing_with_p_one(test):
    report = matrix(a="1101", b="1101").compare(test=test, replicates=50)
    no_nan(report)
    found = row(report)
    assert (found["delta"], found["p"]) == (0.0, 1.0)
    assert found["note"] == "equal in every instance"
    assert report.table("ranks")["rank"].to_list() == [1, 1]
    assert found["units_needed"] is None


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "wilcoxon"])
def test_one_sentence_has_a_difference_but_no_test(write, test):
    gold, a, b = (write(n, conll([s])) for n, s in
                  (("gold", "B-A O"), ("a", "B-A O"), ("b", "O B-A")))  # fmt: skip
    report = coleval.load(gold, {"a": a, "b": b}, task="span").compare(test=test)
    no_nan(report)
    found = row(report)
    assert found["delta"] == 1.0
    assert found["low"] is None
    assert found["note"] == "one sentence: nothing to resample"
    if test != "wilcoxon":
        assert found["p"] is None
    assert report.table("ranks")["rank_low"].null_count() == 2


def test_no_gold_is_undefined_and_says_so(write):
    gold, a, b = (write(n, conll([s, s])) for n, s in
                  (("gold", "O O"), ("a", "B-A O"), ("b", "O O")))  # fmt: skip
    report = coleval.load(gold, {"a": a, "b": b}, task="span").compare(metric="recall")
    no_nan(report)
    found = row(report)
    assert found["value_a"] is None
    assert found["p"] is None
    assert found["note"] == "recall of a and b is undefined"
    assert set(report.table("ranks")["note"]) == {"recall is undefined: nothing to divide by"}


def test_one_system_has_nothing_to_be_compared_with_but_a_leaderboard_with_its_interval():
    corpus = labelled("AAAA", only="AAAA", other="AAAA").chosen("only")
    with pytest.raises(UsageError, match="there is one system, `only`"):
        corpus.compare()
    board = corpus.score(leaderboard=True).table("leaderboard")
    # Wilson's interval of 4 of 4: 4 / (4 + 1.96²).
    low = pytest.approx(0.5101, abs=1e-4)
    assert board.select("value", "low", "high").rows() == [(1.0, low, 1.0)]


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "mcnemar", "wilcoxon"])
def test_one_class_is_no_trouble(test):
    report = labelled("AAAA", one="AAAA", other="AAAA").compare(test=test, replicates=20)
    no_nan(report)
    assert report.table("ranks")["value"].to_list() == [1.0, 1.0]


def test_options_that_do_not_exist_are_refused_with_what_there_is():
    corpus = labelled("AB", a="AA", b="BB")
    for given, said in (({"metric": "f2"}, "f1"), ({"test": "z"}, "bootstrap"),
                        ({"correct": "x"}, "holm"), ({"baseline": "c"}, "a, b"),
                        ({"unit_of_resampling": "page"}, "item"), ({"metric": "f1:C"}, "A"),
                        ({"group": "("}, "regular"), ({"alpha": 2.0}, "between"),
                        ({"replicates": 0}, "1 or more"),
                        ({"metric": "f1", "test": "mcnemar"}, "accuracy")):  # fmt: skip
        with pytest.raises(UsageError) as error:
            corpus.compare(**given)
        assert said in str(error.value)


def test_too_few_replicates_for_many_tests_are_warned_of():
    systems = {
        f"s{k}": "".join(str(int((k * 7 + i * i) % 5 > 1)) for i in range(60)) for k in range(9)
    }
    report = matrix(**systems).compare(replicates=100, test="randomisation")
    assert any("replicates=" in w for w in report.warnings)
    assert not any("replicates=" in w for w in matrix(**systems).compare().warnings)


def test_a_baseline_is_compared_with_all_others_only():
    corpus = matrix(a="1101", b="1011", c="0111")
    pairs = corpus.compare(baseline="b", replicates=10).table("pairs")
    assert pairs.select("a", "b").rows() == [("a", "b"), ("c", "b")]


# ------------------------------------------------------------------------------ published tasks


@pytest.fixture(scope="module")
def argument(data):
    folder = data("semeval2018-t12")
    return coleval.load(folder / "truth.txt", str(folder / "submissions/*.txt"), task="label")


def test_semeval_2018_task_12_has_one_winner_and_no_ranking_below_it(argument):
    """GIST (437952, published .712) is really better than all but the withdrawn 436419."""
    report = argument.compare(test="mcnemar")
    ranked, pairs = report.table("ranks"), report.table("pairs")
    assert (ranked.height, pairs.height) == (23, 253)
    assert (ranked["system"][0], ranked["value"][0]) == ("437952", pytest.approx(316 / 444))
    real = pairs.filter(pl.col("p_adjusted") < 0.05)
    first = pairs.filter((pl.col("a") == "437952") & (pl.col("p_adjusted") >= 0.05))
    assert first["b"].to_list() == ["436419"]
    assert real.filter(pl.col("a") != "437952").height == 13
    assert "resample:instance" in report.signature


def test_only_the_winner_of_semeval_is_really_better_than_the_random_baseline(argument):
    pairs = argument.compare(test="mcnemar", baseline="437684").table("pairs")
    assert pairs.filter(pl.col("p_adjusted") < 0.05)["a"].to_list() == ["437952"]


def test_the_winner_of_semeval_beats_all_if_nothing_else_is_asked(argument):
    pairs = argument.compare(test="mcnemar", baseline="437952").table("pairs")
    assert pairs["p_adjusted"].max() < 0.001
    groups = argument.compare(test="mcnemar", correct="bh").table("ranks")["group"]
    assert groups.to_list() == [1] + [2] * 22


def test_randomisation_of_accuracy_is_mcnemars_exact_test(argument):
    found = {t: argument.compare(test=t).table("pairs")["p"].to_numpy()
             for t in ("mcnemar", "randomisation", "bootstrap")}  # fmt: skip
    assert np.abs(found["mcnemar"] - found["randomisation"]).max() < 0.03
    assert np.abs(found["mcnemar"] - found["bootstrap"]).max() < 0.12


def test_ranks_of_wnut17_overlap_but_for_the_last(data):
    folder = data("wnut17")
    corpus = coleval.load(
        folder / "gold/emerging.test.annotated", str(folder / "submissions/*"), task="span"
    )
    ranked = corpus.compare(replicates=2000).table("ranks")
    rows = {r["system"]: r for r in ranked.iter_rows(named=True)}
    assert ranked["value"].to_list() == pytest.approx(
        [0.4186, 0.4042, 0.3998, 0.3835, 0.2630], abs=5e-5
    )
    assert ranked["group"].to_list() == [1, 1, 1, 1, 2]
    assert (rows["drexel_cci"]["rank_low"], rows["drexel_cci"]["rank_high"]) == (5, 5)
    assert rows["uh_ritual"]["rank_high"] >= 2
    assert rows["flytxt"]["rank_low"] <= 3
    assert sum(ranked["p_best"]) == pytest.approx(1)
