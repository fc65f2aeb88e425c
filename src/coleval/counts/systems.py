"""What single systems and all of them together get right: by label, by bin, by vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.coding import Codes
    from coleval.counts.patterns import Patterns

Counts = NDArray[np.int64]
# Above so many cells only those that occur are counted; sorting takes thrice as long.
_DENSE = 1 << 20


def cells_of(
    counted: Patterns, key: NDArray[np.integer], size: int, rows: NDArray[np.intp] | None = None
) -> tuple[Counts, Counts]:
    """Return the distinct keys, below ``size``, in rising order and how many items have each.

    Keys are those of all patterns, or of some ``rows``, which rise.
    """
    cells = None
    if size > _DENSE:
        cells, key = np.unique(key, return_inverse=True)
        size = len(cells)
    counts = counted.tally(key, size) if rows is None else counted.tally_rows(key, size, rows)
    there = np.flatnonzero(counts)
    return there if cells is None else cells[there].astype(np.int64), counts[there]


def confusion_counts(counted: Patterns, labels: Sequence[str]) -> pl.DataFrame:
    """Return system, gold, answer (labels, null for nothing) and n, in a total order.

    ``sql/analyses/confusion.sql`` is the definition.
    """
    return _cell_table(counted, labels, "n", wrong=False)


def error_counts(counted: Patterns, labels: Sequence[str]) -> pl.DataFrame:
    """Return system, gold, answer (labels as shown) and errors: the items that are wrong."""
    return _cell_table(counted, labels, "errors", wrong=True)


def _cell_table(
    counted: Patterns, labels: Sequence[str], column: str, *, wrong: bool
) -> pl.DataFrame:
    size = len(labels) + 1
    seen = counted.as_shown
    gold = seen.gold.astype(np.int64)
    whole = counted.tally(gold, size)
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for answers, right in zip(seen.answers, counted.right, strict=True):
        differing = ~right if wrong else answers != seen.gold
        rows = np.flatnonzero(differing)
        cells, n = cells_of(counted, gold[rows] * size + answers[rows], size * size, rows)
        if not wrong:
            # Of what gold has of each label the rest is right.
            agreed = whole - counted.tally_rows(gold[rows], size, rows)
            agreed[0] *= counted.empty_is_answer
            same = np.flatnonzero(agreed)
            cells, n = np.append(cells, same * (size + 1)), np.append(n, agreed[same])
            order = np.argsort(cells)
            cells, n = cells[order], n[order]
        parts.append((cells, n))
    cell, n = (np.concatenate(side) for side in zip(*parts, strict=True))
    owner = np.repeat(np.arange(len(parts) - 1), [len(cells) for cells, _ in parts[1:]])
    label = pl.Series([None, *labels], dtype=pl.String)
    names = pl.Series(list(counted.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "system": names.gather(pl.Series(owner)),
            "gold": label.gather(pl.Series(cell // size)),
            "answer": label.gather(pl.Series(cell % size)),
            column: n,
        }
    )


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many items gold gives each label (0 is nothing), how many of them each system has right.

    ``anyone`` counts those that some system has right. All add up over documents.
    """

    items: Counts
    right: Counts
    anyone: Counts


def label_counts(counted: Patterns, size: int) -> LabelCounts:
    """Return the counts by the label of gold that is shown; there are ``size`` labels."""
    gold = counted.as_shown.gold
    right = [counted.tally(gold, size + 1, own) for own in counted.right]
    return LabelCounts(
        counted.tally(gold, size + 1),
        np.array(right, np.int64).reshape(-1, size + 1),
        counted.tally(gold, size + 1, counted.right.any(axis=0)),
    )


def answer_counts(counted: Patterns, size: int) -> Counts:
    """Return how many items each system gives each of ``size`` labels: a row a system, 0 none."""
    rows = [counted.tally(codes, size + 1) for codes in counted.as_shown.answers]
    return np.array(rows, np.int64).reshape(-1, size + 1)


@dataclass(frozen=True, slots=True)
class BinCounts:
    """Whole numbers that add up over disjoint documents.

    ``items[b]`` have gold and are solved by b judges; ``solved[s, b]`` of them by system s.
    ``spurious[k]`` have no gold, and k judges answer something; ``invented[s, k]`` of them
    system s answers.
    """

    items: Counts
    solved: Counts
    spurious: Counts
    invented: Counts


def bin_counts(counted: Patterns) -> BinCounts:
    """Return the counts of all bins; those of a bin that nothing is in are 0."""
    size = len(counted.judging) + 1
    agreeing = (counted.judging == counted.gold).sum(axis=0)
    there, void = counted.gold != 0, counted.gold == 0
    answering = size - 1 - agreeing
    solved = [counted.tally(agreeing, size, own & there) for own in counted.right]
    invented = [counted.tally(answering, size, void & (own != 0)) for own in counted.answers]
    return BinCounts(
        counted.tally(agreeing, size, there),
        np.array(solved, np.int64).reshape(-1, size),
        counted.tally(answering, size, void),
        np.array(invented, np.int64).reshape(-1, size),
    )


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


def votes(counted: Patterns, order: Sequence[int]) -> Votes:
    """Return the counts of votes; between tied answers that of the first system in ``order`` wins.

    Every system has a vote on every item; nothing is an answer too.
    """
    there, size = counted.countable, len(counted.systems) + 1
    right = counted.right.sum(axis=0, dtype=np.int64)
    # What more than half of the systems have right is the majority's answer.
    winner = counted.gold.copy()
    open_ = np.flatnonzero(2 * right <= len(counted.systems))
    winner[open_] = _winner(counted.answers[:, open_], order)
    majority = there & (winner == counted.gold)
    alone = counted.totals(counted.right & (there & (right == 1)))
    invented = counted.total((counted.gold == 0) & (winner != 0) & ~there)
    return Votes(
        counted.tally(right, size, there), counted.tally(right, size, majority), alone, invented
    )


def _winner(answers: Codes, order: Sequence[int]) -> Codes:
    """Return the commonest answer of each pattern; the first system of ``order`` breaks ties."""
    if pays(answers):
        return commonest(answers, order)[0]
    best = np.zeros(answers.shape[1], np.uint16)
    winner = answers[order[0]].copy()
    for system in order:
        own = answers[system]
        support = np.zeros(answers.shape[1], np.uint16)
        for other in answers:
            support += own == other
        better = support > best
        winner[better] = own[better]
        best = np.maximum(best, support)
    return winner


def ladder(counted: Patterns) -> list[Rung]:
    """Return the systems in the order of what each adds; ties go to the better, then the first."""
    right, n = counted.right[:, counted.countable], counted.n[counted.countable]
    left = list(range(len(counted.systems)))
    gains = total = _reached(right, n)
    rungs: list[Rung] = []
    reached = 0
    while left:
        best = max(left, key=lambda system: (gains[system], total[system], -system))
        reached += int(gains[best])
        rungs.append(Rung(best, reached))
        left.remove(best)
        if gains[best]:
            missing = ~right[best]
            right, n = right[:, missing], n[missing]
            gains = _reached(right, n)
    return rungs


def _reached(right: NDArray[np.bool_], n: Counts) -> Counts:
    return np.array([n[own].sum() for own in right], np.int64)


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
