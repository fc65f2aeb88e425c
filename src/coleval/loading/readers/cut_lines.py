"""Stretches of bytes as text: some lines of a file, and columns of them, cut out together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.coded_texts import CodedTexts
from coleval.loading.readers.lines import series_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.text_blocks import KeptText

    Places = NDArray[np.integer]
    Bytes = NDArray[np.uint8]
    Flags = NDArray[np.bool_]

_BLOCK, _STEP = 1 << 18, 1 << 20
# So many bytes of a line are looked at first.
_WIDE = 64
_CELLS = 1 << 25
_NEWLINE, _TAB, _SPACE, _RETURN = 10, 9, 32, 13


def windows(data: Bytes, size: int) -> NDArray[np.void]:
    """Return the ``size`` bytes that begin at each place; what is taken of it is copied at once."""
    return np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))


def bare_ends(data: Bytes, start: Places, end: Places) -> Places:
    """Return the ends of stretches before the white space that they end with."""
    found = end.copy()
    rows = np.flatnonzero((found > start) & _gaps(data[found - 1]))
    while len(rows):
        found[rows] -= 1
        rows = rows[found[rows] > start[rows]]
        rows = rows[_gaps(data[found[rows] - 1])]
    return found


def last_fields(data: Bytes, start: Places, end: Places) -> Places:
    """Return where the last field of each line begins: from its end back to the next gap."""
    found = end - 1
    rows = np.arange(len(found))
    while len(rows):
        rows = rows[found[rows] > start[rows]]
        rows = rows[~_gaps(data[found[rows] - 1])]
        found[rows] -= 1
    return found


def texts_of(data: Bytes, start: Places, end: Places, path: str) -> pl.Series:
    """Return stretches of bytes as text."""
    if not len(start):
        return pl.Series(dtype=pl.String)
    return series_of(cut(data, start, end).tobytes(), path).fill_null("")


def cut(data: Bytes, start: Places, end: Places) -> Bytes:
    """Return some stretches of bytes, each with a line end behind it."""
    size = (end - start + 1).astype(np.int64)
    parts = []
    for block in _blocks(len(size), max(1, _BLOCK // max(1, int(size.max(initial=1))))):
        length = size[block]
        last = np.cumsum(length)
        place = np.arange(int(last[-1])) + np.repeat(start[block] - last + length, length)
        piece = data[np.minimum(place, len(data) - 1)]
        piece[last - 1] = _NEWLINE
        parts.append(piece)
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _gaps(found: Bytes) -> NDArray[np.bool_]:
    return (found == _SPACE) | (found == _TAB) | (found == _RETURN)


def _blocks(size: int, step: int) -> Iterator[slice]:
    """Yield what is worked on at a time: small arrays stay in the cache and cost no new memory."""
    for at in range(0, size, step):
        yield slice(at, at + step)


@dataclass(frozen=True)
class CutLines:
    """Where each line of a text ends, and which are no units; the first begins at ``first``."""

    path: str
    text: KeptText
    first: int
    ends: Places
    others: Places

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.ends) - len(self.others)

    def line(self, unit: int) -> int:
        """Return the line of a unit, from 1."""
        return int(self._rows(np.array([unit]))[0]) + 1

    def _rows(self, units: Places) -> Places:
        """Return the lines of rising units, from 0."""
        # So many units are before each line that is none.
        before = self.others - np.arange(len(self.others))
        return units + np.searchsorted(before, units, side="right")

    def columns(self, units: Places, columns: Sequence[int]) -> list[CodedTexts]:
        """Return some columns of the lines of units, null where a line is shorter.

        Columns count from 1, or from the end below 0; ``0`` is the whole line. They end at TABs
        if the first of the lines has one, else at runs of spaces.
        """
        known, at = units, np.arange(len(units))
        if (units[1:] < units[:-1]).any():
            known, at = np.unique(units, return_inverse=True)
        return [CodedTexts(at, found) for found in self._columns(known, columns)]

    def _columns(self, units: Places, columns: Sequence[int]) -> list[pl.Series]:
        """Return columns of rising units."""
        found: list[list[tuple[Bytes, Flags]]] = [[] for _ in columns]
        split = None
        for data, start, size in self._lines(units):
            split = split or (_at_tabs if (data[: size[0]] == _TAB).any() else _at_gaps)
            fields = _FieldPlaces.of(data, start, size, split, columns)
            for column, parts in zip(columns, found, strict=True):
                parts.append(fields.column(column))
        return [_series(parts, self.path) for parts in found]

    def _lines(self, units: Places) -> Iterator[tuple[Bytes, Places, Places]]:
        """Yield bytes, and where in them some of the lines of rising units begin, and how long."""
        row = self._rows(units)
        end = self.ends[row].astype(np.int64)
        start = np.where(row > 0, self.ends[row - 1] + np.int64(1), self.first)
        at, room = 0, np.zeros(0, np.uint8)
        while at < len(row):
            low = int(start[at])
            last = max(int(np.searchsorted(end, low + _STEP)), at + 1)
            # Lines become rows of one width: a very long one stands alone.
            while last > at + 1 and int((end - start)[at:last].max()) * (last - at) > _CELLS:
                last = at + (last - at) // 2
            high = int(end[last - 1]) + _WIDE
            if len(room) < high - low:
                room = np.empty(high - low + _STEP, np.uint8)
            data = self.text.part(low, high, room)
            begin = start[at:last] - low
            yield data, begin, bare_ends(data, begin, end[at:last] - low) - begin
            at = last


@dataclass(frozen=True, slots=True)
class _FieldPlaces:
    """Lines as rows of bytes of one width, and where the fields in them begin and end.

    Those of a line are from ``first`` to before ``last``.
    """

    rows: Bytes
    size: Places
    begin: Places
    behind: Places
    first: Places
    last: Places

    @classmethod
    def of(
        cls, data: Bytes, start: Places, size: Places,
        split: Callable[[Bytes], tuple[Places, Places]], columns: Sequence[int],
    ) -> _FieldPlaces:  # fmt: skip
        """Return the fields of lines: of their first bytes, if those have the columns."""
        whole = int(size.max()) + 1
        wide = min(whole, _WIDE) if min(columns) > 0 else whole
        found = cls._cut(data, start, size, split, wide)
        if wide < whole:
            lacking = (found.last - found.first < max(columns)) & (size >= wide)
            if lacking.any():
                return cls._cut(data, start, size, split, whole)
        return found

    @classmethod
    def _cut(
        cls, data: Bytes, start: Places, size: Places,
        split: Callable[[Bytes], tuple[Places, Places]], wide: int,
    ) -> _FieldPlaces:  # fmt: skip
        lacking = int(start[-1]) + wide - len(data)
        if lacking > 0:
            data = np.append(data, np.full(lacking, _NEWLINE, np.uint8))
        rows = windows(data, wide)[start].view(np.uint8).reshape(-1, wide)
        # Every row ends; what may go on behind it is no field.
        rows[:, wide - 1] = _NEWLINE
        end = np.minimum(size, wide - 1)
        row = np.arange(len(rows))
        rows[row, end] = _NEWLINE
        begin, behind = split(rows.reshape(-1))
        first = np.searchsorted(begin, row * wide)
        last = np.searchsorted(behind, row * wide + end, side="right") - (size >= wide)
        return cls(rows.reshape(-1), size, begin, behind, first, last)

    def column(self, column: int) -> tuple[Bytes, Flags]:
        """Return one column with a line end behind each field, and which lines have it."""
        if not column:
            begin = np.arange(len(self.size)) * (len(self.rows) // len(self.size))
            return cut(self.rows, begin, begin + self.size), np.ones(len(begin), np.bool_)
        at = self.first + column - 1 if column > 0 else self.last + column
        there = (at >= self.first) & (at < self.last)
        return cut(self.rows, self.begin[at[there]], self.behind[at[there]]), there


def _at_tabs(lines: Bytes) -> tuple[Places, Places]:
    """Return where fields begin and end."""
    behind = np.flatnonzero((lines == _TAB) | (lines == _NEWLINE))
    return np.append(0, behind[:-1] + 1), behind


def _at_gaps(lines: Bytes) -> tuple[Places, Places]:
    gap = _gaps(lines) | (lines == _NEWLINE)
    place = np.flatnonzero(np.diff(gap, prepend=True))
    return place[0::2], place[1::2]


def _series(parts: list[tuple[Bytes, Flags]], path: str) -> pl.Series:
    """Return a column as text, null for lines that do not have it."""
    data = np.concatenate([part for part, _ in parts]) if parts else np.zeros(0, np.uint8)
    if not len(data):
        return pl.repeat(None, sum(len(there) for _, there in parts), dtype=pl.String, eager=True)
    found = series_of(data.tobytes(), path).fill_null("")
    there = np.concatenate([there for _, there in parts])
    if there.all():
        return found
    row = np.where(there, np.cumsum(there) - 1, len(found))
    return found.append(pl.Series([None], dtype=pl.String)).gather(pl.Series(row))
