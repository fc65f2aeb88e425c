"""``sql``: a query from Python, to its result as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.asking import check_missing
from coleval.analyses.running import counted_by
from coleval.query import shipped

if TYPE_CHECKING:
    import polars as pl

    from coleval.analyses.sql.spec import Options
    from coleval.corpus.corpus import Corpus


def sql(corpus: Corpus, options: Options) -> pl.DataFrame:
    """Return the result of a query: SQL, or the name of one that comes with coleval."""
    found = shipped.asked(options.query)
    text, values = found.text, found.given(options.param or {}, corpus.systems)
    check_missing(corpus, options.missing)
    if options.engine == "spark":
        from coleval.counts.spark import spark_sql

        return spark_sql(corpus, text, options.master or "")
    chosen = counted_by(corpus, options)
    limits = (options.memory, options.threads, options.timeout, options.unsafe, options.tables)
    if chosen is corpus and not any(limits):
        return corpus.default_database.frame(text, values)
    database = chosen.database(
        memory=options.memory,
        threads=options.threads,
        timeout=options.timeout,
        unsafe=options.unsafe,
        tables=options.tables,
    )
    return database.frame(text, values)
