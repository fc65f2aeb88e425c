"""Where a system is worst: items that one attribute, or two together, set apart.

Over gold's items (over all where nothing is an answer too) each slice is compared with all items;
p values are one-sided and corrected for all slices tried (Benjamini & Hochberg 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.asking import database
from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.naming import named
from coleval.errors import UsageError, unknown
from coleval.scores.association import below, slice_z
from coleval.scores.multiple import adjusted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.wide import Wide
    from coleval.corpus import Corpus

    Rows = NDArray[np.intp]

FEW, MOST, SHOWN = 10, 60, 500
_PLACE = {"item", "document", "sentence", "position", "start", "end", "tokens", "form", "id"}
_TOLD = {"bin", "eCon", "tCon"}  # these look at the systems, or at gold's own label


@dataclass(frozen=True, slots=True)
class Cut:
    """An attribute in a few values: their names, and the place of each item's (-1: none)."""

    name: str
    values: tuple[str, ...]
    place: Rows


def slices(corpus: Corpus, systems: Sequence[str], attributes: str, least: int) -> pl.DataFrame:
    """Return the slices where the system is worse than elsewhere, the surest first.

    Of two systems it is where the second gains least, or loses most, against the first.
    """
    wide = database(corpus).wide()
    kept = np.arange(len(wide)) if wide.items.everything else np.flatnonzero(wide.items.gold)
    worth = _worth(wide, systems)[kept]
    cuts = [
        cut(name, wide.column(name).gather(pl.Series(kept))) for name in _chosen(wide, attributes)
    ]
    return _judged(list(_counted(_different(cuts), worth)), worth, least)


def _worth(wide: Wide, systems: Sequence[str]) -> NDArray[np.int64]:
    items = wide.items
    if not 1 <= len(systems) <= 2:
        raise UsageError("slices are of one system, or of two", where="--find", remedy="--find A B")
    for name in systems:
        if name not in items.answers:
            raise unknown("system", name, items.answers, where="--find")
    right = [(items.answers[name] == items.gold).astype(np.int64) for name in systems]
    return right[0] if len(right) == 1 else right[1] - right[0]


def _chosen(wide: Wide, attributes: str) -> list[str]:
    """Return the attributes that are tried: those named, or all that there are."""
    named_ = [name.strip() for name in attributes.split(",") if name.strip()]
    for name in named_:
        if name not in wide.names:
            raise unknown("attribute", name, wide.names, where="--attributes")
    if named_:
        return named_
    context = [n for n in wide.items.context.columns if n not in _PLACE and n in wide.names]
    known = [n for n in ATTRIBUTES if n in wide.names and n not in _TOLD]
    kept = [
        n for n in context if wide.column(n).n_unique() <= MOST or wide.column(n).dtype.is_numeric()
    ]
    return list(dict.fromkeys([*known, *kept]))


def _different(cuts: list[Cut]) -> list[Cut]:
    """Return the attributes that tell anything apart, one of those that do it alike."""
    kept: list[Cut] = []
    for one in cuts:
        if len(one.values) > 1 and not any(np.array_equal(one.place, k.place) for k in kept):
            kept.append(one)
    return kept


def cut(name: str, column: pl.Series) -> Cut:
    """Return a column in few values: its own, its most frequent ones, or quarters of numbers."""
    if column.dtype.is_numeric() and column.n_unique() > FEW:
        return _quarters(name, column)
    counts = column.cast(pl.String).drop_nulls().value_counts(sort=True).head(MOST)
    values = counts.to_series().sort()
    place = column.cast(pl.String).cast(pl.Enum(values), strict=False).to_physical()
    return Cut(name, tuple(values), place.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.intp))


def _quarters(name: str, column: pl.Series) -> Cut:
    numbers = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    there = ~np.isnan(numbers)
    edges = np.unique(np.quantile(numbers[there], (0, 0.25, 0.5, 0.75, 1)))
    inner = edges[1:-1]
    place = np.where(there, np.searchsorted(inner, numbers, side="left"), -1).astype(np.intp)
    bounds = list(zip([float(edges[0]), *inner], [*inner, float(edges[-1])], strict=True))
    ranges = [(float(low), float(high), k == 0) for k, (low, high) in enumerate(bounds)]
    return Cut(name, tuple(named(ranges, whole=column.dtype.is_integer())), place)


