"""CoNLL-U Plus: CoNLL-U whose first line names the columns, in any order and any number.

``# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE``. A file without that line has the ten
columns of CoNLL-U.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.corpus.plain_names import settled
from coleval.errors import DataError
from coleval.loading.readers.conllu_lines import COLUMNS
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.names import repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = b"# global.columns"
_HEADER = re.compile(rb"(?m)^#[ \t]*global\.columns[ \t]*=?[ \t]*(.*?)[ \t\r]*$")
_NEEDED = ("id", "form")
# What is found of lines stands in columns of these names beside those of the file.
_OWN = ("line", "number", "sentence", "low", "high")


def columns_of(data: bytes, path: str) -> tuple[str, ...]:
    """Return the columns that a file names, in lower case; raise where names cannot be right."""
    if b"global.columns" not in data:
        return COLUMNS
    headers = list(_named(one_line_end(data)))
    for line, names in headers[:1]:
        _check(names, f"{path}:{line}")
    for line, names in headers[1:]:
        if names != headers[0][1]:
            raise DataError(
                f"the columns are other than those named in line {headers[0][0]}",
                where=f"{path}:{line}",
                remedy="a file has one list of columns: # global.columns = "
                + " ".join(headers[0][1]).upper(),
            )
    return headers[0][1] if headers else COLUMNS


def is_plus(text: bytes) -> bool:
    """Tell whether the beginning of a file names other columns than CoNLL-U has, or more."""
    return any(names != COLUMNS for names in _first_named(text))


def has_column(text: bytes, name: str) -> bool:
    """Tell whether the beginning of a file names a column."""
    return any(name in names for names in _first_named(text))


def _first_named(text: bytes) -> list[tuple[str, ...]]:
    # Very many files may be asked, of which hardly one has such a line.
    found = _HEADER.search(text) if b"global.columns" in text else None
    return [] if found is None else [_lower(found[1])]


def _named(data: bytes) -> Iterator[tuple[int, tuple[str, ...]]]:
    for found in _HEADER.finditer(data):
        yield data.count(b"\n", 0, found.start()) + 1, _lower(found[1])


def _lower(names: bytes) -> tuple[str, ...]:
    every = names.decode("utf-8", "replace").lower().split()
    return tuple(settled(every, _OWN) if len(set(every)) == len(every) else every)


def _check(names: tuple[str, ...], where: str) -> None:
    if twice := sorted(repeated(names)):
        raise DataError(
            f"the column {twice[0].upper()} is named twice",
            where=where,
            remedy="each column has a name of its own: # global.columns = ID FORM UPOS …",
        )
    for name in _NEEDED:
        if name not in names:
            raise DataError(
                f"no column is called {name.upper()}"
                + (f": there are {' '.join(names).upper()}" if names else ""),
                where=where,
                remedy="name all columns of the file in their order: # global.columns = ID FORM …",
            )
