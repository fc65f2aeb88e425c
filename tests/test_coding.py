"""Labels as numbers: the same whenever a label comes, and exchanged as a table says."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coleval.corpus.coding import exchanged, spelled, width
from coleval.store import columns as stored_columns
from coleval.store.columns import codes_of_files


def test_a_label_that_comes_late_is_coded_like_one_that_comes_early():
    column = pl.Series(["b"] * 30_000 + ["a", None, "c"])
    found = spelled(column)
    assert found.labels == ["a", "b", "c"]
    assert np.unique(found.place[:30_000]).tolist() == [1]
    assert found.place[30_000:].tolist() == [0, 3, 2]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_codes_are_exchanged_as_a_table_says(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([1, 2, 9, 255, 256, 257, 300]))
    kinds = st.sampled_from([np.uint8, np.uint16, np.uint32])
    codes = np.array(data.draw(st.lists(st.integers(0, min(size, 256) - 1))), data.draw(kinds))
    table = np.array(data.draw(st.lists(st.integers(0, 255), min_size=size, max_size=size)))
    table = table.astype(data.draw(kinds))
    found = exchanged(codes[::2], table)
    assert found.dtype == table.dtype
    assert found.tolist() == table[codes[::2]].tolist()
    found += 1  # it is nobody else's


def test_a_code_beyond_a_table_is_an_error() -> None:
    with pytest.raises(IndexError):
        exchanged(np.array([0, 2], np.uint8), np.zeros(2, np.uint8))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_stored_columns_are_codes_whatever_they_are_stored_as(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([0, 1, 3, 255, 256, 300, 70_000]))
    labels = tuple(f"{k:06}" for k in range(size))
    rows = data.draw(st.sampled_from([0, 1, 7, 8, 500]))
    names = data.draw(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    columns, files, wanted = {}, {}, {}
    for name in names:
        code = rng.integers(0, size + 1, rows)
        # Of its own, or of fewer labels, as those of systems that were there first.
        fewer = sorted({labels[k - 1] for k in code.tolist() if k})
        kind = data.draw(st.sampled_from([pl.String(), pl.Enum(labels), pl.Enum(fewer)]))
        there = pl.Series(name, [labels[k - 1] if k else None for k in code.tolist()], dtype=kind)
        file = data.draw(st.sampled_from(["one", "two"]))
        files.setdefault(file, []).append(there)
        columns[name], wanted[name] = file, [*code.tolist(), 0, 0]
    # A column of a system that is no longer asked for may have labels that nobody knows.
    other = pl.Series("z", ["unknown"] * rows, dtype=pl.String)
    frames = {file: pl.DataFrame([*there, other]) for file, there in files.items()}
    with patch.object(stored_columns, "_PIECE", data.draw(st.sampled_from([1, 7, 1 << 18]))):
        found = codes_of_files(columns, frames, labels, rows + 2)
    assert list(found) == names
    assert {name: codes.tolist() for name, codes in found.items()} == wanted
    assert {codes.dtype for codes in found.values()} == {np.dtype(width(size))}
