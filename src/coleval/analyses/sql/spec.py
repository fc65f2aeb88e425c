"""What ``sql`` says of itself: its options, its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coleval.declare.analysis import FRAME, Analysis
from coleval.declare.counting import TreeCounting
from coleval.declare.options import declared, option
from coleval.declare.tables import Table
from coleval.errors import UsageError


def check_timeout(seconds: float | None) -> None:
    """Raise if a query cannot take so many seconds."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise UsageError(
            f"{seconds:g} is not a time that a query can take",
            where="--timeout",
            remedy="use a number of seconds above 0",
        )


@declared
class Options(TreeCounting):
    """The options of ``sql``."""

    query: str = option(
        required=True, kw_only=False, group="query", shell=False,
        help="SQL, or the name of a query that comes with coleval: ``hardest-labels``",
    )  # fmt: skip
    param: Mapping[str, Any] | None = option(
        default=None, group="query", shell=False,
        help='values of the parameters of a named query: {"system": "A"}',
    )  # fmt: skip
    tables: Mapping[str, Any] | None = option(
        default=None, group="query", shell=False,
        help='further tables: {"meta": "meta.csv"}; a frame, or a file (csv, parquet, json, or '
        "a DuckDB database, whose tables are ``meta.table``)",
    )  # fmt: skip
    unsafe: bool = option(
        default=False, group="query",
        help="allow queries to read and write files and to load extensions",
    )  # fmt: skip
    memory: str | None = option(
        default=None, group="query", metavar="SIZE", help="memory limit, for example 4GB",
        in_python='at most so much memory, "2GB": a query that needs more ends with an error',
    )  # fmt: skip
    timeout: float | None = option(
        default=None, group="query", metavar="SECONDS", number=float, check=check_timeout,
        help="stop a query after so many seconds (default: never)",
    )  # fmt: skip
    threads: int | None = option(
        default=None, group="query", shell=False, help="number of threads (default: all)"
    )
    engine: str | None = option(
        default=None, group="query", metavar="NAME", values=("duckdb", "spark"), choose=True,
        help="what answers: duckdb (default), or spark, by Spark SQL over the Parquet of a store",
    )  # fmt: skip
    master: str | None = option(
        needs=("cluster",), default=None, group="query", metavar="URL",
        help="the cluster of --engine spark: spark://HOST:7077, sc://HOST:15002, local[4]",
    )  # fmt: skip


TABLES = (Table("result", raw=True),)


SQL = Analysis(
    "sql",
    "any SQL query over the items (DuckDB); a prompt without a query",
    Options,
    examples=(
        'coleval sql corpus/ "select gold, count(*) n from item group by all"',
        "coleval sql corpus/ who-alone --param system=crf",
    ),
    of_numbers="tables",
    does="""Return the result of an SQL query over ``item``, ``answer``, ``outcome`` and more.

``query`` is SQL, or the name of a query that comes with coleval (``hardest-labels``).""",
    tables=TABLES,
    placed="query",
    gives=FRAME,
    gold_free=True,
)
