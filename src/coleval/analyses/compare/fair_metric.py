"""Fair precision, recall and F1 as measures: span errors by unit, half an error counted as one.

All counts are doubled, for a label or boundary error is half a false positive and half a false
negative (DEFINITIONS §3), and what is drawn must be whole numbers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.analyses.counted import scored_items
from coleval.analyses.errors.counts import Fates, fates, labels_of
from coleval.annotate.pool import Kind
from coleval.corpus.lazy import maker_of
from coleval.corpus.spread import each
from coleval.counts.units import Units, narrow, placed_by_unit, units_of
from coleval.errors import UsageError
from coleval.statistics.measure import Ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.metrics.model import UnitCounting

    Counts = NDArray[np.int64]


def fair_precision(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return fair precision of items, all labels together."""
    return [maker_of(_ratio("precision", how.corpus, how.units))]


def fair_recall(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return fair recall of items, all labels together."""
    return [maker_of(_ratio("recall", how.corpus, how.units))]


def fair_f1(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return fair F1 of items, all labels together."""
    return [maker_of(_ratio("f1", how.corpus, how.units))]


def _ratio(kind: str, corpus: Corpus, units: Units) -> Ratio:
    if corpus.spread is not None:
        count = partial(_of_part, kind, units.kind)
        return Ratio(*placed_by_unit(each(corpus, count), units))
    # Fair scores are of fair pairs, whatever a profile calls errors.
    found = fates(corpus.with_options(taxonomy="fair"))
    units = _same_units(found, units)
    above, below = [], []
    for tp, fp, fn in _counts(found, units):
        above.append(narrow((2 if kind == "f1" else 1) * tp))
        whole = {"precision": tp + fp, "recall": tp + fn, "f1": 2 * tp + fp + fn}[kind]
        below.append(narrow(whole))
    return Ratio(np.stack(above), np.stack(below))


def booked(corpus: Corpus, units: Units, label: str) -> Counts:
    """Return each system's false positives by unit that the taxonomy counts under a label.

    A wrong span is counted under the label of the gold span that it is paired with, a span without
    one under its own (``errors.tables.strict_by_label``).
    """
    if corpus.spread is not None:
        raise UsageError(
            f"{corpus.scoring.taxonomy} has no scores of labels of a corpus in parts",
            where="--metric",
            remedy="use --metric f1, or no limit on memory",
        )
    # One matching serves all labels and ratios.
    found = corpus.memo.get(("fates", ""), lambda: fates(corpus))
    units, code = _same_units(found, units), found.items.labels.index(label) + 1
    counts = []
    for name in found.items.answers:
        own = found.found[name]
        row = found.counted(own) & own.counts & (own.kind != Kind.FN)
        gold, answer = labels_of(found.items, own, name, row)
        here = np.where(gold, gold, answer) == code
        counts.append(_by_unit(units.of[own.item[row][here]], units))
    return np.stack(counts)


def _of_part(kind: str, drawn: str, corpus: Corpus) -> tuple[Any, Any]:
    items = scored_items(corpus)
    found = _ratio(kind, corpus, units_of(items, drawn))
    return found.above, found.below


def _same_units(found: Fates, units: Units) -> Units:
    """Return the units of all spans, numbered as ``units``; one past the end for those left out."""
    own = units_of(found.items, units.kind)
    order = np.argsort(units.key, kind="stable")
    at = np.minimum(np.searchsorted(units.key[order], own.key), len(units) - 1)
    place = np.where(units.key[order][at] == own.key, order[at], len(units))
    return Units(units.kind, units.key, place[own.of])


def _counts(found: Fates, units: Units) -> Iterator[tuple[Counts, Counts, Counts]]:
    """Yield each system's true and false positives and false negatives by unit, doubled."""
    items = found.items
    kept = np.ones(len(items), np.bool_) if found.kept is None else found.kept
    for name, codes in items.answers.items():
        right = (codes == items.gold) & (codes != 0) & kept
        own = found.found[name]
        there = own.counts & kept[own.item]
        kind, unit = own.kind[there], units.of[own.item[there]]
        missed, invented = kind == Kind.FN, kind == Kind.FP
        half = _by_unit(unit[~missed & ~invented], units)
        tp = 2 * _by_unit(units.of[right], units)
        fp, fn = (half + 2 * _by_unit(unit[which], units) for which in (invented, missed))
        yield tp, fp, fn


def _by_unit(unit: NDArray[np.intp], units: Units) -> Counts:
    return np.bincount(unit, minlength=len(units) + 1)[: len(units)]
