"""Files that are written whole or not at all, and what to say where they cannot be written."""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def written(place: str | Path, *, option: str = "-o") -> Iterator[None]:
    """Say in a message what keeps a place from being written; ``option`` is what names it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(Path(place), error, option=option) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write some bytes to a file that appears whole or not at all."""
    with whole(path) as stream:
        stream.write(data)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside its place and rename it in the end; write on a device or pipe itself."""
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError, *, option: str = "-o") -> DataError:
    """Return what the user can do about a place that cannot be written."""
    parent = path.parent
    # Where directories are made on the way, the one that failed is not the last.
    within = Path(error.filename).parent if isinstance(error.filename, str) else parent
    if isinstance(error, FileNotFoundError) and not within.exists():
        return DataError(
            f"the directory `{parent}` does not exist",
            where=str(path),
            remedy=f"make it first: mkdir -p {parent}",
        )
    if isinstance(error, FileNotFoundError):
        problem = f"cannot be written: `{within}` takes no new files"
    elif isinstance(error, FileExistsError):
        problem = "is a file, but a directory is needed"
    else:
        problem = f"cannot be written: {_reason(error)}"
    full = _number(error) in (errno.ENOSPC, errno.EDQUOT)
    remedy = f"{'make room there, or ' if full else ''}choose another place with {option}"
    return DataError(problem, where=str(path), remedy=remedy)


def _reason(error: OSError) -> str:
    number = _number(error)
    return os.strerror(number) if number else str(error)


def _number(error: OSError) -> int:
    """Return the system's number of an error; Polars and DuckDB have it in the text alone."""
    if error.errno:
        return error.errno
    if found := re.search(r"\(os error (\d+)\)", str(error)):
        return int(found[1])
    names = {os.strerror(number): number for number in (errno.ENOSPC, errno.EDQUOT)}
    return next((number for text, number in names.items() if text in str(error)), 0)
