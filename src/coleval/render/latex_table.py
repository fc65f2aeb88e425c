r"""One sheet as a booktabs table that fits a page: smaller letters, turned, or over many pages.

Widths are guessed in letters: a line of an article has room for about ``LINE`` of them, of
small letters ``FULL``; what needs more than ``TURNED`` is turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.render.latex_text import escaped, number
from coleval.render.paper import cell_text, head_text
from coleval.render.sheet import BEST, Cell, Head, Sheet
from coleval.render.tint import by_day, two_sided
from coleval.render.visible import visible
from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LINE, FULL, TURNED = 70, 90, 120
_GAP = 2.5
# Rows of a page; letters of a text that never wraps; the fewest and the most of a line of others.
PAGE_ROWS, SHORT, NARROW, WRAPPED = 42, 32, 16, 42
# A table over many pages cannot be made narrower, its letters can be smaller.
_SIZES = ((70, ""), (78, r"\small"), (90, r"\footnotesize"), (105, r"\scriptsize"))
_SMALLEST = r"\tiny"
# Where a line is too long, names over narrower columns stand upright if they are many.
_MANY = 4
_END = r" \tabularnewline"


@dataclass(frozen=True, slots=True)
class Look:
    """How wide the columns with long texts are (0: as wide as the text), names, letters a line."""

    wraps: tuple[int, ...]
    upright: bool
    letters: float


def booktabs_table(sheet: Sheet, caption: str, label: str, *, tint: bool) -> str:
    """Return the table with its caption above and its notes below."""
    look = _look(sheet)
    columns = "".join(map(_kind, sheet.heads, look.wraps))
    header = _row(_header(head, upright=look.upright) for head in sheet.heads)
    rows = [_cells(sheet, row, look.wraps, tint=tint) for row in sheet.rows]
    rows = rows or [rf"\multicolumn{{{len(sheet.heads)}}}{{l}}{{no rows}}{_END}"]
    called = rf"\caption{{{escaped(visible(caption))}}}\label{{{label}}}"
    draw = _long if len(rows) > PAGE_ROWS else _floating
    lines = draw(columns, header, rows, called, look.letters, _notes(sheet.notes))
    return "\n".join(lines) + "\n"


def _look(sheet: Sheet) -> Look:
    """Return how a table gets as narrow as it must be: names upright, then texts that wrap."""
    below = [
        max((cells_of(cell_text(row[at])) for row in sheet.rows), default=0)
        for at in range(len(sheet.heads))
    ]
    above = [max(map(cells_of, head_text(head).split("\n"))) for head in sheet.heads]
    named = [at for at, head in enumerate(sheet.heads) if head.full]
    upright = (
        len(named) >= _MANY
        and sum(map(max, below, above)) + _GAP * len(below) > FULL
        and sum(above[at] - below[at] for at in named) > len(named)
    )
    if upright:
        above = [1 if head.full else wide for head, wide in zip(sheet.heads, above, strict=True)]
    wide = list(map(max, below, above))
    return _wrapped(sheet, wide, upright=upright)


def _wrapped(sheet: Sheet, wide: Sequence[int], *, upright: bool) -> Look:
    """Return the table with what room there is for each of the texts that are long."""
    long = [not head.right and n > SHORT for head, n in zip(sheet.heads, wide, strict=True)]
    rest = sum(n for n, wraps in zip(wide, long, strict=True) if not wraps) + _GAP * len(wide)
    room = max(NARROW, min(WRAPPED, round((FULL - rest) / max(1, sum(long)))))
    wraps = [min(n, room) if wrap and n > room else 0 for n, wrap in zip(wide, long, strict=True)]
    letters = _GAP * len(wide) + sum(wrap or n for n, wrap in zip(wide, wraps, strict=True))
    return Look(tuple(wraps), upright, letters)


def _floating(
    columns: str, header: str, rows: list[str], called: str, letters: float, notes: list[str]
) -> list[str]:
    """Return a table on one page, as wide as a line at most; turned if it is very wide."""
    place = ("sidewaystable", "") if letters > TURNED else ("table", "[htbp]")
    tabular = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule", header, r"\midrule", *rows, r"\bottomrule",
        r"\end{tabular}",
    ]  # fmt: skip
    if letters > LINE:
        fit = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
        tabular = [rf"\resizebox{{{fit}}}{{!}}{{%", *tabular[:-1], tabular[-1] + "}"]
    name, where = place
    return [
        rf"\begin{{{name}}}{where}",
        r"\centering",
        called,
        *tabular,
        *notes,
        rf"\end{{{name}}}",
    ]


def _long(
    columns: str, header: str, rows: list[str], called: str, letters: float, notes: list[str]
) -> list[str]:
    """Return a table over several pages, its header on each; turned if it is very wide."""
    turned = letters > TURNED
    room = letters * LINE / TURNED if turned else letters
    size = next((size for most, size in _SIZES if room <= most), _SMALLEST)
    close = r"\setlength{\tabcolsep}{2pt}" if size == _SMALLEST else ""
    head = [r"\toprule", header, r"\midrule"]
    body = [
        rf"\begingroup{size}{close}",
        rf"\begin{{longtable}}{{{columns}}}",
        called + _END, *head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot",
        *rows,
        r"\end{longtable}",
        *notes,
        r"\endgroup",
    ]  # fmt: skip
    return [r"\begin{landscape}", *body, r"\end{landscape}"] if turned else body


def _notes(notes: Sequence[str]) -> list[str]:
    return [r"\par\smallskip", *map(noted, notes)] if notes else []


def noted(note: str) -> str:
    """Return a line below a table or a text."""
    return rf"{{\footnotesize\noindent {escaped(note)}\par}}"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + _END


def _cells(sheet: Sheet, row: Sequence[Cell], wraps: Sequence[int], *, tint: bool) -> str:
    columns = zip(sheet.heads, row, wraps, strict=True)
    return _row(_cell(head, cell, wrap=wrap, tint=tint) for head, cell, wrap in columns)


def _cell(head: Head, cell: Cell, *, wrap: int, tint: bool) -> str:
    text = cell_text(cell)
    shown = number(text) if head.right else escaped(text)
    shown = rf"\textbf{{{shown}}}" if cell.mark == BEST else shown
    if wrap and max(map(cells_of, text.split(" "))) > wrap:
        shown = _breakable(shown)
    shown = rf"\raggedright {shown}" if wrap else shown
    return _tinted(shown, cell) if tint and cell.shade is not None else shown


def _breakable(text: str) -> str:
    """Return text whose paths and addresses may be broken between lines."""
    return text.replace("/", r"/\allowbreak{}").replace(r"\_", r"\_\allowbreak{}")


def _tinted(text: str, cell: Cell) -> str:
    shade = cell.shade or 0.0
    style = two_sided(shade).split(" on ") if cell.signed else by_day(shade)
    letters, ground = (color[1:].upper() for color in style)
    dark = letters != "000000"
    text = rf"\textcolor[HTML]{{{letters}}}{{{text}}}" if dark else text
    return rf"\cellcolor[HTML]{{{ground}}}{text}"


def _header(head: Head, *, upright: bool) -> str:
    """Return a header: upright, or a line over the other."""
    lines = [escaped(line) for line in head_text(head).split("\n")]
    if upright and head.full:
        return rf"\rotatebox{{90}}{{{' '.join(lines)}}}"
    if len(lines) == 1:
        return lines[0]
    side = "r" if head.right else "l"
    over = r"\\".join(line or "~" for line in lines)
    return rf"\shortstack[{side}]{{{over}}}"


def _kind(head: Head, wrap: int) -> str:
    if wrap:
        return f"p{{{wrap / 2:g}em}}"
    return "r" if head.right else "l"
