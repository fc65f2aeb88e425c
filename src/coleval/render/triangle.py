"""Any two of several in a triangle: a row each, best first, columns called by the numbers of rows.

With more than have room as cells of their own, a row is one text: a sign or two a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coleval.render.fitting import fits
from coleval.render.sheet import Cell, Head, Sheet
from coleval.render.visible import visible

Pair = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Signs:
    """How a pair is written in so few ``cells`` that a row is one text, with a gap or without."""

    title: str
    write: Callable[[Pair], str]
    cells: int
    gap: str


@dataclass(frozen=True, slots=True)
class Triangle:
    """The pairs of ``names`` by their two names; numbers begin with ``first``."""

    name: str
    what: str
    names: Sequence[str]
    pairs: Mapping[frozenset[str], Pair]
    notes: tuple[str, ...]
    first: int = 0

    def fitted(
        self, title: str, cell: Callable[[Pair], Cell], short: Sequence[Signs], width: int
    ) -> Sheet:
        """Return the triangle with cells if they fit, else with the first signs that do."""
        columns = [[cell(pair) for pair in row] for row in self._rows]
        rows = [[*row, *[Cell("")] * (len(self.names) - 1 - len(row))] for row in columns]
        numbers = enumerate(self.names[:-1], self.first)
        sheet = self._drawn(
            title, rows, [Head(str(k), full=f"{k} {visible(n)}") for k, n in numbers]
        )
        for signs in short:
            if fits(sheet, width):
                break
            texts = [[Cell(signs.gap.join(map(signs.write, row)))] for row in self._rows]
            sheet = self._drawn(signs.title, texts, [Head(self._ruler(signs), right=False)])
        return sheet

    @property
    def _rows(self) -> list[list[Pair]]:
        """Return for each name its pairs with those before it."""
        return [
            [self.pairs[frozenset((name, other))] for other in self.names[:at]]
            for at, name in enumerate(self.names)
        ]

    def _drawn(self, title: str, rows: Sequence[Sequence[Cell]], heads: Sequence[Head]) -> Sheet:
        lines = tuple(
            (Cell(str(at), dim=True), Cell(visible(name)), *row)
            for at, (name, row) in enumerate(zip(self.names, rows, strict=True), self.first)
        )
        first = (Head("#"), Head(self.what, right=False, elastic=True))
        return Sheet(self.name, title, (*first, *heads), lines, self.notes)

    def _ruler(self, signs: Signs) -> str:
        """Return the numbers of columns, tens over units."""
        numbers = range(self.first, self.first + len(self.names) - 1)
        tens = (str(k // 10) if k and k % 10 == 0 else " " for k in numbers)
        lines = [tens] if numbers and numbers[-1] > 9 else []
        lines.append(str(k % 10) for k in numbers)
        return "\n".join(signs.gap.join(sign.rjust(signs.cells) for sign in line) for line in lines)
