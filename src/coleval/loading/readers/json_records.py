"""Records of a JSON file with their lines: their fields, and what JSON hides from columns."""

from __future__ import annotations

import gc
import json
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from coleval.errors import DataError, UsageError
from coleval.loading.readers.ids import listed
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source


_LOWER, _UPPER = b"\\ud", b"\\uD"
_OTHERS = re.compile(rb"\\[^u]")
_PAIRS = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_ALONE = re.compile(rb"\\u[dD][89a-fA-F]")
_WIDE = (pl.Int128, pl.UInt128)


def check_halves(data: bytes, path: str, *, records: bool = False) -> None:
    r"""Raise for the first line with an escaped half of a character (``\ud800`` alone).

    Of ``records`` it also says which of them it is.
    """
    if _LOWER not in data and _UPPER not in data:
        return
    record = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        record += not line.isspace() and bool(line)
        if _LOWER not in line and _UPPER not in line:
            continue
        # What is left without other escapes and without pairs is alone.
        if _ALONE.search(_PAIRS.sub(b" ", _OTHERS.sub(b" ", line))):
            raise DataError(
                "holds half a character (\\ud800 to \\udfff alone)",
                where=f"{path}:{number}" + f" (record {record})" * records,
                remedy="write the file again as UTF-8",
            )


def check_mixed(frame: pl.DataFrame, lines: NDArray[Any], data: bytes, path: str) -> None:
    """Raise for the first list or object among texts: a column of text would hide what it is."""
    texts: list[bytes] = []
    for name, at in _suspects(frame, data) if len(lines) == len(frame) else ():
        texts = texts or data.split(b"\n")
        found = json.loads(texts[int(lines[at]) - 1]).get(name)
        inner = found if isinstance(found, list) and frame[name].dtype != pl.String else [found]
        if any(isinstance(one, (list, dict)) for one in inner):
            shown = "a list" if any(isinstance(one, list) for one in inner) else "an object"
            raise DataError(
                f"`{name}` holds {shown}, but text on other lines",
                where=f"{path}:{lines[at]}",
                remedy="give the values of a key the same type on all lines: text, numbers, "
                "or lists",
            )


def _suspects(frame: pl.DataFrame, data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the columns and rows of text that looks like a list or an object."""
    for column in frame.get_columns():
        if column.dtype == pl.String:
            rows = _looks_nested(column).arg_true()
            if len(rows) and _may_be_nested(column.name, data):
                yield from ((column.name, at) for at in rows)
        elif column.dtype == pl.List(pl.String):
            inner = column.list.explode(empty_as_null=True, keep_nulls=True)
            if _looks_nested(inner).any():
                rows = column.list.eval(_nested(pl.element())).list.any()
                yield from ((column.name, at) for at in rows.fill_null(value=False).arg_true())


def _may_be_nested(name: str, data: bytes) -> bool:
    """Tell whether a list or an object is under a key somewhere; True where the key is escaped."""
    key = json.dumps(name, ensure_ascii=False).encode()
    return key not in data or re.search(re.escape(key) + rb"\s*:\s*[\[{]", data) is not None


def _looks_nested(text: pl.Series) -> pl.Series:
    return text.to_frame("text").select(_nested(pl.col("text"))).to_series()


def _nested(text: pl.Expr) -> pl.Expr:
    lists = text.str.starts_with("[") & text.str.ends_with("]")
    return (lists | (text.str.starts_with("{") & text.str.ends_with("}"))).fill_null(value=False)


def check_keys(frame: pl.DataFrame, path: str) -> None:
    """Raise for a key with a NUL, which no column can be called."""
    for name in _names(pl.Struct(frame.schema)):
        if "\0" in name:
            raise DataError(f"a key has a NUL character: `{name}`", where=path, remedy="rename it")


def _names(kind: Any) -> Iterator[str]:
    if isinstance(kind, pl.Struct):
        for field in kind.fields:
            yield field.name
            yield from _names(field.dtype)
    elif isinstance(kind, (pl.List, pl.Array)):
        yield from _names(kind.inner)


def exchangeable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame that Arrow can take: numbers of more than 64 bits as text."""
    wide = [name for name, kind in frame.schema.items() if _narrow(kind) != kind]
    return frame.with_columns(frame[name].cast(_narrow(frame.schema[name])) for name in wide)


def _narrow(kind: Any) -> Any:
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _narrow(field.dtype) for field in kind.fields})
    if isinstance(kind, pl.List):
        return pl.List(_narrow(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_narrow(kind.inner), kind.size)
    return pl.String() if kind in _WIDE else kind


_DECODER = json.JSONDecoder()
_SHOWN, _LONG = 40, 60
_LINE = "a record is a JSON object on a line of its own"
_REMEDY = "is the file what this program wrote? `coleval formats` lists what can be read"
_CUT = "is it cut off? fetch or write the file again"


@contextmanager
def no_garbage() -> Iterator[None]:
    """Do not look for garbage while records are read: there are many, and all are kept."""
    looking = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looking:
            gc.enable()


# Between several accepted answers where they are shown.
OR = " | "
_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number",
          float: "a number", type(None): "null"}  # fmt: skip


