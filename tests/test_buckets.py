"""How values are cut into buckets, and what the tables say of them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.analyses.buckets.cuts import Breakdown
from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.tables import plan
from coleval.annotate.attributes.model import names, numbers
from coleval.annotate.buckets import made, parsed
from coleval.errors import DataError, UsageError
from coleval.statistics.blocks import friedman, friedman_least, wilcoxon, wilcoxon_least
from coleval.statistics.breakdown import deviation, ends, spearman


def cut(values, how, shown=None):
    """Return the names of buckets made of gold's values, and the bucket of each value shown."""
    column = pl.Series(values)
    make = names if column.dtype == pl.String else numbers
    buckets = made("a", parsed(how), make(column), np.ones(len(column), np.uint8))
    every = [*(b.name for b in buckets.each), *buckets.outside]
    placed = buckets.placed(make(pl.Series(values if shown is None else shown)))
    return every[: len(buckets)], [every[k] for k in placed]


@pytest.mark.parametrize(
    ("values", "how", "wanted"),
    [
        ([1, 2, 3, 4], "quantile 2", ["1–3", "4"]),
        # A bucket closes with the first value that takes its count above its share.
        ([1, 1, 1, 2, 3, 4], "quantile 3", ["1", "2–4"]),
        ([5, 5, 5], "quantile 4", ["5"]),
        ([0, 0, 1, 2, 3], "quantile 2 apart 0", ["0", "1–2", "3"]),
        ([1, 2, 3, 9], "interval 3,inf apart 1,2,3", ["1", "2", "3", "≥4"]),
        ([0.0, 0.3, 1.0], "interval 0,0.5,1 apart 0,1", ["0", "(0, 0.5]", "(0.5, 1)", "1"]),
        ([0.25, 0.75], "interval 0,0.5,1", ["[0, 0.5]", "(0.5, 1]"]),
        ([7, 7, 8], "discrete", ["7", "8"]),
        (["b", "a", "b"], "discrete", ["b", "a"]),
        (["b", "a", "b", "c"], "discrete 2", ["b", "a"]),
        ([], "quantile 4", []),
    ],
)
def test_buckets_have_names_that_show_their_range(values, how, wanted):
    kind = values or pl.Series(values, dtype=pl.Int64)
    assert cut(kind, how)[0] == wanted


def test_what_is_outside_has_a_bucket_of_its_own():
    shown = [0, 1, 4, 9, None]
    assert cut([1, 2, 3, 4], "quantile 2", shown)[1] == ["(below)", "1–3", "4", "(above)", "(null)"]
    assert cut(["a"], "discrete", ["a", "b", None])[1] == ["a", "(other)", "(null)"]


def test_a_shared_edge_belongs_to_the_lower_bucket():
    assert cut([0.5, 0.7], "interval 0,0.5,1", [0.0, 0.5, 0.5000001])[1] == [
        "[0, 0.5]", "[0, 0.5]", "(0.5, 1]",
    ]  # fmt: skip


def test_no_value_of_gold_falls_between_two_buckets():
    values = [0.1, 0.2, 0.3, 0.4]
    placed = cut(values, "quantile 4", [0.15, 0.25, 0.35])[1]
    assert not set(placed) & {"(below)", "(above)", "(null)"}


@pytest.mark.parametrize("text", ["", "quantile", "quantile x", "thirds", "interval 1",
                                  "interval 2,1", "quantile 0", "interval a,b"])  # fmt: skip
def test_a_cut_that_says_nothing_is_refused(text):
    with pytest.raises(UsageError, match="buckets"):
        parsed(text)


@pytest.fixture
def corpus(write):
    """Return spans of one to three tokens; `good` has all, `short` only those of one token."""
    gold = "a B-X\n\nb B-X\nc I-X\n\nd B-Y\ne I-Y\nf I-Y\n\ng O\nh B-X\n"
    short = "a B-X\n\nb O\nc O\n\nd O\ne O\nf O\n\ng B-Y\nh B-X\n"
    return coleval.load(
        str(write("gold.conll", gold)),
        {"good": str(write("good.conll", gold)), "short": str(write("short.conll", short))},
    )


