"""What Parquet says of itself: structs in the compact form of Thrift, as far as they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    # The number of a type, and a value of it in bytes.
    Value = tuple[int, bytes]

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_STOP, _SHORT = b"\x00", 15


def varint(number: int) -> bytes:
    """Return a number that is not negative, seven bits a byte, the lowest first."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def i32(number: int) -> Value:
    """Return a number of 32 bits; none here is negative."""
    return _I32, varint(number << 1)


def i64(number: int) -> Value:
    """Return a number of 64 bits."""
    return _I64, varint(number << 1)


def text(data: bytes) -> Value:
    """Return some bytes behind their number."""
    return _BINARY, varint(len(data)) + data


def listed(values: Sequence[Value]) -> Value:
    """Return a list of values of one type, one at least."""
    kind, size = values[0][0], len(values)
    head = bytes([size << 4 | kind]) if size < _SHORT else bytes([0xF0 | kind]) + varint(size)
    return _LIST, head + b"".join(data for _, data in values)


def struct(fields: Mapping[int, Value]) -> Value:
    """Return a struct: its fields by their numbers, which are in order and near each other."""
    found, before = [], 0
    for number, (kind, data) in fields.items():
        found += [bytes([(number - before) << 4 | kind]), data]
        before = number
    return _STRUCT, b"".join([*found, _STOP])
