"""The last word on a file: what a library makes of it that no reader foresaw is an error of ours.

Readers themselves find what is wrong and on which line. What is left are complaints of Polars and
Arrow, numbers beyond all bounds and text that cannot be encoded. A mistake in a reader's own code
is none of these, and keeps its traceback.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coleval.loading.readers.formats import Format

_LIBRARIES = ("polars", "pyarrow", "pyo3_runtime")
_BEYOND = (UnicodeError, OverflowError, RecursionError)


def guarded(form: Format) -> Format:
    """Return a format whose readers raise errors of ours alone."""
    names = (f.name for f in fields(form) if f.name not in _NO_READERS)
    readers: dict[str, Any] = {n: _guarded(getattr(form, n)) for n in names if getattr(form, n)}
    return replace(form, **readers)


_NO_READERS = ("name", "about", "suffixes", "task", "recognised", "others")


def _guarded(read: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(read)
    def guarding(source: Any, *given: Any, **options: Any) -> Any:
        with understood(source.path):
            return read(source, *given, **options)

    return guarding


@contextmanager
def understood(path: str) -> Iterator[None]:
    """Make what a library complains of an error that names the file."""
    try:
        yield
    except BaseException as error:
        # Panics of native code are no Exception.
        library = type(error).__module__.partition(".")[0] in _LIBRARIES
        if not library and not isinstance(error, _BEYOND):
            raise
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"cannot be read ({said})",
            where=path,
            remedy="is the format right (--format NAME)? `coleval validate` reads one file alone",
        ) from error
