"""The items that changes and upper bounds are about: what makes answers equal, what they show.

For most tasks that is one thing, the label. A dependency answer is a relation and a head, tags
and more: what of it is compared is the metric's affair, tables show the relation or the tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.analyses.counted import selected_items
from coleval.kernels.crowded import crowded, met

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.kernels.crowded import Run


@dataclass(frozen=True, slots=True)
class Judged:
    """Equal codes of ``items`` are equal answers; tables show the labels of ``shown``.

    ``whole`` has the answers in full. All three are the same items in the same order. ``runs``
    are the extents to which some layer gives several labels.
    """

    items: Items
    shown: Items
    whole: Items
    runs: Sequence[Run] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return self.items.systems

    def chosen(self, systems: list[str]) -> Judged:
        """Return the same items with only these systems."""
        if systems == list(self.systems):
            return self
        items, whole = self.items.chosen(systems), self.whole.chosen(systems)
        shown = items if self.shown is self.items else self.shown.chosen(systems)
        return Judged(items, shown, whole, self.runs)

    def met(self, pair: tuple[str, str]) -> Judged:
        """Return two systems alone, their equal labels of one extent in the same items."""
        if not self.runs:
            return self
        items = met(self.items, pair, self.runs)
        return Judged(items, items, items)


def judged(corpus: Corpus) -> Judged:
    """Return the items asked for, labels that were not asked for read as nothing."""
    return corpus.memo.get("judged", lambda: _judged(corpus))


def _judged(corpus: Corpus) -> Judged:
    base = selected_items(corpus)
    views = corpus.task_kind.views(corpus, base)
    return Judged(*views, crowded(base, forms=corpus.reading.forms))
