"""One input: a path, standard input, or a data frame; and its bytes, decompressed and decoded."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from io import FileIO
from pathlib import Path
from stat import S_ISREG
from typing import Any

from coleval.corpus.paths import address_name, is_address, is_file, is_folder, without_password
from coleval.errors import DataError, UsageError
from coleval.loading.readers.addresses import fetched
from coleval.loading.readers.packed import MAGIC, decompressed

_MARK = b"\xef\xbb\xbf"
# Of larger files no more than the beginning is read to see what they are.
_SMALL = 1 << 20
AUTO = "auto"
_UTF8, _UTF16 = ("utf-8", "utf8"), (b"\xff\xfe", b"\xfe\xff")
# How files begin that are tables of columns, not text; a stream is what `datasets` saves.
PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
PACKED = (".gz", ".zst", ".bz2", ".xz")
# So many bytes tell one format from another.
_HEAD = 1 << 14


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
        return _suffix_of(name or self.path)

    @property
    def columnar(self) -> bool:
        """Tell whether the bytes are Parquet or an Arrow file, which are not text."""
        return self._first.startswith((PARQUET, ARROW, ARROW_STREAM))

    @cached_property
    def table(self) -> Any:
        """Return the frame as one of Polars, if it is one, else as an Arrow table, made once."""
        return _table_of(self.frame, self.path)

    @property
    def zipped(self) -> bool:
        """Tell whether the bytes are a zip, which has members."""
        return self._first[:4] in (b"PK\x03\x04", b"PK\x05\x06")

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
        """Return the first bytes after decompression; only of packed files is the rest read."""
        path = Path(self.path)
        if "raw" not in self.__dict__ and is_file(path):
            with suppress(OSError), path.open("rb") as file:
                first = file.read(_HEAD)
                if not first.startswith(tuple(MAGIC)):
                    return first
        return self.raw[:_HEAD]

    def check(self) -> None:
        """Raise if there is nothing that can be read."""
        self.stored()

    @cached_property
    def _large(self) -> bool:
        """Tell whether this is a large file, which is not read to look at its beginning alone."""
        with suppress(OSError, ValueError):
            return S_ISREG(self.state.st_mode) and self.state.st_size >= _SMALL
        return False

    @property
    def _first(self) -> bytes:
        return self.head if self._large else self.raw[:_HEAD]

    def beginning(self, size: int) -> bytes:
        """Return the first bytes of the text; of a large file no others are read."""
        file = self.opened()
        if file is None:
            return self.text[:size]
        with file:
            found = file.read(size) or b""
        return self.text[:size] if b"\x00" in found else _unmarked(found)

    def opened(self, *, again: bool = False) -> FileIO | None:
        """Return a large file, opened, if its bytes are text as they are and not in memory yet.

        ``again`` it must be in the state in which it was.
        """
        if not names_utf8(self.encoding) or "raw" in self.__dict__ or not self._large:
            return None
        if self.head.startswith((*MAGIC, *_UTF16)):
            return None
        with suppress(OSError):
            file = FileIO(self.path)
            state = os.fstat(file.fileno())
            if not again or state[:9] == self.state[:9]:
                self.__dict__["state"] = state
                return file
            file.close()
        return None

    def forget(self) -> None:
        """Let go of the bytes: they are not needed once the columns are there."""
        self.__dict__.pop("raw", None)
        self.__dict__.pop("text", None)
        self.kept.clear()

    def stored(self) -> bytes:
        """Return the bytes as they are in the file, and keep the state it was in."""
        if self.path == "-":
            return sys.stdin.buffer.read()
        try:
            if self.address:
                return fetched(self.address)
            data, state = _bytes(self.path)
        except OSError as error:
            # Of an address this is the file of a database.
            path = error.filename or self.path
            raise _unread(Path(path), path, error) from None
        self.__dict__["state"] = state
        return data


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


@lru_cache(maxsize=1 << 12)
def _suffix_of(name: str) -> str:
    """Return the suffix of a file's name; there may be very many files of a few names."""
    path = Path(name)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return path.suffix.lower()


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
        raise _no_frame(frame, path)
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


def _no_frame(frame: Any, path: str) -> UsageError:
    remedy = "pass a Polars, pandas or Arrow table, a DuckDB relation, or a dataset of `datasets`"
    if hasattr(frame, "with_format"):
        remedy = "a dataset that is streamed has no table: pass datasets.Dataset.from_list(list(d))"
    return UsageError(f"a {type(frame).__name__} is not a data frame", where=path, remedy=remedy)


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


def _bytes(path: str) -> tuple[bytes, os.stat_result]:
    """Return the bytes of a file, and its state when it was opened."""
    with FileIO(path) as file:
        state = os.fstat(file.fileno())
        return file.readall(), state


def _unread(path: Path, said: str, error: OSError) -> DataError:
    """Return why a file cannot be read."""
    if is_folder(path):
        remedy = "name a file in it, or a glob: DIR/*"
        return DataError("is a directory", where=said, remedy=remedy)
    if isinstance(error, FileNotFoundError):
        return _missing(path)
    problem = f"cannot be read: {error.strerror}"
    return DataError(problem, where=said, remedy="check its permissions")


def _missing(path: Path) -> DataError:
    from difflib import get_close_matches

    there = [p.name for p in path.parent.iterdir()] if is_folder(path.parent) else []
    near = get_close_matches(path.name, there, n=2, cutoff=0.6)
    if not is_folder(path.parent):
        remedy = f"there is no directory {path.parent} either"
    elif near:
        remedy = f"did you mean {' or '.join(str(path.parent / n) for n in near)}?"
    else:
        remedy = "check the path"
    return DataError("no such file", where=str(path), remedy=remedy)
