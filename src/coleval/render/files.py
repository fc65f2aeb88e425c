"""Where a rendered report goes: stdout, a file, or a directory with a file a table.

A file appears whole or not at all: it is written beside its place and renamed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.output import write_whole, written
from coleval.errors import UsageError, unknown
from coleval.render.form import AS_IT_IS, Form, Paper

if TYPE_CHECKING:
    from coleval.corpus.report import Report

Forms = Mapping[str, Form]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which form, if it is named; one table or all; and how a printed one looks."""

    form: str | None = None
    table: str | None = None
    paper: Paper = AS_IT_IS


def to_stdout(report: Report, forms: Forms, wanted: Wanted) -> None:
    """Write to stdout, always as UTF-8; a terminal gets no bytes."""
    with written("standard output", option="-o FILE"):
        _to_stdout(report, named(forms, wanted.form or "table"), wanted)
        sys.stdout.flush()


def _to_stdout(report: Report, chosen: Form, wanted: Wanted) -> None:
    if chosen.name == "table":
        chosen.check(wanted.paper)
        # Who names the form wants all of it.
        _show(replace(report, leads=()) if wanted.form else report, wanted.table)
        return
    content = chosen.render(report, wanted.table, wanted.paper)
    if isinstance(content, bytes) and sys.stdout.isatty():
        raise UsageError(
            f"{chosen.name} cannot be written to a terminal",
            remedy="name a file: -o FILE, or use a pipe",
        )
    _print(content)


def to_path(report: Report, forms: Forms, output: str | Path, wanted: Wanted) -> None:
    """Write to a file, or to a directory if ``output`` is one or ends in ``/``."""
    path = Path(output)
    with written(path):
        if path.is_dir() or str(output).endswith(("/", os.sep)):
            _to_directory(report, forms, path, wanted)
        else:
            chosen = named(forms, wanted.form) if wanted.form else _by_suffix(forms, path)
            _write(path, chosen.render(report, wanted.table, wanted.paper))


def _show(report: Report, table: str | None) -> None:
    from coleval.render import console

    console.show(report, table=table)


def _print(content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(data.decode())
        return
    sys.stdout.flush()
    binary.write(data)
    binary.flush()


def named(forms: Forms, name: str) -> Form:
    """Return the form of that name; raise with its near misses."""
    if name not in forms:
        raise unknown("form", name, forms, where="--as")
    return forms[name]


def _by_suffix(forms: Forms, path: Path) -> Form:
    suffix = path.suffix.lower()
    for form in forms.values():
        if suffix in form.suffixes:
            return form
    known = ", ".join(suffix for form in forms.values() for suffix in form.suffixes)
    raise UsageError(
        f"the suffix `{suffix}` is not the suffix of a form"
        if suffix
        else "the file name has no suffix that gives the form",
        where=str(path),
        remedy=f"use --as {'|'.join(forms)}, or end the name in one of {known}",
    )


def _to_directory(report: Report, forms: Forms, path: Path, wanted: Wanted) -> None:
    """Write nothing before everything is rendered."""
    if wanted.form is None and report.command == "report" and wanted.table is None:
        from coleval.render.html_page import folder

        contents = folder(report)
    elif wanted.form is None:
        remedy = f"--as {'|'.join(forms)}"
        raise UsageError(
            "the form of the files in a directory must be given", where=str(path), remedy=remedy
        )
    else:
        contents = _contents(report, named(forms, wanted.form), wanted)
    path.mkdir(exist_ok=True)
    for name, content in contents.items():
        _write(path / name, content)


def _contents(report: Report, form: Form, wanted: Wanted) -> dict[str, str | bytes]:
    """Return file names with what goes into them: a file a table, or one where tables are together.

    csv and tsv have no room for the signature, so it gets a file of its own.
    """
    suffix = form.suffixes[0]
    if form.name in ("json", "table", "duckdb", "github", "junit"):
        return {f"report{suffix}": form.render(report, wanted.table, wanted.paper)}
    if form.of_scores:
        from coleval.render.exports import of_system, scores_of

        safe = {name: name.replace("/", "_") for name in scores_of(report)}
        return {f"{file}{suffix}": form.render(of_system(report, name), wanted.table, wanted.paper)
                for name, file in safe.items()}  # fmt: skip
    names = list(report.tables) if wanted.table is None else [wanted.table]
    if form.drawn and wanted.table is None:
        names = _with_figures(report)
    files = {f"{name}{suffix}": form.render(report, name, wanted.paper) for name in names}
    if form.name in ("csv", "tsv"):
        files["signature.txt"] = f"{report.signature}\n"
    return files


def _with_figures(report: Report) -> list[str]:
    from coleval.render.figures import with_figures

    return with_figures(report)


def _write(path: Path, content: str | bytes) -> None:
    write_whole(path, content.encode() if isinstance(content, str) else content)
