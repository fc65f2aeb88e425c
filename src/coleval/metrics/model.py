"""What a metric is: its name, its title, its tasks, its sums by unit, and its value from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from coleval.statistics.measure import Measure, Ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Units
    from coleval.statistics.measure import Counts, Floats

    # What is added up, in the units that are drawn: sums above and below a line.
    Sums = Callable[[Items, Units], Sequence[Ratio]]
    Value = Callable[[Sequence[tuple[Floats, Floats]]], Floats]


def _always(_: Corpus) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Metric:
    """A score of systems: additive sums by unit, and its value from them.

    ``sums`` returns ratios of whole numbers, a row a system and a column a unit. The score is the
    first ratio, or the ``value`` of all pairs of sums. ``better`` says which end is; people read it
    in a ``unit``: in percent, or as it is. A corpus of its ``tasks`` ``has`` all that it needs.
    """

    name: str
    title: str
    sums: Sums
    tasks: tuple[str, ...]
    value: Value | None = None
    better: Literal["high", "low"] = "high"
    unit: Literal["%", ""] = "%"
    has: Callable[[Corpus], bool] = _always

    def measure(self, items: Items, units: Units, zero_division: float | None) -> Measure:
        """Return the score of items, to be tested over units."""
        ratios = self.sums(items, units)
        lower, plain = self.better == "low", not self.unit
        if self.value is None:
            classes = [partial(_same, ratios[0])]
            return Measure(self.name, classes, "", zero_division, lower=lower, plain=plain)
        rows = [part for ratio in ratios for part in (ratio.above, ratio.below)]
        systems = len(items.systems)
        classes = [partial(_alone, part, systems, ratios[0].below) for part in rows]
        return Measure(
            self.name, classes, zero_division=zero_division, lower=lower, plain=plain,
            combined=partial(_in_pairs, self.value),
        )  # fmt: skip


def _same(ratio: Ratio) -> Ratio:
    return ratio


def _alone(rows: Counts, systems: int, there: Counts) -> Ratio:
    """Return sums by themselves, a row a system; ``there`` says which units have anything."""
    return Ratio(np.broadcast_to(rows, (systems, rows.shape[1])), there)


def _in_pairs(value: Value, parts: Sequence[Floats]) -> Floats:
    return value([(parts[at], parts[at + 1]) for at in range(0, len(parts), 2)])
