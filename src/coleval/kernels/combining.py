"""What systems reach together: who is right how often, by label, together, alone, by vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.kernels.active import Active, Counts, News, active
from coleval.kernels.blocks import added, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.items import Items


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many items gold gives each label (0 is nothing), how many of them each system has right.

    ``anyone`` counts those that some system has right. All add up over documents.
    """

    items: Counts
    right: Counts
    anyone: Counts


@dataclass(frozen=True, slots=True)
class Votes:
    """How many items exactly k systems have right, and in how many of those the majority is.

    ``alone[s]`` only system s has right. ``invented`` is how often the majority answers something
    where gold has nothing and nothing is no item.
    """

    items: Counts
    majority: Counts
    alone: Counts
    invented: int


@dataclass(frozen=True, slots=True)
class Rung:
    """The system that adds most to those before it, and how many items they now reach."""

    system: int
    reached: int


def label_counts(items: Items, shown: Items, found: Active | None = None) -> LabelCounts:
    """Return the counts by gold label; ``items`` say what is right, ``shown`` the labels."""
    parts = active(items) if found is None else found

    def counted() -> LabelCounts:
        return added(_label_counts(news, shown) for news in parts)

    return items.known.get("label counts", counted) if shown is items else counted()


def _label_counts(news: News, shown: Items) -> LabelCounts:
    size = len(shown.labels) + 1
    whole = shown.gold[news.span]
    total = np.bincount(whole, minlength=size)
    gold = whole[news.rows].astype(np.intp)
    missed = [np.bincount(gold[~right], minlength=size) for right in news.right]
    nobody = np.bincount(gold[~news.right.any(axis=0)], minlength=size)
    return LabelCounts(total, total - np.array(missed).reshape(-1, size), total - nobody)


def error_counts(items: Items, shown: Items) -> pl.DataFrame:
    """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
    size = len(shown.labels) + 1
    label = pl.Series([None, *shown.labels], dtype=pl.String)
    cells = [_error_cells(news, shown, size) for news in active(items)]
    frames = []
    for system, parts in zip(items.systems, zip(*cells, strict=True), strict=True):
        cell, errors = merged(parts)
        sides = {"gold": cell // size, "answer": cell % size}
        named = {name: label.gather(pl.Series(side)) for name, side in sides.items()}
        frame = pl.DataFrame({**named, "errors": errors})
        frames.append(frame.select(pl.lit(system).alias("system"), pl.all()))
    return pl.concat(frames)


def _error_cells(news: News, shown: Items, size: int) -> list[tuple[Counts, Counts]]:
    """Return for each system the cells (gold × size + answer) of its errors, and how often."""
    gold, answers = news.told(shown)
    place = gold.astype(np.int64) * size
    found = []
    for own, right in zip(answers, news.right, strict=True):
        counts = np.bincount(place[~right] + own[~right])
        cell = np.flatnonzero(counts)
        found.append((cell, counts[cell]))
    return found


def held(news: News) -> tuple[NDArray[np.bool_], int]:
    """Return which active items are there to be found, and how many of the others are."""
    if news.everything:
        return np.ones(len(news), np.bool_), news.others
    return news.gold != 0, news.others - news.silent


def votes(items: Items, order: Sequence[int], found: Active | None = None) -> Votes:
    """Return the counts of votes; between tied answers that of the first system in ``order`` wins.

    Every system has a vote on every item; nothing is an answer too.
    """
    return added(_votes(news, order) for news in (active(items) if found is None else found))


def _votes(news: News, order: Sequence[int]) -> Votes:
    there, others = held(news)
    last = len(news.right)
    right = news.right.sum(axis=0, dtype=np.int64)
    winner = _winner(news, order)
    counts = np.bincount(right[there], minlength=last + 1)
    majority = np.bincount(right[there & (winner == news.gold)], minlength=last + 1)
    counts[last] += others
    majority[last] += others
    alone = [np.count_nonzero(own & there & (right == 1)) for own in news.right]
    single = others if last == 1 else 0
    invented = np.count_nonzero((news.gold == 0) & (winner != 0) & ~there)
    return Votes(counts, majority, np.array(alone) + single, int(invented))


def _winner(news: News, order: Sequence[int]) -> NDArray[np.unsignedinteger]:
    """Return the commonest answer to each item; the first system of ``order`` breaks ties."""
    best = np.zeros(len(news), np.uint16)
    winner = news.answers[order[0]].copy()
    for system in order:
        own = news.answers[system]
        support = np.zeros(len(news), np.uint16)
        for other in news.answers:
            support += own == other
        better = support > best
        winner[better] = own[better]
        best = np.maximum(best, support)
    return winner


def ladder(items: Items, found: Active | None = None) -> list[Rung]:
    """Return the systems in the order of what each adds; ties go to the better, then the first."""
    missing, reached = _reachable(active(items) if found is None else found)
    total = [_ones(own) for own in missing]
    rungs: list[Rung] = []
    left = list(range(len(missing)))
    while left:
        gains = {system: _ones(missing[system]) for system in left}
        best = max(left, key=lambda s: (gains[s], total[s], -s))
        taken = missing[best].copy()
        reached += gains[best]
        rungs.append(Rung(best, reached))
        left.remove(best)
        for system in left:
            missing[system] &= ~taken
    return rungs


def _reachable(found: Active) -> tuple[NDArray[np.uint8], int]:
    """Return a bit for each active item that a system has right, and how many others there are."""
    parts, reached = [], 0
    for news in found:
        there, others = held(news)
        parts.append(np.packbits(news.right & there, axis=1))
        reached += others
    return np.concatenate(parts, axis=1), reached


def _ones(bits: NDArray[np.uint8]) -> int:
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


def lost_groups(items: Items, found: Active | None = None) -> int:
    """Return how many sentences (or instances) have an item that no system has right."""
    groups = items.groups
    if groups is None:
        return 0
    parts = active(items) if found is None else found
    return sum(_lost_groups(news, groups[news.span]) for news in parts)


def _lost_groups(news: News, groups: NDArray[np.integer]) -> int:
    there, _ = held(news)
    return len(np.unique(groups[news.rows[there & ~news.right.any(axis=0)]]))
