"""What a person sees on a terminal or in a pipe: every table, then the signature.

Rich knows the terminal and its colours; widths are decided and lines are made in
``drawing``, and nothing here reads markup.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.text import Text

from coleval.render.drawing import drawn
from coleval.render.views import views
from coleval.render.visible import visible, wrapped

if TYPE_CHECKING:
    from coleval.corpus.report import Report

WIDTH = 100


def render(report: Report, table: str | None = None) -> str:
    """Return the view as plain text, as wide as COLUMNS says or 100 cells."""
    stream = StringIO()
    show(replace(report, leads=()), stream=stream, color=False, table=table)
    return stream.getvalue()


def plain(report: Report, width: int) -> str:
    """Return the view as plain text."""
    stream = StringIO()
    show(report, stream=stream, width=width, color=False)
    return stream.getvalue()


def show(
    report: Report,
    *,
    stream: TextIO | None = None,
    width: int | None = None,
    color: bool | None = None,
    table: str | None = None,
) -> None:
    """Print the view to ``stream``, stdout by default; what it cannot encode becomes ``?``."""
    stream = stream or sys.stdout
    colored = _wants_color(stream) if color is None else color
    painter = _painter(stream) if colored else None
    colors = (painter.color_system or "standard") if painter else "truecolor"
    lines = _lines(report, table, max(20, width or _width(stream)), colors)
    text = _painted(lines, painter) if painter else _plain(lines)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


def _lines(report: Report, table: str | None, width: int, colors: str) -> list[Text]:
    if table is not None:
        report.table(table)  # a misspelt name is an error
    lines: list[Text] = []
    report = report if table is None else replace(report, leads=())
    names = report.leads or tuple(report.tables) if table is None else [table]
    for name in names:
        for view in views(report, name, width, alone=table is not None):
            lines += [*drawn(view, width, colors), Text()]
    lines += [Text(line, "bold") for line in _more(report, width)]
    return lines + [Text(line, "dim") for line in _signature(report.signature, width)]


def _more(report: Report, width: int) -> list[str]:
    """Return how to see what a screen did not lead with."""
    rest = len(report.tables) - len(report.leads)
    if not report.leads or rest <= 0:
        return []
    return wrapped(
        f"{rest} more tables: --all prints them, -o report.html has them with charts", width
    )


def _signature(signature: str, width: int) -> list[str]:
    """Return the signature in lines that end between its parts."""
    spaced = visible(signature).replace("|", "| ") if signature else ""
    return [line.replace("| ", "|") for line in wrapped(spaced, width)] if spaced else []


def _plain(lines: list[Text]) -> str:
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def _painter(stream: TextIO) -> Console:
    """Return what knows the colours of a terminal; what is no terminal may have all of them."""
    return Console(
        file=stream,
        force_terminal=True,
        color_system="auto" if stream.isatty() else "truecolor",
        no_color=False,
        legacy_windows=False,
    )


def _painted(lines: list[Text], console: Console) -> str:
    with console.capture() as capture:
        for line in lines:
            console.print(line, soft_wrap=True)
    return capture.get()


def _wants_color(stream: TextIO) -> bool:
    """Return whether to colour: on a terminal that can, unless NO_COLOR says no.

    FORCE_COLOR colours what goes to a file or a pipe too, such as the log of a CI server.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _width(stream: TextIO) -> int:
    """Return what COLUMNS says, then the terminal, then 100."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH
