"""Two systems bucket by bucket: where the second is better than the first, and where worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.buckets.scores import table_of
from coleval.errors import unknown
from coleval.statistics.breakdown import ends
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.analyses.buckets.scores import Row

_COMPARED = (
    "corpus", "before", "after", "attribute", "best_bucket", "best_delta", "worst_bucket",
    "worst_delta",
)  # fmt: skip
_HEAT_MAP = {
    "corpus": pl.String, "before": pl.String, "after": pl.String, "attribute": pl.String,
    "place": pl.Int64, "bucket": pl.String, "gold": pl.Int64, "delta": pl.Float64,
}  # fmt: skip


def comparison_tables(
    rows: Sequence[Row], pairs: Sequence[tuple[str, str]], metric: str, *, clipped: bool
) -> dict[str, pl.DataFrame]:
    """Return ``comparison``, ``heat_map`` and ``differences``.

    A delta is the second system's score less the first's. ``best_delta`` is None where the second
    is nowhere better, ``worst_delta`` where it is nowhere worse; ``clipped`` says 0 and the first
    bucket instead, as InterpretEval does.
    """
    joined = list(_joined(rows, pairs))
    differences = (
        "corpus", "before", "after", "attribute", "bucket", f"{metric}_before", f"{metric}_after",
        "delta", "relative",
    )  # fmt: skip
    told = (row for one, other in joined for row in _differences(one, other, metric))
    return {
        "comparison": table_of((_compared(*two, clipped=clipped) for two in joined), _COMPARED),
        "heat_map": pl.DataFrame(
            [cell for two in joined for cell in _cells(*two)], schema=_HEAT_MAP, orient="row"
        ),
        "differences": table_of(told, differences),
    }


def _joined(rows: Sequence[Row], pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Row, Row]]:
    known = list(dict.fromkeys(row.system for row in rows))
    place = {(row.corpus, row.cut.attribute.name, row.system): row for row in rows}
    keys = dict.fromkeys((row.corpus, row.cut.attribute.name) for row in rows)
    for before, after in pairs:
        for name in (before, after):
            if name not in known:
                raise unknown("system", name, known, where="--pair")
        for key in keys:
            if (*key, before) in place and (*key, after) in place:
                yield place[(*key, before)], place[(*key, after)]


def deltas(one: Row, other: Row) -> list[float | None]:
    """Return the second row's scores less the first's, None where one of them is undefined."""
    return [
        None if a is None or b is None else b - a
        for a, b in zip(one.scores, other.scores, strict=True)
    ]


def _compared(one: Row, other: Row, *, clipped: bool) -> dict[str, Any]:
    found = ends(deltas(one, other))
    names = one.names
    head = {
        "corpus": one.corpus,
        "before": one.system,
        "after": other.system,
        "attribute": one.cut.attribute.name,
    }
    neither = (names[0] if clipped and names else None, 0.0 if clipped else None)
    best = (names[found.best], found.high) if found and found.high > 0 else neither
    worst = (names[found.worst], found.low) if found and found.low < 0 else neither
    return head | dict(zip(_COMPARED[4:], (*best, *worst), strict=True))


def _cells(one: Row, other: Row) -> Iterator[tuple[Any, ...]]:
    """Yield a cell a bucket: its place among those of its attribute, from 1, and the delta."""
    head = (one.corpus, one.system, other.system, one.cut.attribute.name)
    for at, (bucket, delta) in enumerate(zip(one.names, deltas(one, other), strict=True)):
        yield (*head, at + 1, bucket, int(one.cut.counts.gold[at]), delta)


def _differences(one: Row, other: Row, metric: str) -> Iterator[dict[str, Any]]:
    parts = zip(one.names, one.scores, other.scores, deltas(one, other), strict=True)
    for bucket, a, b, delta in parts:
        yield {
            "corpus": one.corpus,
            "before": one.system,
            "after": other.system,
            "attribute": one.cut.attribute.name,
            "bucket": bucket,
            f"{metric}_before": a,
            f"{metric}_after": b,
            "delta": delta,
            "relative": None if a is None or delta is None else ratio_of(delta, a),
        }
