"""What a query takes and gives, as frames; waiting for it; what DuckDB complains of.

Types that Polars has not are texts as DuckDB writes them. Columns of the very same name are
numbered, as frames and JSON have room for one each; names that differ in case stay.
"""

from __future__ import annotations

import re
import time
from concurrent.futures import Future
from concurrent.futures import wait as finished
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    import duckdb
    import pyarrow as pa


_SIMPLE = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger",
    "ubigint", "hugeint", "float", "double", "decimal", "varchar", "enum", "uuid", "json",
}  # fmt: skip
_DATES = {"date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns",
          "timestamp with time zone"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stream:
    """A frame as an Arrow stream, which DuckDB reads without pyarrow."""

    frame: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def readable(relation: duckdb.DuckDBPyRelation) -> tuple[Any, list[str]]:
    """Return a relation of types that Polars reads, and names of which no two are the same."""
    names = numbered(relation.columns)
    columns = [_readable(k, kind) for k, kind in enumerate(relation.types, 1)]
    if all(column.startswith("#") and "::" not in column for column in columns):
        return relation, names
    return relation.project(", ".join(f"{c} as c{k}" for k, c in enumerate(columns))), names


def _readable(place: int, kind: Any) -> str:
    column = f"#{place}"
    if kind.id in ("time", "null") or _is_simple(kind):
        return column
    if kind.id in _DATES:
        # Python has no year beyond these, and no infinite one.
        return f"case when year({column}) between 1 and 9999 then {column} end"
    return f"{column}::varchar"


def _is_simple(kind: Any) -> bool:
    if kind.id in ("list", "array"):
        return _is_simple(kind.children[0][1])
    if kind.id == "struct":
        return all(_is_simple(part) for _, part in kind.children)
    return kind.id in _SIMPLE


def numbered(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: ``a``, ``a_2`` for ``a``, ``a``."""
    out: list[str] = []
    for name in names:
        fresh, k = name, 2
        while fresh in out or (k > 2 and fresh in names):
            fresh, k = f"{name}_{k}", k + 1
        out.append(fresh)
    return out


def frame_of(table: pa.Table, names: Sequence[str]) -> pl.DataFrame:
    """Return a result as a frame; whole numbers that fit in 64 bits are such."""
    frame = pl.DataFrame(pl.from_arrow(table.rename_columns(list(names))))
    whole = [k for k, kind in frame.schema.items() if kind.is_decimal() and kind.scale == 0]  # type: ignore[attr-defined]
    return frame.with_columns(_narrowed(frame[name]) for name in whole)


def table_of(batch: pa.RecordBatch) -> pa.Table:
    """Return a batch as a table."""
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _narrowed(column: pl.Series) -> pl.Series:
    wide = column.cast(pl.Int128)
    narrow = wide.cast(pl.Int64, strict=False)
    return narrow if narrow.null_count() == wide.null_count() else wide


def together(pieces: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return pieces of one result as one frame."""
    return pl.concat(pieces, how="vertical_relaxed") if len(pieces) > 1 else pieces[0]


def fetched(pieces: Iterator[pl.DataFrame], limit: int | None) -> tuple[pl.DataFrame, bool]:
    """Return a result, up to a limit, and whether there is more of it."""
    if limit is None:
        return together(list(pieces)), False
    first: list[pl.DataFrame] = []
    while sum(len(frame) for frame in first) <= limit and (piece := list(islice(pieces, 1))):
        first += piece
    frame = together(first)
    return frame.head(limit), len(frame) > limit


_NAME = re.compile(
    r'(?:with name|column|table|binding) (?:"([^"]+)"|(\S+)) (?:not found|does not|is)',
    re.IGNORECASE,
)
# Columns that are made of others, and how many of the rest an error names.
_MADE = re.compile("(bucket|outcome|error_gold|error_system|partner_gold|partner_system)_")
_SHOWN = 14
_SAFE = "a query cannot read or write files; --unsafe allows it"


@dataclass(frozen=True, slots=True)
class Watch:
    """While a query runs: its errors become ours, an interruption that of the keyboard."""

    text: str
    words: Callable[[], Sequence[str]]

    def __enter__(self) -> Self:
        """Return the watch."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise what the user is to see in place of what the driver says."""
        import duckdb

        if isinstance(error, duckdb.InterruptException) or "Query interrupted" in str(error):
            raise KeyboardInterrupt from None
        if isinstance(error, duckdb.Error) or (
            isinstance(error, OSError) and "Error: " in str(error)
        ):
            raise complaint(error, self.text, self.words()) from None


def complaint(error: Exception, text: str, words: Sequence[str]) -> UsageError:
    """Return the error of a query: the problem, the line with its place, and near misses."""
    head, _, place = str(error).partition("\n\nLINE ")
    lines = [line for line in head.splitlines() if line.strip()]
    said = [li for li in lines if not li.startswith(("Did you mean", "Candidate bindings"))]
    where = f"LINE {place.rstrip()}" if place else _place(text, _name(head))
    remedy = "\n  ".join(filter(None, [*where.splitlines(), _remedy(head, text, words)]))
    problem = " ".join(said) or type(error).__name__
    return UsageError(problem, where="" if text else "--memory, --threads", remedy=remedy)


def check_case(text: str, renamed: Mapping[str, str]) -> None:
    """Raise if a text names a system whose column SQL, blind to case, takes for another."""
    if not any(name in text for name in renamed):
        return
    for name in _identifiers(text):
        if name in renamed:
            raise UsageError(
                f"SQL ignores case, so `{name}` is read as another column",
                remedy=f"the column of this system is called `{renamed[name]}`; the table `system` "
                "lists those of all systems",
            )


def _identifiers(text: str) -> list[str]:
    """Return the names that an SQL text has, without their quotes."""
    import duckdb

    raw, tokens = text.encode(), duckdb.tokenize(text)
    ends = [*(at for at, _ in tokens[1:]), len(raw)]
    words = [
        raw[at:end].decode(errors="replace").strip()
        for (at, kind), end in zip(tokens, ends, strict=True)
        if kind in (duckdb.token_type.identifier, duckdb.token_type.keyword)
    ]
    return [w[1:-1].replace('""', '"') if w.startswith('"') else w for w in words]


def _name(head: str) -> str:
    found = _NAME.search(head)
    return (found[1] or found[2]) if found else ""


def _place(text: str, name: str) -> str:
    """Return the line that a name stands in and a caret below it, nothing if it is in none."""
    for number, line in enumerate(text.splitlines(), 1):
        at = line.lower().find(name.lower()) if name else -1
        if at >= 0:
            head = f"LINE {number}: "
            return f"{head}{line}\n{' ' * (len(head) + at)}^"
    return ""


def _remedy(head: str, text: str, words: Sequence[str]) -> str:
    if "disabled by configuration" in head or "disabled through configuration" in head:
        return _SAFE
    if "has been locked" in head:
        return "the configuration is locked: --memory and --threads set limits, --unsafe unlocks it"
    name = _name(head)
    if not name:
        return ""
    if "unction" in head:
        return ""
    before = r"(?:[=<>]|\blike)\s*|\bin\s*\([^)]*"
    if re.search(rf"(?:{before})\"?{re.escape(name)}\b", text, re.IGNORECASE):
        # A text without quotes, or with those of names, is read as a column.
        column = _near_names(name, words)
        return f"a text needs single quotes: '{name}'" + (f"; or {column}" if column else "")
    return _near_names(name, words) or _some_columns(words)


def _some_columns(words: Sequence[str]) -> str:
    """Return the columns that come first, those that are worked out of others apart."""
    names = dict.fromkeys(words[words.index("item", 1) :] if words.count("item") > 1 else ())
    shown = [name for name in names if not _MADE.match(name)][:_SHOWN]
    there = f"there is: {', '.join(shown)} …; " if shown else ""
    return f"{there}see `coleval attributes` and `coleval sql … --list`"


def _near_names(name: str, words: Sequence[str]) -> str:
    others = [word for word in dict.fromkeys(words) if word != name]
    near = get_close_matches(name, others, n=3, cutoff=0.6)
    named = " or ".join(f"`{name}`" for name in near)
    return f"did you mean {named}?" if named else ""


_WAKE = 0.1
# How long a query that was told to stop has for it.
_GRACE = 2.0


class Clock:
    """The seconds that a query may take, 0 for any number; ``left_behind`` if it went on."""

    def __init__(self, seconds: float) -> None:
        """Start with all of the time left."""
        self.seconds = seconds
        self.spent = 0.0
        self.left_behind = False

    def awaited(self, connection: duckdb.DuckDBPyConnection, call: Callable[[], Any]) -> Any:
        """Return what a call returns; an interruption or the end of the time stops it."""
        future: Future[Any] = Future()
        Thread(target=_answer, args=(future, call), daemon=True).start()
        begun = time.monotonic()
        try:
            while not finished([future], _WAKE).done:
                self._check(time.monotonic() - begun)
        except BaseException:
            connection.interrupt()
            self.left_behind = not finished([future], _GRACE).done
            raise
        self.spent += time.monotonic() - begun
        return future.result()

    def _check(self, seconds: float) -> None:
        if self.seconds and self.spent + seconds > self.seconds:
            raise _too_long(self.seconds)


def _answer(future: Future[Any], call: Callable[[], Any]) -> None:
    """Run a call and put what it returns or raises where it is waited for."""
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001  - it is raised where it is waited for
        future.set_exception(error)


def _too_long(seconds: float) -> UsageError:
    return UsageError(
        f"the query was stopped after {seconds:g} s",
        where="--timeout",
        remedy="ask for less, or give it more time",
    )


_STRINGS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_STAR = re.compile(r"(?:\bselect\b|\bdistinct\b|,|\.|(?<!count)\()\s*\*|\bcolumns\s*\(")
_WHOLE = re.compile(r"\b(?:describe|summarize|unpivot|pivot|pivot_wider|pivot_longer|show)\b")


_LISTS = re.compile(r"\b(?:show|information_schema|pragma|duckdb_(?:tables|views|columns))\b")


def lists_tables(text: str) -> bool:
    """Return whether a query asks what tables and columns there are."""
    return _LISTS.search(bare(text)) is not None


def bare(text: str) -> str:
    """Return a query in lower case without its comments and strings."""
    return _STRINGS.sub(" ", text).lower()


def takes_all(text: str) -> bool:
    """Tell whether a query may want columns that it does not name."""
    plain = bare(text)
    if _STAR.search(plain) or _WHOLE.search(plain):
        return True
    return len(re.findall(r"\bfrom\b", plain)) > len(re.findall(r"\bselect\b", plain))
