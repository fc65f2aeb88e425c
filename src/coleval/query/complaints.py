"""What DuckDB says of a query it cannot run, as an error that says where and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

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
