"""From a report to what a person or a program reads; nothing here computes a number.

``FORMS`` has one line a form. Each is imported when it is used, so that asking for this module
costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from coleval.renderers.form import Form

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from coleval.report import Report

_HERE = "coleval.renderers"

_ALL = (
    Form("table", (".txt",), "what the console shows", f"{_HERE}.console:render"),
    Form("json", (".json",), "everything, in full precision", f"{_HERE}.json_object:render"),
    Form("csv", (".csv",), "one table, commas", f"{_HERE}.delimited:csv", one_table=True),
    Form("tsv", (".tsv",), "one table, TABs", f"{_HERE}.delimited:tsv", one_table=True),
    Form("markdown", (".md", ".markdown"), "GitHub tables", f"{_HERE}.markdown:render"),
    Form("latex", (".tex",), "booktabs tables", f"{_HERE}.latex:render"),
    Form("html", (".html", ".htm"), "one page for a browser", f"{_HERE}.html_page:render"),
    Form("parquet", (".parquet",), "one table, typed", f"{_HERE}.parquet:render", one_table=True),
)

FORMS: Mapping[str, Form] = {form.name: form for form in _ALL}


def show(
    report: Report,
    *,
    stream: TextIO | None = None,
    width: int | None = None,
    color: bool | None = None,
) -> None:
    """Print the report for a person; a terminal decides width and colour unless they are given.

    A notebook shows it as HTML, if nothing is said about stream, width or colour.
    """
    from coleval.renderers import console, notebook

    if stream is None and width is None and color is None and notebook.shown(report):
        return
    console.show(report, stream=stream, width=width, color=color)


def text(
    report: Report,
    form: str,
    *,
    table: str | None = None,
    caption: str = "",  # noqa: ARG001  - of print, which knows what to do with it
    tint: bool = False,  # noqa: ARG001
) -> str:
    """Return what a file of ``form`` would hold: ``table``, or all that there is room for."""
    return str(FORMS[form].render(report, table))


def emit(
    report: Report,
    *,
    form: str | None = None,
    output: str | Path | None = None,
    table: str | None = None,
) -> None:
    """Write to ``output``, or to stdout without one; its suffix says the form if nothing does."""
    from coleval.renderers import files

    if output is None:
        files.to_stdout(report, FORMS, form=form or "table", table=table)
    else:
        files.to_path(report, FORMS, output, form=form, table=table)


def save(
    report: Report, path: str | Path, *, form: str | None = None, table: str | None = None
) -> None:
    """Write the report to a file, or one file a table to a directory (a path ending in ``/``)."""
    emit(report, form=form, output=path, table=table)
