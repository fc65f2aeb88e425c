"""What gold and systems answer as raters, counted in DuckDB."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.kernels.agreement import GOLD, RaterCounts, RaterPairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.engines.sql import Sql

    Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class SqlRaters:
    """Raters of some items, gold the first if it is one; ``nothing`` is what no answer means."""

    engine: Sql
    items_: Items
    nothing: str
    gold: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the raters."""
        return (GOLD, *self.items_.systems) if self.gold else self.items_.systems

    @property
    def missing(self) -> bool:
        """Tell whether who gives no answer does not rate."""
        return self.nothing == "missing"

    @property
    def items(self) -> int:
        """Return the number of items."""
        return int(self.counts().items.sum())

    def only(self, names: list[str]) -> SqlRaters:
        """Return all raters or the systems alone."""
        return replace(self, gold=GOLD in names)

    def used(self) -> NDArray[np.bool_]:
        """Return which codes some rater gives."""
        return self.counts().answers.sum(axis=0) > 0

    def pairs(self) -> Iterator[RaterPairs]:
        """Yield every rater with all behind it, in the order of their names."""
        size = len(self.items_.labels) + 1
        for k, a in enumerate(self.names[:-1]):
            others = self.names[k + 1 :]
            cells = [self._cells.get((a, b), _NONE) for b in others]
            yield RaterPairs(
                a, others,
                np.array([n.sum() for _, _, n in cells]),
                np.array([n[one == other].sum() for one, other, n in cells]),
                np.array([_weighed(one, n, size) for one, _, n in cells]),
                np.array([_weighed(other, n, size) for _, other, n in cells]),
            )  # fmt: skip

    def apart(self, a: str, b: str, distances: NDArray[np.float64]) -> float:
        """Return how far the answers of two raters are apart, all items together."""
        one, other, n = self._cells.get((a, b), _NONE)
        return float((distances[one, other] * n).sum())

    def counts(self) -> RaterCounts:
        """Return the counts of all raters."""
        return self._counts

    @cached_property
    def _counts(self) -> RaterCounts:
        most, size = len(self.names), len(self.items_.labels) + 1
        asked = partial(self.engine.asked, self.items_, nothing=self.nothing, gold=self.gold)
        whole = asked("agree-overall")
        items, agreed = np.zeros((2, most + 1), np.int64)
        items[whole["raters"]] = whole["items"]
        agreed[whole["raters"]] = whole["agreed"]
        each = asked("agree-answers")
        answers = np.zeros((most + 1, size), np.int64)
        answers[each["raters"], np.ma.filled(each["answer"], 0).astype(np.int64)] = each["n"]
        return RaterCounts(most, items, agreed, answers)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], Cells]:
        found = self.engine.asked(self.items_, "agree-pairs", nothing=self.nothing)
        names = list(zip(found["a"].tolist(), found["b"].tolist(), strict=True))
        one, other = (np.ma.filled(found[c], 0).astype(np.int64) for c in ("answer_a", "answer_b"))
        cells: dict[tuple[str, str], list[int]] = {}
        for row, pair in enumerate(names):
            cells.setdefault(pair, []).append(row)
        return {p: (one[rows], other[rows], found["n"][rows]) for p, rows in cells.items()}


_NONE = tuple(np.zeros(0, np.int64) for _ in range(3))


def _weighed(codes: NDArray[Any], n: NDArray[Any], size: int) -> NDArray[np.int64]:
    counts = np.zeros(size, np.int64)
    np.add.at(counts, codes, n)
    return counts
