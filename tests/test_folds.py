"""Folds and repeated splits: the corrected resampled t test by hand, by its formula, its level."""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev, variance

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from coleval.statistics.blocks import corrected_t, ratio_to_training


def load(folds, **systems):
    frame = pl.DataFrame(
        {
            "gold": ["x"] * len(folds),
            "fold": folds,
            **{name: ["yx"[int(r)] for r in right] for name, right in systems.items()},
        }
    )
    columns = {"gold": "gold", "system": list(systems), "context": ["fold"]}
    return coleval.load(frame, task="label", columns=columns)


def of_shares(**systems):
    """Return a corpus of folds of 100 items, of which each system has so many right."""
    k = len(next(iter(systems.values())))
    right = {name: "".join("1" * n + "0" * (100 - n) for n in ns) for name, ns in systems.items()}
    return load([f"f{at}" for at in range(k) for _ in range(100)], **right)


def p_of_four_degrees(t):
    """Return the two-sided p of Student's t with 4 degrees of freedom, which has a closed form."""
    square = 1 + t * t / 4
    return 1 - 0.75 * abs(t) / sqrt(square) * (1 - t * t / 12 / square)


def test_five_folds_by_hand():
    """Differences of 2 4 3 1 5 points: mean 3, variance 2.5; t² = 9 / ((1/5 + 1/4) 2.5) = 8."""
    report = of_shares(a=(60, 64, 63, 61, 65), b=(58, 60, 60, 60, 60)).compare(folds="fold")
    a, b = report.table("folds").to_dicts()
    assert (a["system"], a["n"], a["folds"]) == ("a", 5, 5)
    assert (a["mean"], b["mean"]) == pytest.approx((0.626, 0.596))
    assert a["sd"] == pytest.approx(stdev((0.60, 0.64, 0.63, 0.61, 0.65)))
    found = report.table("fold_pairs").row(0, named=True)
    assert (found["a"], found["b"], found["n"], found["ratio"]) == ("a", "b", 5, 0.25)
    assert found["delta"] == pytest.approx(0.03)
    assert found["t"] == pytest.approx(sqrt(8))
    assert found["p"] == pytest.approx(p_of_four_degrees(sqrt(8)))
    assert 0 < found["low"] < 0.03 < found["high"]


def test_of_repeated_splits_the_share_that_is_tested_decides():
    """A tenth is tested, nine tenths are trained on: t² = 9 / ((1/5 + 1/9) 2.5)."""
    corpus = of_shares(a=(60, 64, 63, 61, 65), b=(58, 60, 60, 60, 60))
    found = corpus.compare(folds="fold", test_share=0.1).table("fold_pairs").row(0, named=True)
    assert found["t"] ** 2 == pytest.approx(9 / ((1 / 5 + 1 / 9) * 2.5))
    assert found["p"] == pytest.approx(p_of_four_degrees(found["t"]))


ITEMS = st.lists(
    st.tuples(st.sampled_from("pqrs"), st.sampled_from("01"), st.sampled_from("01")),
    min_size=2,
    max_size=24,
).filter(lambda rows: len({f for f, *_ in rows}) > 1)


@given(ITEMS)
def test_folds_are_those_of_plain_loops(rows):
    folds, a, b = (list(column) for column in zip(*rows, strict=True))
    report = load(folds, a=a, b=b).compare(folds="fold", replicates=10)
    shares = {
        name: [mean(int(r) for f, r in zip(folds, right, strict=True) if f == fold)
               for fold in sorted(set(folds))]
        for name, right in (("a", a), ("b", b))
    }  # fmt: skip
    for row in report.table("folds").to_dicts():
        own = shares[row["system"]]
        assert (row["mean"], row["sd"]) == pytest.approx((mean(own), stdev(own)))
        assert (row["min"], row["max"]) == pytest.approx((min(own), max(own)))
    found = report.table("fold_pairs").row(0, named=True)
    apart = [x - y for x, y in zip(shares[found["a"]], shares[found["b"]], strict=True)]
    assert found["delta"] == pytest.approx(mean(apart))
    if variance(apart) > 1e-12:
        k = len(apart)
        t = mean(apart) / sqrt((1 / k + 1 / (k - 1)) * variance(apart))
        assert found["t"] == pytest.approx(t, abs=1e-9)


def test_f1_is_taken_in_each_fold_by_itself(write):
    """Fold p: one of two spans found, nothing spurious, F1 2/3; fold q: 0 of 1; r: all."""
    gold = write("gold.tsv", "a\tB-X\tp\nb\tB-X\tp\n\nc\tB-X\tq\n\nd\tB-X\tr\n")
    system = write("s.tsv", "a\tB-X\tp\nb\tO\tp\n\nc\tO\tq\n\nd\tB-X\tr\n")
    corpus = coleval.load(gold, {"s": system, "gold too": gold}, task="span",
                          columns={"form": 1, "gold": 2, "system": 2, "fold": 3})  # fmt: skip
    row = corpus.compare(folds="fold").table("folds").row(by_predicate=pl.col("system") == "s",
                                                          named=True)  # fmt: skip
    assert (row["metric"], row["n"]) == ("f1", 3)
    assert row["mean"] == pytest.approx((2 / 3 + 0 + 1) / 3)


