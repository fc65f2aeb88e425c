"""A report as a database of DuckDB: all tables, commented with what they and their columns mean.

A chapter of a report is a schema: ``score.overall``; the tables of a single analysis need none.
Schema ``coleval`` has the signature, and what was read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.declare.meanings import meaning_of
from coleval.render.exact import checked, exact_frames
from coleval.render.parquet import storable
from coleval.render.views import declared
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.query.databases import Commented

_REPORT = {"name": "what the value is: signature, command, date …, warnings", "value": "the value"}
_SOURCE = {
    "system": "name of the system, null for gold",
    "path": "file, template or address that it was read from, null for a data frame",
    "sha256": "hash of the file, null where it was not hashed",
    "answers": "hash of the answers that were read, whatever file they come from",
}


def render(report: Report, table: str | None = None) -> bytes:
    """Return the bytes of the database, with ``table`` alone if one is named."""
    from coleval.query.databases import database_bytes

    tables = [_commented(report, name, frame) for name, frame in exact_frames(report, table)]
    return database_bytes([*tables, *_about(report)])


def _commented(report: Report, name: str, frame: pl.DataFrame) -> Commented:
    """Return a table with its title, or the question of its chapter, and what columns mean."""
    from coleval.analyses.registry import ANALYSES

    part, own = report.part(name)
    # What a title names, such as the system, a column has here: all are in one table.
    title = re.sub(r"\{(on|n|)\W*\}", "", declared(part.command, own, frame).title)
    comment = re.sub(r"\{(\w+)\}", r"\1", title)
    if not comment and part.command in ANALYSES:
        comment = ANALYSES[part.command].about
    excerpt = report.excerpts.get(name)
    if excerpt is not None and frame is excerpt.frame:
        comment += f"; {excerpt.note}"
    meanings = {column: meaning_of(part.command, own, column) for column in frame.columns}
    schema, _, table = name.rpartition(".")
    return schema, table, storable(checked(frame, name)), comment, meanings


def _about(report: Report) -> Iterator[Commented]:
    """Yield what the report says of itself, and what was read."""
    import polars as pl

    about = report.about
    rows = {"coleval": __version__, "command": report.command, "signature": report.signature}
    if about is not None:
        rows |= {"title": about.title, **dict(about.facts)}
        rows |= {"command line": about.command} if about.command else {}
    pairs = [*rows.items(), *(("warning", text) for text in report.warnings)]
    said = pl.DataFrame(pairs, dict.fromkeys(_REPORT, pl.String), orient="row")
    yield "coleval", "report", said, "what the report is of, and its signature", _REPORT
    if about is not None:
        sources = [[value or None for value in source] for source in about.sources]
        read = pl.DataFrame(sources, dict.fromkeys(_SOURCE, pl.String), orient="row")
        yield "coleval", "source", read, "what was read: gold, and each system", _SOURCE
