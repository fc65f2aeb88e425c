"""What systems reach together: who is right how often, by label, together, alone, by vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, active_rows
from coleval.kernels.blocks import added, counted, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
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


def label_counts(items: Items, shown: Items, found: ActiveBlocks | None = None) -> LabelCounts:
    """Return the counts by gold label; ``items`` say what is right, ``shown`` the labels."""
    parts = active_rows(items) if found is None else found

    def made() -> LabelCounts:
        return group_counts(parts, shown.gold, len(shown.labels))

    return items.memo.get("label counts", made) if shown is items else made()


def group_counts(found: ActiveBlocks, codes: Codes, groups: int) -> LabelCounts:
    """Return the same counts by a code of each item, from 1 to the number of groups; 0 is none."""
    return added(_group_counts(active, codes, groups + 1) for active in found)


def _group_counts(active: ActiveRows, codes: Codes, size: int) -> LabelCounts:
    whole = codes[active.span]
    total, gold = counted(whole, size), whole[active.rows]
    missed = [counted(gold, size, ~right) for right in active.right]
    nobody = counted(gold, size, np.logical_not(active.right.any(axis=0)))
    return LabelCounts(total, total - np.array(missed).reshape(-1, size), total - nobody)


def error_counts(items: Items, shown: Items) -> pl.DataFrame:
    """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
    size = len(shown.labels) + 1
    label = pl.Series([None, *shown.labels], dtype=pl.String)
    cells = [_error_cells(active, shown, size) for active in active_rows(items)]
    frames = []
    for system, parts in zip(items.systems, zip(*cells, strict=True), strict=True):
        cell, errors = merged(parts)
        sides = {"gold": cell // size, "answer": cell % size}
        named = {name: label.gather(pl.Series(side)) for name, side in sides.items()}
        frame = pl.DataFrame({**named, "errors": errors})
        frames.append(frame.select(pl.lit(system).alias("system"), pl.all()))
    return pl.concat(frames)


def _error_cells(active: ActiveRows, shown: Items, size: int) -> list[tuple[Counts, Counts]]:
    """Return for each system the cells (gold × size + answer) of its errors, and how often."""
    gold, answers = active.as_shown(shown)
    place = gold.astype(np.int64) * size
    found = []
    for own, right in zip(answers, active.right, strict=True):
        counts = np.bincount(place[~right] + own[~right])
        cell = np.flatnonzero(counts)
        found.append((cell, counts[cell]))
    return found


def held(active: ActiveRows) -> tuple[NDArray[np.bool_], int]:
    """Return which active items are there to be found, and how many of the others are."""
    if active.everything:
        return np.ones(len(active), np.bool_), active.agreed
    return active.gold != 0, active.agreed - active.agreed_empty


def votes(items: Items, order: Sequence[int], found: ActiveBlocks | None = None) -> Votes:
    """Return the counts of votes; between tied answers that of the first system in ``order`` wins.

    Every system has a vote on every item; nothing is an answer too.
    """
    return added(
        _votes(active, order) for active in (active_rows(items) if found is None else found)
    )


def _votes(active: ActiveRows, order: Sequence[int]) -> Votes:
    there, others = held(active)
    last = len(active.right)
    right = active.right.sum(axis=0, dtype=np.int64)
    winner = _winner(active, order)
    counts = np.bincount(right[there], minlength=last + 1)
    majority = np.bincount(right[there & (winner == active.gold)], minlength=last + 1)
    counts[last] += others
    majority[last] += others
    sole = there & (right == 1)
    alone = [np.count_nonzero(own & sole) for own in active.right]
    single = others if last == 1 else 0
    invented = np.count_nonzero((active.gold == 0) & (winner != 0) & ~there)
    return Votes(counts, majority, np.array(alone) + single, int(invented))


def _winner(active: ActiveRows, order: Sequence[int]) -> NDArray[np.unsignedinteger]:
    """Return the commonest answer to each item; the first system of ``order`` breaks ties."""
    if pays(active.answers):
        return commonest(active.answers, order)[0]
    best = np.zeros(len(active), np.uint16)
    winner = active.answers[order[0]].copy()
    for system in order:
        own = active.answers[system]
        support = np.zeros(len(active), np.uint16)
        for other in active.answers:
            support += own == other
        better = support > best
        winner[better] = own[better]
        best = np.maximum(best, support)
    return winner


def ladder(items: Items, found: ActiveBlocks | None = None) -> list[Rung]:
    """Return the systems in the order of what each adds; ties go to the better, then the first."""
    missing, reached = _reachable(active_rows(items) if found is None else found)
    total = gains = _ones(missing)
    rungs: list[Rung] = []
    left = np.arange(len(missing))
    # Who adds nothing now adds nothing later: what is left then are systems in their own order.
    while gains.any():
        ahead = np.flatnonzero(gains == gains.max())
        at = ahead[total[left[ahead]].argmax()]
        reached += int(gains[at])
        rungs.append(Rung(int(left[at]), reached))
        missing &= ~missing[at]
        gains = _ones(missing)
        if 2 * np.count_nonzero(gains) < len(left):
            missing, left, gains = missing[gains > 0], left[gains > 0], gains[gains > 0]
    chosen = {rung.system for rung in rungs}
    rest = [system for system in range(len(total)) if system not in chosen]
    rest.sort(key=lambda system: -int(total[system]))
    return rungs + [Rung(system, reached) for system in rest]


def _reachable(found: ActiveBlocks) -> tuple[NDArray[np.uint64], int]:
    """Return a bit for each active item that a system has right, and how many others there are."""
    parts, reached = [], 0
    for active in found:
        there, others = held(active)
        parts.append(np.packbits(active.right & there, axis=1))
        reached += others
    width = sum(part.shape[1] for part in parts)
    parts.append(np.zeros((len(parts[0]), -width % 8), np.uint8))
    return np.concatenate(parts, axis=1).view(np.uint64), reached


def _ones(bits: NDArray[np.uint64]) -> Counts:
    """Return how many bits are set in each row."""
    return np.bitwise_count(bits).sum(axis=1, dtype=np.int64)


def lost_groups(items: Items, found: ActiveBlocks | None = None) -> int:
    """Return how many sentences (or instances) have an item that no system has right."""
    groups = items.groups
    if groups is None:
        return 0
    parts = active_rows(items) if found is None else found
    return sum(_lost_groups(active, groups[active.span]) for active in parts)


def _lost_groups(active: ActiveRows, groups: NDArray[np.integer]) -> int:
    there, _ = held(active)
    return len(np.unique(groups[active.rows[there & ~active.right.any(axis=0)]]))


# Of so many systems, and of no more codes than so many, answers are tallied. A tally has so many
# cells.
MANY, CODES, CELLS = 64, 5000, 1 << 23


def pays(answers: Codes) -> bool:
    """Return whether answers, a row a system, are counted faster by a tally."""
    return len(answers) > MANY and answers.max(initial=0) < CODES


def commonest(
    answers: Codes,
    order: Sequence[int],
    voter: NDArray[np.intp] | None = None,
    barred: Sequence[Codes] = (),
) -> tuple[Codes, Counts]:
    """Return the commonest answer to each item, and its votes; 0 and none where there is none.

    The first system of ``order`` breaks ties. Systems of one ``voter`` give an answer one vote
    together. What is ``barred`` gets none.
    """
    codes = 1 + max(int(rows.max(initial=0)) for rows in (answers, *barred))
    winner = np.zeros(answers.shape[1], answers.dtype)
    best = np.zeros(answers.shape[1], np.int64)
    step = max(1, CELLS // codes)
    for low in range(0, len(winner), step):
        some = slice(low, low + step)
        part, place = answers[:, some], np.arange(len(best[some]))
        tally = _tally(part, codes, np.arange(len(answers)) if voter is None else voter)
        for rows in barred:
            tally[rows[some], place] = 0
        best[some] = tally.max(axis=0)
        # From the last to the first of the order, so that the first has the last word.
        for own in part[list(order)[::-1]]:
            won = (tally[own, place] == best[some]) & (best[some] > 0)
            winner[some][won] = own[won]
    return winner, best


def _tally(answers: Codes, codes: int, voter: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return how many votes each code has for each item."""
    place = np.arange(answers.shape[1])
    tally = np.zeros((codes, len(place)), np.int32)
    members = np.bincount(voter)
    for own, one in zip(answers, voter.tolist(), strict=True):
        if members[one] == 1:
            tally[own, place] += 1
    for one in np.flatnonzero(members > 1).tolist():
        given = np.zeros(tally.shape, np.bool_)
        for own in answers[voter == one]:
            given[own, place] = True
        tally += given
    return tally
