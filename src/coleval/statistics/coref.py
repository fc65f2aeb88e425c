"""MUC, B³, CEAF, LEA, BLANC, CoNLL and ARCS from counts; undefined is null (DEFINITIONS 2.3, 2.5).

Sums over documents come first, one division last. F1 is null only where nothing was to be found
and nothing was said; CoNLL is null where one of its three F1s is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.kernels.chains import ChainCounts

METRICS = (
    "mentions", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "conll", "arcs_any", "arcs_nominal",
    "mor",
)  # fmt: skip
_AVERAGED = ("muc", "b3", "ceafe")


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric: what was found of what there was, on either side, and the ratios."""

    recall_num: float | None
    recall_den: float | None
    precision_num: float | None
    precision_den: float | None
    recall: float | None
    precision: float | None
    f1: float | None


def measured(
    recall_num: float, recall_den: float, precision_num: float, precision_den: float
) -> Measured:
    """Return recall, precision and F1 of four sums."""
    recall = ratio_of(recall_num, recall_den)
    precision = ratio_of(precision_num, precision_den)
    f1 = harmonic(recall, precision)
    return Measured(recall_num, recall_den, precision_num, precision_den, recall, precision, f1)


def harmonic(recall: float | None, precision: float | None) -> float | None:
    """Return F1, None if both are undefined; with one of them undefined nothing was found."""
    if recall is None and precision is None:
        return None
    if not recall or not precision:
        return 0.0
    return 2 * recall * precision / (recall + precision)


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


def total(fractions: Mapping[int, int]) -> float:
    """Return the sum of fractions kept by denominator, rounded once."""
    return fsum(above / below for below, above in fractions.items())


def _both(found: float, there: tuple[int, int]) -> Measured:
    return measured(found, there[0], found, there[1])


def blanc(counts: ChainCounts, *, either: bool = False) -> Measured:
    """Return the mean over links and non-links, or the one of them that the key has.

    Luo et al. 2014; F1 is the mean of the two F1s, so there is no single fraction behind it. Or
    the one that ``either`` side has, as in the CorefUD scorer.
    """
    parts = [
        measured(both, key, both, response)
        for both, key, response in (
            (counts.links, counts.key.links, counts.response.links),
            (counts.apart, counts.key.apart, counts.response.apart),
        )
        if key or (either and response)
    ]
    recall, precision, f1 = (
        ratio_of(fsum(getattr(part, name) or 0.0 for part in parts), len(parts))
        for name in ("recall", "precision", "f1")
    )
    return Measured(None, None, None, None, recall, precision, f1)


def conll(found: Mapping[str, Measured], zero_division: float | None = None) -> Measured:
    """Return the mean of the three F1s, null where one of them is and has no ``zero_division``."""
    f1s = [found[name].f1 for name in _AVERAGED]
    known = [f1 for f1 in (zero_division if f1 is None else f1 for f1 in f1s) if f1 is not None]
    mean = fsum(known) / len(f1s) if len(known) == len(f1s) else None
    return Measured(None, None, None, None, None, None, mean)


def arcs(tp: int, fp: int, fn: int, wl: int) -> Measured:
    """Return ARCS of mention classes (Tuggener 2014): a wrong link counts against both."""
    return measured(tp, tp + wl + fn, tp, tp + wl + fp)
