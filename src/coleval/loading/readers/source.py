"""One input: a path, standard input, or a data frame; and its bytes, decompressed and decoded."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import Any

from coleval.corpus.paths import address_name, is_address, is_file, is_folder, without_password
from coleval.errors import DataError, UsageError
from coleval.loading.readers.addresses import fetched

_MARK = b"\xef\xbb\xbf"
AUTO = "auto"
_UTF8, _UTF16 = ("utf-8", "utf8"), (b"\xff\xfe", b"\xfe\xff")
# How files begin that are tables of columns, not text; a stream is what `datasets` saves.
PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
PACKED = (".gz", ".zst", ".bz2", ".xz")
# So many bytes tell one format from another: of larger files no others are read for that.
_HEAD = 1 << 20
MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}


@dataclass(frozen=True, eq=False)
class Source:
    """Something to read: where it is, what it is called, and how its bytes are written.

    A name is ``given`` where it is not that of the file: it goes before what records say. A file is
    ``listed`` where a pattern or a folder named it. An ``address`` may have a password, which
    ``path`` has not. An encoding is ``detected`` where ``auto`` was given.
    """

    path: str
    name: str = ""
    encoding: str = "utf-8"
    frame: Any = field(default=None, repr=False)
    # What was made of the source, for all who ask for it.
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    given: bool = False
    listed: bool = False
    address: str = ""
    detected: bool = False

    def __post_init__(self) -> None:
        """Keep passwords out of what is shown and stored; see how the bytes are written."""
        if not self.address and is_address(self.path):
            object.__setattr__(self, "address", self.path)
            object.__setattr__(self, "path", without_password(self.path))
        if self.encoding == AUTO:
            data = b""
            if self.frame is None and is_file(self.path):
                # What cannot be read at all is an error when it is read.
                with suppress(DataError):
                    data = self.raw
            object.__setattr__(self, "encoding", detected_encoding(data))
            object.__setattr__(self, "detected", True)
            self.forget()

    @property
    def is_stream(self) -> bool:
        """Return whether this is no file on disk and no frame: standard input, or an address."""
        return self.path == "-" or bool(self.address)

    @property
    def suffix(self) -> str:
        """Return the suffix that names the format: ``.tsv`` for ``a.tsv.gz``, lower case."""
        name = address_name(self.address) if self.address else self.path.rpartition("/")[2]
        stem, suffix = os.path.splitext((name or self.path).lower())  # noqa: PTH122
        return os.path.splitext(stem)[1] if suffix in PACKED else suffix  # noqa: PTH122

    @property
    def columnar(self) -> bool:
        """Tell whether the bytes are Parquet or an Arrow file, which are not text."""
        return self.head.startswith((PARQUET, ARROW, ARROW_STREAM))

    @cached_property
    def table(self) -> Any:
        """Return the frame as one of Polars, if it is one, else as an Arrow table, made once."""
        return _table_of(self.frame, self.path)

    @property
    def zipped(self) -> bool:
        """Tell whether the bytes are a zip, which has members."""
        return self.head[:4] in (b"PK\x03\x04", b"PK\x05\x06")

    @cached_property
    def raw(self) -> bytes:
        """Return the bytes after decompression, whatever they are."""
        return decompressed(self.stored(), self.path)

    @cached_property
    def state(self) -> os.stat_result:
        """Return the state of the file, that in which it was read."""
        return os.stat(self.path)  # noqa: PTH116  - there may be very many, and Path is slow

    @cached_property
    def text(self) -> bytes:
        """Return the bytes as UTF-8 text without a byte order mark, or say what is wrong."""
        data = self.raw
        if not names_utf8(self.encoding):
            return _recode(data, self.encoding, self.path)
        _reject_binary(data, self.path)
        return _unmarked(data)

    @cached_property
    def head(self) -> bytes:
        """Return the first bytes after decompression; of large files no others are read."""
        with suppress(OSError):
            known = "raw" in self.__dict__ or not is_file(self.path)
            if not known and os.path.getsize(self.path) > _HEAD:  # noqa: PTH202
                with FileIO(self.path) as file:
                    first = file.read(_HEAD) or b""
                if not first.startswith(tuple(MAGIC)):
                    return first
        return self.raw[:_HEAD]

    def beginning(self, size: int) -> bytes:
        """Return the first bytes of the text, up to those that a format is recognised by."""
        plain = names_utf8(self.encoding) and not self.head.startswith(_UTF16)
        found = _unmarked(self.head)[:size]
        return found if plain and b"\x00" not in found else self.text[:size]

    def check(self) -> None:
        """Raise if there is nothing that can be read."""
        self.stored()

    def forget(self) -> None:
        """Let go of the bytes: they are not needed once the columns are there."""
        # What comes by a pipe cannot be looked at again.
        for kept in ("raw", "text") if self.is_stream else ("raw", "text", "head"):
            self.__dict__.pop(kept, None)
        self.kept.clear()

    def stored(self) -> bytes:
        """Return the bytes as they are in the file, and keep the state it was in."""
        if self.path == "-":
            return sys.stdin.buffer.read()
        try:
            if self.address:
                return fetched(self.address)
            with FileIO(self.path) as file:
                self.__dict__["state"] = os.fstat(file.fileno())
                return file.readall()
        except OSError as error:
            # Of an address this is the file of a database.
            path = error.filename or self.path
            raise _unread(Path(path), path, error) from None


def detected_encoding(data: bytes) -> str:
    """Return the encoding of some bytes: UTF-8 if they can be that, else what is most usual.

    UTF-16 begins with its mark. Windows-1252 has letters and quotes where Latin-1 has control
    characters; five bytes of it are none, and then it is Latin-1, as which all bytes can be read.
    """
    if data.startswith(_UTF16):
        return "utf-16"
    if b"\x00" in data or data.startswith(tuple(_OTHERS)):
        # It is no text, and whoever reads it says so.
        return "utf-8"
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            data.decode(encoding)
            return encoding
    return "latin-1"


def names_utf8(encoding: str) -> bool:
    """Tell whether an encoding is that of nearly all files, whatever way its name is written."""
    return encoding.lower().replace("_", "-") in _UTF8


def _table_of(frame: Any, path: str) -> Any:
    import polars as pl
    import pyarrow as pa

    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if hasattr(frame, "to_arrow_table"):
        # A DuckDB relation; read as a stream it leaves complaints about leaks at exit (2.0).
        return frame.to_arrow_table()
    if hasattr(frame, "with_format") and hasattr(frame, "__getitem__"):
        # A dataset of Hugging Face: its own table lacks what was selected or shuffled since.
        whole = frame.with_format("arrow")[:]
        frame = whole if isinstance(whole, pa.Table) else frame
    if not hasattr(frame, "__arrow_c_stream__"):
        remedy = (
            "a dataset that is streamed has no table: pass datasets.Dataset.from_list(list(d))"
            if hasattr(frame, "with_format")
            else "pass a Polars, pandas or Arrow table, a DuckDB relation, or a dataset of "
            "`datasets`"
        )
        raise UsageError(f"a {type(frame).__name__} is not a data frame", where=path, remedy=remedy)
    if isinstance(frame, pa.Table):
        return frame
    try:
        return pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(
            f"a column cannot be read ({str(error).splitlines()[0]})",
            where=path,
            remedy="give the values of a column one type: text, numbers, or lists of these",
        ) from None


def check_not_empty(data: bytes, path: str) -> None:
    """Raise if there is nothing but white space."""
    if not data or data.isspace():
        raise DataError("is empty", where=path, remedy="is it the right file?")


# How files begin that are sent by mistake, and what they are.
_OTHERS = {b"%PDF-": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
           b"{\\rtf": "a text of a word processor", b"<!DOCTYPE": "a web page",
           b"<!doctype": "a web page", b"<html": "a web page"}  # fmt: skip


def check_utf8(data: bytes, path: str) -> None:
    """Raise with the line of the first byte that is not UTF-8; return when there is none."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        remedy = "convert the file, or name its encoding: --encoding latin-1 (or auto)"
        raise _foreign(data, error.start, "UTF-8", path, remedy) from None


