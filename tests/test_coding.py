"""Labels as numbers: the same whenever a label comes, and exchanged as a table says."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coleval.corpus.coding import exchanged, spelled


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