def test_every_cell_shows_how_many_gold_items_it_has(corpus):
    rows = corpus.buckets(attributes="eLen").tables["buckets"]
    short = rows.filter(system="short").select("bucket", "tp", "predicted", "gold", "f1").rows()
    assert short == [
        ("1", 2, 3, 2, 0.8), ("2", 0, 0, 1, 0.0), ("3", 0, 0, 1, 0.0), ("≥4", 0, 0, 0, None),
    ]  # fmt: skip


def test_a_label_is_looked_up_under_the_label_of_who_gives_it(corpus):
    rows = corpus.buckets(attributes="label").tables["buckets"].filter(system="short")
    assert rows.select("bucket", "tp", "predicted", "gold").rows() == [
        ("X", 2, 2, 3),
        ("Y", 0, 1, 1),
    ]


def test_self_diagnosis_names_best_and_worst(corpus):
    row = corpus.buckets(attributes="eLen").tables["self_diagnosis"].filter(system="short")
    assert row.select("best_bucket", "best_f1", "worst_bucket", "worst_f1", "gap").row(0) == (
        "1", 0.8, "2", 0.0, 0.8,
    )  # fmt: skip
    assert row.select("best_size", "worst_size").row(0) == ("XS", "S")


def test_comparison_says_where_the_second_is_better_and_where_worse(corpus):
    tables = corpus.buckets(attributes="eLen", pair=("short", "good")).tables
    row = tables["comparison"].row(0, named=True)
    assert (row["best_bucket"], row["best_delta"]) == ("2", 1.0)
    assert (row["worst_bucket"], row["worst_delta"]) == (None, None)
    assert tables["differences"]["delta"].to_list() == [pytest.approx(0.2), 1.0, 1.0, None]


def test_the_heat_map_has_a_cell_for_each_bucket_of_each_attribute(corpus):
    report = corpus.buckets(attributes=["eLen", "label"], pair=("short", "good"))
    cells = report["heat_map"].drop("before", "after").rows()
    # Of label X, 2 of 3 are found and nothing else is called so: F1 0.8; of Y none.
    assert cells == [
        ("eLen", 1, "1", 2, pytest.approx(0.2)), ("eLen", 2, "2", 1, 1.0),
        ("eLen", 3, "3", 1, 1.0), ("eLen", 4, "≥4", 0, None),
        ("label", 1, "X", 3, pytest.approx(0.2)), ("label", 2, "Y", 1, 1.0),
    ]  # fmt: skip
    assert cells == [
        (attribute, place, bucket, gold, delta)
        for (attribute, bucket, delta), (_, place, _, gold, _) in zip(
            report["differences"].select("attribute", "bucket", "delta").rows(), cells, strict=True
        )
    ]
    lines = [line.split() for line in report.to_markdown("heat_map").splitlines() if "| " in line]
    shown = {line[1]: [cell for cell in line[2:] if cell != "|"] for line in lines}
    assert shown["eLen"] == ["+20.00", "+100.00", "+100.00", "–"]
    # An attribute with fewer buckets ends earlier.
    assert shown["label"] == ["+20.00", "+100.00", "–", "–"]


def test_two_attributes_crossed(corpus):
    crossed = corpus.buckets(attributes="eLen", cross=("eLen", "label")).tables["crossed"]
    rows = crossed.filter(system="short").select("bucket", "by_bucket", "tp", "predicted", "gold")
    assert rows.rows() == [
        ("1", "X", 2, 2, 2), ("1", "Y", 0, 1, 0), ("2", "X", 0, 0, 1), ("3", "Y", 0, 0, 1),
    ]  # fmt: skip


def test_spans_and_tokens_do_not_cross(corpus, write):
    train = str(write("t", "a B-X\n"))
    with pytest.raises(UsageError, match="different units"):
        corpus.buckets(train=train, attributes="eLen", cross=("eLen", "tFre"))