def _foreign(data: bytes, at: int, encoding: str, path: str, remedy: str) -> DataError:
    """Return the error for a byte that is no part of a text in ``encoding``."""
    line = data.count(b"\n", 0, at) + 1
    problem = f"byte 0x{data[at]:02x} is not {encoding}"
    return DataError(problem, where=f"{path}:{line}", remedy=remedy)


def _unmarked(data: bytes) -> bytes:
    """Return the bytes without the mark of UTF-8; files that were put together have several."""
    while data.startswith(_MARK):
        data = data[len(_MARK) :]
    return data


def _recode(data: bytes, encoding: str, path: str) -> bytes:
    try:
        return _unmarked(data.decode(encoding).encode("utf-8"))
    except LookupError:
        raise UsageError(
            f"no encoding is called `{encoding}`",
            remedy="for example utf-8, latin-1, utf-16, cp1252",
        ) from None
    except UnicodeDecodeError as error:
        raise _foreign(data, error.start, encoding, path, "try another --encoding") from None


def decompressed(data: bytes, path: str) -> bytes:
    """Return what is in some bytes, themselves if they are not packed."""
    kind = next((k for magic, k in MAGIC.items() if data.startswith(magic)), None)
    if kind is None:
        return data
    import bz2
    import gzip
    import lzma
    import zlib

    expand = {"gzip": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
    try:
        if kind == "zstd":
            import pyarrow as pa

            with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
                return bytes(stream.read())
        return expand[kind](data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise DataError(
            f"the {kind} data are damaged ({error})", where=path, remedy="fetch the file again"
        ) from None


def _reject_binary(data: bytes, path: str) -> None:
    if data[:4] == b"PK\x03\x04":
        raise DataError(
            "is a zip, which may hold many files",
            where=path,
            remedy="unpack it; a file by itself may be packed as .gz, .zst, .bz2 or .xz",
        )
    if data[:2] in _UTF16:
        raise DataError("is UTF-16", where=path, remedy="read it with --encoding utf-16")
    if (other := next((what for sign, what in _OTHERS.items() if data.startswith(sign)), "")) and (
        b"\t" not in data[:_HEAD]
    ):
        raise DataError(f"is {other}", where=path, remedy="is it the right file?")
    at = data.find(b"\x00")
    if at < 0:
        return
    line = data.count(b"\n", 0, at) + 1
    raise DataError(
        "is not a text file (it has a NUL byte)",
        where=f"{path}:{line}",
        remedy="formats that can be read are listed by `coleval formats`",
    )


def _unread(path: Path, said: str, error: OSError) -> DataError:
    """Return why a file cannot be read."""
    if is_folder(path):
        remedy = "name a file in it, or a glob: DIR/*"
        return DataError("is a directory", where=said, remedy=remedy)
    if not isinstance(error, FileNotFoundError):
        problem = f"cannot be read: {error.strerror}"
        return DataError(problem, where=said, remedy="check its permissions")
    from difflib import get_close_matches

    remedy = f"there is no directory {path.parent} either"
    if is_folder(path.parent):
        there = [p.name for p in path.parent.iterdir()]
        near = get_close_matches(path.name, there, n=2, cutoff=0.6)
        names = " or ".join(str(path.parent / n) for n in near)
        remedy = f"did you mean {names}?" if near else "check the path"
    return DataError("no such file", where=str(path), remedy=remedy)
