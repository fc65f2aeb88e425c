"""Scores of numbers: their mean, and where gold has numbers too, how far they are from these."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import maker_of
from coleval.corpus.numbers import gold_values, values
from coleval.metrics.model import Metric
from coleval.statistics.ratio import ratio_array
from coleval.statistics.whole import mean_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Floats, Ratio

    Parts = Sequence[tuple[Floats, Floats]]


def has_gold(corpus: Corpus) -> bool:
    """Tell whether gold has a number of any item."""
    return bool(corpus.at(corpus.scoring.unit).gold.any())


def _mean(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    return [averaged(values(how.items), how)]


def averaged(rows: Floats, how: UnitCounting) -> Callable[[], Ratio]:
    """Return what makes the mean of numbers, a row a system and a column an item; NaN is none."""
    return maker_of(mean_ratio(rows, how.units.of, len(how.units)))


def _with_gold(
    how: UnitCounting, parts: Callable[[Floats, Floats], Sequence[Floats]]
) -> Sequence[Callable[[], Ratio]]:
    """Return means of what is made of a system's number and gold's, where both have one."""
    return [averaged(part, how) for part in parts(*_both(how.items))]


def _both(items: Items) -> tuple[Floats, Floats]:
    """Return the numbers of the systems and gold's where both are, a row a system."""
    gold = gold_values(items)
    given = np.where(np.isnan(gold), np.nan, values(items))
    return given, np.where(np.isnan(given), np.nan, gold)


def _errors(items: Items) -> Floats:
    given, gold = _both(items)
    return np.abs(given - gold)


def _absolute(given: Floats, gold: Floats) -> list[Floats]:
    return [np.abs(given - gold)]


def _squared(given: Floats, gold: Floats) -> list[Floats]:
    return [(given - gold) ** 2]


def _signed(given: Floats, gold: Floats) -> list[Floats]:
    return [given - gold]


def _moments(given: Floats, gold: Floats) -> list[Floats]:
    """Return both, their squares and their product; what is subtracted first changes no score."""
    x, y = given - np.nanmean(given, axis=1, keepdims=True), gold - np.nanmean(gold)
    return [x, y, x * x, y * y, x * y]


def _with_errors(given: Floats, gold: Floats) -> list[Floats]:
    y = gold - np.nanmean(gold)
    return [(given - gold) ** 2, y, y * y]


def _root(parts: Parts) -> Floats:
    return np.sqrt(ratio_array(*parts[0]))


def _explained(parts: Parts) -> Floats:
    error, y, yy = (ratio_array(*part) for part in parts)
    return 1 - ratio_array(error, yy - y * y, least=_CONSTANT)


def _correlation(parts: Parts) -> Floats:
    x, y, xx, yy, xy = (ratio_array(*part) for part in parts)
    spread = np.sqrt(np.maximum((xx - x * x) * (yy - y * y), 0.0))
    return ratio_array(xy - x * y, spread, least=_CONSTANT)


# A variance below this is one of rounding: a constant has no correlation.
_CONSTANT = 1e-12


METRICS = (
    Metric("mean", "mean score", _mean, ("score",), unit="", outcomes=values),
    Metric("mae", "mean absolute error", partial(_with_gold, parts=_absolute), ("score",),
           better="low", unit="", has=has_gold, outcomes=_errors),
    Metric("rmse", "root mean squared error", partial(_with_gold, parts=_squared), ("score",),
           value=_root, better="low", unit="", has=has_gold, outcomes=_errors),
    Metric("r2", "R²", partial(_with_gold, parts=_with_errors), ("score",),
           value=_explained, unit="", has=has_gold),
    Metric("pearson", "Pearson correlation", partial(_with_gold, parts=_moments), ("score",),
           value=_correlation, unit="", has=has_gold),
)  # fmt: skip
