"""Columns of no system, whose Parquet is made here: any program reads them as before."""

from __future__ import annotations

from random import Random

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn
from coleval.native.library import library
from coleval.store.base_files import write_base_pages
from coleval.store.columns import base_parts, kind_of, write_base

TEXTS = ("", "a", "é", "twelve bytes", "thirteen byte", "a\nb", "日本語日本語", "x" * 300, " ", "0")


def items_of(random: Random) -> Items:
    """Return items of some rows: names, numbers near each other and far apart, texts."""
    rows = random.choice([1, 2, 7, 8, 9, 300, 3000])
    names = [f"d{k}é" for k in range(random.choice([1, 3, 300]))]
    nulls = random.choice([0, 0, 0.5, 1])
    some = [t + str(random.randint(0, 9)) for t in TEXTS for _ in range(random.choice([1, 60]))]

    def maybe(value: object) -> object:
        return None if random.random() < nulls else value

    high = random.choice([1, 300, 70_000, 2**32 - 1])
    low = random.randint(0, high)
    columns = {
        "document": pl.Series([maybe(random.choice(names)) for _ in range(rows)],
                              dtype=pl.Enum(names)),
        "sentence": pl.Series([random.randint(low, high) for _ in range(rows)], dtype=pl.UInt32),
        "form": pl.Series([maybe(random.choice(some)) for _ in range(rows)], dtype=pl.String),
    }  # fmt: skip
    kept = random.sample(sorted(columns), random.randint(0, 3))
    lazy = None
    if "form" not in kept and random.random() < 0.5:
        lazy = LazyColumn.of_whole(lambda: columns["form"])
    labels = tuple(f"B-{k}" for k in range(random.choice([1, 5, 400])))
    gold = np.array([random.randint(0, len(labels)) for _ in range(rows)], np.uint16)
    frame = pl.DataFrame([columns[name].alias(name) for name in kept])
    return Items(
        unit="span", context=frame, labels=labels, gold=gold, answers={}, empty_is_answer=False,
        group="sentence", group_count=0, lazy_form=lazy,
    )  # fmt: skip


@pytest.mark.skipif(library() is None, reason="texts are numbered by the library in C")
@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_here_is_what_arrow_writes(tmp_path, seed):
    random = Random(seed)
    items = items_of(random)
    inner = {random.randint(1, len(items)) for _ in range(random.randint(0, 3))}
    groups = sorted({0, len(items), *inner})
    kind = pl.Enum(items.labels)
    ours, theirs = tmp_path / "x" / "ours.parquet", tmp_path / "x" / "theirs.parquet"
    assert write_base_pages(ours, items, groups, kind)
    write_base(theirs, items, base_parts(items, groups, kind))
    assert pl.read_parquet(ours).equals(pl.read_parquet(theirs))
    assert pl.read_parquet_schema(ours) == pl.read_parquet_schema(theirs)
    left, right = pq.read_table(ours), pq.read_table(theirs)
    assert left.equals(right)
    assert left.schema.equals(right.schema, check_metadata=True)
    with duckdb.connect() as con:
        found = [con.sql(f"from read_parquet('{path}')") for path in (ours, theirs)]
        assert found[0].types == found[1].types
        assert found[0].fetchall() == found[1].fetchall()
    assert known(ours) == known(theirs)


def known(path) -> list[tuple[int, object]]:
    """Return the rows of each row group, and what it says of each of its columns."""
    file = pq.read_metadata(path)
    groups = [file.row_group(k) for k in range(file.num_row_groups)]
    return [
        (group.num_rows, at and (at.min, at.max, at.null_count))
        for group in groups
        for k in range(group.num_columns)
        for at in [group.column(k).statistics]
    ]


def test_some_rows_are_found_by_what_row_groups_say(tmp_path):
    context = pl.DataFrame({"sentence": pl.Series(range(90_000), dtype=pl.UInt32)})
    gold = np.ones(90_000, np.uint8)
    items = Items(
        unit="token", context=context, labels=("A",), gold=gold, answers={}, empty_is_answer=True,
        group="sentence", group_count=90_000,
    )  # fmt: skip
    path = tmp_path / "base.parquet"
    assert write_base_pages(path, items, [0, 10, 80_000, 90_000], kind_of(items))
    some = pl.scan_parquet(path).filter(pl.col("sentence") == 79_999).collect()
    assert some["sentence"].to_list() == [79_999]
    with duckdb.connect() as con:
        query = f"select sentence from read_parquet('{path}') where sentence between 5 and 12"
        assert con.sql(query).fetchall() == [(k,) for k in range(5, 13)]


def test_other_types_are_left_to_arrow(tmp_path):
    for column in (pl.Series("x", [1.5]), pl.Series("dataset", ["a"]), pl.Series("y", [[1]])):
        items = Items(
            unit="token", context=pl.DataFrame([column]), labels=("A",), gold=np.ones(1, np.uint8),
            answers={}, empty_is_answer=True, group="sentence", group_count=1,
        )  # fmt: skip
        assert not write_base_pages(tmp_path / "x.parquet", items, [0, 1], kind_of(items))
        assert not (tmp_path / "x.parquet").exists()
