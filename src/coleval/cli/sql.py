"""``sql``: a query from the command line, a file, standard input or a prompt, to its result."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.analyses.asking import check_missing
from coleval.analyses.sql.spec import check_timeout
from coleval.cli.console import warn
from coleval.cli.prompt import converse, has_dots, script
from coleval.cli.settings import with_config
from coleval.cli.sources import corpus_of, kept
from coleval.corpus.paths import is_file
from coleval.corpus.report import Report
from coleval.corpus.signature import signature
from coleval.errors import DataError, UsageError
from coleval.query.shipped import Query, called, closest, parse, query
from coleval.render import FORMS, emit, streams
from coleval.render.exact import finite_pieces
from coleval.render.form import Paper
from coleval.store.manifest import FILE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.query.database import Database

_SCREEN = 10_000


def sql(arguments: argparse.Namespace) -> int:
    """Run ``sql``; return 0."""
    if arguments.list:
        from coleval.analyses.registries import listed

        _emit(listed("sql"), arguments)
        return 0
    check_timeout(arguments.timeout)
    asked, arguments.source = _query(arguments.source)
    given = _given("--param", arguments.param, "NAME=VALUE")
    tables = _given("--with", arguments.tables, "NAME=FILE")
    corpus = corpus_of(arguments)
    check_missing(corpus, arguments.missing)
    if arguments.engine == "spark":
        if asked is None:
            raise UsageError("has no prompt", where="--engine spark", remedy="give a query")
        text = asked if isinstance(asked, str) else asked.text
        frame = corpus.sql(text, engine="spark", master=arguments.master)
        _show(iter([frame]), corpus, arguments, signed=True)
        return 0
    database = corpus.database(
        memory=arguments.memory,
        threads=arguments.threads,
        timeout=arguments.timeout,
        unsafe=bool(arguments.unsafe),
        tables=tables,
    )
    if not arguments.quiet:
        warn(corpus.warnings)

    def answer(text: str) -> None:
        _answer(database, corpus, parse("", text), {}, arguments)

    if asked is None:
        return converse(database, signature(corpus), answer)
    if isinstance(asked, str) and has_dots(asked):
        return script(database, asked, answer)
    found = asked if isinstance(asked, Query) else parse("", asked)
    values = found.given(given, corpus.systems)
    _answer(database, corpus, found, values, arguments, signed=True)
    return 0


def _given(option: str, texts: list[str], form: str) -> dict[str, str]:
    """Return the values that are given for an option that names what they are for."""
    lacking = [text for text in texts if "=" not in text]
    if lacking:
        raise UsageError("has no value", where=f"{option} {lacking[0]}", remedy=f"write {form}")
    pairs = (text.partition("=") for text in texts)
    return {name.strip(): value for name, _, value in pairs}


def _query(sources: list[str]) -> tuple[Query | str | None, list[str]]:
    """Return the query and the sources before it; None asks for a prompt or standard input."""
    if not sources:
        raise UsageError("no corpus is named", remedy='coleval sql CORPUS "select …"')
    last = sources[-1]
    if len(sources) > 1 and last == "-":
        return sys.stdin.read(), sources[:-1]
    name = called(last)
    if name == last or (name and not os.path.exists(last)):  # noqa: PTH110
        return query(name), sources[:-1]
    if last.endswith(".sql"):
        return _file(last), sources[:-1]
    # Not ``Path.exists``, which raises where a query is longer than a name of a file may be.
    if any(c.isspace() for c in last) and not os.path.exists(last):  # noqa: PTH110
        return last, sources[:-1]
    if len(sources) == 2 and _is_store(sources[0]) and not os.path.exists(last):  # noqa: PTH110
        raise closest(last)
    return (None if sys.stdin.isatty() else sys.stdin.read()), sources


def _is_store(source: str) -> bool:
    return is_file(Path(source) / FILE)


def _file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read: {error}", where=path, remedy="name a file of SQL"
        ) from None


def _answer(
    database: Database,
    corpus: Corpus,
    asked: Query,
    values: Mapping[str, object],
    arguments: argparse.Namespace,
    *,
    signed: bool = False,
) -> None:
    # What is shipped is known to read what it says, and to be small.
    found = database.answer(asked, values) if asked.name else database.pieces(asked.text, values)
    _show(found, corpus, arguments, signed=signed)


def _show(
    found: Iterator[pl.DataFrame], corpus: Corpus, arguments: argparse.Namespace, *, signed: bool
) -> None:
    infinite: dict[str, None] = {}
    pieces = finite_pieces(found, infinite)
    form = streams.streams(arguments.form, arguments.output)
    if form:
        FORMS[form].check(Paper(arguments.caption, arguments.tint))
        streams.write(pieces, form, arguments.output)
        warn(_lost(infinite))
        return
    from coleval.query.results import fetched

    screen = arguments.form in (None, "table") and not arguments.output
    frame, more = fetched(pieces, _SCREEN if screen else None)
    cut = f"the first {_SCREEN:,} rows; -o FILE.csv or FILE.parquet writes them all"
    notes = (*((cut,) if more else ()), *_lost(infinite))
    # A prompt says once what its answers are of.
    said = signature(corpus) if signed or not screen else ""
    emit(
        with_config(Report("sql", {"result": frame}, said, notes), arguments),
        form=arguments.form,
        output=arguments.output,
        caption=arguments.caption,
        tint=arguments.tint,
    )
    warn(notes)


def _lost(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"column `{name}` has NaN or infinity: written as null" for name in columns)


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
