"""Any score that is a ratio of sums over units, or an average of such ratios over classes.

Accuracy, precision, recall, F1 = 2 tp / (answered + expected), one label or all, attachment
scores and weighted errors are of this form. So a test that adds up units in another way, or
leaves some out, needs to know nothing about the score. Here alone undefined is NaN; it is null
again before a table is made.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.draws import LARGE, keys_of_numbers, mixed
from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from coleval.statistics.draws import Words

Counts = NDArray[np.integer]
Floats = NDArray[np.float64]
Sizes = NDArray[np.int64]
# Up to so many units each is drawn by its own key, so that what is drawn for some systems does not
# depend on the others; of more, those that are alike are one row.
FEW = 10_000
# What classes of measures may take, in bytes; those above it are made when they are needed.
KEPT = 2**29


@dataclass(frozen=True, slots=True)
class Ratio:
    """Counts by unit, a row a system; one row of ``below`` or ``support`` serves all systems."""

    above: Counts
    below: Counts
    support: Counts | None = None

    @property
    def rows(self) -> list[Counts]:
        """Return the three parts that are there."""
        parts = (self.above, self.below, self.support)
        return [part for part in parts if part is not None]


@dataclass(frozen=True, slots=True)
class Strata:
    """The units of each group, over which a score is averaged: the mean of those defined.

    ``drawn`` says that each group is a unit itself, and what is resampled are the groups.
    """

    units: tuple[NDArray[np.intp], ...]
    drawn: bool = False

    @property
    def every(self) -> NDArray[np.intp]:
        """Return the units of all groups."""
        return np.concatenate(self.units)


@dataclass(frozen=True, slots=True)
class Measure:
    """A score: its classes (one unless it is an average), and how they are averaged.

    ``macro`` averages are over the classes that are defined and have support, ``weighted`` ones
    by their support. ``zero_division`` stands for 0/0 if it is not None. With ``strata`` it is the
    mean of the scores of groups of units: the last class is then what gold has, without which there
    is no score whatever systems say, and ``undefined`` stands for one that is undefined otherwise.
    A score that is no ratio is ``combined`` of the sums of all classes, of which only those above
    the line count; of one unit it is ``combined_alone``, where that is another function. A column
    of counts is one unit, or a row of ``n`` units that have the same. ``lower`` scores are better;
    ``plain`` ones are numbers, no shares of 1.
    """

    name: str
    classes: Sequence[Callable[[], Ratio]]
    average: str = ""
    zero_division: float | None = None
    strata: Strata | None = None
    undefined: float | None = None
    needs_gold: bool = False
    combined: Callable[[Sequence[Floats]], Floats] | None = None
    n: Sizes | None = None
    combined_alone: Callable[[Sequence[Floats]], Floats] | None = None
    lower: bool = False
    plain: bool = False

    @property
    def better(self) -> str:
        """Return which end of plain numbers is better, nothing of shares."""
        return ("low" if self.lower else "high") if self.plain else ""

    def upwards(self, values: Floats) -> Floats:
        """Return scores or differences so that more is better."""
        return -values if self.lower else values


@dataclass(frozen=True, slots=True)
class UnitSums:
    """Whole numbers by unit, a row each, and the scores that are functions of their sums.

    ``scores`` takes sums, a column a replicate, and the value of 0/0, and returns those of all
    systems by metric and name (recall, precision …), a row a system.
    """

    key: NDArray[np.uint64]
    rows: Counts
    scores: Callable[[Floats, float | None], Mapping[tuple[str, str], Floats]]


@dataclass(slots=True)
class Average:
    """Classes added up one after the other, so that no more than one is in memory."""

    measure: Measure
    total: Floats | None = field(default=None)
    weight: Floats | None = field(default=None)
    gold: Floats | None = field(default=None)
    added: int = 0
    sums: list[Floats] = field(default_factory=list)

    def add(self, above: Floats, below: Floats, support: Floats | None) -> None:
        """Take in the sums of one class."""
        self.added += 1
        if self.measure.needs_gold and self.added == len(self.measure.classes):
            self.gold = above
            return
        if self.measure.combined is not None:
            self.sums.append(above)
            return
        value = ratio_array(above, below, self.measure.zero_division)
        if not self.measure.average:
            self.total = value
            return
        weight = self._weight(value, support)
        known = np.where(weight > 0, value, 0.0) * weight
        self.total = known if self.total is None else self.total + known
        self.weight = weight if self.weight is None else self.weight + weight

    def _weight(self, value: Floats, support: Floats | None) -> Floats:
        there = (~np.isnan(value)).astype(np.float64)
        if support is None:
            return there
        return there * (support if self.measure.average == "weighted" else support > 0)

    def value(self) -> Floats:
        """Return the score, NaN or the value for 0/0 where nothing was defined."""
        if self.measure.combined is not None:
            value = self.measure.combined(self.sums)
        elif self.total is None:
            raise ValueError("a measure without classes")
        else:
            value = self.total
        if self.weight is not None:
            value = ratio_array(value, self.weight, self.measure.zero_division)
        if self.measure.undefined is not None:
            value = np.where(np.isnan(value), self.measure.undefined, value)
        return value if self.gold is None else np.where(self.gold > 0, value, np.nan)


def observed(measure: Measure) -> Floats:
    """Return the score of every system over all units."""
    if measure.strata is not None:
        return mean(observed(one) for one in each_stratum(measure))
    average = Average(measure)
    for make in measure.classes:
        average.add(*split(make(), lambda counts: total(counts, measure.n)))
    return average.value()


def total(counts: Counts, n: Sizes | None) -> Sizes:
    """Return the sums of rows of counts, each column as often as it has units."""
    if n is None:
        return counts.sum(axis=1, dtype=np.int64)
    return counts.astype(np.int64) @ n


def by_unit(measure: Measure) -> Floats:
    """Return the score of every system in each unit (or row of units) by itself, a row a system."""
    average = Average(replace(measure, combined=measure.combined_alone or measure.combined))
    for make in measure.classes:
        average.add(*split(make(), lambda counts: counts))
    return average.value()


def informed(measure: Measure) -> int:
    """Return in how many units, of those in a mean, some system has anything to divide by."""
    there: NDArray[np.bool_] | None = None
    for make in measure.classes:
        some = (make().below != 0).any(axis=0)
        there = some if there is None else there | some
    if there is None:
        return 0
    some = slice(None) if measure.strata is None else measure.strata.every
    return int(there[some].sum() if measure.n is None else there[some] @ measure.n[some])


def of_systems(measure: Measure, systems: NDArray[np.intp]) -> Measure:
    """Return the measure of some systems, by their rows."""
    classes = [partial(_rows_of, make, systems) for make in measure.classes]
    return replace(measure, classes=classes)


def _rows_of(make: Callable[[], Ratio], systems: NDArray[np.intp]) -> Ratio:
    whole = make()
    support = None if whole.support is None else _chosen(whole.support, systems)
    return Ratio(_chosen(whole.above, systems), _chosen(whole.below, systems), support)


def _chosen(rows: Counts, systems: NDArray[np.intp]) -> Counts:
    """Return rows of systems; a single row is gold's, for any system."""
    return rows if len(rows) == 1 else rows[systems]


