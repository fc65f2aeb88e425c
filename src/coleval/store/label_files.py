"""Parquet of columns of labels, its pages made here: a sixth of the time that a library takes.

Libraries look at every row. Here one bit a row says whether there is a label, the codes of those
that there are follow as they are, and both are packed: in terms of the format, runs of bit-packed
values of one and of eight bits (or sixteen). Files are smaller too, and any program reads them.
"""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.late_classes import dataclass
from coleval.store.thrift import i32, i64, listed, struct, text, varint
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from coleval.corpus.coding import Codes
    from coleval.store.thrift import Value

# What the format calls that of it which is used here.
_BYTE_ARRAY, _OPTIONAL, _UTF8, _ZSTD = i32(6), i32(1), i32(0), i32(6)
_PLAIN, _RLE, _RLE_DICTIONARY = i32(0), i32(3), i32(8)
_DATA_PAGE, _DICTIONARY_PAGE, _VERSION = i32(0), i32(2), i32(2)
_MAGIC = b"PAR1"
# Values are packed by so many.
_GROUP = 8


@dataclass(frozen=True, slots=True)
class _Page:
    """A page behind its header, and how large both would be if it was not compressed."""

    data: bytes
    size: int


def write_labels(
    path: Path, columns: Mapping[str, Codes], schema: pa.Schema, labels: Sequence[str],
    groups: Sequence[int],
) -> None:  # fmt: skip
    """Write codes as columns of labels, null for 0, in row groups that begin at ``groups``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    dictionary = _dictionary_page(labels)
    told: list[Value] = []
    with path.open("wb") as file:
        file.write(_MAGIC)
        for low, high in pairwise(groups):
            chunks, size = [], 0
            for name, codes in columns.items():
                pages = dictionary, _data_page(codes[low:high], len(labels))
                chunks.append(_chunk(name, file.tell(), pages, high - low))
                size += file.write(b"".join(page.data for page in pages))
            told.append(struct({1: listed(chunks), 2: i64(size), 3: i64(high - low)}))
        footer = _footer(schema, told, groups[-1])
        file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def _dictionary_page(labels: Sequence[str]) -> _Page:
    texts = [label.encode() for label in labels]
    data = b"".join(len(one).to_bytes(4, "little") + one for one in texts)
    return _page(data, {1: _DICTIONARY_PAGE}, {7: struct({1: i32(len(texts)), 2: _PLAIN})})


def _data_page(codes: Codes, labels: int) -> _Page:
    """Return which rows have a label, and the places of those labels in the dictionary."""
    there = codes != 0
    bits = np.packbits(there, bitorder="little").tobytes()
    kind = np.dtype("<u1" if labels <= 1 << 8 else "<u2" if labels <= 1 << 16 else "<u4")
    place = (np.compress(there, codes) - 1).astype(kind)
    known = _run(bits, len(bits))
    size = -(-len(place) // _GROUP)
    values = place.tobytes().ljust(size * _GROUP * kind.itemsize, b"\0")
    data = b"".join(
        [len(known).to_bytes(4, "little"), known, bytes([kind.itemsize * 8]), _run(values, size)]
    )
    head = struct({1: i32(len(codes)), 2: _RLE_DICTIONARY, 3: _RLE, 4: _RLE})
    return _page(data, {1: _DATA_PAGE}, {5: head})


def _run(data: bytes, groups: int) -> bytes:
    """Return a run of so many groups of packed values; nothing for none."""
    return varint(groups << 1 | 1) + data if groups else b""


def _page(data: bytes, kind: Mapping[int, Value], head: Mapping[int, Value]) -> _Page:
    import pyarrow as pa

    packed = pa.Codec("zstd", compression_level=1).compress(data, asbytes=True)
    _, header = struct({**kind, 2: i32(len(data)), 3: i32(len(packed)), **head})
    return _Page(header + packed, len(header) + len(data))


def _chunk(name: str, at: int, pages: tuple[_Page, _Page], rows: int) -> Value:
    """Return what is said of a column in a row group, which begins somewhere in the file."""
    about = struct(
        {
            1: _BYTE_ARRAY,
            2: listed([_PLAIN, _RLE, _RLE_DICTIONARY]),
            3: listed([text(name.encode())]),
            4: _ZSTD,
            5: i64(rows),
            6: i64(sum(page.size for page in pages)),
            7: i64(sum(len(page.data) for page in pages)),
            9: i64(at + len(pages[0].data)),
            11: i64(at),
        }
    )
    return struct({2: i64(at), 3: about})


def _footer(schema: pa.Schema, groups: Sequence[Value], rows: int) -> bytes:
    """Return what is said of the file, and the Arrow types that its columns are to become again."""
    names = [name.encode() for name in schema.names]
    root = struct({4: text(b"schema"), 5: i32(len(names))})
    string = struct({1: struct({})})
    leaves = [
        struct({1: _BYTE_ARRAY, 3: _OPTIONAL, 4: text(name), 6: _UTF8, 10: string})
        for name in names
    ]
    arrow = base64.b64encode(schema.serialize().to_pybytes())
    _, footer = struct(
        {
            1: _VERSION,
            2: listed([root, *leaves]),
            3: i64(rows),
            4: listed(groups),
            5: listed([struct({1: text(b"ARROW:schema"), 2: text(arrow)})]),
            6: text(f"coleval {__version__}".encode()),
        }
    )
    return footer
