"""Counting a corpus in parts: each is counted by the kernels where it is, and counts are added up.

Who runs the parts, on which machines, is nothing to this.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.corpus.far import in_parts
from coleval.engines.local import Local
from coleval.engines.part_raters import PartRaters
from coleval.kernels import blocks
from coleval.kernels.combining import Rung
from coleval.kernels.patterns import Patterns, patterns, together
from coleval.kernels.transitions import transition_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.kernels.active_rows import Agreed
    from coleval.kernels.agreement import Raters
    from coleval.kernels.bins import BinCounts
    from coleval.kernels.buckets import BucketCounts, Placed
    from coleval.kernels.combining import LabelCounts, Votes
    from coleval.kernels.transitions import Pair, PairCounts, TransitionCounts
    from coleval.query.wide import Wide

    Counts = Any

# Up to so many systems a ladder is climbed over their patterns, of which there are few.
_FEW = 16


def _asked(name: str, add: Callable[[list[Any]], Any], *given: Any, **options: Any) -> Any:
    """Return what a method of the kernels' engine counts of all parts together."""
    return in_parts(add, partial(_answered, name), *given, **options)


def _answered(name: str, *given: Any, **options: Any) -> Any:
    return getattr(Local(), name)(*given, **options)


class InParts:
    """The kernels on each part of items that are elsewhere; what cannot be added up is refused."""

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        add = partial(blocks.cells, systems=items.systems, labels=items.labels)
        return _asked("confusion", add, items)

    def error_counts(self, items: Items, shown: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
        add = partial(blocks.cells, systems=items.systems, labels=shown.labels, column="errors")
        return _asked("error_counts", add, items, shown)

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        return _asked("wrong_groups", blocks.named, items)

    def overlaps(self, items: Items) -> pl.DataFrame:
        """Return how many instances have g gold labels, a answers and b of both: system, …, n."""
        return _asked("overlaps", blocks.frames, items)

    def bins(self, items: Items) -> BinCounts:
        """Return how many items each bin holds, and how many of them each system solves."""
        return _asked("bins", blocks.added, items)

    def words(self, items: Items, text: pl.Series) -> pl.DataFrame:  # noqa: ARG002
        """Return form, bin, n of the items that have a bin; their forms are where they are."""
        return in_parts(blocks.frames, _words, items)

    def traits(self, items: Items, columns: list[pl.Series]) -> pl.DataFrame:
        """Refuse what is worked out from all items together."""
        return Local().traits(items, columns)

    def filtered(self, items: Items, where: str, table: Wide) -> Items:
        """Refuse: conditions are looked at where the items are."""
        return Local().filtered(items, where, table)

    def pairs(self, items: Items) -> PairCounts:
        """Return the counts of all pairs of systems."""
        return _asked("pairs", blocks.added, items)

    def transitions(
        self, items: Items, shown: Items, pairs: Sequence[Pair]
    ) -> Iterable[TransitionCounts]:
        """Return the cells of each pair of systems, which are named by their places."""
        return _asked("transitions", transition_lists, items, shown, tuple(pairs))

    def flips(self, items: Items) -> list[dict[str, int | str]]:
        """Return what each system but the first breaks that all systems before it have right."""
        return _asked("flips", partial(blocks.rows, keys=("system", "earlier")), items)

    def labels(self, items: Items, shown: Items) -> LabelCounts:
        """Return the counts by the label of gold that is shown."""
        return _asked("labels", blocks.added, items, shown)

    def groups(self, items: Items, codes: Codes, number: int) -> LabelCounts:
        """Refuse: groups are given item by item."""
        return Local().groups(items, codes, number)

    def votes(self, items: Items, order: Sequence[int]) -> Votes:
        """Return the counts of votes; ``order`` has the systems from the best to the worst."""
        return _asked("votes", blocks.added, items, tuple(order))

    def ladder(self, items: Items) -> list[Rung]:
        """Return the systems in the order of what each adds to those before it."""
        if len(items.systems) <= _FEW:
            found: Patterns = in_parts(together, _found_patterns, items)
            return _climbed(partial(_added_by, found), len(items.systems))
        return _climbed(partial(_asked_added_by, items), len(items.systems))

    def lost_groups(self, items: Items) -> int:
        """Return how many sentences or instances have an item that no system has right."""
        return _asked("lost_groups", blocks.numbers, items)

    def raters(self, items: Items, *, missing: bool) -> Raters:
        """Return what gold and systems answer as raters; ``missing``: who gives none is none."""
        return PartRaters(items, missing)

    def bucketing(self, items: Items) -> Callable[[Placed], BucketCounts]:
        """Refuse: buckets are counted where items are placed in them."""
        return Local().bucketing(items)

    def said(self, items: Items) -> Counts:
        """Return how many items each system gives each code: a row a system, 0 is nothing."""
        return _asked("said", blocks.arrays, items)

    def span_events(
        self, items: Items, errors: Iterable[tuple[str, Counts]], kinds: int
    ) -> Iterator[tuple[Counts, Counts]]:
        """Refuse: errors are counted where they are found."""
        return Local().span_events(items, errors, kinds)

    def span_sides(self, items: Items) -> tuple[Counts, Counts]:
        """Return by system and label how many spans of gold are missed, how many are invented."""
        return _asked("span_sides", blocks.arrays, items)

    def agreed(self, parts: tuple[Items, ...], present: Items | None) -> dict[str, Agreed]:
        """Return how many words gold and each system have, how many agree, how many are aligned."""
        return _asked("agreed", blocks.agreed_by_name, parts, present)


def _words(items: Items) -> pl.DataFrame:
    form = items.form()
    assert form is not None  # noqa: S101  - all parts have texts, or none
    return Local().words(items, form)


def _found_patterns(items: Items) -> Patterns:
    return patterns(items, np.zeros(len(items), np.uint8), every=items.empty_is_answer)


def _climbed(adds: Callable[[tuple[int, ...]], Counts], systems: int) -> list[Rung]:
    """Return a ladder; ties go to the better system, then to the first."""
    rungs: list[Rung] = []
    total: Counts = None
    for _ in range(systems):
        chosen = tuple(rung.system for rung in rungs)
        gains = adds(chosen).tolist()
        total = total or gains
        left = [system for system in range(systems) if system not in chosen]
        best = max(left, key=lambda s: (gains[s], total[s], -s))
        rungs.append(Rung(best, (rungs[-1].reached if rungs else 0) + gains[best]))
    return rungs


def _added_by(found: Patterns, chosen: tuple[int, ...]) -> Counts:
    """Return how many items each system adds to those that some of the chosen have right."""
    right = found.right
    left = ~right[list(chosen)].any(axis=0)
    return (right[:, left] * found.n[left]).sum(axis=1)


def _asked_added_by(items: Items, chosen: tuple[int, ...]) -> Counts:
    return in_parts(blocks.arrays, _items_added_by, items, chosen)


def _items_added_by(items: Items, chosen: tuple[int, ...]) -> Counts:
    names = items.systems
    left = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    for system in chosen:
        left &= items.answers[names[system]] != items.gold
    rows = np.flatnonzero(left)
    gold = items.gold[rows]
    return np.array([np.count_nonzero(items.answers[n][rows] == gold) for n in names], np.int64)
