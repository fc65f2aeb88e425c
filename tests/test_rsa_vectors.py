"""Representational similarity of vectors: by hand, as scipy has it, and what is refused."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from coleval.statistics.agreement import distances

HOW = ("cosine", "correlation", "euclidean")


def load(n, **more):
    letters = ["ab"[k % 2] for k in range(n)]
    frame = pl.DataFrame({"gold": letters, "s": letters, **more})
    columns = {"gold": "gold", "system": "s"}
    return coleval.load(frame, task="label", columns=columns)


def row(report, a, b):
    table = report.table("rsa")
    return table.row(by_predicate=(pl.col("a") == a) & (pl.col("b") == b), named=True)


def test_three_items_by_hand():
    """The lengths between (1 0), (0 1), (1 1) are √2 1 1, those between 0, 3, 1 are 3 1 2.

    Around their means they are in proportion to (2 -1 -1) and (1 -1 0): r = 3 / √12 = √3 / 2, and
    so are the ranks 3 1.5 1.5 and 3 1 2.
    """
    report = load(3).measure(
        vectors={"x": [[1, 0], [0, 1], [1, 1]], "y": [[0], [3], [1]]}, distance="euclidean"
    )
    found = row(report, "x", "y")
    assert found["pairs"] == 3
    assert (found["pearson"], found["spearman"]) == pytest.approx((sqrt(3) / 2, sqrt(3) / 2))


@pytest.mark.parametrize("how", HOW)
def test_distances_and_their_correlations_are_those_of_scipy(how):
    spatial, stats = pytest.importorskip("scipy.spatial"), pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 7)), rng.normal(size=(30, 3))
    found = row(load(30).measure(vectors={"x": x, "y": y}, distance=how), "x", "y")
    a, b = (spatial.distance.pdist(v, how) for v in (x, y))
    assert found["pairs"] == 435
    assert found["pearson"] == pytest.approx(stats.pearsonr(a, b)[0])
    assert found["spearman"] == pytest.approx(stats.spearmanr(a, b)[0])


def test_vectors_are_compared_with_labels_too():
    """Items of one label have equal vectors, others have not: the same pairs are apart."""
    report = load(4).measure(vectors={"v": [[1, 0], [0, 1], [1, 0], [0, 1]]})
    assert row(report, "gold", "v")["pearson"] == pytest.approx(1)
    assert row(report, "s", "v")["spearman"] == pytest.approx(1)


NUMBERS = st.lists(st.lists(st.integers(-5, 5), min_size=2, max_size=2), min_size=3, max_size=8)


@given(NUMBERS)
def test_turned_and_stretched_vectors_are_the_same_representation(rows):
    x = np.array(rows, np.float64)
    turned = 3 * x @ np.array([[0, 1], [-1, 0]])
    for how in ("cosine", "euclidean"):
        found = row(load(len(rows)).measure(vectors={"x": x, "y": turned}, distance=how), "x", "y")
        assert found["pearson"] is None or found["pearson"] == pytest.approx(1)


def test_blocks_change_no_distance(monkeypatch):
    rng = np.random.default_rng(1)
    x, (i, j) = rng.normal(size=(12, 5)), np.triu_indices(12, 1)
    whole = distances(x, i, j, "cosine")
    monkeypatch.setattr("coleval.statistics.agreement._LARGEST", 15)
    assert distances(x, i, j, "cosine").tolist() == whole.tolist()


def test_pairs_with_a_vector_that_has_no_direction_are_left_out():
    vectors = {"x": [[1, 0], [0, 0], [1, 1], [0, 1]], "y": [[1, 0], [2, 1], [1, 3], [0, 1]]}
    assert row(load(4).measure(vectors=vectors), "x", "y")["pairs"] == 3
    whole = load(4).measure(vectors=vectors, distance="euclidean")
    assert row(whole, "x", "y")["pairs"] == 6


def test_a_filter_leaves_out_the_vectors_of_its_items():
    x = [[0.0], [9.0], [1.0], [9.0], [3.0]]
    y = [[0.0], [1.0], [3.0], [1.0], [1.0]]
    part = load(5).measure(vectors={"x": x, "y": y}, distance="euclidean", where="gold = 'a'")
    alone = load(3).measure(vectors={"x": x[::2], "y": y[::2]}, distance="euclidean")
    assert row(part, "x", "y") == row(alone, "x", "y")


def test_files_of_each_kind_hold_the_same(tmp_path, capsys, write):
    x = np.array([[0.5, 1], [2, 3], [4, -1.25]])
    np.save(tmp_path / "x.npy", x)
    for suffix, mark in (("csv", ","), ("tsv", "\t"), ("txt", " ")):
        np.savetxt(tmp_path / f"x.{suffix}", x, delimiter=mark)
    items = write("items.csv", "gold,s\na,a\nb,b\na,b\n")
    files = [f"{tmp_path}/x.{suffix}" for suffix in ("npy", "csv", "tsv", "txt")]
    named = [part for k, file in enumerate(files) for part in ("--vectors", f"v{k}={file}")]
    main(["measure", str(items), "--task", "label", "--columns", "gold=gold,system=s", *named,
          "--table", "rsa", "--as", "csv"])  # fmt: skip
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    same = [r for r in rows if r[0].startswith("v")]
    assert len(same) == 6
    assert all(float(r[3]) == pytest.approx(1) for r in same)


def test_the_signature_names_the_vectors_by_what_they_hold():
    one, same, other = (
        load(3).measure(vectors={"v": v}).signature
        for v in ([[1, 2], [3, 4], [5, 7]], np.array([[1, 2], [3, 4], [5, 7]]), [[1, 2]] * 3)
    )
    assert one == same != other


@pytest.mark.parametrize(
    ("text", "problem"),
    [("1 2\n3 4\n", "has 2 rows, and there are 3 items"), ("1 2\n3 x\n5 6\n", "could not convert"),
     ("1\t2\n3\n5\t6\n", "the number of columns changed"), ("1 2\n3 nan\n5 6\n", "row 2 has")],
)  # fmt: skip
def test_files_that_are_no_vectors_of_these_items_are_refused(write, text, problem):
    path = write("v.tsv", text)
    with pytest.raises(DataError, match=problem):
        load(3).measure(vectors=f"v={path}")


def test_names_and_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load(3).measure(vectors=f"v={tmp_path}/none.npy")
    with pytest.raises(UsageError, match="has no name"):
        load(3).measure(vectors="v.npy")
    with pytest.raises(UsageError, match="named twice"):
        load(3).measure(vectors=["v=a", "v=b"])
    with pytest.raises(UsageError, match="`s` is a system"):
        load(3).measure(vectors={"s": [[1], [2], [3]]})
    with pytest.raises(DataError, match="1 dimensions"):
        load(3).measure(vectors={"v": [1, 2, 3]})
    with pytest.raises(UsageError, match="distance"):
        load(3).measure(vectors={"v": [[1], [2], [3]]}, distance="manhattan")