def inside(value: Any, *path: str) -> Any:
    """Return what objects in each other hold under some keys, None where there is no such key."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@dataclass(slots=True)
class Field:
    """A value of a record and its path: what it holds, or the error that says what is due."""

    value: Any
    where: str
    path: str = ""

    def __getitem__(self, name: str) -> Field:
        """Return the field of an object; raise if this is none."""
        value = self.fields().get(name)
        return Field(value, self.where, f"{self.path}.{name}" if self.path else name)

    def wrong(self, due: str, remedy: str = "") -> DataError:
        """Return the error that the field holds something else than is due."""
        value, what = self.value, _KINDS.get(type(self.value), "something else")
        if isinstance(value, list):
            what = f"a list of {len(value):,}"
        elif isinstance(value, (str, int, float)) and len(shown := written(value)) < _SHOWN:
            what = f"{what} ({shown})"
        return DataError(
            f"`{written(self.path)[1:-1] or 'the record'}` is {what} where {due} is due",
            where=self.where,
            remedy=remedy or _REMEDY,
        )

    def first(self, names: Iterable[str]) -> Field | None:
        """Return the field of the first of some keys that an object has."""
        return next((self[name] for name in names if name in self.value), None)

    def fields(self) -> dict[str, Any]:
        """Return an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self.value

    def items(self, due: str = "a list", remedy: str = "") -> Iterator[Field]:
        """Yield the values of a list."""
        if not isinstance(self.value, list):
            raise self.wrong(due, remedy)
        return (Field(one, self.where, f"{self.path}[{k}]") for k, one in enumerate(self.value))

    def string(self, remedy: str = "") -> str:
        """Return text that is nothing else."""
        if not isinstance(self.value, str):
            raise self.wrong("text", remedy)
        return self.value

    def text(self) -> str | None:
        """Return text as it is, a number as it is written, null as None."""
        value = self.value
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, (bool, int, float)):
            return json.dumps(value)
        raise self.wrong("text")

    def texts(self) -> str | None:
        """Return text, or all texts of a list: any of them is a right answer."""
        if not isinstance(self.value, list):
            return self.text()
        each = [Field(one, self.where, self.path).text() for one in self.value]
        return OR.join(one for one in each if one is not None) if each else None

    def needed(self) -> str:
        """Return text that must be there."""
        found = self.text()
        if found is None or not found.strip():
            raise DataError(
                f"has no `{self.path}`",
                where=self.where,
                remedy="every record says which instance it is of",
            )
        return found

    def number(self) -> float | None:
        """Return a number, true and false as 1 and 0; what is no number (NaN) is null."""
        if self.value is None:
            return None
        if not isinstance(self.value, (bool, int, float)):
            raise self.wrong("a number")
        try:
            found = float(self.value)
        except OverflowError:
            raise DataError(
                f"`{self.path}` is too large for a number",
                where=self.where,
                remedy="check the scores",
            ) from None
        return found if math.isfinite(found) else None

    def whole(self) -> int | None:
        """Return a whole number or null."""
        value = self.value
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 63:
            raise self.wrong("a whole number")
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


