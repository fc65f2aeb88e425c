"""Versions of a system, one after the other: what each gains over the one before, by bucket."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.buckets.pairs import deltas
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.analyses.buckets.scores import Row

_WHERE = "--versions"


def checked_versions(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of versions; raise for fewer than two, and for one that comes twice."""
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None or len(names) == 1:
        raise UsageError(
            f"`{twice}` is named twice" if twice is not None else "one version has none before it",
            where=_WHERE,
            remedy="name two or more, the oldest first: --versions v1,v2,v3",
        )
    return tuple(names)


def versions_table(rows: Sequence[Row], names: Sequence[str], metric: str) -> pl.DataFrame:
    """Return a row for each bucket and version: its score, and the gain over the version before.

    The first version has no gain; neither has one whose score, or that of the one before, is
    undefined.
    """
    kinds = {
        "corpus": pl.String, "attribute": pl.String, "place": pl.Int64, "bucket": pl.String,
        "gold": pl.Int64, "system": pl.String, "before": pl.String, metric: pl.Float64,
        "delta": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(list(_cells(rows, names)), schema=kinds, orient="row")


def _cells(rows: Sequence[Row], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    place = {(row.corpus, row.cut.attribute.name, row.system): row for row in rows}
    known = list(dict.fromkeys(row.system for row in rows))
    for name in names:
        if name not in known:
            raise unknown("system", name, known, where=_WHERE)
    for corpus, attribute in dict.fromkeys(key[:2] for key in place):
        own = [place.get((corpus, attribute, name)) for name in names]
        yield from _series([row for row in own if row is not None])


def _series(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of one attribute, bucket by bucket."""
    gains = [deltas(one, other) for one, other in pairwise(rows)]
    for at, bucket in enumerate(rows[0].names if rows else ()):
        for k, row in enumerate(rows):
            cut = row.cut
            place = (row.corpus, cut.attribute.name, at + 1, bucket, int(cut.counts.gold[at]))
            before, delta = (rows[k - 1].system, gains[k - 1][at]) if k else (None, None)
            yield (*place, row.system, before, row.scores[at], delta)
