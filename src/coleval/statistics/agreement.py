"""Agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha; null where undefined.

All from counts: how many items, on how many two raters agree, how often each gives which answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

CHANCE = ("separate", "pooled")
# What may be concluded from kappa or alpha of so much or more (Krippendorff 1980, Carletta 1996).
BANDS = ((0.8, "reliable"), (0.67, "tentative"), (-inf, "unreliable"))
# The power of a distance on the scale that a disagreement weighs.
WEIGHTS = {"linear": 1, "quadratic": 2}
_ONE_CLASS = "there is only one class: agreement beyond chance is undefined"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Observed and expected agreement, and kappa; ``note`` says why there is none."""

    observed: float | None
    expected: float | None
    kappa: float | None
    note: str | None = None


def cohen(
    agreed: Counts, first: Counts, second: Counts, *, pooled: bool = False
) -> tuple[Floats, Floats, Floats, list[str | None]]:
    """Return observed and expected agreement and kappa of pairs of raters (NaN), and why not.

    A row of ``first`` and ``second`` counts the answers of a pair. Separate marginals are Cohen's
    (1960), pooled ones Siegel & Castellan's (1988) and Scott's pi.
    """
    items = first.sum(axis=-1)
    one, other = first.astype(np.float64), second.astype(np.float64)
    if pooled:
        chance, most = ((one + other) ** 2).sum(axis=-1), 4.0 * items * items
    else:
        chance, most = (one * other).sum(axis=-1), items.astype(np.float64) * items
    single = np.count_nonzero(first + second, axis=-1) < 2
    observed, expected = ratio_array(agreed, items), ratio_array(chance, most)
    expected = np.where(single & (items > 0), 1.0, expected)
    kappa = np.where(single, np.nan, ratio_array(observed - expected, 1 - expected))
    notes = np.where(items == 0, "no item has answers of both raters", _ONE_CLASS)
    told = [str(note) if one else None for note, one in zip(notes, single, strict=True)]
    return observed, expected, kappa, told


def weighted(
    distance: float, first: Counts, second: Counts, apart: Floats, *, pooled: bool = False
) -> float | None:
    """Return Cohen's weighted kappa (1968): 1 less the distance found over that of chance.

    ``apart`` is the distance of any two answers, ``distance`` its sum over the items.
    """
    items = int(first.sum())
    if not items or _one_class(first, second):
        return None
    one, other = first.astype(float), second.astype(float)
    if pooled:
        one = other = (one + other) / 2
    return 1 - distance * items / float(one @ apart @ other)


def band(value: float | None) -> str | None:
    """Return kappa or alpha in a word."""
    return None if value is None else next(word for least, word in BANDS if value >= least)


def fleiss(raters: int, items: int, agreed: int, answers: Counts) -> Agreement:
    """Return Fleiss' kappa (1971): all answer all items; ``agreed`` counts pairs of raters."""
    if raters < 2 or not items:
        return Agreement(None, None, None, "at least two raters and one item are needed")
    share = answers / answers.sum()
    observed = agreed / (items * raters * (raters - 1) / 2)
    return _beyond(observed, float((share * share).sum()), _one_class(answers))


def krippendorff(items: Counts, agreed: Counts, answers: Counts) -> Agreement:
    """Return alpha for nominal data; row m is about the items that m raters answer (0, 1: none).

    Krippendorff (2011): disagreement observed over disagreement expected, values of items that
    only one rater answers left out.
    """
    m = np.arange(len(items))
    many = m >= 2
    values = answers[many].sum(axis=0).astype(float)
    n = float(values.sum())
    if n <= 0:
        return Agreement(None, None, None, "no item has answers of two raters")
    differing = m[many] * (m[many] - 1) * items[many] - 2 * agreed[many]
    found = float((differing / (m[many] - 1)).sum()) / n
    chance = float((n * n - (values * values).sum()) / (n - 1)) / n
    return _beyond(1 - found, 1 - chance, _one_class(values))


def _one_class(*answers: Counts) -> bool:
    return int(np.count_nonzero(sum(answers))) < 2


def _beyond(observed: float, expected: float, one_class: bool) -> Agreement:
    if one_class:
        return Agreement(observed, 1.0, None, _ONE_CLASS)
    return Agreement(observed, expected, (observed - expected) / (1 - expected))


DISTANCES = ("cosine", "correlation", "euclidean")
# Numbers of vectors in memory at a time.
_LARGEST = 1 << 21
# Equal vectors have a distance of 0, and equal distances are ties, but for the last digits.
_DIGITS = 12


def distances(vectors: Floats, first: Places, second: Places, how: str) -> Floats:
    """Return the distance of two vectors, a row each, for every pair of places.

    ``cosine`` is 1 - cos, ``correlation`` 1 - Pearson's r of the two, ``euclidean`` the length of
    their difference. NaN where it is undefined: a vector of zeros has no direction, a constant
    one no correlation.
    """
    ready = vectors if how == "euclidean" else _directions(vectors, how)
    found = np.empty(len(first))
    step = max(1, _LARGEST // max(1, vectors.shape[1]))
    for low in range(0, len(first), step):
        part = slice(low, low + step)
        a, b = ready[first[part]], ready[second[part]]
        found[part] = _lengths(a - b) if how == "euclidean" else 1 - (a * b).sum(axis=1)
    return np.round(found, _DIGITS)


def _directions(vectors: Floats, how: str) -> Floats:
    """Return vectors of length 1, NaN for those that have no direction."""
    if how == "correlation":
        vectors = vectors - vectors.mean(axis=1, keepdims=True)
    length = _lengths(vectors)[:, None]
    flat = length <= 1e-12 * np.maximum(1.0, np.abs(vectors).max(axis=1, initial=0)[:, None])
    return vectors / np.where(flat, np.nan, length)


def _lengths(vectors: Floats) -> Floats:
    return np.sqrt((vectors * vectors).sum(axis=1))