def written(value: Any) -> str:
    """Return a value as JSON writes it, whatever it holds; cut off where it is long."""
    text = json.dumps(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """The records of a file, and the line on which each begins."""

    path: str
    records: list[Any]
    line: list[int]

    def fields(self) -> Iterator[Field]:
        """Yield the records."""
        return (Field(record, self.where(at)) for at, record in enumerate(self.records))

    def ids(self, given: list[Any]) -> pl.Series | None:
        """Return the ids of all records as text, None if no record has any.

        Raise for a record without one among others, for one that is no id, and for those that
        several records have.
        """
        if all(each is None for each in given):
            return None
        for at, each in enumerate(given):
            if each is None:
                problem = "has no id, but others have"
            elif type(each) not in (int, str):
                problem = "has an id that is neither text nor a number"
            else:
                continue
            remedy = "give every record an id, or none: --columns id=NAME names another key"
            raise DataError(problem, where=self.where(at), remedy=remedy)
        ids = pl.Series("id", [str(each) for each in given], dtype=pl.String)
        again = (~ids.is_first_distinct()).arg_true()
        if len(again):
            repeated = ids.gather(again).unique(maintain_order=True)
            several = f"{len(repeated):,} ids appear" if len(repeated) > 1 else "an id appears"
            raise DataError(
                f"{several} more than once: {listed(repeated)}",
                where=self.where(int(again[0])),
                remedy="give every record an id of its own, or name another key: --columns id=NAME",
            )
        return ids

    def at(self, record: int) -> str:
        """Return ``file:3``."""
        return f"{self.path}:{self.line[record]}"

    def where(self, record: int, field: str = "") -> str:
        """Return ``file:3 (record 3) spans[2].end``."""
        place = f"{self.at(record)} (record {record + 1})"
        return f"{place} {field}" if field else place


def json_records(source: Source, *, numbered: bool = True) -> JsonRecords:
    """Return the records of JSON lines, or of a list; raise for the first that is no JSON.

    Errors say the number of a record unless it is not ``numbered``, as those of logs.
    """
    data = source.text
    check_not_empty(data, source.path)
    check_utf8(data, source.path)
    check_halves(data, source.path, records=numbered and data.lstrip()[:1] == b"{")
    text = data.decode("utf-8")
    if text.lstrip()[:1] == "[" and (found := _listed(source.path, text)) is not None:
        return found
    records: list[Any] = []
    lines: list[int] = []
    for number, piece in enumerate(text.split("\n"), start=1):
        if not piece or piece.isspace():
            continue
        try:
            records.append(json.loads(piece))
        except (ValueError, RecursionError) as error:
            if not records and (whole := _whole(source.path, text)) is not None:
                return whole
            record = f" (record {len(records) + 1})" if numbered else ""
            raise _broken(error, f"{source.path}:{number}{record}") from None
        lines.append(number)
    return JsonRecords(source.path, records, lines)


def document(source: Source) -> Any:
    """Return what a file of one JSON value says."""
    check_not_empty(source.text, source.path)
    return decoded(source.text, source.path)


def decoded(data: bytes, path: str, line: int = 1, *, constants: bool = True) -> Any:
    """Return what some JSON says, by default NaN and Infinity too; raise where it is broken.

    It begins on a ``line`` of the file.
    """
    check_utf8(data, path)
    check_halves(data, path)
    try:
        return json.loads(data, parse_constant=None if constants else _no_number)
    except (ValueError, RecursionError) as error:
        at = line + (error.lineno - 1 if isinstance(error, json.JSONDecodeError) else 0)
        raise _broken(error, f"{path}:{at}", _CUT) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _listed(path: str, text: str) -> JsonRecords | None:
    """Return the elements of one list, None where lines are lists of their own."""
    at, end, newlines, line = text.index("[") + 1, len(text), 0, 1
    records: list[Any] = []
    lines: list[int] = []
    at = _blank(text, at)
    while at < end and text[at] != "]":
        line += text.count("\n", newlines, at)
        newlines = at
        try:
            record, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _broken(error, f"{path}:{line} (record {len(records) + 1})") from None
        records.append(record)
        lines.append(line)
        at = _blank(text, at)
        if at < end and text[at] == ",":
            at = _blank(text, at + 1)
        elif at >= end or text[at] != "]":
            raise _unended(path, text, at, len(records))
    if at >= end:
        raise _unended(path, text, at, len(records))
    behind = _blank(text, at + 1)
    if behind < end:
        # More lists follow: records are lists themselves, one on each line.
        return None
    if [type(one) for one in records] == [str, dict]:
        # The one record of the file, a pair of a text and what is on it.
        return JsonRecords(path, [records], lines[:1])
    return JsonRecords(path, records, lines)


def _unended(path: str, text: str, at: int, records: int) -> DataError:
    line = text.count("\n", 0, at) + 1
    there = f"`{text[at : at + _SHOWN]}`" if at < len(text) else "the end of the file"
    return DataError(
        f"is not JSON: {there} where `,` or `]` is due",
        where=f"{path}:{line} (record {max(records, 1)})",
        remedy="is the file cut off?",
    )


def _blank(text: str, at: int) -> int:
    """Return the next place that is no white space of JSON."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _whole(path: str, text: str) -> JsonRecords | None:
    """Return the one record of a file that is written on many lines."""
    try:
        return JsonRecords(path, [json.loads(text)], [1])
    except (ValueError, RecursionError):
        return None


def _broken(error: Exception, where: str, remedy: str = _LINE) -> DataError:
    if isinstance(error, json.JSONDecodeError):
        start = max(0, error.pos - _SHOWN // 2)
        near = error.doc[start : error.pos + _SHOWN // 2].replace("\n", "⏎")
        what = error.msg.lower().removesuffix(" at")
        problem = f"is not JSON: {what} at column {error.colno:,}, near `{near}`"
    elif isinstance(error, RecursionError):
        problem = "is nested too deeply"
    else:
        problem = f"is not JSON: {error}"
    return DataError(problem, where=where, remedy=remedy)


def chosen_keys(picks: Mapping[str, int | str], example: str) -> dict[str, str]:
    """Return the keys that were chosen; raise for numbers, which records do not have."""
    for part, key in picks.items():
        if not isinstance(key, str):
            raise UsageError(
                f"`{part}={key}` is the number of a column, and records have keys",
                where="--columns",
                remedy=f"for example --columns {example}",
            )
    return {part: str(key) for part, key in picks.items()}
