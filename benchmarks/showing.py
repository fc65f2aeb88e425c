"""Figures on a screen and in Markdown: each with its bound, what it reached, and a bar.

A bar tells the headroom: it ends at the figure, ``┃`` is the bound, each cell is a factor of 1.4.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.table import Table

WIDTH, CELLS, BOUND_AT = 140, 20, 6
HEADINGS = ("figure", "ours", "other", "ratio", "must", "reached", "bar", "noise")
_LEFT = {"figure", "reached", "bar"}
_STYLES = {"must": "green", "MISSED": "bold red"}


def show(title: str, targets: Sequence[Mapping[str, Any]], machine: Mapping[str, str]) -> None:
    """Print the figures, how each was come to, and the machine."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    console.print(table(title, targets))
    for target in targets:
        if target["how"] or target["skipped"]:
            told = f"{target['name']}: {target['skipped'] or target['how']}"
            console.print(told, style="dim", highlight=False, markup=False)
    console.print(machine_line(machine), highlight=False, markup=False)


def table(title: str, targets: Iterable[Mapping[str, Any]]) -> Table:
    """Return a table of figures for rich."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for heading in HEADINGS:
        right = heading not in _LEFT
        grid.add_column(heading, justify="right" if right else "left", no_wrap=heading == "bar")
    for target in targets:
        style = _STYLES.get(target["reached"], "dim")
        at = HEADINGS.index("reached")
        grid.add_row(*(Text(c, style if k >= at else "") for k, c in enumerate(cells(target))))
    return grid


def markdown(targets: Iterable[Mapping[str, Any]]) -> str:
    """Return the figures as a table in Markdown."""
    rules = ("---:" if heading not in _LEFT else "---" for heading in HEADINGS)
    rows = [HEADINGS, tuple(rules), *(_code(cells(target)) for target in targets)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a figure as text, column by column."""
    row = f"{target['row']}  " if target["row"] else ""
    if target["skipped"]:
        return (row + target["name"], "", "", "", "", "skipped", "", "")
    return (
        row + target["name"],
        amount(target["ours"], target["unit"], first=True),
        amount(target["other"], target["unit"]),
        f"{target['ratio']:,.3g}" if target["ratio"] < 1000 else f"{target['ratio']:,.0f}",
        _bound(target),
        target["reached"],
        bar(target),
        "–" if target["noise"] is None else f"{target['noise']:.0%}",
    )


def amount(value: float, unit: str, *, first: bool = False) -> str:
    """Return seconds, or bytes where ours come ``first``, over a count of cells."""
    if unit == "B":
        return f"{value / 2**20:,.0f} MiB" if first else f"{value:,.0f} cells"
    if unit == "s":
        return duration(value)
    if unit:
        return f"{value:,.4g} {unit}"
    return f"{value:,.4g}"


def duration(seconds: float) -> str:
    """Return seconds, milliseconds or microseconds."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:,.{2 if seconds < 10 * size else 1}f} {unit}"
    return f"{seconds * 1e6:,.0f} µs"


def bar(target: Mapping[str, Any]) -> str:
    """Return the headroom as a bar; the bound always stands at the same cell."""
    if target["bound"] is None or target["ratio"] <= 0:
        return ""
    room = target["ratio"] / target["bound"]
    steps = log(room if target["at_least"] else 1 / room) / log(sqrt(2))
    length = min(CELLS, max(1, BOUND_AT + round(steps)))
    filled = ["█"] * length + [" "] * (CELLS - length)
    filled[BOUND_AT] = "┃"
    return "".join(filled).rstrip()


def machine_line(machine: Mapping[str, str]) -> str:
    """Return the machine and the versions on one line."""
    return " · ".join(f"{name} {value}" for name, value in machine.items())


def _bound(target: Mapping[str, Any]) -> str:
    if target["bound"] is None:
        return "–"
    return f"{'≥' if target['at_least'] else '≤'} {target['bound']:g}"


def _code(row: tuple[str, ...]) -> tuple[str, ...]:
    at = HEADINGS.index("bar")
    return (*row[:at], f"`{row[at]}`" if row[at] else "", *row[at + 1 :])
