"""What grows no faster than it has to, beside plain loops that say what it has to be."""

from __future__ import annotations

import json
from time import process_time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.analyses.pivot.slices import FEW, MOST, cut_column, quantiles
from coleval.counts.blocks import counted
from coleval.counts.span_slots import SpanReaches, overlapping_pairs
from coleval.errors import DataError
from coleval.statistics.breakdown import steepest

SPAN = st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 4))
SHARE = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))


def extents(spans):
    rows = np.array(spans, np.int64).reshape(-1, 3)
    return SpanReaches(rows[:, 0], rows[:, 1], rows[:, 1] + rows[:, 2])


def grown(run, sizes):
    """Return how many times the seconds of the first size the second takes, at best of three."""
    seconds = []
    for size in sizes:
        times = []
        for _ in range(3):
            begun = process_time()
            run(size)
            times.append(process_time() - begun)
        seconds.append(max(min(times), 1e-4))
    return seconds[1] / seconds[0]


@given(st.lists(SPAN, max_size=8), st.lists(SPAN, max_size=8))
def test_overlapping_spans_are_those_that_a_plain_loop_finds(one, other):
    slow = {
        (i, j)
        for i, (sentence, start, size) in enumerate(one)
        for j, (place, begin, length) in enumerate(other)
        if sentence == place and start < begin + length and begin < start + size
    }
    found = list(zip(*(side.tolist() for side in overlapping_pairs(extents(one), extents(other))),
                     strict=True))  # fmt: skip
    assert len(found) == len(set(found))
    assert set(found) == slow


def test_spans_that_overlap_too_often_are_told_before_memory_ends():
    each = np.arange(40_000)
    inside = SpanReaches(0 * each, each, 80_000 - each)
    with pytest.raises(DataError, match=r"40,000 spans overlap 40,000 others 800,020,000 times"):
        overlapping_pairs(inside, inside)
    beside = SpanReaches(each, 0 * each, 0 * each + 1)
    assert len(overlapping_pairs(beside, beside)[0]) == 40_000


def test_a_sentence_of_many_spans_is_not_taken_pair_by_pair():
    def run(n):
        spans = np.stack([np.zeros(n, np.int64), 3 * np.arange(n), np.full(n, 4)], axis=1)
        assert len(overlapping_pairs(extents(spans), extents(spans))[0]) == 3 * n - 2

    # All pairs would take 64 times as long, and 2 TB.
    assert grown(run, (50_000, 400_000)) < 30


@given(st.lists(st.tuples(SHARE, st.integers(0, 9)), max_size=8))
def test_the_two_buckets_that_differ_most_are_those_of_a_plain_loop(buckets):
    known = [(k, value, n) for k, (value, n) in enumerate(buckets) if value is not None]
    best, slow = 0.0, None
    for at, (k, a, n) in enumerate(known):
        for j, b, m in known[at + 1 :]:
            if n * m * (a - b) ** 2 > best:
                best, slow = n * m * (a - b) ** 2, (k, j) if a > b else (j, k)
    values, sizes = ([pair[side] for pair in buckets] for side in (0, 1))
    assert steepest(values, sizes) == slow


def test_very_many_buckets_are_not_compared_pair_by_pair():
    random = np.random.default_rng(2)

    def run(n):
        steepest(random.random(n).tolist(), random.integers(1, 100, n).tolist())

    assert grown(run, (4_000, 32_000)) < 32


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.integers(1, 5)), min_size=1, max_size=9,
        unique_by=lambda pair: pair[0],
    )
)  # fmt: skip
def test_quantiles_of_counts_are_those_of_numpy(pairs):
    value, n = (np.array(side) for side in zip(*sorted(pairs), strict=True))
    shares = (0, 0.25, 0.5, 0.75, 1)
    slow = np.quantile(np.repeat(value, n), shares)
    assert quantiles(value, n, np.array(shares)).tolist() == slow.tolist()


def slow_cut(column):
    """Return the values of a column and the place of each item's, as a plain loop has them."""
    values = column.to_list()
    known = [v for v in values if v is not None]
    if column.dtype.is_numeric() and len(set(values)) > FEW:
        edges = np.unique(np.quantile(np.array(known, float), (0, 0.25, 0.5, 0.75, 1)))[1:-1]
        return [0 if v is None else 1 + sum(v > edge for edge in edges) for v in values]
    names = [str(v) for v in known]
    most = sorted(sorted(set(names), key=lambda v: (-names.count(v), v))[:MOST])
    return [0 if v is None or str(v) not in most else 1 + most.index(str(v)) for v in values]


@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.integers(-9, 30)), min_size=1, max_size=60),
        st.lists(st.one_of(st.none(), st.integers(0, 10**9)), min_size=1, max_size=60),
        st.lists(st.one_of(st.none(), st.sampled_from("abcde")), min_size=1, max_size=20),
        st.lists(st.one_of(st.none(), st.integers(-30, 30).map(lambda k: k / 4)), max_size=40),
    )
)
def test_columns_are_cut_as_a_plain_loop_cuts_them(values):
    column = pl.Series("x", values, strict=False)
    if column.dtype == pl.Null:
        return
    assert cut_column("x", column).place.tolist() == slow_cut(column)


@pytest.mark.parametrize("kind", [np.uint8, np.uint32, np.int64])
def test_codes_are_counted_in_runs_as_at_once(kind, monkeypatch):
    monkeypatch.setattr("coleval.counts.blocks._ROWS", 7)
    random = np.random.default_rng(3)
    codes = random.integers(0, 5, 40).astype(kind)
    mask = random.random(40) < 0.5
    for rows in (None, mask, np.flatnonzero(mask)):
        some = codes if rows is None else codes[rows]
        assert counted(codes, 6, rows).tolist() == np.bincount(some, minlength=6).tolist()


def test_words_in_very_many_spans_get_no_tags(tmp_path, monkeypatch):
    monkeypatch.setattr("coleval.loading.tasks.offsets._MANY", 1)
    monkeypatch.setattr("coleval.loading.tasks.offsets._DEEP", 4)
    spans = [{"start": 2 * k, "end": 2 * (40 - k) - 1, "label": "A"} for k in range(20)]
    paths = []
    for name in ("gold", "one"):
        record = {"id": "1", "text": "a " * 40, "entities": spans}
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(json.dumps(record) + "\n")
    corpus = coleval.load(str(paths[0]), [str(paths[1])], task="span")
    assert corpus.score()["overall"].item(0, "f1") == 1
    with pytest.raises(DataError, match="each word is in 10 of them"):
        corpus.show()


def test_of_a_very_long_sentence_the_words_around_an_item_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("coleval.analyses.show.tables.FAR", 5)
    tags = ["O"] * 60
    tags[30:32] = ["B-A", "I-A"]
    paths = []
    for name in ("gold", "one"):
        paths.append(tmp_path / f"{name}.conll")
        paths[-1].write_text("".join(f"w{k}\t{tag}\n" for k, tag in enumerate(tags)))
    report = coleval.load(str(paths[0]), [str(paths[1])], task="span").show()
    words, item = report["words"], report["items"].row(0, named=True)
    assert words["position"].to_list() == list(range(25, 37))
    assert words["form"].to_list() == [f"w{k}" for k in range(25, 37)]
    assert words["label gold"].drop_nulls().to_list() == ["B-A", "I-A"]
    assert (item["first"], item["last"]) == (30, 31)
    assert "…" in str(report)
    assert "[w30]" in str(report)