def test_splits_may_be_files_of_their_own(write, tmp_path):
    for split, right in (("one", "xx"), ("two", "xy"), ("three", "yx")):
        write(f"gold/{split}.txt", "1\tx\n2\tx\n")
        write(f"runs/s/{split}.txt", "".join(f"{k + 1}\t{r}\n" for k, r in enumerate(right)))
        write(f"runs/t/{split}.txt", "1\tx\n2\ty\n")
    corpus = coleval.load(f"{tmp_path}/gold/{{dataset}}.txt",
                          f"{tmp_path}/runs/{{system}}/{{dataset}}.txt", task="label")  # fmt: skip
    table = corpus.compare(folds="dataset", test_share=0.2).table("folds")
    assert dict(table.select("system", "mean").iter_rows()) == pytest.approx({"s": 2 / 3, "t": 0.5})


def test_equal_folds_have_p_1_and_a_difference_without_spread_has_none():
    equal = of_shares(a=(60, 64), b=(60, 64)).compare(folds="fold").table("fold_pairs")
    assert equal.row(0, named=True)["p"] == 1.0
    assert equal["note"].to_list() == ["equal in every fold"]
    same = of_shares(a=(60, 64), b=(50, 54)).compare(folds="fold").table("fold_pairs")
    assert same.row(0, named=True)["p"] is None
    assert same["note"].to_list() == ["the same difference in every fold: no spread"]


def test_a_fold_without_a_score_is_left_out_and_that_is_said(write):
    gold = write("gold.tsv", "a\tB-X\tp\n\nc\tO\tq\n\nd\tB-X\tr\n")
    more = write("more.tsv", "a\tB-X\tp\n\nc\tB-X\tq\n\nd\tO\tr\n")
    corpus = coleval.load(gold, {"s": gold, "more": more}, task="span",
                          columns={"form": 1, "gold": 2, "system": 2, "fold": 3})  # fmt: skip
    report = corpus.compare(folds="fold")
    s = report.table("folds").row(by_predicate=pl.col("system") == "s", named=True)
    assert (s["n"], s["folds"], s["mean"]) == (2, 3, 1.0)
    assert s["note"] == "f1 is undefined in 1 fold: left out"
    assert report.table("fold_pairs")["n"].to_list() == [2]


def test_the_correction_keeps_the_level_that_plain_t_exceeds():
    """Two classifiers that are alike but for chance, 15 splits with a tenth for testing."""
    rng = np.random.default_rng(0)
    p = np.array([_of_equal_classifiers(rng) for _ in range(500)])
    plain, corrected = (p < 0.05).mean(axis=0)
    assert plain > 0.12
    assert corrected < 0.08


def _of_equal_classifiers(rng, n=100, splits=15, share=0.1):
    y = np.arange(n) % 2
    x = rng.normal(size=(n, 8))
    x[:, [0, 4]] += 0.8 * y[:, None]
    size, apart = int(n * share), []
    for _ in range(splits):
        order = rng.permutation(n)
        test, train = order[:size], order[size:]
        both = [_right(x[:, part], y, train, test) for part in (slice(4), slice(4, 8))]
        apart.append(both[0] - both[1])
    ratio = ratio_to_training(splits, share)
    return corrected_t(np.array(apart), 0.0).p, corrected_t(np.array(apart), ratio).p


def _right(x, y, train, test):
    """Return the accuracy of the nearest centroid."""
    away = [((x[test] - x[train][y[train] == k].mean(axis=0)) ** 2).sum(axis=1) for k in (0, 1)]
    return ((away[1] < away[0]) == (y[test] == 1)).mean()


def test_options_that_make_no_folds_are_refused():
    corpus = of_shares(a=(60, 64), b=(50, 54))
    with pytest.raises(UsageError, match="no column is called `fol`"):
        corpus.compare(folds="fol")
    with pytest.raises(UsageError, match="has 1 value"):
        corpus.compare(folds="fold", where="fold = 'f0'")
    with pytest.raises(UsageError, match="no folds"):
        corpus.compare(test_share=0.1)
    with pytest.raises(UsageError, match="not a part of the data"):
        corpus.compare(folds="fold", test_share=1.0)
    with pytest.raises(DataError, match="1 item of 3 in no fold"):
        load(["p", "q", None], a="101", b="011").compare(folds="fold")


def test_the_command_line_has_folds_and_the_signature_names_them(write, capsys):
    path = write("f.csv", "gold,a,b,fold\nx,x,y,1\nx,x,x,1\nx,x,y,2\nx,y,x,2\n")
    main(["compare", str(path), "--task", "label", "--columns", "gold=gold,system=a,system=b",
          "--folds", "fold", "--test-share", "0.5", "--table", "fold_pairs"])  # fmt: skip
    out = capsys.readouterr().out.replace("\n", "")
    assert "corrected for shared training data" in out
    assert "folds:fold|test_share:0.5" in out