def _counted(cuts: list[Cut], worth: NDArray[np.int64]) -> Iterator[pl.DataFrame]:
    """Yield the slices of every attribute and of every two, with their sizes and sums."""
    for one in cuts:
        n, total = _sums(one.place, len(one.values), worth)
        yield _frame((one,), np.arange(len(one.values)), n, total)
    for one, two in combinations(cuts, 2):
        both = np.where(
            (one.place < 0) | (two.place < 0), -1, one.place * len(two.values) + two.place
        )
        n, total = _sums(both, len(one.values) * len(two.values), worth)
        yield _frame((one, two), np.arange(len(n)), n, total)


def _sums(
    place: Rows, size: int, worth: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    n = np.bincount(place + 1, minlength=size + 1)[1:]
    total = np.bincount(place + 1, weights=worth, minlength=size + 1)[1:]
    return n, np.rint(total).astype(np.int64)


def _frame(
    cuts: tuple[Cut, ...], at: Rows, n: NDArray[np.int64], total: NDArray[np.int64]
) -> pl.DataFrame:
    last = cuts[-1]
    first = at // len(last.values) if len(cuts) > 1 else at
    nothing = pl.Series([None] * len(at), dtype=pl.String)
    two = pl.Series(last.values, dtype=pl.String).gather(pl.Series(at % len(last.values)))
    return pl.DataFrame({
        "attribute": pl.Series([cuts[0].name] * len(at), dtype=pl.String),
        "value": pl.Series(cuts[0].values, dtype=pl.String).gather(pl.Series(first)),
        "and_attribute": pl.Series([last.name] * len(at)) if len(cuts) > 1 else nothing,
        "and_value": two if len(cuts) > 1 else nothing,
        "n": n, "total": total,
    })  # fmt: skip


def _judged(parts: list[pl.DataFrame], worth: NDArray[np.int64], least: int) -> pl.DataFrame:
    kinds = {"attribute": pl.String, "value": pl.String, "and_attribute": pl.String,
             "and_value": pl.String, "n": pl.Int64, "total": pl.Int64}  # fmt: skip
    every = pl.concat(parts) if parts else pl.DataFrame(schema=kinds)
    tried = every.filter(pl.col("n") >= least)
    n, total = (tried[c].cast(pl.Float64).to_numpy() for c in ("n", "total"))
    mean = float(worth.mean()) if len(worth) else 0.0
    z = slice_z(total, n, mean, float(worth.var()) if len(worth) else 0.0, len(worth))
    p = below(z)
    found = tried.with_columns(
        (pl.col("total") / pl.col("n")).alias("score"),
        pl.lit(mean).alias("overall"),
        pl.Series("z", z).fill_nan(None),
        pl.Series("p", p).fill_nan(None),
        pl.Series("p_adjusted", adjusted(p, "bh")).fill_nan(None),
    )
    worse = _new(found).filter(pl.col("score") < pl.col("overall")).drop("total")
    ordered = worse.sort("z", "attribute", "value", "and_attribute", "and_value", nulls_last=True)
    return ordered.with_columns((pl.col("score") - pl.col("overall")).alias("delta")).head(SHOWN)


def _new(found: pl.DataFrame) -> pl.DataFrame:
    """Return the slices without those of two attributes that are no worse than one of them."""
    single = found.filter(pl.col("and_attribute").is_null())
    parts = [
        single.select(
            pl.col("attribute").alias(a), pl.col("value").alias(v), pl.col("score").alias(s)
        )
        for a, v, s in (("attribute", "value", "_one"), ("and_attribute", "and_value", "_two"))
    ]
    joined = found.join(parts[0], on=["attribute", "value"], how="left").join(
        parts[1], on=["and_attribute", "and_value"], how="left"
    )
    better = (pl.col("score") < pl.col("_one")) & (pl.col("score") < pl.col("_two"))
    return joined.filter(pl.col("and_attribute").is_null() | better).drop("_one", "_two")
