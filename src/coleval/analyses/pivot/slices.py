"""Where a system is worst: items that one attribute, or two together, set apart.

Over gold's items (over all where nothing is an answer too) each slice is compared with as many
items drawn at random: its p value is how likely these are as bad. They are corrected for all
slices tried (Benjamini & Hochberg 1995), and what remains significant is a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.asking import wide_table
from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.attributes.model import looked_up_by
from coleval.annotate.buckets import named
from coleval.corpus.statuses import of_answers
from coleval.counts.blocks import counted
from coleval.errors import UsageError, unknown
from coleval.statistics.paired import adjusted
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.without_replacement import at_most, difference_at_most, slice_z

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.attributes.model import Values
    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.query.wide import Wide
    from coleval.statistics.measure import Floats

    Counts = NDArray[np.int64]
    # Whether one system is right; of two, whether the second gains.
    Worth = NDArray[np.int8]
    Places = NDArray[np.uint8]

SHOWN = 500
ALPHA = 0.05
# Items at a time: counting takes eight bytes and more of each, for a while.
_BLOCK = 1 << 18
_PLACE = {"item", "document", "sentence", "position", "start", "end", "tokens", "char_start",
          "char_end", "fragments", "form", "id"}  # fmt: skip
# These look at the systems, or at gold's own label or chains.
_NOT_SLICED = {"bin", "eCon", "tCon", "antecedent_distance", "chain_size"}


def slices(
    corpus: Corpus, systems: Sequence[str], attributes: str, least: int
) -> dict[str, pl.DataFrame]:
    """Return ``slices`` that are significantly worse, surest first, and how many were ``tried``.

    Of two systems it is where the second gains least, or loses most, against the first.
    """
    if least < 1:
        raise UsageError(f"{least} is too small", where="--least", remedy="use 1 or more")
    wide = wide_table(corpus)
    kept = wide if wide.items.empty_is_answer else wide.where(np.flatnonzero(wide.items.gold))
    worth = _worth(kept, systems)
    cuts = [_cut(kept, name) for name in _chosen(wide, attributes)]
    different = _different(cuts)
    every = _table(different, list(_counted(different, worth)))
    tried = every.filter(pl.col("n") >= least)
    found = _new(_judged(tried, worth, len(systems)), every)
    tally = {"slices": [len(tried)], "found": [len(found)], "least": [least], "alpha": [ALPHA]}
    return {"slices": found.head(SHOWN), "tried": pl.DataFrame(tally)}


def _cut(wide: Wide, name: str) -> SlicedAttribute:
    """Return an attribute in few values; of a column only what is cut stays, were it very long."""
    values = wide.values(name)
    found = None if values is None else cut_values(name, values, wide.items.gold)
    return found or cut_column(name, wide.makers[name]())


def _worth(wide: Wide, systems: Sequence[str]) -> Worth:
    items = wide.items
    if not 1 <= len(systems) <= 2:
        raise UsageError("--find takes one system or two", where="--find", remedy="--find A B")
    for name in systems:
        if name not in items.answers:
            raise unknown("system", name, items.answers, where="--find")
    right = [(items.answers[name] == items.gold).astype(np.int8) for name in systems]
    return right[0] if len(right) == 1 else right[1] - right[0]


def _chosen(wide: Wide, attributes: str) -> list[str]:
    """Return the attributes that are tried: those named, or all that there are."""
    named_ = [name.strip() for name in attributes.split(",") if name.strip()]
    for name in named_:
        if name not in wide.names:
            raise unknown("attribute", name, wide.names, where="--attributes")
    if named_:
        return named_
    known = [n for n in ATTRIBUTES if n in wide.names and n not in _NOT_SLICED]
    return list(dict.fromkeys([*known, *described_by(wide)]))


def described_by(wide: Wide) -> list[str]:
    """Return the context columns that describe items: numbers, or names of which there are few."""
    apart = {*_PLACE, *of_answers(wide.items)}
    context = [n for n in wide.items.context.columns if n not in apart and n in wide.names]
    columns = {name: wide.column(name) for name in context}
    return [n for n, c in columns.items() if c.dtype.is_numeric() or c.n_unique() <= MOST]


def _different(cuts: list[SlicedAttribute]) -> list[SlicedAttribute]:
    """Return the attributes that tell anything apart, one of those that do it alike."""
    kept: list[SlicedAttribute] = []
    for one in cuts:
        if len(one.values) > 1 and not any(np.array_equal(one.place, k.place) for k in kept):
            kept.append(one)
    return kept


def _counted(cuts: list[SlicedAttribute], worth: Worth) -> Iterator[_SliceSums]:
    """Yield the slices of every attribute and of every two, with their sizes and sums."""
    every = [(k,) for k in range(len(cuts))]
    for places in (*every, *combinations(range(len(cuts)), 2)):
        yield _SliceSums(places, *_sums([cuts[k] for k in places], worth))


@dataclass(frozen=True, slots=True)
class _SliceSums:
    """The sizes and sums of all slices of one attribute, or of two, those without value too."""

    cuts: tuple[int, ...]
    n: NDArray[np.int64]
    total: NDArray[np.int64]


def _sums(cuts: list[SlicedAttribute], worth: Worth) -> tuple[Counts, Counts]:
    """Return how many items each slice has, and the sum of their worth, which is -1, 0 or 1."""
    size = prod(len(one.values) + 1 for one in cuts)
    n = np.zeros((size, 3), np.int64)
    for low in range(0, len(worth), _BLOCK):
        cell = np.zeros(len(worth[low : low + _BLOCK]), np.intp)
        for one in cuts:
            cell = cell * (len(one.values) + 1) + one.place[low : low + _BLOCK]
        cell = cell * 3 + worth[low : low + _BLOCK] + 1
        n += np.bincount(cell, minlength=3 * size).reshape(size, 3)
    return n.sum(axis=1), n[:, 2] - n[:, 0]


def _table(cuts: list[SlicedAttribute], counted: list[_SliceSums]) -> pl.DataFrame:
    """Return all slices as one table: attribute and value, a second pair or nulls, n and total."""
    names = pl.Series([None, *(one.name for one in cuts)], dtype=pl.String)
    values = pl.Series([None, *(v for one in cuts for v in one.values)], dtype=pl.String)
    first = np.cumsum([0, *(len(one.values) for one in cuts)])
    rows = [_rows(cuts, cells, first) for cells in counted]
    nothing = np.zeros((6, 0), np.int64)
    one, value, two, and_value, n, total = np.concatenate([nothing, *rows], axis=1)
    return pl.DataFrame({
        "attribute": names.gather(pl.Series(one)), "value": values.gather(pl.Series(value)),
        "and_attribute": names.gather(pl.Series(two)),
        "and_value": values.gather(pl.Series(and_value)), "n": n, "total": total,
    })  # fmt: skip


def _rows(
    cuts: list[SlicedAttribute], cells: _SliceSums, first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the slices that have a value as numbers of names and values, 0 for no second one."""
    at = np.arange(len(cells.n))
    k, j = cells.cuts[0], cells.cuts[-1]
    one, two = np.divmod(at, len(cuts[j].values) + 1) if k != j else (at, at)
    kept = np.flatnonzero((one > 0) & (two > 0))
    several = int(k != j)
    return np.stack([
        np.full(len(kept), k + 1), first[k] + one[kept], np.full(len(kept), several * (j + 1)),
        several * (first[j] + two[kept]), cells.n[kept], cells.total[kept],
    ])  # fmt: skip


