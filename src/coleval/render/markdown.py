"""GitHub tables with a title each and the signature: to be pasted, and to be read unrendered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.render.form import AS_IT_IS, Paper
from coleval.render.paper import Printed, cell_text, head_text, hidden, printed, said
from coleval.render.sheet import BEST, Cell, Head, Prose, Sheet
from coleval.render.visible import padded, visible, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report

_SPECIAL = re.compile(r"[\\`*\[\]<>|~$&#]|(?<![^\W_])_|_(?![^\W_])")


def render(report: Report, table: str | None = None, paper: Paper = AS_IT_IS) -> str:
    """Return all tables, or the one named; the best of a column is bold."""
    shown = printed(report, table, paper.caption)
    parts = [_part(one, paper.caption) for one in shown]
    others = "" if table else ", ".join(map(visible, hidden(report, shown)))
    more = [f"<!-- printed where they are asked for by name: {others} -->\n"] if others else []
    signature = visible(report.signature).replace("`", "'")
    notes = [f"{escaped(line)}\n" for line in said(report)]
    return "\n".join([*parts, *notes, *more, f"`{signature}`\n"])


def _part(one: Printed, caption: str) -> str:
    title = one.caption
    if not caption and not title.startswith(one.view.name):
        title = f"{one.view.name}: {title}"
    heading = f"### {escaped(visible(title))}\n\n"
    body = _prose(one.view) if isinstance(one.view, Prose) else _table(one.view)
    notes = "".join(f"\n{escaped(note)}\n" for note in one.view.notes)
    return f"{heading}{body}{notes}"


def _prose(view: Prose) -> str:
    parts = [
        f"- **{escaped(paragraph.head)}**"
        + (f" {escaped(paragraph.body)}" if paragraph.body else "")
        + (f" → {escaped(paragraph.remedy)}" if paragraph.remedy else "")
        for paragraph in view.paragraphs
    ]
    return "\n".join(parts or ["none"]) + "\n"


def _table(sheet: Sheet) -> str:
    if not sheet.heads:
        return "no columns\n" if sheet.rows else "no rows\n"
    header = [_head(head) for head in sheet.heads]
    rows = [header, *([_cell(cell) for cell in row] for row in sheet.rows)]
    widths = [max(3, *map(width, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, sheet.heads, widths) for row in rows]
    empty = "" if sheet.rows else "\nno rows\n"
    return "\n".join([lines[0], _rule(sheet.heads, widths), *lines[1:]]) + f"\n{empty}"


def _head(head: Head) -> str:
    """Return a header in one line; a number below a name stays below it."""
    *names, last = head_text(head).split("\n")
    if names and re.fullmatch(r"[\d,]+", last):
        return f"{escaped(' '.join(names))}<br>{last}"
    return escaped(" ".join([*names, last]).strip())


def _cell(cell: Cell) -> str:
    text = escaped(cell_text(cell))
    return f"**{text}**" if cell.mark == BEST else text


def _line(texts: Sequence[str], heads: Sequence[Head], widths: Sequence[int]) -> str:
    cells = (
        padded(text, wide, right=head.right)
        for text, head, wide in zip(texts, heads, widths, strict=True)
    )
    return f"| {' | '.join(cells)} |"


def _rule(heads: Sequence[Head], widths: Sequence[int]) -> str:
    dashes = (
        "-" * (wide - 1) + ":" if head.right else "-" * wide
        for head, wide in zip(heads, widths, strict=True)
    )
    return f"| {' | '.join(dashes)} |"


def escaped(text: str) -> str:
    """Return ``text`` so that GitHub shows it as it is; underscores within words may stay."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
