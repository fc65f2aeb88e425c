"""Records of JSON: their fields as text and numbers, or the error that says which record and field.

What is collected of them becomes the columns of a ``LongFile``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.errors import DataError, unknown
from coleval.loading.readers.json_records import half_a_character
from coleval.loading.readers.model import RECORD, LongFile
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coleval.loading.readers.source import Source

    Place = Callable[[int], str]
# Pairs of these make a character; one alone cannot be written anywhere.
_LOWER, _UPPER = b"\\ud", b"\\uD"
_DECODE = json.JSONDecoder().decode
# Between several accepted answers where they are shown.
OR = " | "
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number",
          float: "a number", type(None): "null"}  # fmt: skip


@dataclass(slots=True)
class Gathered:
    """What is collected of a log, record by record."""

    place: Place
    rows: dict[str, list[Any]] = field(default_factory=lambda: {n: [] for n in (*RECORD, "epoch")})
    scores: dict[str, dict[int, float | None]] = field(default_factory=dict)
    correct: dict[int, bool] = field(default_factory=dict)
    context: dict[str, dict[int, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of records there are by now."""
        return len(self.rows["id"])

    def add(
        self,
        *,
        scores: Mapping[str, float | None] | None = None,
        context: Mapping[str, Any] | None = None,
        **said: Any,
    ) -> None:
        """Add a record of what is said; what is not said is null."""
        at = len(self.rows["id"])
        for name, column in self.rows.items():
            column.append(said.get(name))
        if scores:
            _put(self.scores, at, scores)
        if context:
            _put(self.context, at, context)

    def file(self, source: Source, chosen: Sequence[str], *, judged: bool = True) -> LongFile:
        """Return the file, with the scores that were chosen or the first one."""
        kinds = {**dict.fromkeys(RECORD, pl.String), "epoch": pl.Int64}
        for name in chosen:
            if name not in self.scores:
                raise unknown("score", name, self.scores, where=f"{source.path}: --score")
        names = chosen or list(self.scores)[:1]
        numbers = range(len(self))
        return LongFile(
            source.path,
            pl.DataFrame(self.rows, schema=kinds),
            self.place,
            {n: _column(n, self.scores[n], numbers, pl.Float64) for n in names},
            pl.Series("correct", [self.correct.get(n) for n in numbers], dtype=pl.Boolean)
            if self.correct and not chosen
            else None,
            {name: _facts(name, values, numbers) for name, values in self.context.items()},
            judged,
        )  # fmt: skip


def _put(columns: dict[str, dict[int, Any]], at: int, given: Mapping[str, Any]) -> None:
    """Put some values of a record into the columns of their names, which are made if new."""
    for name, value in given.items():
        column = columns.get(name)
        if column is None:
            # No column can have a name with a NUL.
            column = columns.setdefault(name.replace("\0", "\ufffd"), {})
        column[at] = value


def _column(name: str, values: Mapping[int, Any], numbers: range, kind: Any) -> pl.Series:
    return pl.Series(name, [values.get(n) for n in numbers], dtype=kind)


def _facts(name: str, values: Mapping[int, Any], numbers: range) -> pl.Series:
    """Return a column of facts: numbers if all of them are, else text."""
    kinds = {type(value) for value in values.values() if value is not None}
    if kinds == {int} and all(abs(v) < 1 << 63 for v in values.values() if v is not None):
        return _column(name, values, numbers, pl.Int64)
    if kinds and kinds <= {int, float}:
        return _column(name, values, numbers, pl.Float64)
    if kinds == {bool}:
        return _column(name, values, numbers, pl.Boolean)
    spelled = {at: None if v is None else _spelled(v) for at, v in values.items()}
    return _column(name, spelled, numbers, pl.String)


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def decoded(data: bytes, where: str) -> Any:
    """Return what some JSON says; raise with its line and column where it is broken."""
    try:
        return _checked(data, _DECODE(data.decode("utf-8")))
    except UnicodeEncodeError:
        raise half_a_character(where) from None
    except UnicodeDecodeError:
        check_utf8(data, where)
        raise
    except RecursionError:
        raise DataError(
            "is nested too deeply", where=where, remedy="is it the right file?"
        ) from None
    except json.JSONDecodeError as error:
        line = f"{where}:{error.lineno}" if error.lineno > 1 else where
        raise DataError(
            f"is not JSON ({error.msg}, column {error.colno})",
            where=line,
            remedy="is it cut off? fetch or write the file again",
        ) from None
    except ValueError as error:
        raise DataError(
            f"is not JSON ({error})", where=where, remedy="write the file again"
        ) from None