def part(measure: Measure, low: int, high: int) -> Measure:
    """Return the measure over some of the units."""
    return _of_units(measure, slice(low, high))


def _of_units(measure: Measure, units: slice | NDArray[np.intp]) -> Measure:
    classes = [partial(_part, make, units) for make in measure.classes]
    return replace(measure, classes=classes, n=None if measure.n is None else measure.n[units])


def _part(make: Callable[[], Ratio], units: slice | NDArray[np.intp]) -> Ratio:
    whole = make()
    support = None if whole.support is None else whole.support[:, units]
    return Ratio(whole.above[:, units], whole.below[:, units], support)


def each_stratum(measure: Measure) -> Iterator[Measure]:
    """Yield the measure over the units of each group by itself."""
    for units in measure.strata.units if measure.strata else ():
        yield replace(_of_units(measure, units), strata=None)


def mean(scores: Iterable[Floats]) -> Floats:
    """Return the mean of scores over groups; what is undefined is left out."""
    total: Floats | None = None
    for score in scores:
        known = ~np.isnan(score)
        both = np.stack([np.where(known, score, 0.0), known])
        total = both if total is None else total + both
    if total is None:
        raise ValueError("no groups")
    return ratio_array(*total)


def of_groups(measure: Measure) -> Measure:
    """Return the measure in which each group is one unit, so that groups are resampled."""
    strata = measure.strata
    if strata is None:
        raise ValueError("a measure without groups")
    classes = [partial(_summed, make, strata.units, measure.n) for make in measure.classes]
    single = tuple(np.array([at]) for at in range(len(strata.units)))
    drawn = replace(strata, units=single, drawn=True)
    return replace(measure, classes=classes, strata=drawn, n=None)


