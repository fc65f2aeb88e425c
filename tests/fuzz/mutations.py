"""What happens to files: bytes, lines, fields and JSON values that are changed at random."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

# What is put into a text: signs that formats live by, and numbers at the ends of their ranges.
PIECES = (
    "\t", " ", "\n", "\r", "\r\n", "\f", "\v", "\x1c", "\x85", "\u2028", "\u00a0", "\ufeff", "\0",
    '"', '""', "'", ",", ";", "|", "#", "# ", "-", "+", "_", "*", "/", "\\", ".", ":", "=", "%",
    "(", ")", "{", "}", "[", "]", "[]", "{}", "$", "^.*$", "^", "0", "1", "-1", "+1", "01", "1.0",
    "1e5", "1e999", "2147483648", "4294967296", "9223372036854775808", "99999999999999999999999",
    "NaN", "null", "true", "None", "O", "B-", "-X", "B-X", "I-X", "é", "日本", "😀", "\u0301",
    "\\ud800", "\\u0000", "٣", "²", "Ⅷ",
)  # fmt: skip
# Bytes that are no UTF-8.
BYTES = (
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc3",
    b"\xf0\x9f",
    b"\x80",
    b"\xfe\xff",
    b"PAR1",
    b"PK\x03\x04",
)
# What takes the place of a JSON value.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**30, 1.5, -0.0, 1e300, float("nan"),
    float("inf"), "", " ", "x", "O", "\ud800", "\0", "^.*$", [], {}, [[]], [None], [1, "x"], ["x"],
    [[0, 1]], [{}], {"x": 1}, {"": None}, [1, 2, 3], [[[]]],
)  # fmt: skip


def mutated(random: Random, data: bytes) -> bytes:
    """Return the bytes after one change, sometimes after a few."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        kinds = [*_JSON, *_TEXT] if data[:1] in (b"{", b"[") else _TEXT
        data = random.choice(kinds)(random, data)
    return data


def _bytes(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(BYTES) + data[at + random.randint(0, 1) :]


def _piece(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    put = random.choice(PIECES).encode("utf-8", "surrogatepass")
    return data[:at] + put + data[at + random.choice((0, 0, 1, 2)) :]


def _cut(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return random.choice((data[:at], data[at:], data[:at] + data[at + random.randint(1, 9) :]))


def _lines(random: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(7)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(other, lines[at])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines.insert(at, random.choice((b"", b" ", b"\t", b"\r", b"#", b"# x", b"-DOCSTART-\tO")))
    elif kind == 4:
        lines[at] += lines[other]
    elif kind == 5:
        lines[at] += random.choice((b" ", b"\t", b"\r", b"  ", b"\t\t"))
    else:
        lines[at] = random.choice((b" ", b"\t")) + lines[at]
    return b"\n".join(lines)


def _ends(random: Random, data: bytes) -> bytes:
    end = random.choice((b"\r\n", b"\r", b"\n\n", b"\n \n", b"\r\r\n"))
    return random.choice((data.replace(b"\n", end), b"\xef\xbb\xbf" + data, data.rstrip(b"\n")))


def _fields(random: Random, data: bytes) -> bytes:
    """Swap, double, drop or replace fields of one line, or a whole column."""
    separator = next((s for s in (b"\t", b",", b" ") if s in data), b" ")
    lines = data.split(b"\n")
    filled = [k for k, line in enumerate(lines) if separator in line]
    if not filled:
        return data
    one = random.choice(filled)
    every = random.random() < 0.15
    fields = lines[one].split(separator)
    at, other, kind = random.randrange(len(fields)), random.randrange(len(fields)), random.random()
    put = random.choice(PIECES).encode("utf-8", "surrogatepass")
    for k in filled if every else [one]:
        fields = lines[k].split(separator)
        if max(at, other) >= len(fields):
            continue
        if kind < 0.2:
            fields[at], fields[other] = fields[other], fields[at]
        elif kind < 0.35:
            fields.insert(at, fields[other])
        elif kind < 0.5:
            del fields[at]
        elif kind < 0.6:
            fields[at] = b""
        else:
            fields[at] = random.choice((put, fields[at] + put, put + fields[at]))
        lines[k] = separator.join(fields)
    return b"\n".join(lines)


def _numbers(random: Random, data: bytes) -> bytes:
    """Replace one number by another, often one that is out of range."""
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return data
    one = random.choice(found)
    value = int(one[0][:18])
    put = random.choice((value + 1, value - 1, -value, 0, 2**31, 2**32 - 1, 2**63, 10**25, "٣"))
    return data[: one.start()] + str(put).encode() + data[one.end() :]


def _json_value(random: Random, data: bytes) -> bytes:
    return _json(random, data, _replace)


def _json_key(random: Random, data: bytes) -> bytes:
    return _json(random, data, _rename)


def _json(random: Random, data: bytes, change: Callable[[Random, Any], Any]) -> bytes:
    """Change something inside one of the records of a file."""
    lines = data.decode("utf-8", "replace").split("\n")
    filled = [k for k, line in enumerate(lines) if line.strip()]
    if not filled:
        return data
    at = random.choice(filled)
    try:
        lines[at] = json.dumps(change(random, json.loads(lines[at])))
    except (ValueError, RecursionError):
        try:
            return json.dumps(change(random, json.loads("\n".join(lines)))).encode()
        except (ValueError, RecursionError):
            return data
    return "\n".join(lines).encode()


def _replace(random: Random, value: Any) -> Any:
    """Put another value somewhere into a value."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(list(value))
        return {**value, key: _replace(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.85:
        at = random.randrange(len(value))
        changed = [*value[:at], _replace(random, value[at]), *value[at + 1 :]]
        return random.choice((changed, changed, changed, value[:at] + value[at + 1 :], value[::-1]))
    if type(value) is int and random.random() < 0.4:
        return value + random.choice((-1, 1, 100, 2**31, 0.5))
    return random.choice((*VALUES, [value], {"x": value}, str(value), [value, value]))


def _rename(random: Random, value: Any) -> Any:
    """Drop, double or rename a key somewhere in a value."""
    if isinstance(value, list) and value:
        at = random.randrange(len(value))
        return [*value[:at], _rename(random, value[at]), *value[at + 1 :]]
    if not isinstance(value, dict) or not value:
        return value
    key = random.choice(list(value))
    if isinstance(value[key], (dict, list)) and random.random() < 0.5:
        return {**value, key: _rename(random, value[key])}
    other = random.choice(list(value))
    kind = random.random()
    if kind < 0.4:
        return {k: v for k, v in value.items() if k != key}
    if kind < 0.7:
        return {**value, key: value[other], other: value[key]}
    new = random.choice(("x", "", "text", "gold", "id", "^.*$", "label", "count", "\ud800", "a\0"))
    return {**value, new: value[key]}


_TEXT = (_piece, _piece, _bytes, _cut, _lines, _lines, _ends, _fields, _fields, _fields, _numbers)
_JSON = (_json_value,) * 9 + (_json_key,) * 4
