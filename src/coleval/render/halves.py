"""System × system in one square: one number below the diagonal, another above it.

Systems stand best first and are called by their rank where names have no room, so that 24 of them
fit into 100 cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from coleval.render.columns import ratio
from coleval.render.fitting import fits
from coleval.render.sheet import DASH, Cell, Head, Sheet
from coleval.render.visible import distinct, visible

Write = Callable[[float], str]
Values = Mapping[tuple[str, str], float | None]
_NAME = 16


@dataclass(frozen=True, slots=True)
class Half:
    """The values of one half by (row, column), and how they are written, fully and in short."""

    values: Values
    full: Write
    short: Write


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
    return Cell(text, shade=min(1.0, max(0.0, value / most)) if most else None)


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
