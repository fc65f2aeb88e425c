"""Labels as numbers: the same whenever a label comes, and whatever they are stored as."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from coleval.corpus.coding import spelled, width
from coleval.store import tables as stored_tables
from coleval.store.tables import codes_of


def test_a_label_that_comes_late_is_coded_like_one_that_comes_early():
    column = pl.Series(["b"] * 30_000 + ["a", None, "c"])
    found = spelled(column)
    assert found.labels == ["a", "b", "c"]
    assert np.unique(found.place[:30_000]).tolist() == [1]
    assert found.place[30_000:].tolist() == [0, 3, 2]


@given(st.data())
def test_stored_tables_are_codes_whatever_they_are_stored_as(data: st.DataObject) -> None:
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
        columns[name], wanted[name] = file, code.tolist()
    frames = {file: pl.DataFrame(there) for file, there in files.items()}
    with patch.object(stored_tables, "_PIECE", data.draw(st.sampled_from([1, 7, 1 << 18]))):
        found = {
            name: codes_of(frames[file][name], pl.Enum(labels)) for name, file in columns.items()
        }
    assert {name: codes.tolist() for name, codes in found.items()} == wanted
    assert {codes.dtype for codes in found.values()} == {np.dtype(width(size))}
