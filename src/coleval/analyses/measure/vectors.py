"""Vectors of the items, from files or arrays: what RSA compares beside labels."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.analyses.wording import number_of
from coleval.corpus.paths import is_file
from coleval.counts.raters import GOLD
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_WHERE = "--vectors"


def named_files(given: Any) -> dict[str, Any]:
    """Return files (or arrays) by name; a text is ``NAME=FILE``."""
    if hasattr(given, "items"):
        return dict(given)
    named: dict[str, Any] = {}
    for text in [given] if isinstance(given, str) else given or ():
        name, equals, file = text.partition("=")
        if not (equals and name and file) or name in named:
            raise UsageError(
                f"`{name}` is named twice" if name in named else f"`{text}` has no name",
                where=_WHERE,
                remedy=f"for example {_WHERE} bert=bert.npy {_WHERE} glove=glove.tsv",
            )
        named[name] = file
    return named


def vectors_of(corpus: Corpus, items: Items, given: Mapping[str, Any]) -> dict[str, Floats]:
    """Return the vectors of the items that are left, by name; files have a row for every item."""
    total = len(corpus.at(corpus.scoring.unit))
    taken = (GOLD, *items.systems)
    found = {}
    for name, source in given.items():
        if name in taken:
            raise UsageError(f"`{name}` is a system", where=_WHERE, remedy="use another name")
        found[name] = _checked(_read(source), total, str(name if _given(source) else source))
        found[name] = found[name][items.numbers]
    return found


def identity(vectors: Mapping[str, Floats]) -> str:
    """Return what a signature says of vectors: their names and hashes."""
    return ",".join(f"{n}={sha256(v.tobytes()).hexdigest()[:12]}" for n, v in vectors.items())


def _given(source: Any) -> bool:
    """Tell whether vectors are given themselves, not their file."""
    return not isinstance(source, str | Path)


def _read(source: Any) -> Floats:
    try:
        if _given(source):
            return np.asarray(source, np.float64)
        if not is_file(source):
            raise DataError("there is no such file", where=str(source))
        if Path(source).suffix == ".npy":
            return np.asarray(np.load(source, allow_pickle=False), np.float64)
        comma = "," if Path(source).suffix == ".csv" else None
        return np.loadtxt(source, np.float64, comments=None, delimiter=comma, ndmin=2)
    except OSError as error:
        raise DataError(error.strerror or "cannot be read", where=str(source)) from None
    except ValueError as error:
        raise DataError(
            f"does not hold vectors: {error}",
            where=_WHERE if _given(source) else str(source),
            remedy="a row of numbers for each item: .npy, .csv, or numbers between TABs or spaces",
        ) from None


def _checked(vectors: Floats, total: int, where: str) -> Floats:
    """Return vectors; raise unless there is one of known numbers for each item."""
    remedy = "give each item a row, in the order of gold"
    if vectors.ndim != 2:
        raise DataError(f"has {vectors.ndim} dimensions, not rows of numbers", where=where,
                        remedy=remedy)  # fmt: skip
    if len(vectors) != total:
        raise DataError(
            f"has {number_of(len(vectors), 'row')}, and there are {number_of(total, 'item')}",
            where=where,
            remedy=remedy,
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise DataError(f"row {bad[0] + 1} has a value that is not a finite number", where=where)
    return vectors
