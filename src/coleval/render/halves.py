"""System × system: two numbers a pair in one square, or one in a triangle.

Systems stand best first and are called by their rank where names have no room, so that 24 of them
fit into 100 cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coleval.render.fitting import fits
from coleval.render.listing import ratio
from coleval.render.sheet import DASH, Cell, Head, Sheet
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from coleval.declare.tables import CountedItems

Write = Callable[[float], str]
Values = Mapping[tuple[str, str], float | None]
_NAME = 16


@dataclass(frozen=True, slots=True)
class Half:
    """The values of one half by (row, column), and how they are written, fully and in short.

    Counts may say of which items they are.
    """

    values: Values
    full: Write
    short: Write
    counts: Mapping[tuple[str, str], CountedItems | None] = field(default_factory=dict)


def square(
    name: str,
    title: str,
    systems: Mapping[str, float | None],
    below: Half,
    above: Half,
    *,
    width: int,
    notes: Sequence[str] = (),
) -> Sheet:
    """Return the square of ``systems``, best first; values in full if they fit, else in short."""
    for named, short in ((True, False), (True, True), (False, True)):
        sheet = _drawn(name, title, systems, (below, above), named=named, short=short)
        if fits(sheet, width):
            break
    key = () if named else (_key(systems),)
    return Sheet(sheet.name, sheet.title, sheet.heads, sheet.rows, (*key, *notes), crowd="systems")


def alike(
    systems: Mapping[str, float | None], identical: Iterable[tuple[str, str]]
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return the systems without those that answer as a better one does, and a note on these."""
    groups = {name: [name] for name in systems}
    for pair in identical:
        first, second = (groups[name] for name in pair)
        if first is not second:
            first += second
            groups |= dict.fromkeys(second, first)
    rank = {name: at for at, name in enumerate(systems)}
    kept = {n: score for n, score in systems.items() if n == min(groups[n], key=rank.__getitem__)}
    lines = [" = ".join(map(visible, sorted(groups[n], key=rank.__getitem__)))
             for n in kept if len(groups[n]) > 1]  # fmt: skip
    return kept, tuple(f"identical outputs, shown once: {line}" for line in lines)


def _drawn(
    name: str,
    title: str,
    systems: Mapping[str, float | None],
    halves: tuple[Half, Half],
    *,
    named: bool,
    short: bool,
) -> Sheet:
    names = list(systems)
    first = Head("system" if named else "", right=not named, elastic=named)
    heads = [Head(str(k), tight=True, full=f"{k} {visible(n)}") for k, n in enumerate(names, 1)]
    most = [_largest(half.values) for half in halves]
    rows = []
    short_names = distinct(map(visible, names), _NAME)
    for at, row in enumerate(names):
        cells = [
            _cell(halves[to > at], (row, column), most[to > at], short=short)
            if to != at
            else Cell("·", dim=True)
            for to, column in enumerate(names)
        ]
        shown = f"{at + 1:>2} {short_names[visible(row)]}" if named else str(at + 1)
        called = Cell(shown, full=f"{at + 1:>2} {visible(row)}")
        rows.append((called, *cells))
    return Sheet(name, title, (first, *heads), tuple(rows))


def _cell(half: Half, key: tuple[str, str], most: float, *, short: bool) -> Cell:
    value = half.values.get(key)
    if value is None:
        return Cell(DASH, dim=True)
    text = (half.short if short else half.full)(value)
    shade = min(1.0, max(0.0, value / most)) if most else None
    return Cell(text, shade=shade, counts=half.counts.get(key))


def _largest(values: Values) -> float:
    return max((value for value in values.values() if value is not None), default=0.0)


def _key(systems: Mapping[str, float | None]) -> str:
    parts = [
        f"{k}\u00a0{visible(name).replace(' ', chr(0xA0))}"
        + ("" if score is None else f"\u00a0{ratio(score)}")
        for k, (name, score) in enumerate(systems.items(), 1)
    ]
    return " · ".join(parts)


def full_count(value: float) -> str:
    """Return a whole number with its thousands apart."""
    return f"{round(value):,}"


def short_count(value: float) -> str:
    """Return a number in three cells: 512, 27k, .3M."""
    if value < 999.5:
        return str(round(value))
    if value < 99_500:
        return f"{round(value / 1000)}k"
    return f".{round(value / 100_000)}M" if value < 950_000 else f"{round(value / 1_000_000)}M"


def full_percent(value: float) -> str:
    """Return a share in percent with two decimals."""
    return ratio(value)


def short_percent(value: float) -> str:
    """Return a share in percent in three cells: 27, 2.7, .27."""
    percent = 100 * value
    if not percent:
        return "0"
    if percent >= 9.95:
        return str(round(percent))
    return f"{percent:.1f}" if percent >= 0.995 else f"{percent:.2f}".removeprefix("0")


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
