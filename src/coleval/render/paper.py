"""What LaTeX and Markdown print of a report: the sheets of a screen without its limits.

All rows and columns, names in full, no bars drawn with letters, no word on options of the command
line; the best is bold and the worst is not marked.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from coleval.render.exact import chosen
from coleval.render.listing import legend
from coleval.render.sheet import BEST, PAPER, WORST, Cell, Head, Prose, View
from coleval.render.views import views
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.corpus.report import Report

# What a note says to somebody at a command line, or of bars.
_FOR_SCREENS = re.compile(r"(^|\s)--(as|table|pair|systems|limit|whole)\b|^bars?:")
# Warnings of many files may be very many; a paper needs to know that there are more.
_WARNINGS = 20
_BETWEEN = re.compile(r"( · |; )")
_BOLD = {BEST: "bold: best"}


@dataclass(frozen=True, slots=True)
class Printed:
    """A view of ``table``, its caption, and the name by which a text refers to it."""

    table: str
    view: View
    caption: str
    label: str


def printed(report: Report, table: str | None, caption: str) -> list[Printed]:
    """Return all tables that a screen shows, or whatever there is of the one named."""
    found: list[Printed] = []
    labels: Counter[str] = Counter()
    for name in chosen(report, table):
        shown = views(report, name, PAPER, alone=table is not None)
        part, own = report.part(name)
        for view in shown:
            called = _caption(view, own, caption, several=len(shown) > 1)
            stem = _slug(caption) or _slug(f"{part.command}-{own}")
            labels[stem] += 1
            label = f"tab:{stem}-{labels[stem]}" if labels[stem] > 1 else f"tab:{stem}"
            found.append(Printed(name, _for_paper(view), called, label))
    return found


def hidden(report: Report, shown: Iterable[Printed]) -> list[str]:
    """Return the tables that are printed only where they are asked for by name."""
    seen = {one.table for one in shown}
    return [name for name in report.tables if name not in seen]


def said(report: Report) -> list[str]:
    """Return the warnings of a report, a line each, the first of them where they are very many."""
    lines = [f"warning: {' '.join(visible(text).split())}" for text in report.warnings[:_WARNINGS]]
    rest = len(report.warnings) - _WARNINGS
    return [*lines, f"… and {rest:,} more warnings"] if rest > 0 else lines


def head_text(head: Head) -> str:
    """Return the name of a column in full; a number that a row explains stays a number."""
    return head.text if head.text.isdigit() else head.full or head.text


def cell_text(cell: Cell) -> str:
    """Return what a cell holds in full, its mark behind it unless that is shown by bold letters."""
    text = (cell.full or cell.text).strip()
    return text if cell.mark in ("", BEST, WORST) else f"{text} {cell.mark}"


def _caption(view: View, own: str, caption: str, *, several: bool) -> str:
    title = without_options(view.title)
    named = f"{view.name}: {title}" if view.name != own and title else title or view.name
    if not caption:
        return named
    return f"{caption} ({named})" if several else caption


def _slug(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _for_paper(view: View) -> View:
    notes = tuple(filter(None, map(without_options, view.notes)))
    if isinstance(view, Prose):
        return replace(view, title=without_options(view.title), notes=notes)
    kept = [at for at in range(len(view.heads)) if not _drawn([row[at] for row in view.rows])]
    sheet = replace(
        view,
        heads=tuple(view.heads[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in view.rows),
    )
    return replace(sheet, notes=(*legend(chain(*sheet.rows), sheet.among, _BOLD), *notes))


def _drawn(column: Sequence[Cell]) -> bool:
    """Return whether a column holds bars, or nothing at all."""
    return bool(column) and (
        any(cell.bar for cell in column) or not any(cell.text for cell in column)
    )


def without_options(text: str) -> str:
    """Return a note without the parts that name an option of the command line."""
    if not _FOR_SCREENS.search(text):
        return text
    if text.startswith("… and"):
        # What is not there is said on paper too, though nobody can ask it for more.
        return text.partition(": --")[0]
    first, *rest = _BETWEEN.split(text)
    parts = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    kept = [(sign, part) for sign, part in parts if not _FOR_SCREENS.search(part)]
    return "".join(sign * (at > 0) + part for at, (sign, part) in enumerate(kept))