def test_edges_are_saved_and_used_again(corpus, write, tmp_path):
    path = str(tmp_path / "edges.json")
    first = corpus.buckets(attributes=["sLen", "eLen", "label"], save_edges=path)
    other = write("o.conll", "a B-Z\n\nb B-X\nc I-X\nd I-X\ne I-X\n")
    again = coleval.load(str(other), {"s": str(other)}).buckets(
        attributes=["sLen", "eLen", "label"], edges=path
    )
    rows = again.tables["buckets"].select("attribute", "bucket", "gold").rows()
    assert ("sLen", "(above)", 1) in rows
    assert ("eLen", "≥4", 1) in rows
    assert ("label", "(other)", 1) in rows
    named = first.tables["buckets"].filter(pl.col("attribute") == "sLen")["bucket"].unique()
    assert set(named) <= {bucket for name, bucket, _ in rows if name == "sLen"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"edges": 9, "attributes": {}}', "not json"])
def test_a_file_without_edges_is_refused(corpus, write, text):
    with pytest.raises(DataError, match="save_edges="):
        corpus.buckets(edges=str(write("edges.json", text)))


def test_edges_are_plain_json(corpus, tmp_path):
    path = tmp_path / "edges.json"
    corpus.buckets(attributes="eLen", save_edges=str(path))
    told = json.loads(path.read_text(encoding="utf-8"))["attributes"]["eLen"]
    assert told["buckets"][-1] == {"name": "≥4", "low": 3.0, "high": "inf", "closed": True}


def test_intervals_hold_the_score(corpus):
    rows = corpus.buckets(attributes="eLen", intervals=True, replicates=64).tables["buckets"]
    known = rows.filter(pl.col("f1_low").is_not_null())
    assert (known["f1_low"] <= known["f1"]).all()
    assert (known["f1"] <= known["f1_high"]).all()
    assert known.height > 0


def test_the_same_seed_gives_the_same_intervals(corpus):
    ask = {"attributes": "eLen", "intervals": True, "replicates": 64, "seed": 7}
    first, again = (corpus.buckets(**ask).tables["buckets"] for _ in range(2))
    assert first.equals(again)


def test_several_corpora_stand_side_by_side(corpus, write):
    other = write("o.conll", "a B-X\n\nb B-X\nc I-X\n")
    more = coleval.load(str(other), {"good": str(other), "short": str(other)})
    tables = corpus.buckets(
        attributes=["eLen", "sLen"], name="one", datasets={"two": more}, pair=("short", "good")
    ).tables
    assert tables["attributes"].select("corpus", "attribute").rows() == [
        ("one", "eLen"), ("one", "sLen"), ("two", "eLen"), ("two", "sLen"),
    ]  # fmt: skip
    assert set(tables["comparison"]["corpus"]) == {"one", "two"}
    samples = tables["tests"].filter(test="Wilcoxon")["sample"].to_list()
    assert samples == ["5 buckets of 2 corpora", "4 buckets of 2 corpora"]


def test_accuracy_is_for_items_that_all_have_an_answer(corpus, write):
    with pytest.raises(UsageError, match="accuracy is undefined for spans"):
        corpus.buckets(attributes="eLen", by="accuracy")
    gold, system = write("g", "a D\nb N\n"), write("s", "a D\nb D\n")
    tags = coleval.load(str(gold), {"s": str(system)}, task="tag")
    table = tags.buckets(attributes="label", by="accuracy").tables["self_diagnosis"]
    assert table.select("best_accuracy", "worst_accuracy").row(0) == (1.0, 0.0)


def test_a_filter_chooses_items_of_tokens_too(corpus, write):
    train = str(write("t", "a B-X\nh B-X\n"))
    report = corpus.buckets(train=train, attributes=["eLen", "tFre"], where="sentence = 3")
    sums = report.tables["buckets"].filter(system="good").group_by("attribute").agg(pl.sum("gold"))
    assert dict(sums.rows()) == {"eLen": 1, "tFre": 1}


@pytest.mark.parametrize(
    ("values", "rho", "std"),
    [([0.1, 0.2, 0.3], 1.0, 0.0816496580927726), ([0.3, 0.3, 0.3], None, 0.0), ([0.5], None, 0.0),
     ([None, None], None, None), ([0.9, None, 0.1], -1.0, 0.4), ([], None, None)],
)  # fmt: skip
def test_how_scores_follow_the_order_of_buckets(values, rho, std):
    assert spearman(values) == (None if rho is None else pytest.approx(rho))
    assert deviation(values) == (None if std is None else pytest.approx(std))


