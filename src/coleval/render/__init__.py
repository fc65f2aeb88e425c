"""From a report to what a person or a program reads; nothing here computes a number.

``FORMS`` has one line a form. Each is imported when it is used, so that asking for this module
costs nothing. It leaves to ``analyses`` which tables there are and what their columns mean.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from coleval.plugins import Registry
from coleval.render.form import Form, Paper

if TYPE_CHECKING:
    from pathlib import Path

    from coleval.corpus.report import Report

_HERE = "coleval.render"

_ALL = (
    Form("table", (".txt",), "what the console shows", f"{_HERE}.console:render"),
    Form("json", (".json",), "everything, in full precision", f"{_HERE}.json_object:render"),
    Form("csv", (".csv",), "one table, commas", f"{_HERE}.delimited:csv", one_table=True),
    Form("tsv", (".tsv",), "one table, TABs", f"{_HERE}.delimited:tsv", one_table=True),
    Form("markdown", (".md", ".markdown"), "GitHub tables", f"{_HERE}.markdown:render",
         printed=True),
    Form("latex", (".tex",), "booktabs tables", f"{_HERE}.latex:render",
         printed=True, tinted=True),
    Form("html", (".html", ".htm"), "one page for a browser", f"{_HERE}.html_page:render"),
    Form("parquet", (".parquet",), "one table, typed", f"{_HERE}.parquet:render", one_table=True),
    Form("duckdb", (".duckdb", ".ddb"), "a database: all tables, their meanings, the signature",
         f"{_HERE}.database:render"),
    Form("svg", (".svg",), "the figures of one table", f"{_HERE}.figures:render", one_table=True,
         drawn=True),
    Form("github", (".annotations",), "annotations of a GitHub workflow: problems and limits",
         f"{_HERE}.annotations:render"),
    Form("junit", (".xml",), "problems and limits as test cases", f"{_HERE}.junit:render"),
    Form("scores", (".scores",), "`scores.json`: the scores of each system by name",
         f"{_HERE}.exports:scores", of_scores=True),
    Form("every-eval-ever", (".jsonl",), "records of Every Eval Ever, a system on each line",
         f"{_HERE}.exports:every_eval_ever", of_scores=True),
    Form("hf-eval-results", (".yaml",), "YAML for `.eval_results/` of a model on the Hub",
         f"{_HERE}.exports:hf_eval_results", of_scores=True),
)  # fmt: skip

FORMS: Registry[Form] = Registry("forms", {form.name: form for form in _ALL}, Form)


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
    from coleval.render import console

    if stream is None and width is None and color is None and _shown_in_a_notebook(report):
        return
    console.show(report, stream=stream, width=width, color=color)


def _shown_in_a_notebook(report: Report) -> bool:
    """Show the report as HTML if this is a notebook's kernel; return whether it was shown."""
    # Whoever runs in a notebook has loaded what a notebook needs; nobody else shall.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or getattr(shell, "kernel", None) is None:
        return False
    import_module("IPython.display").display(report)
    return True


def text(
    report: Report, form: str, *, table: str | None = None, caption: str = "", tint: bool = False
) -> str:
    """Return what a file of ``form`` would hold: ``table``, or all that there is room for.

    ``caption`` replaces the title of a table in LaTeX and Markdown; ``tint`` gives the cells of
    LaTeX the backgrounds that they have on a screen.
    """
    from coleval.errors import UsageError
    from coleval.render import files

    content = files.named(FORMS, form).render(report, table, Paper(caption, tint))
    if isinstance(content, bytes):
        raise UsageError(f"{form} is not text", remedy="save it to a file")
    return content


def emit(
    report: Report,
    *,
    form: str | None = None,
    output: str | Path | None = None,
    table: str | None = None,
    caption: str = "",
    tint: bool = False,
) -> None:
    """Write to ``output``, or to stdout without one; its suffix says the form if nothing does."""
    from coleval.render import files

    wanted = files.Wanted(form, table, Paper(caption, tint))
    if output is None:
        files.to_stdout(report, FORMS, wanted)
    else:
        files.to_path(report, FORMS, output, wanted)


def save(
    report: Report,
    path: str | Path,
    *,
    form: str | None = None,
    table: str | None = None,
    caption: str = "",
    tint: bool = False,
) -> None:
    """Write the report to a file, or one file a table to a directory (a path ending in ``/``)."""
    emit(report, form=form, output=path, table=table, caption=caption, tint=tint)
