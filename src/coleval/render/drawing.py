"""From a sheet to lines of styled text, none wider than the screen."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from rich.text import Text

from coleval.render.fitting import fitted, gap_after, total
from coleval.render.listing import legend
from coleval.render.sheet import BEST, WORST, WRONG, Cell, Head, Prose, Sheet, View, on_terminal
from coleval.render.visible import distinct, padded, shortened, wrapped
from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

PROSE_WIDTH = 100
# Cells of a longer text in a column are those of its beginning and its end.
_LONGEST = 1_200

_MARKED = {BEST: "bold green", WORST: "red", WRONG: "red"}


def drawn(view: View, width: int, colors: str = "truecolor") -> list[Text]:
    """Return the lines of a view: title, header, rows, notes."""
    title = _title(view, width)
    if isinstance(view, Prose):
        return title + _prose(view, min(width, PROSE_WIDTH)) + _notes(view.notes, width)
    sheet, widths = fitted(view, width)
    notes = (*legend(chain(*sheet.rows), sheet.among), *sheet.notes)
    return title + _header(sheet, widths) + _rows(sheet, widths, colors) + _notes(notes, width)


def _title(view: View, width: int) -> list[Text]:
    """Return the name and the title, which wraps: what it is about may stand at its end."""
    name = shortened(view.name, width)
    if not view.title:
        return [Text(name, "bold")]
    # The name holds its place as one word.
    first, *rest = wrapped(f"{'x' * cells_of(name)}  {view.title}", width)
    line = Text(name, "bold").append(first[cells_of(name) :].rstrip(), "not bold")
    return [line, *(Text(text) for text in rest)]


def _header(sheet: Sheet, widths: Sequence[int]) -> list[Text]:
    """Return the header, its columns standing on a rule."""
    if not sheet.heads:
        return []
    names = [head.text.split("\n")[::-1] for head in sheet.heads]
    levels = list(zip_longest(*names, fillvalue=""))[::-1]
    lines = [_joined(sheet.heads, _header_line(sheet, level, widths)) for level in levels]
    return [*lines, Text("─" * total(sheet.heads, widths), "dim")]


def _header_line(sheet: Sheet, texts: Sequence[str], widths: Sequence[int]) -> list[Text]:
    """Return one line of the header; it leaves out the room for marks, to stand over the digits."""
    long = {text: wide for text, wide in zip(texts, widths, strict=True) if cells_of(text) > wide}
    short = distinct(long, min(long.values(), default=0))
    return [
        Text(padded(padded(short.get(text, text), wide - head.marked, right=head.right), wide,
             right=False), "bold")
        for head, text, wide in zip(sheet.heads, texts, widths, strict=True)
    ]  # fmt: skip


def _rows(sheet: Sheet, widths: Sequence[int], colors: str) -> list[Text]:
    if not sheet.rows:
        # Without columns the title says all.
        return [Text("no rows", "dim")] if sheet.heads else []
    rows = [list(row) for row in sheet.rows]
    for at, (head, wide) in enumerate(zip(sheet.heads, widths, strict=True)):
        if not head.prose:
            short = distinct((row[at].text for row in rows), wide)
            for row in rows:
                row[at] = replace(row[at], text=short[row[at].text])
    return [line for row in rows for line in _row(sheet.heads, row, widths, colors)]


def _row(
    heads: Sequence[Head], row: Sequence[Cell], widths: Sequence[int], colors: str
) -> list[Text]:
    """Return the lines of a row: one, unless it holds prose that wraps."""
    columns = [_cell(*parts, colors) for parts in zip(heads, row, widths, strict=True)]
    height = max(map(len, columns))
    filled = [
        column + [Text(" " * wide)] * (height - len(column))
        for column, wide in zip(columns, widths, strict=True)
    ]
    return [_joined(heads, line) for line in zip(*filled, strict=True)]


def _cell(head: Head, cell: Cell, wide: int, colors: str) -> list[Text]:
    if head.prose:
        lines = wrapped(shortened(cell.text, _LONGEST), wide)
        return [Text(padded(line, wide, right=False)) for line in lines]
    text = padded(cell.text, wide - head.marked, right=head.right)
    return [Text(padded(text + cell.mark, wide, right=False), _style(cell, colors))]


def _style(cell: Cell, colors: str) -> str:
    if cell.shade is not None:
        ground = on_terminal(cell.shade, colors, signed=cell.signed)
        return f"bold {ground}" if cell.mark and "bold" not in ground else ground
    return _MARKED.get(cell.mark, "dim" if cell.dim else "")


def _joined(heads: Sequence[Head], cells: Sequence[Text]) -> Text:
    line = Text()
    for head, cell in zip(heads, cells, strict=True):
        line.append_text(cell).append(" " * gap_after(head))
    line.right_crop(gap_after(heads[-1]) if heads else 0)
    return line


def _prose(view: Prose, width: int) -> list[Text]:
    lines: list[Text] = []
    for paragraph in view.paragraphs:
        if paragraph.head:
            lines += [Text(line, "bold") for line in wrapped(paragraph.head, width)]
        if paragraph.body:
            lines += _body(paragraph.body, width, inset=4 if paragraph.head else 0)
        lines += [Text(line, "green") for line in _remedy(paragraph.remedy, width)]
    for line in lines if view.marked else ():
        line.highlight_regex(r"\[-\S+?-\]", "red")
        line.highlight_regex(r"\{\+\S+?\+\}", "green")
    return lines or [Text("none", "dim")]


def _body(text: str, width: int, *, inset: int) -> list[Text]:
    """Return a text below its head; without one the lines behind the first are inset."""
    first, *rest = wrapped(text, width - max(inset, 2))
    return [Text(" " * inset + first), *(Text(" " * max(inset, 2) + line) for line in rest)]


def _remedy(text: str, width: int) -> list[str]:
    lines = wrapped(text, width - 6) if text else []
    return [f"    {'→' if at == 0 else ' '} {line}" for at, line in enumerate(lines)]


def _notes(notes: Sequence[str], width: int) -> list[Text]:
    return [Text(line, "dim") for note in notes for line in wrapped(note, width)]
