"""Response patterns: which systems have an item right, a bit for each, and how many items share it.

A pattern has what any count of right and wrong needs, and there are far fewer of them than items.
They are counted by gold label, block by block, and add up over documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
WORD = 64
# Rows at a time: the words of a block stay in the processor's cache while all systems go by.
_BLOCK = 1 << 15
# Rows whose patterns are counted at once.
_ROWS = 1 << 21


@dataclass(frozen=True, slots=True)
class Patterns:
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

    def chosen(self, systems: Sequence[int]) -> Patterns:
        """Return the patterns of some systems alone, in this order."""
        right = self.right[list(systems)]
        cells = right[:, self.at]
        return _made(len(right), *_counted(packed(cells), self.label, self.cell_n))


def patterns(items: Items, labels: Codes | None = None, *, every: bool = False) -> Patterns:
    """Return the patterns of the items that gold answers, or of ``every`` one.

    ``labels`` are the codes that cells are counted by, where these are not gold's own.
    """
    codes = items.gold if labels is None else labels
    low, cells = 0, []
    for part in _parts(items):
        cells.append(_block_cells(part, codes[low : low + len(part)], every=every))
        low += len(part)
    return _made(len(items.answers), *_merged(cells))


def added(one: Patterns, other: Patterns) -> Patterns:
    """Return the patterns of two disjoint parts of the same systems together."""
    parts = [(p.words[:, p.at], p.label, p.cell_n) for p in (one, other)]
    return _made(one.systems, *_merged(parts))


def together(parts: Sequence[Patterns]) -> Patterns:
    """Return the patterns of disjoint parts of the same systems together."""
    return reduce(added, parts)


def rows_of(items: Items, found: Patterns, wanted: NDArray[np.intp]) -> Counts:
    """Return which items have one of the ``wanted`` patterns, and the number of the pattern.

    Two rows: the places of the items in rising order, and the numbers of their patterns.
    """
    low, parts = 0, []
    for part in _parts(items):
        for at in _rows_in(part, found.words, wanted):
            at[0] += low
            parts.append(at)
        low += len(part)
    return np.concatenate(parts, axis=1)


def _rows_in(items: Items, known: Words, wanted: NDArray[np.intp]) -> Iterator[Counts]:
    names = [f"w{k}" for k in range(len(known))]
    columns = dict(zip(names, known[:, wanted], strict=True))
    patterns_ = pl.DataFrame({**columns, "at": pl.Series(wanted, dtype=pl.Int64)})
    easy = _solved_by_all(len(items.answers))
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


def bins_of(found: Patterns) -> tuple[Counts, Counts]:
    """Return the items of each bin, and how many of them each system solves: as ``bins`` counts."""
    bin_ = found.solved_by
    size = found.systems + 1
    items = _summed(bin_, found.n, size)
    solved = [_summed(bin_[own], found.n[own], size) for own in found.right]
    return items, np.array(solved, np.int64).reshape(found.systems, size)


def _parts(items: Items) -> Iterator[Items]:
    for block in items.blocks():
        for low in range(0, max(len(block), 1), _ROWS):
            high = min(low + _ROWS, len(block))
            yield block if (low, high) == (0, len(block)) else block.between(low, high)


_Cells = tuple[Words, NDArray[np.int64], Counts]


def _block_cells(items: Items, labels: Codes, *, every: bool) -> _Cells:
    """Return pattern, label and number of items for what there is of both in a block.

    Most items are solved by every system: these are counted by label alone. Their pattern is the
    last of all.
    """
    size = int(labels.max(initial=0)) + 1
    easy = np.zeros(size, np.int64)
    parts = []
    for low, words in _words(items):
        own = labels[low : low + words.shape[1]]
        full = (words == _solved_by_all(len(items.answers))).all(axis=0)
        there = None if every else items.gold[low : low + len(own)] != 0
        easy += np.bincount(own[full if there is None else full & there], minlength=size)
        left = np.flatnonzero(~full if there is None else there & ~full)
        parts.append((words[:, left], own[left].astype(np.int64)))
    words, label = (np.concatenate(side, axis=-1) for side in zip(*parts, strict=True))
    return _with_easy(_counted(words, label, None), easy, len(items.answers))


def _solved_by_all(systems: int) -> Words:
    """Return the pattern of what every system has right, a column of words."""
    return packed(np.ones((systems, 1), np.bool_))


def _with_easy(cells: _Cells, easy: Counts, systems: int) -> _Cells:
    words, label, n = cells
    code = np.flatnonzero(easy)
    last = np.repeat(_solved_by_all(systems), len(code), axis=1)
    both = np.concatenate([words, last], axis=1)
    return both, np.concatenate([label, code]), np.concatenate([n, easy[code]])


def _counted(words: Words, label: NDArray[np.int64], n: Counts | None) -> _Cells:
    names = [f"w{k}" for k in range(len(words))]
    frame = pl.DataFrame({**dict(zip(names, words, strict=True)), "label": label})
    total = pl.len().cast(pl.Int64) if n is None else pl.col("n").sum()
    if n is not None:
        frame = frame.with_columns(n=pl.Series(n, dtype=pl.Int64))
    # The last word has the highest bits.
    order = [*reversed(names), "label"]
    cells = frame.group_by(order).agg(total.alias("n")).sort(order)
    found = np.array([cells[name].to_numpy() for name in names], np.uint64)
    return found.reshape(len(names), -1), cells["label"].to_numpy(), cells["n"].to_numpy()


def _merged(parts: list[_Cells]) -> _Cells:
    if len(parts) == 1:
        return parts[0]
    words, label, n = (np.concatenate(side, axis=-1) for side in zip(*parts, strict=True))
    return _counted(words, label, n)


def _made(systems: int, words: Words, label: NDArray[np.int64], n: Counts) -> Patterns:
    """Return patterns from sorted cells: those that follow each other with one pattern are one."""
    new = np.ones(len(n), np.bool_)
    new[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
    at = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    total = np.add.reduceat(n, first) if len(first) else np.zeros(0, np.int64)
    return Patterns(systems, words[:, first], total.astype(np.int64), at, label, n)


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
