"""Counting on this machine: DuckDB over the answer columns, without a copy.

Where every system is right there is nothing to find out but how often: those rows, most of a
good corpus, go straight to the diagonal, and SQL sees only the others (PERFORMANCE §3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl

from coleval.errors import UsageError
from coleval.queries import query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.items import Items


@dataclass(frozen=True, slots=True)
class _Stream:
    """A frame as an Arrow stream, which DuckDB reads without pyarrow."""

    frame: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


class Local:
    """DuckDB in this process, a fresh connection for each question."""

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        active = _active(items)
        counted = _run("counts/confusion", answers=_answers(items, active))
        frame = pl.DataFrame(
            {
                "system": _names(items, counted["system"]),
                "gold": np.asarray(counted["gold"], np.uint32),
                "answer": np.asarray(counted["answer"], np.uint32),
                "n": np.asarray(counted["n"], np.int64),
            },
            schema_overrides={"system": pl.String},
        )
        return _labelled(pl.concat([frame, _right(items, active)]), items)

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        if items.groups is None:
            return {}
        counted = _run("counts/wrong_groups", grouped=_grouped(items, _active(items)))
        names = _names(items, counted["system"])
        return dict(zip(names, (int(n) for n in counted["n"]), strict=True))

    def overlaps(self, items: Items) -> pl.DataFrame:
        """Return how many instances have g gold labels, a answers and b of both: system, …, n."""
        grouped = _nulled(_grouped(items, np.arange(len(items))))
        counted = pl.DataFrame(dict(_run("counts/overlaps", grouped=grouped)))
        named = counted.with_columns(pl.Series("system", _names(items, counted["system"])))
        seen = 0 if items.groups is None else len(np.unique(items.groups))
        empty = pl.DataFrame({"system": list(items.answers), "n": items.group_count - seen})
        zeros = empty.select("system", *(pl.lit(0).alias(c) for c in "gab"), "n")
        return pl.concat([named, zeros.cast(named.schema)]).filter(pl.col("n") > 0)

    def filtered(self, items: Items, where: str) -> Items:
        """Return the items for which an SQL condition over the wide table holds."""
        frame = items.frame()
        with duckdb.connect(config={"enable_external_access": "false"}) as con:
            con.register("item", _Stream(frame))
            try:
                found = con.sql(f"select item from item where ({where})").fetchnumpy()  # noqa: S608
            except duckdb.Error as error:
                raise UsageError(
                    f"`{where}`: {str(error).splitlines()[0]}",
                    where="--where",
                    remedy=f"columns: {', '.join(frame.columns)}",
                ) from None
        return items.where(np.sort(np.asarray(found["item"])).astype(np.intp))


def _active(items: Items) -> NDArray[np.intp]:
    """Return the items that some system has wrong."""
    right = np.ones(len(items), np.bool_)
    for codes in items.answers.values():
        right &= codes == items.gold
    return np.flatnonzero(~right)


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


def _right(items: Items, active: NDArray[np.intp]) -> pl.DataFrame:
    """Return the counts of the items that all systems have right."""
    size = len(items.labels) + 1
    n = np.bincount(items.gold, minlength=size) - np.bincount(items.gold[active], minlength=size)
    label = np.flatnonzero(n).astype(np.uint32)
    systems = pl.DataFrame({"system": list(items.answers)}, schema={"system": pl.String})
    diagonal = pl.DataFrame({"gold": label, "answer": label, "n": n[label].astype(np.int64)})
    return systems.join(diagonal, how="cross")


def _labelled(counts: pl.DataFrame, items: Items) -> pl.DataFrame:
    """Return counts with labels for codes, one row a cell, in a total order."""
    order = {name: k for k, name in enumerate(items.answers)}
    label = pl.Series([None, *items.labels], dtype=pl.String)
    summed = counts.group_by("system", "gold", "answer").agg(pl.col("n").sum())
    if not items.everything:
        summed = summed.filter((pl.col("gold") != 0) | (pl.col("answer") != 0))
    return summed.sort(
        pl.col("system").replace_strict(order, return_dtype=pl.Int64), "gold", "answer"
    ).pipe(_decode, label)


def _decode(counts: pl.DataFrame, label: pl.Series) -> pl.DataFrame:
    return counts.with_columns(
        label.gather(counts["gold"]).alias("gold"), label.gather(counts["answer"]).alias("answer")
    )


def _run(name: str, **tables: pl.DataFrame) -> Mapping[str, Any]:
    with duckdb.connect() as con:
        for table, frame in tables.items():
            con.register(table, _Stream(frame))
        return con.execute(query(name).text).fetchnumpy()
