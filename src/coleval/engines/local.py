"""Counting on this machine: hot counts over the code arrays, all else by DuckDB without a copy."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.annotate.difficulty import difficulty
from coleval.kernels.bins import BinCounts, bin_counts
from coleval.kernels.confusion import confusion_counts, wrong_groups
from coleval.query.results import Stream
from coleval.query.shipped import query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import duckdb
    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.query.wide import Wide


class Local:
    """DuckDB in this process, a cursor for each question."""

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        return confusion_counts(items)

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        return wrong_groups(items)

    def overlaps(self, items: Items) -> pl.DataFrame:
        """Return how many instances have g gold labels, a answers and b of both: system, …, n."""
        grouped = _nulled(_grouped(items, np.arange(len(items))))
        counted = pl.DataFrame(dict(_run("counts/overlaps", grouped=grouped)))
        named = counted.with_columns(
            pl.Series("system", _names(items, counted["system"]), dtype=pl.String)
        )
        seen = 0 if items.groups is None else len(np.unique(items.groups))
        empty = pl.DataFrame({"system": list(items.answers), "n": items.group_count - seen})
        zeros = empty.select("system", *(pl.lit(0).alias(c) for c in "gab"), "n")
        return pl.concat([named, zeros.cast(named.schema)]).filter(pl.col("n") > 0)

    def bins(self, items: Items) -> BinCounts:
        """Return how many items each bin holds, and how many of them each system solves."""
        return bin_counts(items)

    def words(self, items: Items, text: pl.Series) -> pl.DataFrame:
        """Return form, bin, n of the items that have a bin, their forms taken from ``text``."""
        kinds = {"form": pl.String, "bin": pl.Int64, "n": pl.Int64}
        word = binned(items, [text.cast(pl.String).alias("form")])
        return pl.DataFrame(dict(_run("counts/words", word=word)), schema=kinds)

    def traits(self, items: Items, columns: list[pl.Series]) -> pl.DataFrame:
        """Return bin, property, total, n: what whole numbers about items sum up to in each bin."""
        kinds = {"bin": pl.Int64, "property": pl.String, "total": pl.Int64, "n": pl.Int64}
        trait = binned(items, [column.cast(pl.Int64) for column in columns])
        return pl.DataFrame(dict(_run("counts/traits", trait=trait)), schema=kinds)

    def filtered(self, items: Items, where: str, table: Wide) -> Items:
        """Return the items for which an SQL condition over their wide table holds."""
        # Imported now: it brings the database along, which few questions need.
        from coleval.query.expressions import items_holding

        kept = items_holding(table, where)
        return items.where(np.searchsorted(items.numbers, kept))


def _answers(items: Items, rows: NDArray[np.intp]) -> pl.DataFrame:
    """Return the answers of some items; systems are s0, s1 … as SQL is blind to case in names."""
    columns = {f"s{k}": codes[rows] for k, codes in enumerate(items.answers.values())}
    return pl.DataFrame({"item": rows.astype(np.uint32), "gold": items.gold[rows], **columns})


def _names(items: Items, columns: Iterable[str]) -> list[str]:
    return [items.systems[int(column[1:])] for column in columns]


def _nulled(grouped: pl.DataFrame) -> pl.DataFrame:
    """Return the answers with null for 0, for queries that count what is there."""
    answers = pl.exclude("unit")
    return grouped.with_columns(pl.when(answers > 0).then(answers))


def _grouped(items: Items, rows: NDArray[np.intp]) -> pl.DataFrame:
    groups = items.groups
    unit = rows if groups is None else groups[rows]
    return _answers(items, rows).drop("item").insert_column(0, pl.Series("unit", unit))


def binned(items: Items, columns: list[pl.Series]) -> pl.DataFrame:
    """Return columns beside the bin of each item, without the items that have none."""
    bin_ = difficulty(items).cast(pl.Int64).alias("bin")
    return pl.DataFrame([bin_, *columns]).filter(pl.col("bin").is_not_null())


def _run(name: str, **tables: pl.DataFrame) -> Mapping[str, Any]:
    with _database().cursor() as con:
        for table, frame in tables.items():
            con.register(table, Stream(frame))
        return con.execute(query(name).text).fetchnumpy()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the one database of this process: opening one costs ten times a cursor."""
    import duckdb

    return duckdb.connect()