def _checked(data: bytes, found: Any) -> Any:
    """Return what was decoded; raise where it has half a character, which only escapes can say."""
    # Finding one byte costs next to nothing, finding several does not.
    if b"\\" in data and (_LOWER in data or _UPPER in data):
        json.dumps(found, ensure_ascii=False).encode()
    return found


def document(source: Source) -> Any:
    """Return what a file of one JSON value says."""
    check_not_empty(source.text, source.path)
    return decoded(source.text, source.path)


def lines(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with one on each line, with the numbers of their lines."""
    check_not_empty(source.text, source.path)
    for number, text in enumerate(source.text.split(b"\n"), start=1):
        if text and not text.isspace():
            where = f"{source.path}:{number}"
            yield number, mapping(decoded(text, where), where)


def lined(path: str, numbers: Sequence[int]) -> Place:
    """Return what says where records are that have the lines given."""
    return lambda at: f"{path}:{numbers[at]}"


def wrong(value: Any, where: str, name: str, due: str) -> DataError:
    """Return the error for a field that holds something else than is due."""
    what = _KINDS.get(type(value), "something else")
    if isinstance(value, list):
        what = f"a list of {len(value):,}"
    return DataError(
        f"`{name}` is {what} where {due} is due",
        where=where,
        remedy="is the file what this program wrote? `coleval formats` lists what can be read",
    )


def mapping(value: Any, where: str, name: str = "the record") -> dict[str, Any]:
    """Return an object; raise for anything else."""
    if not isinstance(value, dict):
        raise wrong(value, where, name, "an object")
    return value


def listing(value: Any, where: str, name: str) -> list[Any]:
    """Return a list; raise for anything else."""
    if not isinstance(value, list):
        raise wrong(value, where, name, "a list")
    return value


def text(value: Any, where: str, name: str) -> str | None:
    """Return text as it is, a number as it is written, null as None; raise for anything else."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise wrong(value, where, name, "text")


def texts(value: Any, where: str, name: str) -> str | None:
    """Return text, or all texts of a list: any of them is a right answer."""
    if isinstance(value, list):
        each = [text(one, where, name) for one in value]
        return OR.join(one for one in each if one is not None) if each else None
    return text(value, where, name)


def needed(value: Any, where: str, name: str) -> str:
    """Return text that must be there."""
    found = text(value, where, name)
    if found is None or not found.strip():
        raise DataError(
            f"has no `{name}`", where=where, remedy="every record says which instance it is of"
        )
    return found


def number(value: Any, where: str, name: str) -> float | None:
    """Return a number, true and false as 1 and 0; what is no number (NaN) is null."""
    if value is None:
        return None
    if not isinstance(value, (bool, int, float)):
        raise wrong(value, where, name, "a number")
    try:
        found = float(value)
    except OverflowError:
        raise DataError(
            f"`{name}` is too large for a number", where=where, remedy="check the scores"
        ) from None
    return found if math.isfinite(found) else None


def whole(value: Any, where: str, name: str) -> int | None:
    """Return a whole number or null; raise for anything else."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63:
        raise wrong(value, where, name, "a whole number")
    return value


def facts(value: Any) -> dict[str, Any]:
    """Return what an object says that fits into a cell: text, numbers, true and false."""
    if not isinstance(value, dict):
        return {}
    return {
        name: one
        for name, one in value.items()
        if isinstance(one, (str, bool, int)) or (isinstance(one, float) and math.isfinite(one))
    }
