"""Columns of a store: what Polars, Arrow and DuckDB read of them, and what row groups say."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from coleval.corpus.items import Items
from coleval.store.columns import kind_of, write_base, write_columns

NAMES = ("a", 'b "q"', "Ünï", "gold")


def items_of(labels: list[str], rows: int, answers: dict[str, np.ndarray]) -> Items:
    context = pl.DataFrame({"sentence": pl.Series(range(rows), dtype=pl.UInt32)})
    return Items(
        unit="token", context=context, labels=tuple(labels), gold=np.zeros(rows, np.uint8),
        answers=answers, empty_is_answer=True, group="sentence", group_count=rows,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "rows", "groups"),
    [
        (1, 9, [0, 9]), (25, 64, [0, 3, 4, 64]), (256, 1000, [0, 500, 1000]),
        (3000, 1000, [0, 1000]), (3, 0, [0, 0]),
    ],
)  # fmt: skip
def test_polars_arrow_and_duckdb_read_the_same_answers(tmp_path, labels, rows, groups):
    names = [f"B-{k}" if k % 3 else f"é\n{k},\t" for k in range(labels)]
    draw = np.random.default_rng(rows)
    kind = np.uint8 if labels < 256 else np.uint16
    answers = {name: draw.integers(0, labels + 1, rows).astype(kind) for name in NAMES}
    texts = np.array([None, *names], dtype=object)
    wanted = {name: texts[codes].tolist() for name, codes in answers.items()}
    items, path = items_of(names, rows, answers), tmp_path / "x" / "labels.parquet"
    write_columns(path, items, answers, groups)
    frame = pl.read_parquet(path)
    assert dict(frame.schema) == dict.fromkeys(NAMES, kind_of(items))
    assert frame.cast(pl.String).to_dict(as_series=False) == wanted
    table = pq.read_table(path)
    assert {name: table[name].to_pylist() for name in NAMES} == wanted
    with duckdb.connect() as con:
        found = con.sql(f"from read_parquet('{path}')")
        assert {*map(str, found.types)} == {"VARCHAR"}
        assert found.fetchall() == list(zip(*wanted.values(), strict=True))


def test_row_groups_are_those_asked_for_and_say_of_numbers_which_they_have(tmp_path):
    codes = np.array([0, 1, 2, 0, 2, 1, 0], np.uint8)
    items = replace(items_of(["x", "y"], 7, {"a": codes}), gold=codes)
    write_columns(tmp_path / "a.parquet", items, ["a"], [0, 3, 4, 7])
    write_base(tmp_path / "base.parquet", items, [0, 3, 4, 7])
    for name in ("a", "base"):
        about = pq.read_metadata(tmp_path / f"{name}.parquet")
        assert [about.row_group(k).num_rows for k in range(about.num_row_groups)] == [3, 1, 3]
    numbers = [about.row_group(k).column(0).statistics for k in range(3)]
    assert [(one.min, one.max) for one in numbers] == [(0, 2), (3, 3), (4, 6)]
    some = pl.scan_parquet(tmp_path / "a.parquet").slice(2, 3).collect()["a"]
    assert some.to_list() == ["y", None, "y"]
    some = pl.scan_parquet(tmp_path / "base.parquet").filter(pl.col("sentence") == 4).collect()
    assert some.rows() == [(4, "y")]