def _judged(tried: pl.DataFrame, worth: Worth, systems: int) -> pl.DataFrame:
    """Return the slices that are significantly worse than all items, the surest first."""
    n, total = tried["n"].to_numpy(), tried["total"].to_numpy()
    mean = float(worth.mean()) if len(worth) else 0.0
    variance = float(worth.var()) if len(worth) else 0.0
    p = _chances(n, total, worth, systems)
    found = tried.with_columns(
        (pl.col("total") / pl.col("n")).alias("score"),
        pl.lit(mean).alias("overall"),
        null_for_nan(slice_z(total * 1.0, n * 1.0, mean, variance, len(worth))).rename("z"),
        pl.Series("p", p),
        pl.Series("p_adjusted", adjusted(p, "bh")),
    )
    delta = (pl.col("score") - pl.col("overall")).alias("delta")
    worse = found.filter(pl.col("p_adjusted") <= ALPHA).with_columns(delta).drop("total")
    keys = ("p", "z", "attribute", "value", "and_attribute", "and_value")
    return worse.sort(*keys, nulls_last=True)


def _chances(n: NDArray[np.int64], total: NDArray[np.int64], worth: Worth, systems: int) -> Floats:
    """Return how likely items drawn at random are as bad as each slice, 1 for those no worse."""
    out = np.ones(len(n))
    worse = np.flatnonzero(total * len(worth) < n * worth.sum())
    n, total = n[worse], total[worse]
    up, down = (int(np.count_nonzero(worth == sign)) for sign in (1, -1))
    if systems == 1:
        out[worse] = at_most(total, n, up, len(worth))
    else:
        out[worse] = difference_at_most(total, n, up, down, len(worth))
    return out


