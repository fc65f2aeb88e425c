"""``sql``: a query from the command line, a file, standard input or a prompt, to its result."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.cli.console import warn
from coleval.cli.sources import corpus_of, kept
from coleval.corpus.report import Report
from coleval.corpus.signature import signature
from coleval.errors import DataError, UsageError
from coleval.query.shipped import names, query
from coleval.render import FORMS, emit, streams
from coleval.render.exact import finite
from coleval.render.form import Paper
from coleval.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from coleval.corpus.corpus import Corpus
    from coleval.query.database import Database

_SCREEN = 10_000


def sql(arguments: argparse.Namespace) -> int:
    """Run ``sql``; return 0."""
    if arguments.list:
        _emit(listed(), arguments)
        return 0
    text, arguments.source = _query(arguments.source)
    corpus = corpus_of(arguments)
    limits = {"memory": arguments.memory, "threads": arguments.threads}
    database = corpus.database(unsafe=bool(arguments.unsafe), **limits)
    if not arguments.quiet:
        warn(corpus.warnings)
    if text is None:
        from coleval.cli.prompt import converse

        return converse(database, lambda query: _answer(database, corpus, query, arguments))
    _answer(database, corpus, text, arguments)
    return 0


def _query(sources: list[str]) -> tuple[str | None, list[str]]:
    """Return the query and the sources before it; None asks for a prompt."""
    if not sources:
        raise UsageError("no corpus is named", remedy='coleval sql CORPUS "select …"')
    last = sources[-1]
    if len(sources) > 1 and last == "-":
        return sys.stdin.read(), sources[:-1]
    if last in names():
        return query(last).text, sources[:-1]
    if last.endswith(".sql"):
        return _file(last), sources[:-1]
    # Not ``Path.exists``, which raises where a query is longer than a name of a file may be.
    if any(c.isspace() for c in last) and not os.path.exists(last):  # noqa: PTH110
        return last, sources[:-1]
    return (None if sys.stdin.isatty() else sys.stdin.read()), sources


def _file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read: {error}", where=path, remedy="name a file of SQL"
        ) from None


def _answer(database: Database, corpus: Corpus, text: str, arguments: argparse.Namespace) -> None:
    infinite: dict[str, None] = {}
    pieces = _finite(database.pieces(text), infinite)
    form = streams.streams(arguments.form, arguments.output)
    if form:
        FORMS[form].check(Paper(arguments.caption, arguments.tint))
        streams.write(pieces, form, arguments.output)
        warn(_lost(infinite))
        return
    screen = arguments.form in (None, "table") and not arguments.output
    frame, more = _fetched(pieces, _SCREEN if screen else None)
    cut = f"the first {_SCREEN:,} rows; -o FILE.csv or FILE.parquet writes them all"
    notes = (*((cut,) if more else ()), *_lost(infinite))
    emit(
        Report("sql", {"result": frame}, signature(corpus), notes),
        form=arguments.form,
        output=arguments.output,
        caption=arguments.caption,
        tint=arguments.tint,
    )
    warn(notes)


def _finite(pieces: Iterable[pl.DataFrame], columns: dict[str, None]) -> Iterator[pl.DataFrame]:
    """Yield pieces with null for NaN and infinity; the columns that had any are noted."""
    for piece in pieces:
        frame, found = finite(piece)
        columns |= dict.fromkeys(found)
        yield frame


def _lost(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"column `{name}` has NaN or infinity: written as null" for name in columns)


def _fetched(pieces: Any, limit: int | None) -> tuple[pl.DataFrame, bool]:
    """Return a result, up to a limit, and whether there is more of it."""
    from coleval.query.results import together

    if limit is None:
        return together(list(pieces)), False
    first: list[pl.DataFrame] = []
    while sum(len(frame) for frame in first) <= limit and (piece := list(islice(pieces, 1))):
        first += piece
    frame = together(first)
    return frame.head(limit), len(frame) > limit


def listed() -> Report:
    """Return the queries that come with coleval, and the tables that there are."""
    from coleval.query.database import ABOUT, VIEWS

    rows = [query(name) for name in names() if not name.startswith("views/")]
    queries = [
        {
            "name": q.name,
            "about": q.about,
            "reads": " ".join(q.reads),
            "returns": " ".join(q.returns),
        }
        for q in rows
    ]
    views = {name: query(f"views/{name}").about for name in VIEWS}
    tables = [{"name": name, "about": about} for name, about in (ABOUT | views).items()]
    frames = {"queries": pl.DataFrame(queries), "tables": pl.DataFrame(tables)}
    return Report("sql", frames, f"coleval:{__version__}")


def _emit(report: Report, arguments: argparse.Namespace) -> None:
    kept(arguments)
    emit(
        report,
        form=arguments.form,
        output=arguments.output,
        table=arguments.table,
        caption=arguments.caption,
        tint=arguments.tint,
    )
