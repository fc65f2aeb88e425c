"""MUC, B³, CEAF, LEA, BLANC, CoNLL and ARCS from counts; undefined is null (DEFINITIONS 2.3, 2.5).

Sums over documents come first, one division last: of numbers, or of arrays of any shape, such as
systems × replicates. F1 is undefined (NaN here) only where nothing was to be found and nothing was
said; CoNLL is where one of its three F1s is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.counts.chains import ChainCounts

Number = Any

METRICS = (
    "mentions", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "conll", "arcs_any", "arcs_nominal",
    "mor",
)  # fmt: skip
_AVERAGED = ("muc", "b3", "ceafe")


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric: what was found of what there was, on either side, and the ratios.

    What a metric does not have is None, what is undefined NaN.
    """

    recall_num: Number
    recall_den: Number
    precision_num: Number
    precision_den: Number
    recall: Number
    precision: Number
    f1: Number


def measured(
    recall_num: Number, recall_den: Number, precision_num: Number, precision_den: Number
) -> Measured:
    """Return recall, precision and F1 of four sums."""
    recall, precision = _ratio(recall_num, recall_den), _ratio(precision_num, precision_den)
    f1 = harmonic(recall, precision)
    return Measured(recall_num, recall_den, precision_num, precision_den, recall, precision, f1)


def _ratio(above: Number, below: Number) -> Number:
    return ratio_array(np.asarray(above, np.float64), np.asarray(below, np.float64))


def harmonic(recall: Number, precision: Number) -> Number:
    """Return F1, undefined if both are; with one of them undefined nothing was found."""
    r, p = np.nan_to_num(recall), np.nan_to_num(precision)
    return np.where(np.isnan(recall) & np.isnan(precision), np.nan,
                    ratio_array(2 * r * p, r + p, 0.0))  # fmt: skip


def chain_metrics(
    counts: ChainCounts, zero_division: float | None = None, *, either: bool = False
) -> dict[str, Measured]:
    """Return every metric over chains by name; an undefined F1 in CoNLL is ``zero_division``.

    ``either`` is for BLANC.
    """
    key, response = counts.key, counts.response
    sizes = (key.mentions, response.mentions)
    entities = (key.chains, response.chains)
    similar = total(counts.ceaf_e)
    found = {
        "mentions": _both(counts.mentions, sizes),
        "muc": _both(counts.joined, (sizes[0] - entities[0], sizes[1] - entities[1])),
        "b3": measured(total(key.b3), sizes[0], total(response.b3), sizes[1]),
        "ceafe": _both(similar, entities),
        "ceafm": _both(counts.ceaf_m, sizes),
        "lea": measured(total(key.lea), sizes[0], total(response.lea), sizes[1]),
        "blanc": blanc(counts, either=either),
    }
    return found | {"conll": conll(found, zero_division)}


def total(fractions: Mapping[int, int] | Number) -> Number:
    """Return the sum of fractions kept by denominator, rounded once; sums are what they are."""
    if not isinstance(fractions, dict):
        return fractions
    return fsum(above / below for below, above in fractions.items())


def _both(found: Number, there: tuple[Number, Number]) -> Measured:
    return measured(found, there[0], found, there[1])


def blanc(counts: ChainCounts, *, either: bool = False) -> Measured:
    """Return the mean over links and non-links, or the one of them that the key has.

    Luo et al. 2014; F1 is the mean of the two F1s, so there is no single fraction behind it. Or
    the one that ``either`` side has, as in the CorefUD scorer.
    """
    sides = (
        (counts.links, counts.key.links, counts.response.links),
        (counts.apart, counts.key.apart, counts.response.apart),
    )
    parts = [measured(both, key, both, response) for both, key, response in sides]
    there = [np.add(key, response if either else 0) > 0 for _, key, response in sides]
    recall, precision, f1 = (
        _ratio(
            sum(np.where(own, np.nan_to_num(getattr(part, name)), 0.0)
                for part, own in zip(parts, there, strict=True)),
            np.add(*there, dtype=np.int64),
        )
        for name in ("recall", "precision", "f1")
    )  # fmt: skip
    return Measured(None, None, None, None, recall, precision, f1)


def conll(found: Mapping[str, Measured], zero_division: float | None = None) -> Measured:
    """Return the mean of the three F1s, undefined where one is and has no ``zero_division``."""
    f1s = [found[name].f1 for name in _AVERAGED]
    if zero_division is not None:
        f1s = [np.where(np.isnan(f1), zero_division, f1) for f1 in f1s]
    return Measured(None, None, None, None, None, None, sum(f1s) / len(f1s))


def arcs(tp: Number, fp: Number, fn: Number, wl: Number) -> Measured:
    """Return ARCS of mention classes (Tuggener 2014): a wrong link counts against both."""
    return measured(tp, tp + wl + fn, tp, tp + wl + fp)
