"""GitHub tables with a title each and the signature: to be pasted, and to be read unrendered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.renderers.exact import chosen
from coleval.renderers.form import AS_IT_IS, Paper
from coleval.renderers.layouts import in_full
from coleval.renderers.sheet import BEST, Cell, Head, Sheet
from coleval.renderers.visible import padded, visible, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.report import Report

_SPECIAL = re.compile(r"[\\`*\[\]<>|~$&#]|(?<![^\W_])_|_(?![^\W_])")


def render(report: Report, table: str | None = None, paper: Paper = AS_IT_IS) -> str:  # noqa: ARG001
    """Return all tables, or the one named; the best of a column is bold."""
    parts = [_table(in_full(report, name)) for name in chosen(report, table)]
    signature = visible(report.signature).replace("`", "'")
    return "\n".join([*parts, f"`{signature}`\n"])


def _table(sheet: Sheet) -> str:
    title = f"{sheet.name}: {sheet.title}" if sheet.title else sheet.name
    heading = f"### {escaped(title)}\n\n"
    if not sheet.heads:
        return f"{heading}no columns\n"
    header = [escaped(head.text.replace("\n", " ")) for head in sheet.heads]
    rows = [header, *([_cell(cell) for cell in row] for row in sheet.rows)]
    widths = [max(3, *map(width, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, sheet.heads, widths) for row in rows]
    return heading + "\n".join([lines[0], _rule(sheet.heads, widths), *lines[1:]]) + "\n"


def _cell(cell: Cell) -> str:
    return f"**{escaped(cell.text)}**" if cell.mark == BEST else escaped(cell.text)


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
