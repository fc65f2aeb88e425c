r"""A booktabs tabular a table: needs ``\usepackage{booktabs}`` and UTF-8 input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.renderers.exact import chosen
from coleval.renderers.form import AS_IT_IS, Paper
from coleval.renderers.layouts import in_full
from coleval.renderers.sheet import BEST, DASH, Cell, Sheet
from coleval.renderers.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coleval.report import Report

# Brackets and stars are special at the start of a row: `\\[` and `\\*` take them as options.
_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "{}$&#%_"}
    | {character: f"{{{character}}}" for character in "[]*"}
    | {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "…": r"\ldots{}",
        DASH: "--",
    }
)


def render(report: Report, table: str | None = None, paper: Paper = AS_IT_IS) -> str:  # noqa: ARG001
    """Return all tables, or the one named; the best of a column is bold."""
    parts = [_table(in_full(report, name), report) for name in chosen(report, table)]
    return "\n".join(parts)


def _table(sheet: Sheet, report: Report) -> str:
    title = f"{sheet.name}: {sheet.title}" if sheet.title else sheet.name
    columns = "".join("r" if head.right else "l" for head in sheet.heads)
    header = _line(escaped(head.text.replace("\n", " ")) for head in sheet.heads)
    lines = [
        f"% {visible(title)}",
        f"% {visible(report.signature)}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *(_line(_cell(cell) for cell in row) for row in sheet.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    return rf"\textbf{{{escaped(cell.text)}}}" if cell.mark == BEST else escaped(cell.text)


def escaped(text: str) -> str:
    """Return ``text`` so that LaTeX prints it and obeys none of it."""
    return text.translate(_ESCAPES)
