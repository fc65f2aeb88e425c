"""Names that must differ: of columns, systems and documents."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DATA = (".tsv", ".csv", ".txt", ".conll", ".conllu", ".bio", ".iob", ".json", ".jsonl", ".out")
_ZIPPED = (".gz", ".zst", ".bz2", ".xz")


def unique(names: Sequence[str], unnamed: str = "{}") -> tuple[str, ...]:
    """Return the names with ``_2``, ``_3`` … at repeated ones; an empty one gets its number."""
    given = set(names)
    taken: dict[str, None] = {}
    repeats: dict[str, Iterator[int]] = {}
    for number, name in enumerate(names, start=1):
        wish = name or unnamed.format(number)
        free = wish
        while free in taken or (free in given and free != name):
            free = f"{wish}_{next(repeats.setdefault(wish, count(2)))}"
        taken[free] = None
    return tuple(taken)


def repeated(names: Sequence[str]) -> frozenset[str]:
    """Return the names that are there more than once; what has no name does not count."""
    return frozenset(name for name, n in Counter(names).items() if name and n > 1)


def check_documents(
    names: Sequence[str], lines: Sequence[int], path: str, what: str = "document"
) -> None:
    """Raise if two documents have one name; ``lines`` are where they begin."""
    first: dict[str, int] = {}
    for name, line in zip(names, lines, strict=True):
        if name in first:
            raise DataError(
                f"the document `{name}` appears twice, first in line {first[name]}",
                where=f"{path}:{line}",
                remedy=f"give each {what} a name of its own",
            )
        first[name] = line


def stems(names: Sequence[str]) -> tuple[str, ...]:
    """Return the file names without folders and suffixes where all are paths and still differ."""
    short = tuple(_stem(name) for name in names)
    paths = all(stem != name for stem, name in zip(short, names, strict=True))
    return short if paths and len(set(short)) == len(short) else tuple(names)


def _stem(name: str) -> str:
    path = PurePosixPath(name)
    for suffixes in (_ZIPPED, _DATA):
        if path.suffix.lower() in suffixes:
            path = path.with_suffix("")
    return path.name
