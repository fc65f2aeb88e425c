"""Which column plays which part: ``form=1,gold=2,system=-1`` or header names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from coleval.corpus.plain_names import complaint, visible_name
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARTS = ("form", "gold", "system", "label", "id", "sentence", "document")


@dataclass(frozen=True, slots=True)
class Selection:
    """Column by part; a number counts from 1, a negative one from the end, else a header name.

    Names other than the PARTS are context columns that the item table keeps. ``trees`` says that
    all columns of trees are wanted beside the chosen ones. ``names`` are those of integer codes,
    and of the systems of a matrix without a header; ``offsets`` is what places in texts count.
    """

    picks: Mapping[str, int | str] = field(default_factory=dict)
    systems: tuple[int | str, ...] = ()
    trees: bool = False
    names: tuple[str, ...] = ()
    offsets: str = "codepoints"

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Read ``part=column,…``; raise on anything else."""
        named: list[tuple[str, int | str]] = []
        for piece in filter(None, (p.strip() for p in text.split(","))):
            part, _, column = piece.partition("=")
            if not part.strip() or not column.strip():
                raise UsageError(
                    f"`{piece}` is not part=column",
                    where="--columns",
                    remedy="for example --columns form=1,gold=2,system=-1",
                )
            named.append((part.strip(), _column(column.strip())))
        return cls._of_named(named)

    @classmethod
    def of(cls, given: Any) -> Selection:
        """Return the selection of a text or a mapping (``{"id": "case", "context": ["topic"]}``).

        ``system`` and ``context`` may have several columns; other names keep a column, as in text.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            return cls.parse(given)
        if not isinstance(given, Mapping):
            raise _no_columns(given)
        named = [pair for part, columns in given.items() for pair in _named_columns(part, columns)]
        return cls._of_named(named)

    @classmethod
    def _of_named(cls, named: Sequence[tuple[str, int | str]]) -> Selection:
        """Return the selection of columns with their parts; only ``system`` may have several."""
        picks: dict[str, int | str] = {}
        for part, column in named:
            _check_part(part)
            if part != "system" and picks.setdefault(part, column) != column:
                raise UsageError(
                    f"`{part}` is given two columns: {picks[part]} and {column}",
                    where="--columns",
                    remedy="choose one; give the other one another name: "
                    f"--columns {part}={picks[part]},{part}_2={column}",
                )
        systems = tuple(column for part, column in named if part == "system")
        return cls(dict(named), systems)

    def all(self, part: str) -> tuple[int | str, ...]:
        """Return every column chosen for a part: ``system`` may be given several times."""
        if part == "system" and self.systems:
            return self.systems
        return (self.picks[part],) if part in self.picks else ()

    def get(self, part: str, default: int | str | None = None) -> int | str | None:
        """Return the column chosen for a part, or the default."""
        return self.picks.get(part, default)

    def pick(self, part: str, default: int | str) -> int | str:
        """Return the column of a part; gold and system share what is chosen for ``label``."""
        shared = self.picks.get("label", default) if part in ("gold", "system") else default
        return self.picks.get(part, shared)

    @property
    def context(self) -> dict[str, int | str]:
        """Return the picks that are no part: columns to keep beside the items."""
        return {k: v for k, v in self.picks.items() if k not in PARTS}

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Return every choice as text, in an order of their own."""
        picks = [(part, column) for part, column in self.picks.items() if part != "system"]
        every = [*picks, *(("system", column) for column in self.all("system"))]
        # A header may be a number too.
        odd = {c for _, c in every if isinstance(c, str) and _column(c) != c}
        return tuple(f"{p}={c!r}" if c in odd else f"{p}={c}" for p, c in sorted(every, key=str))

    @property
    def of_system(self) -> Selection:
        """Return the selection for a system's file: what is kept beside items is gold's.

        Not so of trees: their columns are no PARTS.
        """
        if self.trees:
            return self
        picks = {part: column for part, column in self.picks.items() if part in PARTS}
        return replace(self, picks=picks)

    @property
    def named(self) -> bool:
        """Tell whether any column is chosen by name, so that a header line must be there."""
        return any(isinstance(v, str) for v in self.picks.values())


def _check_part(name: str) -> None:
    if problem := complaint(name):
        raise UsageError(
            f"a column cannot be called `{visible_name(name)}`: {problem}",
            where="--columns",
            remedy="give it another name: --columns NAME=COLUMN",
        )


def position(column: int | str, *, header: Sequence[str], width: int, where: str) -> int:
    """Return the 0-based place of a column in rows of ``width`` fields; raise if it has none."""
    if isinstance(column, str):
        if column in header:
            return header.index(column)
        raise _no_name(column, header, where)
    at = column - 1 if column > 0 else width + column
    if column == 0 or not 0 <= at < width:
        raise DataError(
            f"there is no column {column}: the line has {width}",
            where=where,
            remedy="columns count from 1, or from the end with -1",
        )
    return at


def is_frame(path: str) -> bool:
    """Tell whether a place is a data frame, which has a name in angle brackets, and no file."""
    return path.startswith("<") and path.endswith(">")


def columns_option(picks: Sequence[tuple[str, str]], path: str) -> str:
    """Return what to type to choose columns: an option for files, Python for data frames."""
    if not is_frame(path):
        return "--columns " + ",".join(f"{part}={name}" for part, name in picks)
    names: dict[str, list[str]] = {}
    for part, name in picks:
        names.setdefault(part, []).append(name)
    parts = (
        f"{json.dumps(part)}: {json.dumps(n[0] if len(n) == 1 else n, ensure_ascii=False)}"
        for part, n in names.items()
    )
    return f"columns={{{', '.join(parts)}}}"


def _named_columns(part: Any, given: Any) -> Iterator[tuple[str, int | str]]:
    """Yield the columns of a part with their names: in ``context`` they have their own."""
    if part == "context" and isinstance(given, Mapping):
        for name, column in given.items():
            yield from _named_columns(name, column)
        return
    several = isinstance(given, (list, tuple)) and part in ("system", "context")
    for column in given if several else () if given is None else (given,):
        plain = isinstance(column, (int, str)) and not isinstance(column, bool)
        if not plain or not isinstance(part, str) or (part == "context" and column == ""):
            raise _no_columns({part: given})
        yield (str(column) if part == "context" else part), column


def _no_columns(given: Any) -> UsageError:
    return UsageError(
        f"`{given!r}` does not name the columns",
        where="columns",
        remedy='for example columns={"id": "case", "gold": "label", "system": ["a", "b"], '
        '"context": ["topic"]}',
    )


def _no_name(column: str, header: Sequence[str], where: str) -> DataError:
    from difflib import get_close_matches

    near = get_close_matches(column, header, n=2)
    there = f"the header has: {', '.join(header)}" if header else "there is no header line"
    remedy = f"did you mean {' or '.join(near)}? {there}" if near else there
    return DataError(f"no column is called `{column}`", where=where, remedy=remedy)


def _column(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text
