"""Members of a zip: found by its directory, decompressed one by one.

``zipfile`` before Python 3.14 knows no zstd (method 93), and takes twice as long for many small
members.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"PK\x03\x04"
_END, _END64, _ENTRY = b"PK\x05\x06", b"PK\x06\x06", b"PK\x01\x02"
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
# Behind the signature of an entry of the directory (APPNOTE 4.3.12).
_FIELDS = struct.Struct("<HHHHIIIIHHHHHII")
# How long the name and what stands behind it are in the header of a member.
_LENGTHS = struct.Struct("<HH")
_LARGE = 0xFFFFFFFF
# No member of a log is larger; a damaged size must not take all memory.
_LARGEST = 1 << 32


@dataclass(frozen=True, slots=True)
class Member:
    """One member: its name, how it is compressed, where its header is, and its sizes and sum."""

    name: str
    method: int
    at: int
    packed: int
    size: int
    crc: int


def members(data: bytes, path: str) -> list[Member]:
    """Return the members of a zip in the order of its directory; raise for a damaged one."""
    try:
        return list(_members(data))
    except (struct.error, ValueError, IndexError, RuntimeError) as error:
        raise _damaged(path, str(error) or "its directory is not there") from None


def content(data: bytes, member: Member, path: str) -> bytes:
    """Return what a member holds; raise if it is damaged or compressed in some other way."""
    where = f"{path} {member.name}"
    try:
        name, extra = _LENGTHS.unpack_from(data, member.at + 26)
        start = member.at + 30 + name + extra
        found = _unpacked(memoryview(data)[start : start + member.packed], member)
    except (zlib.error, struct.error, OSError, ValueError, MemoryError) as error:
        raise _damaged(where, str(error)) from None
    if found is None:
        raise DataError(
            f"is compressed by method {member.method}, which cannot be read",
            where=where,
            remedy="write the zip again with deflate or zstd",
        )
    if len(found) != member.size or zlib.crc32(found) != member.crc:
        raise _damaged(where, "it does not hold what the directory says")
    return found


def _unpacked(packed: memoryview, member: Member) -> bytes | None:
    if member.method == _STORED:
        return bytes(packed)
    if member.size > _LARGEST:
        raise ValueError("a member is larger than 4 GB")
    if member.method == _DEFLATED:
        return zlib.decompress(packed, -zlib.MAX_WBITS, max(member.size, 1))
    if member.method == _ZSTD:
        import pyarrow as pa

        if not member.size:
            return b""
        # Its buffer has exactly the size said, whatever the data are: a wrong one is an error.
        plain: bytes = pa.decompress(packed, member.size, codec="zstd", asbytes=True)
        return plain
    return None


def _members(data: bytes) -> Iterator[Member]:
    count, at = _directory(data)
    for _ in range(count):
        if data[at : at + 4] != _ENTRY:
            raise ValueError("an entry of its directory is not where it should be")
        (_, _, _, method, _, crc, packed, size, name, extra, comment, _, _, _, header) = (
            _FIELDS.unpack_from(data, at + 4)
        )
        text = data[at + 46 : at + 46 + name]
        if _LARGE in (packed, size, header):
            more = data[at + 46 + name : at + 46 + name + extra]
            size, packed, header = _large(more, size, packed, header)
        yield Member(text.decode("utf-8", "replace"), method, header, packed, size, crc)
        at += 46 + name + extra + comment


def _directory(data: bytes) -> tuple[int, int]:
    """Return how many entries the directory has, and where it begins."""
    end = data.rfind(_END)
    if end < 0:
        raise ValueError("it has no directory: is it cut off?")
    count, _, at = struct.unpack_from("<HII", data, end + 10)
    if count == 0xFFFF or at == _LARGE:
        (end64,) = struct.unpack_from("<Q", data, end - 12)
        if data[end64 : end64 + 4] != _END64:
            raise ValueError("the end of its directory is not where it should be")
        count, _, at = struct.unpack_from("<QQQ", data, end64 + 32)
    if count * 46 > len(data):
        raise ValueError("its directory has more entries than there is room for")
    return count, at


def _large(extra: bytes, size: int, packed: int, header: int) -> tuple[int, int, int]:
    """Return the sizes and the place that did not fit into an entry, which stand behind it."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            values = [
                v for (v,) in struct.iter_unpack("<Q", extra[at + 4 : at + 4 + length // 8 * 8])
            ]
            found = iter(values)
            return tuple(  # type: ignore[return-value]
                next(found) if value == _LARGE else value for value in (size, packed, header)
            )
        at += 4 + length
    return size, packed, header


def _damaged(where: str, problem: str) -> DataError:
    return DataError(
        f"the zip is damaged ({problem})", where=where, remedy="fetch or write the file again"
    )
