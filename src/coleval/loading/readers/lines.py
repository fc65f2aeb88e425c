"""From bytes to a Polars series of lines, whatever the lines hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.source import Source, check_not_empty, check_utf8

if TYPE_CHECKING:
    from polars._typing import PolarsDataType


DOCSTART = "-DOCSTART-"
_BLANK = " \t\r"
_SPACES = (b" ", b"\t")
_BLANKS = re.compile(rb"(?:[ \t]*\r?\n)*")
_ONLY_SPACES = re.compile(rb"(?m)^[ \t]+(?=\r?$)")
_STRAY = re.compile(rb"\r(?!\n)")
# Text that begins so is unpacked by the CSV reader, which takes it for zlib.
_LIKE_PACKED = (b"x\x01", b"x^")
# A separator that no line holds turns the CSV reader into a line reader, the fastest one there is.
_UNUSED = tuple(bytes([code]) for code in (1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 19, 20))


def read_lines(source: Source) -> pl.Series:
    """Return one string a line, null for an empty one; raise when there is no line at all."""
    data = one_line_end(source.text)
    check_not_empty(data, source.path)
    return series_of(data, source.path)


def series_of(data: bytes, path: str) -> pl.Series:
    """Return one string a line of some bytes, null for an empty one."""
    separator = next((s for s in _UNUSED if s not in data), None)
    if separator is None:
        check_utf8(data, path)
        return pl.Series(data.decode("utf-8").split("\n"), dtype=pl.String)
    text, above = as_csv(data, separator.decode())
    schema: dict[str, PolarsDataType] = {"line": pl.String()}
    try:
        found = pl.read_csv(
            text, separator=separator.decode(), has_header=False, quote_char=None, schema=schema
        )
    except pl.exceptions.PolarsError:
        check_utf8(data, path)
        raise
    return found.to_series().slice(above)


def as_csv(data: bytes, separator: str) -> tuple[bytes, int]:
    """Return text that the CSV reader takes as it is, and how many lines were put above it.

    Else it would not see a separator that is the last sign of all, and unpack what is no zlib.
    """
    if data.endswith(separator.encode()):
        data += b"\n"
    return (b"\n" + data, 1) if data.startswith(_LIKE_PACKED) else (data, 0)


def check_returns(data: bytes, path: str) -> None:
    """Raise for a carriage return inside a line, which the CSV reader drops in silence."""
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        found = _STRAY.search(data)
        line = data.count(b"\n", 0, found.start() if found else 0) + 1
        raise DataError(
            "there is a carriage return inside the line",
            where=f"{path}:{line}",
            remedy="end lines with a line feed, with or without one carriage return before it",
        )


def one_line_end(data: bytes) -> bytes:
    """Return the bytes with the line ends of old Macs made new; others stay as they are."""
    if b"\r" in data and b"\n" not in data:
        return data.replace(b"\r", b"\n")
    return data


def first_filled(data: bytes) -> int:
    """Return where the first line begins that is not blank."""
    blanks = _BLANKS.match(data)
    return 0 if blanks is None else blanks.end()


def emptied(data: bytes) -> bytes:
    """Return the bytes with blank lines empty: without the spaces and TABs that some hold."""
    begin_blank = data[:1] in _SPACES or b"\n " in data or b"\n\t" in data
    return _ONLY_SPACES.sub(b"", data) if begin_blank else data


def blank(lines: pl.Series) -> pl.Series:
    """Tell which lines are empty or hold only spaces and TABs."""
    return lines.fill_null("").str.strip_chars(_BLANK).str.len_bytes() == 0


def tab_fields(data: bytes, path: str) -> tuple[pl.Series, pl.Series]:
    """Return the lines of a text, and their fields, which TABs alone separate."""
    check_not_empty(data, path)
    check_returns(data, path)
    lines = series_of(data, path).fill_null("").str.strip_chars_end("\r")
    return lines, lines.str.split("\t")


def split(lines: pl.Series) -> pl.Series:
    """Return the fields of each line: at every TAB if it has one, else at runs of spaces."""
    bare = lines.str.strip_chars_end("\r")
    tabbed = bare.str.contains("\t", literal=True)
    frame = pl.DataFrame({"line": bare, "tabbed": tabbed})
    if tabbed.all():
        return frame.select(pl.col("line").str.split("\t")).to_series()
    spaced = pl.col("line").str.extract_all("[^ ]+")
    fields = pl.when("tabbed").then(pl.col("line").str.split("\t")).otherwise(spaced)
    return frame.select(fields.alias("line")).to_series()


def whole_numbers(text: pl.Series, kind: PolarsDataType = pl.Int64) -> pl.Series:
    """Return the whole numbers of a column, null for any other text and for what is too large.

    They have the digits 0 to 9 and nothing else, in every format: a cast alone takes a sign, and a
    regular expression the digits of all scripts.
    """
    signed = text.str.starts_with("+") | text.str.starts_with("-")
    return text.set(signed, None).cast(kind, strict=False)