def _summed(
    make: Callable[[], Ratio], groups: Sequence[NDArray[np.intp]], n: Sizes | None
) -> Ratio:
    parts = [
        np.stack(
            [total(rows[:, units], None if n is None else n[units]) for units in groups], axis=1
        )
        for rows in make().rows
    ]
    return Ratio(*parts)


def split(ratio: Ratio, sums: Callable[[Counts], Counts]) -> tuple[Floats, Floats, Floats | None]:
    """Return the three parts of a ratio, each summed in the way given."""
    support = None if ratio.support is None else sums(ratio.support).astype(np.float64)
    return (
        sums(ratio.above).astype(np.float64),
        sums(ratio.below).astype(np.float64),
        support,
    )


def of_rows(
    measures: Sequence[Measure], key: Words, n: Sizes | None = None
) -> tuple[list[Measure], Words]:
    """Return measures over rows of units that have the same counts, and the key of each row.

    ``n`` says how many units each column is already. Few units stay as they are; of many, those
    that are like few others stay single too, and come first.
    """
    if not measures or (n is None and len(key) <= FEW):
        return list(measures), key
    columns, keys, sizes = _distinct(_row_prints(measures), key, n)
    strata = _strata_of_columns(measures[0].strata, len(key), columns)
    chosen: dict[Callable[[], Ratio], Callable[[], Ratio]] = {}
    held = 0
    for make in dict.fromkeys(make for one in measures for make in one.classes):
        ratio = _part(make, columns)
        held += sum(rows.nbytes for rows in ratio.rows)
        chosen[make] = partial(_part, make, columns) if held > KEPT else partial(_same, ratio)
    return [
        replace(one, classes=[chosen[make] for make in one.classes], strata=strata, n=sizes)
        for one in measures
    ], keys


def _same(ratio: Ratio) -> Ratio:
    return ratio


def _distinct(
    prints: Words, key: Words, n: Sizes | None = None
) -> tuple[NDArray[np.intp], Words, Sizes]:
    """Return a column for each row of units of one print, its key, and of how many units it is.

    A row's key is made of those of its units, in whatever order they and the systems stand.
    """
    order = np.argsort(prints, kind="stable")
    ordered = prints[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(order)])
    columns = np.diff(starts, append=len(order))
    size = columns if n is None else np.add.reduceat(n[order], starts)
    large = size >= LARGE
    single = np.sort(order[np.repeat(~large, columns)])
    own = key[single]
    if n is not None:
        copies = n[single]
        copy = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
        single = np.repeat(single, copies)
        own = mixed(key[single] ^ keys_of_numbers(copy))
    keys = mixed(np.add.reduceat(key[order], starts)[large]) if len(order) else own
    sizes = np.concatenate([np.ones(len(single), np.int64), size[large]])
    return np.append(single, order[starts[large]]), np.append(own, keys), sizes


def _row_prints(measures: Sequence[Measure]) -> Words:
    """Return a number for all counts of a unit, and for its stratum: equal ones, equal numbers."""
    classes = dict.fromkeys(make for one in measures for make in one.classes)
    every = (row for make in classes for counts in make().rows for row in counts)
    prints: Words | None = None
    for at, row in enumerate(every):
        product = row.astype(np.uint64) * (keys_of_numbers(np.array([at])) | np.uint64(1))
        prints = product if prints is None else prints + product
    if prints is None:
        raise ValueError("a measure without classes")
    strata = measures[0].strata
    for at, units in enumerate(strata.units if strata else ()):
        prints[units] += keys_of_numbers(np.array([-1 - at]))
    return prints


def _strata_of_columns(
    strata: Strata | None, units: int, columns: NDArray[np.intp]
) -> Strata | None:
    """Return the columns of each group."""
    if strata is None:
        return None
    group = np.full(units, -1)
    for at, own in enumerate(strata.units):
        group[own] = at
    chosen = group[columns]
    return replace(
        strata, units=tuple(np.flatnonzero(chosen == at) for at in range(len(strata.units)))
    )