def test_the_first_of_equals_is_named():
    assert ends([0.5, None, 0.9, 0.9, 0.5]) == (2, 0.9, 0, 0.5)
    assert ends([None]) is None


def test_friedman_agrees_with_scipy_where_blocks_are_many():
    from scipy.stats import friedmanchisquare

    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 9, (40, 4)).tolist()
    ours = friedman(blocks)
    theirs = friedmanchisquare(*zip(*blocks, strict=True))
    assert not ours.exact
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_friedman_is_exact_where_blocks_are_few():
    # Two blocks of four treatments in one order: one of 24 orders of the second.
    assert friedman([[1, 2, 3, 4], [5, 6, 7, 8]]) == (6.0, pytest.approx(1 / 24), True)
    assert friedman_least(4, 2) == pytest.approx(1 / 24)
    assert friedman([[1, 1, 1], [2, 2, 2]]) == (0.0, 1.0, True)


def test_wilcoxon_agrees_with_scipy():
    from scipy.stats import wilcoxon as theirs

    rng = np.random.default_rng(1)
    differences = rng.normal(0.2, 1, 15).tolist()
    assert wilcoxon(differences).p == pytest.approx(theirs(differences, method="exact").pvalue)
    assert wilcoxon([0.1] * 6).p == pytest.approx(wilcoxon_least(6)) == pytest.approx(1 / 32)
    assert wilcoxon([0.0, 0.0]) == (0.0, 1.0, True)


def test_nothing_is_tested_on_too_few_blocks(corpus):
    tests = corpus.chosen("short").buckets(attributes=["eLen", "sLen"]).tables["tests"]
    assert tests["p"].null_count() == len(tests)
    assert all(note.startswith("not tested: ") for note in tests["note"])


def test_p_is_adjusted_within_each_kind_of_test(corpus):
    tests = corpus.buckets(pair=("short", "good")).tables["tests"]
    done = tests.filter(pl.col("p").is_not_null())
    assert (done["p_adjusted"] >= done["p"]).all()


def test_a_corpus_without_gold_spans_has_nothing_but_undefined_scores(write):
    gold, system = write("g", "a O\nb O\n"), write("s", "a B-X\nb O\n")
    corpus = coleval.load(str(gold), {"s": str(system)}, task="span")
    report = corpus.buckets(attributes=["eLen", "sLen", "label"])
    assert report.tables["attributes"]["zeta"].null_count() == 3
    assert report.tables["buckets"]["predicted"].sum() == 3


def test_unknown_systems_and_scores_are_refused(corpus):
    with pytest.raises(UsageError, match="shrt"):
        corpus.buckets(attributes="eLen", pair=("shrt", "good"))
    with pytest.raises(UsageError, match="metric"):
        corpus.buckets(by="f2")
    with pytest.raises(UsageError, match="does not name an attribute"):
        corpus.buckets(buckets="quantile 4")


def test_a_cut_chosen_by_the_user_replaces_the_default(corpus):
    rows = corpus.buckets(attributes="eLen", buckets={"eLen": "quantile 2"}).tables["buckets"]
    assert rows["bucket"].unique(maintain_order=True).to_list() == ["1–2", "3"]


def test_values_are_a_column_aligned_to_items(corpus):
    found = Breakdown(corpus, plan(Options(attributes="eLen")), {}).cut("eLen")
    assert found.values.column(found.facts.items.gold).to_list() == [1, 2, 3, 1, 1]


def test_an_open_end_and_an_infinite_value_are_null(corpus):
    rows = corpus.buckets(attributes=["eLen", 'x=1.0 / ("start")']).tables["buckets"]
    assert rows.filter(bucket="≥4")["high"].to_list() == [None, None]
    assert rows.filter(attribute="x")["high"].is_finite().all()
    assert rows.filter(attribute="x", bucket="(null)")["gold"].to_list() == [3, 3]