def _new(found: pl.DataFrame, every: pl.DataFrame) -> pl.DataFrame:
    """Return the slices without those of two attributes that are no worse than one of them."""
    single = every.filter(pl.col("and_attribute").is_null())
    score = (pl.col("total") / pl.col("n")).alias("s")
    joined = found
    for a, v, s in (("attribute", "value", "_one"), ("and_attribute", "and_value", "_two")):
        own = single.select(pl.col("attribute").alias(a), pl.col("value").alias(v), score.alias(s))
        joined = joined.join(own, on=[a, v], how="left", maintain_order="left")
    better = (pl.col("score") < pl.col("_one")) & (pl.col("score") < pl.col("_two"))
    return joined.filter(pl.col("and_attribute").is_null() | better).drop("_one", "_two")


FEW, MOST = 10, 60
_QUARTERS = np.array([0, 0.25, 0.5, 0.75, 1])


@dataclass(frozen=True, slots=True)
class SlicedAttribute:
    """An attribute in a few values: their names, and the place of each item's, from 1; 0: none."""

    name: str
    values: tuple[str, ...]
    place: Places


def cut_values(name: str, found: Values, gold: Codes) -> SlicedAttribute | None:
    """Return an attribute by the table in which items look it up, None if it is a large one."""
    if not found.by_label:
        return _cut_at(name, found.series(), found.row)
    if len(found.table) > 1:
        return None
    # By the label alone: the first is that of nothing.
    return _cut_at(name, found.series().scatter(0, None), gold)


def cut_column(name: str, column: pl.Series) -> SlicedAttribute:
    """Return a column in few values."""
    found = looked_up_by(column)
    return _cut_at(name, column, None) if found is None else _cut_at(name, *found)


def _cut_at(name: str, table: pl.Series, row: NDArray[np.integer] | None) -> SlicedAttribute:
    """Return a table of values, which may repeat, cut; NaN and infinity are null, as everywhere."""
    n = np.ones(len(table), np.int64) if row is None else counted(row, len(table))
    if table.dtype.is_float():
        table = pl.select(pl.when(table.is_finite()).then(table)).to_series()
    frame = pl.DataFrame({"value": table, "n": n})
    known = frame.filter(pl.col("n") > 0).group_by("value").agg(pl.col("n").sum())
    few = not table.dtype.is_numeric() or len(known) <= FEW
    values, place = _frequent(frame) if few else _quartered(table, known)
    return SlicedAttribute(name, values, place if row is None else place[row])


def _frequent(frame: pl.DataFrame) -> tuple[tuple[str, ...], Places]:
    text = frame.select(pl.col("value").cast(pl.String), "n")
    counts = text.drop_nulls().filter(pl.col("n") > 0).group_by("value").agg(pl.col("n").sum())
    values = counts.sort("n", "value", descending=[True, False])["value"].head(MOST).sort()
    place = text["value"].cast(pl.Enum(values), strict=False).to_physical().cast(pl.UInt8) + 1
    return tuple(values), place.fill_null(0).to_numpy()


def _quartered(table: pl.Series, known: pl.DataFrame) -> tuple[tuple[str, ...], Places]:
    whole = table.dtype.is_integer()
    held = known.drop_nulls().sort("value")
    edges = np.unique(quantiles(held["value"].cast(pl.Float64).to_numpy(), held["n"].to_numpy()))
    inner = edges[1:-1]
    numbers = table.cast(pl.Float64).fill_null(np.nan).to_numpy()
    at = np.searchsorted(inner, numbers, side="left").astype(np.uint8) + np.uint8(1)
    bounds = list(zip([float(edges[0]), *inner], [*inner, float(edges[-1])], strict=True))
    ranges = [(float(low), float(high), k == 0) for k, (low, high) in enumerate(bounds)]
    place = np.where(np.isnan(numbers), np.uint8(0), at)
    return tuple(named(ranges, whole=whole)), place


def quantiles(value: Floats, n: Counts, shares: Floats = _QUARTERS) -> Floats:
    """Return what ``np.quantile`` returns of rising values that occur ``n`` times each."""
    upto = np.cumsum(n)
    at = (upto[-1] - 1) * shares
    below = np.floor(at)
    low, high = (
        value[np.searchsorted(upto, np.minimum(side, upto[-1] - 1), side="right")]
        for side in (below, below + 1)
    )
    part, far = at - below, high - low
    return np.where(part >= 0.5, high - far * (1 - part), low + far * part)
