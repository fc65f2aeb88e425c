"""The items that changes and upper bounds are about: what makes answers equal, what they show.

For most tasks that is one thing, the label. A dependency answer is a relation and a head, tags
and more: what of it is compared is the metric's affair, tables show the relation or the tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.counted import selected_items
from coleval.corpus.far import of_shape, shape_of, shapes_added
from coleval.corpus.spread import check_by_item, summed
from coleval.counts.crowded import crowded, met

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.far import Shape
    from coleval.corpus.items import Items
    from coleval.counts.crowded import Run


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
    if corpus.spread is not None:
        return _judged_elsewhere(corpus)
    base = selected_items(corpus)
    views = corpus.task_kind.views(corpus, base)
    return Judged(*views, crowded(base, forms=corpus.reading.forms))


def _judged_elsewhere(corpus: Corpus) -> Judged:
    """Return the same of a corpus in parts: the views by what they look like."""
    check_by_item(corpus.scoring.where, "--where")
    found = summed(corpus, _shapes, _shapes_added)
    views: list[Items] = []
    for at, shape in enumerate(found.shapes):
        first = found.same[at]
        views.append(views[first] if first < at else of_shape(corpus, partial(_view, at), shape))
    return Judged(views[0], views[1], views[2], found.runs)


@dataclass(frozen=True, slots=True)
class _Shapes:
    """What the views look like, which view each is the same as, and whether there are runs."""

    shapes: tuple[Shape, Shape, Shape]
    same: tuple[int, ...]
    runs: Sequence[Run]


def _view(at: int, corpus: Corpus) -> Items:
    parts = judged(corpus)
    return (parts.items, parts.shown, parts.whole)[at]


def _shapes(corpus: Corpus) -> _Shapes:
    parts = judged(corpus)
    views = (parts.items, parts.shown, parts.whole)
    same = tuple(next(k for k, one in enumerate(views) if one is view) for view in views)
    shapes = tuple(shape_of(view) for view in views)
    # One is enough to know that there are some: each part finds its own.
    return _Shapes(shapes, same, tuple(parts.runs[:1]))  # type: ignore[arg-type]


def _shapes_added(found: list[_Shapes]) -> _Shapes:
    shapes = tuple(shapes_added([one.shapes[at] for one in found]) for at in range(3))
    runs = next((one.runs for one in found if one.runs), ())
    return _Shapes(shapes, found[0].same, runs)  # type: ignore[arg-type]
