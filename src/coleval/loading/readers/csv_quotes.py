"""What is wrong with CSV: quotes that do not match their cells, rows of another width.

A quote opens a cell at its beginning, its end closes the cell, two are one.
Readers of CSV differ in what they make of others. One inside a bare cell is a sign like any; what
stands behind the end of a quoted cell is an error here, for fields were lost or swapped there.
"""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.problems import Problem

_QUOTE, _LINE = ord('"'), ord("\n")
_CELL = re.compile(rb'"(?:[^"]|"")*"')
_BLANKS = re.compile(rb'(?m)"(?:[^"]|"")*"|^[ \t]+(?=\r?$)')


def check_quotes(data: bytes, separator: str, path: str) -> None:
    """Raise for the first quoted cell that does not end, or does not end its cell."""
    if b'"' in data and not _matched(data, separator):
        raise_earliest(_unmatched(data, separator), path)


def emptied_outside(data: bytes) -> bytes:
    """Return the text with blank lines empty that are no part of a quoted cell."""
    return _BLANKS.sub(lambda found: found[0] if found[0][:1] == b'"' else b"", data)


def _matched(data: bytes, separator: str) -> bool:
    """Tell whether every other quote begins a cell and the ones between end one."""
    signs = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(signs == _QUOTE)
    if len(marks) % 2:
        return False
    opens, closes = marks[0::2], marks[1::2]
    apart = np.array([ord(separator), _LINE, ord("\r")], np.uint8)
    inner = opens[1:] == closes[:-1] + 1
    begins = np.isin(signs[np.maximum(opens - 1, 0)], apart) | (opens == 0)
    ends = np.isin(signs[np.minimum(closes + 1, len(signs) - 1)], apart)
    ends |= closes == len(signs) - 1
    begins[1:] |= inner
    ends[:-1] |= inner
    return bool(begins.all() and ends.all())


def _unmatched(data: bytes, separator: str) -> Iterator[Problem]:
    """Yield the first problem, cell by cell; lines without quotes are skipped."""
    at, size = 0, len(data)
    apart = re.compile(b"[" + re.escape(separator.encode()) + b"\n\r]")
    while (quote := data.find(b'"', at)) >= 0:
        at = max(at, data.rfind(b"\n", at, quote) + 1)
        if data[at] == _QUOTE:
            cell = _CELL.match(data, at)
            line = data.count(b"\n", 0, at) + 1
            if cell is None:
                yield unreadable(line, "a quoted cell does not end", 'close it with "')
                return
            at = cell.end()
            if at < size and not apart.match(data, at):
                behind = data[at : at + 20].decode("utf-8", "replace").split("\n")[0]
                yield unreadable(
                    data.count(b"\n", 0, at) + 1,
                    f"`{behind}` follows the end of a quoted cell",
                    'a cell that holds quotes is written "say ""x"""; is a separator missing?',
                )
                return
        else:
            found = apart.search(data, at)
            at = found.start() if found else size
        at += 1


def ragged(data: bytes, separator: str, width: int) -> Iterator[Problem]:
    """Yield the first record that has more or fewer cells than the header."""
    for line, cells in records_of(data.decode(), separator):
        blank = not "".join(cells).strip() and (separator == "\t" or len(cells) < 2)
        if len(cells) != width and not blank:
            name = {"\t": "TAB", ",": "comma", ";": "semicolon"}[separator]
            quote = "" if separator == "\t" else '; a cell that holds one is quoted: "…"'
            remedy = f"cells are separated by one {name}{quote}"
            yield unreadable(
                line, f"{there_are_columns(len(cells))} where the header has {width}", remedy
            )
            return


def records_of(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with its first line; the slow way that knows where it is."""
    lines = (line + "\n" for line in text.split("\n"))
    if separator in "\t ":
        yield from ((n, t.rstrip("\r\n").split(separator)) for n, t in enumerate(lines, start=1))
        return
    reader = csv.reader(lines, delimiter=separator)
    start = 1
    with suppress(csv.Error):  # a cell without end; Arrow's own message tells it
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
