"""Response patterns: which systems have an item right, a bit for each, and how many items share it.

A pattern has what any count of right and wrong needs, and there are far fewer of them than items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.counts.patterns import Patterns

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
WORD = 64
# Rows at a time: the words of a block stay in the processor's cache while all systems go by.
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Responses:
    """Distinct patterns, a column of ``words`` each, in rising order; system 0 is the lowest bit.

    ``n`` items have a pattern. Of ``cells`` there is one for each pattern and gold label that
    meet: ``at`` is the number of its pattern, ``label`` the code, ``cell_n`` how many items.
    """

    systems: int
    words: Words
    n: Counts
    at: NDArray[np.intp]
    label: NDArray[np.int64]
    cell_n: Counts

    def __len__(self) -> int:
        """Return how many patterns there are."""
        return len(self.n)

    @property
    def items(self) -> int:
        """Return how many items there are."""
        return int(self.n.sum())

    @property
    def right(self) -> NDArray[np.bool_]:
        """Return which systems have the items of each pattern right, a row for each system."""
        rows = [
            (self.words[s // WORD] >> np.uint64(s % WORD)) & np.uint64(1)
            for s in range(self.systems)
        ]
        return np.array(rows, np.bool_).reshape(self.systems, len(self))

    @property
    def solved_by(self) -> NDArray[np.int64]:
        """Return how many systems have the items of each pattern right."""
        return np.bitwise_count(self.words).sum(axis=0, dtype=np.int64)

    def chosen(self, systems: Sequence[int]) -> Responses:
        """Return the patterns of some systems alone, in this order."""
        right = self.right[list(systems)]
        cells = right[:, self.at]
        return _made(len(right), *_counted(packed(cells), self.label, self.cell_n))


def responses(counted: Patterns) -> Responses:
    """Return who has the items right that gold answers, by the label shown."""
    kept = counted.gold != 0
    label = counted.as_shown.gold[kept].astype(np.int64)
    cells = _counted(packed(counted.right[:, kept]), label, counted.n[kept])
    return _made(len(counted.systems), *cells)


def rows_of(items: Items, found: Responses, wanted: NDArray[np.intp]) -> Counts:
    """Return which items have one of the ``wanted`` patterns, and the number of the pattern.

    Two rows: the places of the items in rising order, and the numbers of their patterns.
    """
    low, parts = 0, []
    for part in items.blocks():
        for at in _rows_in(part, found.words, wanted):
            at[0] += low
            parts.append(at)
        low += len(part)
    return np.concatenate(parts, axis=1)


def _rows_in(items: Items, known: Words, wanted: NDArray[np.intp]) -> Iterator[Counts]:
    names = [f"w{k}" for k in range(len(known))]
    columns = dict(zip(names, known[:, wanted], strict=True))
    patterns_ = pl.DataFrame({**columns, "at": pl.Series(wanted, dtype=pl.Int64)})
    easy = packed(np.ones((len(items.answers), 1), np.bool_))
    # Where items that every system solves are not wanted, the join is of few.
    skipped = not (known[:, wanted] == easy).all(axis=0).any()
    for low, words in _words(items):
        there = items.gold[low : low + words.shape[1]] != 0
        rows = np.flatnonzero(there & (words != easy).any(axis=0) if skipped else there)
        here = dict(zip(names, words[:, rows], strict=True))
        frame = pl.DataFrame({**here, "row": pl.Series(rows + low, dtype=pl.Int64)})
        joined = frame.join(patterns_, on=names, how="inner").sort("row")
        yield np.stack([joined["row"].to_numpy(), joined["at"].to_numpy()])


def packed(right: NDArray[np.bool_]) -> Words:
    """Return the words of columns of right and wrong, a row for each system."""
    words = np.zeros((_width(len(right)), right.shape[1]), np.uint64)
    for s, row in enumerate(right):
        words[s // WORD] |= row.astype(np.uint64) << np.uint64(s % WORD)
    return words


def bins_of(found: Responses) -> tuple[Counts, Counts]:
    """Return the items of each bin, and how many of them each system solves: as ``bins`` counts."""
    bin_ = found.solved_by
    size = found.systems + 1
    items = _summed(bin_, found.n, size)
    solved = [_summed(bin_[own], found.n[own], size) for own in found.right]
    return items, np.array(solved, np.int64).reshape(found.systems, size)


def _counted(
    words: Words, label: NDArray[np.int64], n: Counts
) -> tuple[Words, NDArray[np.int64], Counts]:
    """Return pattern, label and number of items for what there is of both, sorted."""
    names = [f"w{k}" for k in range(len(words))]
    frame = pl.DataFrame({**dict(zip(names, words, strict=True)), "label": label, "n": n})
    # The last word has the highest bits.
    order = [*reversed(names), "label"]
    cells = frame.group_by(order).agg(pl.col("n").sum()).sort(order)
    found = np.array([cells[name].to_numpy() for name in names], np.uint64)
    return found.reshape(len(names), -1), cells["label"].to_numpy(), cells["n"].to_numpy()


def _made(systems: int, words: Words, label: NDArray[np.int64], n: Counts) -> Responses:
    """Return patterns from sorted cells: those that follow each other with one pattern are one."""
    new = np.ones(len(n), np.bool_)
    new[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
    at = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    total = np.add.reduceat(n, first) if len(first) else np.zeros(0, np.int64)
    return Responses(systems, words[:, first], total.astype(np.int64), at, label, n)


def _words(items: Items) -> Iterator[tuple[int, Words]]:
    """Yield the patterns of some items at a time, after the place of the first of them."""
    layers = list(items.answers.values())
    same = np.empty(min(_BLOCK, len(items)), np.bool_)
    for low in range(0, max(1, len(items)), _BLOCK):
        rows = slice(low, low + _BLOCK)
        own = items.gold[rows]
        words = np.zeros((_width(len(layers)), len(own)), np.uint64)
        for k, word in enumerate(words):
            word[:] = _word(own, layers[k * WORD : (k + 1) * WORD], rows, same[: len(own)])
        yield low, words


def _word(
    gold: Codes, layers: Sequence[Codes], rows: slice, same: NDArray[np.bool_]
) -> NDArray[np.unsignedinteger]:
    """Return the bits of up to 64 systems, in numbers no wider than that takes: the last first."""
    kind = next(k for k in (np.uint8, np.uint16, np.uint32, np.uint64)
                if len(layers) <= np.dtype(k).itemsize * 8)  # fmt: skip
    word: NDArray[np.unsignedinteger] = np.zeros(len(gold), kind)
    for codes in reversed(layers):
        np.equal(codes[rows], gold, out=same)
        np.left_shift(word, kind(1), out=word)
        np.bitwise_or(word, same.view(np.uint8), out=word)
    return word


def _width(systems: int) -> int:
    return max(1, -(-systems // WORD))


def _summed(bin_: NDArray[np.int64], n: Counts, size: int) -> Counts:
    """Return whole numbers summed by bin, exactly."""
    total = np.zeros(size, np.int64)
    np.add.at(total, bin_, n)
    return total
