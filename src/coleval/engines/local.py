"""Counting on this machine: hot counts over the code arrays, all else by DuckDB without a copy."""

from __future__ import annotations

from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.annotate.difficulty import difficulty
from coleval.kernels.active_rows import Agreed, Counts, active_rows, agreed, error_rows
from coleval.kernels.agreement import Raters, ratings
from coleval.kernels.bins import BinCounts, bin_counts
from coleval.kernels.blocks import counted
from coleval.kernels.buckets import BucketCounts, Placed, bucket_counts, differences
from coleval.kernels.combining import (
    LabelCounts,
    Rung,
    Votes,
    error_counts,
    group_counts,
    label_counts,
    ladder,
    lost_groups,
    votes,
)
from coleval.kernels.confusion import confusion_counts, wrong_groups
from coleval.kernels.transitions import (
    Pair,
    PairCounts,
    TransitionCounts,
    flips,
    pair_counts,
    transitions,
)
from coleval.query.results import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.query.wide import Wide


# A connection may not be asked for two cursors at once.
_GUARD = Lock()


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
        counted = pl.DataFrame(dict(_run("analyses/score-overlaps", grouped=grouped)))
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
        return pl.DataFrame(dict(_run("analyses/bins-words", word=word)), schema=kinds)

    def traits(self, items: Items, columns: list[pl.Series]) -> pl.DataFrame:
        """Return bin, property, total, n: what whole numbers about items sum up to in each bin."""
        kinds = {"bin": pl.Int64, "property": pl.String, "total": pl.Int64, "n": pl.Int64}
        trait = binned(items, [column.cast(pl.Int64) for column in columns])
        return pl.DataFrame(dict(_run("analyses/bins-profile", trait=trait)), schema=kinds)

    def filtered(self, items: Items, where: str, table: Wide) -> Items:
        """Return the items for which an SQL condition over their wide table holds."""
        # Imported now: it brings the database along, which few questions need.
        from coleval.query.expressions import items_holding

        kept = items_holding(table, where)
        return items.where(np.searchsorted(items.numbers, kept))

    def error_counts(self, items: Items, shown: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
        return error_counts(items, shown)

    def pairs(self, items: Items) -> PairCounts:
        """Return the counts of all pairs of systems."""
        return pair_counts(items, active_rows(items))

    def transitions(
        self, items: Items, shown: Items, pairs: Sequence[Pair]
    ) -> Iterable[TransitionCounts]:
        """Return the cells of each pair of systems, which are named by their places."""
        return list(transitions(items, shown, pairs, active_rows(items)))

    def flips(self, items: Items) -> list[dict[str, int | str]]:
        """Return what each system but the first breaks that all systems before it have right."""
        return flips(items, active_rows(items))

    def labels(self, items: Items, shown: Items) -> LabelCounts:
        """Return the counts by the label of gold that is shown."""
        return label_counts(items, shown, active_rows(items))

    def groups(self, items: Items, codes: Codes, number: int) -> LabelCounts:
        """Return the same counts by a code of each item, from 1 to the number of groups."""
        return group_counts(active_rows(items), codes, number)

    def votes(self, items: Items, order: Sequence[int]) -> Votes:
        """Return the counts of votes; ``order`` has the systems from the best to the worst."""
        return votes(items, order, active_rows(items))

    def ladder(self, items: Items) -> list[Rung]:
        """Return the systems in the order of what each adds to those before it."""
        return ladder(items, active_rows(items))

    def lost_groups(self, items: Items) -> int:
        """Return how many sentences or instances have an item that no system has right."""
        return lost_groups(items, active_rows(items))

    def raters(self, items: Items, *, missing: bool) -> Raters:
        """Return what gold and systems answer as raters; ``missing``: who gives none is none."""
        return ratings(items, missing=missing)

    def bucketing(self, items: Items) -> Callable[[Placed], BucketCounts]:
        """Return what counts some items in the buckets of one attribute after the other."""
        return partial(bucket_counts, differences(items))

    def said(self, items: Items) -> Counts:
        """Return how many items each system gives each code: a row a system, 0 is nothing."""
        size = len(items.labels) + 1
        rows = [counted(codes, size) for codes in items.answers.values()]
        return np.array(rows, np.int64).reshape(-1, size)

    def span_events(
        self, items: Items, errors: Iterable[tuple[str, Counts]], kinds: int
    ) -> Iterator[tuple[Counts, Counts]]:
        """Yield for each system the cells of its right spans and errors, and how often each is."""
        base = len(items.labels) + 1
        support = np.bincount(items.gold, minlength=base)
        for name, code in errors:
            cells, n = np.unique(code, return_counts=True)
            # Of gold's spans those are right that are not among the errors.
            tp = support - np.bincount(items.gold[error_rows(items, name)], minlength=base)
            right = np.flatnonzero(tp[1:]) + 1
            yield np.append(right * (base + 1) * kinds + 1, cells), np.append(tp[right], n)

    def span_sides(self, items: Items) -> tuple[Counts, Counts]:
        """Return by system and label how many spans of gold are missed, how many are invented."""
        size = len(items.labels) + 1
        found: tuple[list[Counts], list[Counts]] = ([], [])
        for name in items.answers:
            rows = error_rows(items, name)
            for part, codes in zip(found, (items.gold, items.answers[name]), strict=True):
                part.append(np.bincount(codes[rows], minlength=size))
        missed, invented = (np.array(part, np.int64).reshape(-1, size) for part in found)
        return missed, invented

    def agreed(self, parts: tuple[Items, ...], present: Items | None) -> dict[str, Agreed]:
        """Return how many words gold and each system have, how many agree, how many are aligned."""
        return agreed(parts, None if present is None else present.answers)


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
    # Few analyses ask SQL.
    from coleval.query.shipped import query

    with _cursor() as con:
        for table, frame in tables.items():
            con.register(table, Stream(frame))
        return con.execute(query(name).text).fetchnumpy()


def _cursor() -> duckdb.DuckDBPyConnection:
    with _GUARD:
        return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the one database of this process: opening one costs ten times a cursor."""
    import duckdb

    return duckdb.connect()
