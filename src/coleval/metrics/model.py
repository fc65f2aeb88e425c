"""What a metric is: its name, its title, its tasks, its sums by unit, and its value from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from coleval.corpus.task import ByName
from coleval.counts import units as counting
from coleval.statistics.measure import KEPT, Measure, Ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Counts, Units
    from coleval.statistics.measure import Floats

    # What is added up, in the units that are drawn: sums above and below a line.
    Sums = Callable[["UnitCounting"], Sequence[Callable[[], Ratio]]]
    Value = Callable[[Sequence[tuple[Floats, Floats]]], Floats]

# Answers that a taxonomy counts under another label than their own.
_booked = ByName("analyses.compare.fair_metric:booked")


@dataclass(frozen=True, slots=True)
class UnitCounting:
    """Items, the kind of their units, ready to be counted; ``label`` is a code, 0 for all.

    What is counted of a label is ``kept`` where several scores are made of it.
    """

    corpus: Corpus
    items: Items
    kind: str
    empty_is_answer: bool
    label: int = 0
    kept: dict[int, tuple[Counts, Counts, Counts]] | None = None

    @property
    def units(self) -> Units:
        """Return the units, which are not made before they are needed."""
        return counting.units_of(self.items, self.kind)

    def ratio(self, kind: str, label: int, average: str = "") -> Ratio:
        """Return precision, recall or F1 of a label (0: all) as counts.

        Its support is what lets it into an average: gold's labels, or gold's and the system's.
        """
        counts = (self.kept or {}).get(label) or self._counts(label)
        if self.kept is not None and 3 * len(self.items.labels) * counts[0].nbytes < KEPT:
            self.kept[label] = counts
        tp, answers, gold = counts
        either = counting.together(answers, gold)
        support = {"gold": gold, "weighted": gold, "union": either}.get(average)
        if kind == "f1":
            return Ratio(counting.together(tp, tp), either, support)
        return Ratio(tp, gold if kind == "recall" else answers, support)

    def _counts(self, label: int) -> tuple[Counts, Counts, Counts]:
        """Return what systems have right of a label, what they answer, and what gold has."""
        items, units = self.items, self.units
        tp, answers = counting.agreed_answered(items, units, label)
        if label and self.corpus.scoring.taxonomy != "fair" and items.of_spans:
            answers = counting.together(tp, _booked(self.corpus, units, items.labels[label - 1]))
        return tp, answers, counting.expected(items, units, label)


def no_sums(_: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return nothing: for a score that is ``made`` in a way of its own."""
    return []


def _always(_: Corpus) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Metric:
    """A score of systems: additive sums by unit, and its value from them.

    ``sums`` returns what makes ratios of whole numbers, a row a system and a column a unit. The
    score is the ratio of their sums, an ``average`` over several, or the ``value`` of all pairs of
    sums above and below. ``better`` says which end is; people read it in a ``unit``: in percent, or
    as it is. A corpus of its ``tasks`` ``has`` all that it needs. It may be one of a label
    (``of_label``: f1:PER), be made of single items (``additive``), and of numbers, which
    ``outcomes`` gives a row a system. What is no sum of items is ``made`` in a way of its own.
    """

    name: str
    title: str
    sums: Sums
    tasks: tuple[str, ...]
    average: str = ""
    value: Value | None = None
    better: Literal["high", "low"] = "high"
    unit: Literal["%", ""] = "%"
    has: Callable[[Corpus], bool] = _always
    of_label: bool = False
    additive: bool = False
    outcomes: Callable[[Items], Floats] | None = None
    made: Callable[[str, UnitCounting], Measure] | None = None

    def measure(self, how: UnitCounting, name: str = "") -> Measure:
        """Return the score of counted items, to be tested over units."""
        if self.made is not None:
            return self.made(self.name, how)
        whole = Measure(
            name or self.name, self.sums(how), self.average, how.corpus.scoring.zero_division,
            lower=self.better == "low", plain=not self.unit,
        )  # fmt: skip
        if self.value is None:
            return whole
        ratios = [make() for make in whole.classes]
        rows = [part for ratio in ratios for part in (ratio.above, ratio.below)]
        systems = len(how.items.systems)
        classes = [partial(_alone, part, systems, ratios[0].below) for part in rows]
        return replace(whole, classes=classes, combined=partial(_in_pairs, self.value))


def _alone(rows: Counts, systems: int, there: Counts) -> Ratio:
    """Return sums by themselves, a row a system; ``there`` says which units have anything."""
    return Ratio(np.broadcast_to(rows, (systems, rows.shape[1])), there)


def _in_pairs(value: Value, parts: Sequence[Floats]) -> Floats:
    return value([(parts[at], parts[at + 1]) for at in range(0, len(parts), 2)])
