"""Columns of a store: what Polars, Arrow and DuckDB read of them, and what row groups say."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from coleval.corpus.items import Items
from coleval.query.quoting import quoted
from coleval.store import tables
from coleval.store.tables import is_coded, item_ids, write_items

NAMES = ("a", 'b "q"', "Ünï", "gold")


def items_of(labels: list[str], rows: int, answers: dict[str, np.ndarray]) -> Items:
    context = pl.DataFrame({"sentence": pl.Series(range(rows), dtype=pl.UInt32)})
    return Items(
        unit="token", context=context, labels=tuple(labels), gold=np.zeros(rows, np.uint8),
        answers=answers, empty_is_answer=True, group="sentence", group_count=rows,
    )  # fmt: skip


def write(path, items: Items, kind: pl.DataType | None = None) -> None:
    names = {name: "gold_2" if name == "gold" else name for name in items.systems}
    write_items(
        path, items, item_ids(items), {"dataset": "d"}, names, kind or pl.Enum(items.labels)
    )


@pytest.mark.parametrize(("labels", "rows"), [(1, 9), (25, 64), (256, 1000), (3000, 1000), (3, 0)])
def test_polars_arrow_and_duckdb_read_the_same_answers(tmp_path, monkeypatch, labels, rows):
    monkeypatch.setattr(tables, "ROWS", 3)
    names = [f"B-{k}" if k % 3 else f"é\n{k},\t" for k in range(labels)]
    draw = np.random.default_rng(rows)
    width = np.uint8 if labels < 256 else np.uint16
    answers = {name: draw.integers(0, labels + 1, rows).astype(width) for name in NAMES}
    texts = np.array([None, *names], dtype=object)
    wanted = {name: texts[codes].tolist() for name, codes in answers.items()}
    wanted["gold_2"] = wanted.pop("gold")
    kind = pl.Enum(names) if is_coded(labels, rows) else pl.String()
    items, path = items_of(names, rows, answers), tmp_path / "x" / "labels.parquet"
    write(path, items, kind)
    frame = pl.read_parquet(path).select(*wanted)
    assert dict(frame.schema) == dict.fromkeys(wanted, kind)
    assert frame.cast(pl.String).to_dict(as_series=False) == wanted
    table = pq.read_table(path)
    assert {name: table[name].to_pylist() for name in wanted} == wanted
    with duckdb.connect() as con:
        found = con.sql(f"select {', '.join(map(quoted, wanted))} from read_parquet('{path}')")
        assert {*map(str, found.types)} == {"VARCHAR"}
        assert found.fetchall() == list(zip(*wanted.values(), strict=True))


def test_row_groups_say_of_ids_and_numbers_which_they_have(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 3)
    codes = np.array([0, 1, 2, 0, 2, 1, 0], np.uint8)
    items = replace(items_of(["x", "y"], 7, {"a": codes}), gold=codes)
    write(tmp_path / "a.parquet", items)
    about = pq.read_metadata(tmp_path / "a.parquet")
    assert [about.row_group(k).num_rows for k in range(about.num_row_groups)] == [3, 3, 1]
    for column, unit in ((0, 1 << 31), (2, 1)):
        numbers = [about.row_group(k).column(column).statistics for k in range(3)]
        assert [(one.min // unit, one.max // unit) for one in numbers] == [(0, 2), (3, 5), (6, 6)]
    some = pl.scan_parquet(tmp_path / "a.parquet").slice(2, 3).collect()["a"]
    assert some.to_list() == ["y", None, "y"]
    some = pl.scan_parquet(tmp_path / "a.parquet").filter(pl.col("sentence") == 4).collect()
    assert some.select("sentence", "gold").rows() == [(4, "y")]


def test_ids_of_spans_are_of_their_places_and_of_what_gold_says():
    """Whoever proposes others beside them; two of one place and label are told apart."""

    def spans(rows):
        context = pl.DataFrame(rows, schema={"sentence": pl.UInt32, "start": pl.UInt32,
                               "end": pl.UInt32}, orient="row")  # fmt: skip
        gold = np.array([(start + end) % 3 for _, start, end in rows], np.uint8)
        return replace(items_of(["x", "y"], len(rows), {"a": gold}), context=context, gold=gold,
                       unit="span", empty_is_answer=False)  # fmt: skip

    few, many = [(0, 1, 2), (3, 0, 1)], [(0, 0, 4), (0, 1, 2), (0, 1, 2), (2, 1, 1), (3, 0, 1)]
    ids = item_ids(spans(many))
    assert len({*ids}) == len(many)
    assert [ids[1], ids[4]] == item_ids(spans(few)).tolist()
    assert (ids >> 31).tolist() == [0, 0, 0, 2, 3]
