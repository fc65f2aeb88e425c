"""The JSON files of a store: written in one step, and checked when they are read.

The last thing in a file is the checksum of all that is before it: what was changed by a disk, a
transfer or a hand is noticed even where it still makes sense. Older stores have none.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from zlib import crc32

from coleval.errors import ColevalError, DataError
from coleval.store.shapes import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_SUM = b'"sum"'


def write_json(store: Path, data: Mapping[str, Any], file: str, *, indent: int | None) -> None:
    """Put some data in place in one step."""
    partial = store / f".{file}.{os.getpid()}"
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    head = f"{text[:-1].rstrip()},\n ".encode()
    try:
        partial.write_bytes(head + f'"sum": {crc32(head)}\n}}\n'.encode())
        partial.replace(store / file)
    finally:
        partial.unlink(missing_ok=True)


def read_json(path: Path, check: Callable[[Any], None]) -> dict[str, Any]:
    """Return what a file holds; raise for the first thing in it that is not as it has to be."""
    return checked(path, *loaded(path), check)


def loaded(path: Path) -> tuple[bytes, Any]:
    """Return a file and the JSON in it; raise if it cannot be read or is none."""
    try:
        raw = path.read_bytes()
        return raw, json.loads(raw)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise damaged(path, str(error)) from None
    except RecursionError:
        raise damaged(path, "it is nested too deeply") from None


def checked(path: Path, raw: bytes, data: Any, check: Callable[[Any], None]) -> dict[str, Any]:
    """Return what was read from a file if it is of a shape, and has the checksum that it tells."""
    try:
        check(data)
    except Fault as fault:
        raise damaged(path, str(fault)) from None
    except ColevalError as error:
        raise damaged(path, error.problem) from None
    if "sum" in data and data["sum"] != crc32(raw[: raw.rfind(_SUM)]):
        raise damaged(path, "its checksum is not that of its contents: it was changed")
    found: dict[str, Any] = data
    return found


def damaged(path: Path, why: str) -> DataError:
    """Return the error for a file that is not what was written."""
    return DataError(f"is damaged ({why})", where=str(path), remedy="load it again with --fresh")
