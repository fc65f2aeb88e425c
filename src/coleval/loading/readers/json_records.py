"""Records of a JSON file with their lines, and what JSON hides from columns."""

from __future__ import annotations

import gc
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coleval.errors import DataError
from coleval.loading.readers.json_text import check_halves
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.loading.readers.source import Source

_DECODER = json.JSONDecoder()
_SHOWN = 40


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


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """The records of a file, and the line on which each begins."""

    path: str
    records: list[Any]
    line: list[int]

    def where(self, record: int, field: str = "") -> str:
        """Return ``file:3 (record 3) spans[2].end``."""
        place = f"{self.path}:{self.line[record]} (record {record + 1})"
        return f"{place} {field}" if field else place


def json_records(source: Source) -> JsonRecords:
    """Return the records of JSON lines, or of a list; raise for the first that is no JSON."""
    data = source.text
    check_not_empty(data, source.path)
    check_utf8(data, source.path)
    check_halves(data, source.path, records=data.lstrip()[:1] == b"{")
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
            where = f"{source.path}:{number} (record {len(records) + 1})"
            raise _broken(error, where) from None
        lines.append(number)
    return JsonRecords(source.path, records, lines)


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


def _broken(error: Exception, where: str) -> DataError:
    if isinstance(error, json.JSONDecodeError):
        start = max(0, error.pos - _SHOWN // 2)
        near = error.doc[start : error.pos + _SHOWN // 2].replace("\n", "⏎")
        problem = f"is not JSON: {error.msg.lower()} at column {error.colno:,}, near `{near}`"
    elif isinstance(error, RecursionError):
        problem = "is nested too deeply"
    else:
        problem = f"is not JSON: {error}"
    return DataError(problem, where=where, remedy="a record is a JSON object on a line of its own")
