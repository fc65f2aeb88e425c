"""Parquet whose pages are made here: what a column says of itself, its pages, and the footer.

Each column has distinct values and says which of them stand where. These places are whole bytes:
in terms of the format, runs of bit-packed values of 8, 16 or 24 bits.
"""

from __future__ import annotations

import base64
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from coleval.late_classes import dataclass
from coleval.store.thrift import i32, i64, listed, struct, text, varint
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from coleval.store.thrift import Value

# What the format calls that of it which is used here.
_OPTIONAL, _ZSTD = i32(1), i32(6)
_PLAIN, _RLE, _RLE_DICTIONARY = i32(0), i32(3), i32(8)
_DATA_PAGE, _DICTIONARY_PAGE, _VERSION = i32(0), i32(2), i32(2)
_MAGIC = b"PAR1"
# Values are packed by so many.
_GROUP = 8


@dataclass(frozen=True, slots=True)
class PageType:
    """The type of a column: its number in the format, and what its values mean."""

    physical: Value
    converted: Value
    logical: Value


TEXTS = PageType(i32(6), i32(0), struct({1: struct({})}))
# 32 bits without a sign.
NUMBERS = PageType(i32(1), i32(13), struct({10: struct({1: (3, b"\x20"), 2: (2, b"")})}))


@dataclass(frozen=True, slots=True)
class Page:
    """A page behind its header, and how large both would be if it was not compressed."""

    data: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column in a row group: its two pages, its rows, and what is known of its values.

    Without a page of distinct ``values`` the other has values in the place of ``places``.
    """

    values: Page | None
    places: Page
    rows: int
    known: Mapping[int, Value] = field(default_factory=dict)

    @property
    def pages(self) -> tuple[Page, ...]:
        """Return the pages that there are."""
        return (self.places,) if self.values is None else (self.values, self.places)


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column, and what makes its chunk of the rows from one to before another."""

    name: str
    type: PageType
    chunk: Callable[[int, int], Chunk]


def write_pages(
    path: Path, columns: Sequence[PageColumn], schema: pa.Schema, groups: Iterable[tuple[int, int]]
) -> None:
    """Write columns in row groups of some rows each; ``schema`` has their types in Arrow."""
    path.parent.mkdir(parents=True, exist_ok=True)
    told: list[Value] = []
    rows = 0
    with path.open("wb") as file:
        file.write(_MAGIC)
        for low, high in groups:
            chunks, size = [], 0
            for column in columns:
                chunk = column.chunk(low, high)
                chunks.append(_told(column, file.tell(), chunk))
                size += file.write(b"".join(page.data for page in chunk.pages))
            told.append(struct({1: listed(chunks), 2: i64(size), 3: i64(high - low)}))
            rows = high
        footer = _footer(columns, schema, told, rows)
        file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def dictionary_page(values: bytes, distinct: int) -> Page:
    """Return the page of distinct values, one behind the other as the format has them."""
    return _page(values, {1: _DICTIONARY_PAGE}, {7: struct({1: i32(distinct), 2: _PLAIN})})


def data_page(
    places: NDArray[np.integer], distinct: int, there: NDArray[np.bool_] | None = None
) -> Page:
    """Return the page of places in the dictionary, in the rows that are ``there``: None is all."""
    rows = len(places) if there is None else len(there)
    if there is None:
        known = _every(rows)
    else:
        bits = np.packbits(there, bitorder="little").tobytes()
        known = _run(bits, len(bits))
    width = (
        1 if distinct <= 1 << 8 else 2 if distinct <= 1 << 16 else 3 if distinct <= 1 << 24 else 4
    )
    size = -(-len(places) // _GROUP)
    values = _bytes(places, width).ljust(size * _GROUP * width, b"\0")
    data = b"".join(
        [len(known).to_bytes(4, "little"), known, bytes([width * 8]), _run(values, size)]
    )
    head = struct({1: i32(rows), 2: _RLE_DICTIONARY, 3: _RLE, 4: _RLE})
    return _page(data, {1: _DATA_PAGE}, {5: head})


def plain_page(values: bytes, rows: int) -> Page:
    """Return the page of the values of all rows, one behind the other."""
    known = _every(rows)
    head = struct({1: i32(rows), 2: _PLAIN, 3: _RLE, 4: _RLE})
    return _page(len(known).to_bytes(4, "little") + known + values, {1: _DATA_PAGE}, {5: head})


def _every(rows: int) -> bytes:
    """Return that no row is null."""
    return varint(rows << 1) + b"\x01" if rows else b""


def _bytes(places: NDArray[np.integer], width: int) -> bytes:
    """Return whole numbers of so many bytes, the lowest byte first."""
    if width != 3:
        return places.astype(f"<u{width}", copy=False).tobytes()
    return places.astype("<u4", copy=False).view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def _run(data: bytes, groups: int) -> bytes:
    """Return a run of so many groups of packed values; nothing for none."""
    return varint(groups << 1 | 1) + data if groups else b""


def _page(data: bytes, kind: Mapping[int, Value], head: Mapping[int, Value]) -> Page:
    import pyarrow as pa

    packed = pa.Codec("zstd", compression_level=1).compress(data, asbytes=True)
    _, header = struct({**kind, 2: i32(len(data)), 3: i32(len(packed)), **head})
    return Page(header + packed, len(header) + len(data))


def _told(column: PageColumn, at: int, chunk: Chunk) -> Value:
    """Return what is said of a column in a row group, which begins somewhere in the file."""
    pages = chunk.pages
    encoded = [_PLAIN, _RLE] if chunk.values is None else [_PLAIN, _RLE, _RLE_DICTIONARY]
    about: dict[int, Value] = {
        1: column.type.physical,
        2: listed(encoded),
        3: listed([text(column.name.encode())]),
        4: _ZSTD,
        5: i64(chunk.rows),
        6: i64(sum(page.size for page in pages)),
        7: i64(sum(len(page.data) for page in pages)),
        9: i64(at if chunk.values is None else at + len(chunk.values.data)),
    }
    if chunk.values is not None:
        about[11] = i64(at)
    if chunk.known:
        about[12] = struct(chunk.known)
    return struct({2: i64(at), 3: struct(about)})


def _footer(
    columns: Sequence[PageColumn], schema: pa.Schema, groups: Sequence[Value], rows: int
) -> bytes:
    """Return what is said of the file, and the Arrow types that its columns are to become again."""
    root = struct({4: text(b"schema"), 5: i32(len(columns))})
    leaves = [
        struct(
            {
                1: column.type.physical,
                3: _OPTIONAL,
                4: text(column.name.encode()),
                6: column.type.converted,
                10: column.type.logical,
            }
        )
        for column in columns
    ]
    arrow = base64.b64encode(schema.serialize().to_pybytes())
    said: dict[int, Value] = {
        1: _VERSION,
        2: listed([root, *leaves]),
        3: i64(rows),
        4: listed(groups),
        5: listed([struct({1: text(b"ARROW:schema"), 2: text(arrow)})]),
        6: text(f"coleval {__version__}".encode()),
    }
    if any(column.type is NUMBERS for column in columns):
        # The least and the largest values are by the order of their types.
        said[7] = listed([struct({1: struct({})}) for _ in columns])
    _, footer = struct(said)
    return footer
