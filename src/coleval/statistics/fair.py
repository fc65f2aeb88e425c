"""Precision, recall and F1 from counts of span errors, under weights or another taxonomy.

``counts`` has a column for each kind of error (tp, le, bes, bel, beo, lbe, fn, fp).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.statistics.ratio import ratio_expr
from coleval.statistics.weights import KINDS, Weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RATIOS = ("precision", "recall", "f1")
BOUNDARY = ("bes", "bel", "beo")
ERRORS = tuple(kind for kind in KINDS if kind != "tp")

# Which kinds are correct, incorrect and partial under each of nervaluate's modes.
NERVALUATE: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "strict": (("tp",), ("le", *BOUNDARY, "lbe"), ()),
    "exact": (("tp", "le"), (*BOUNDARY, "lbe"), ()),
    "partial": (("tp", "le"), (), (*BOUNDARY, "lbe")),
    "ent_type": (("tp", *BOUNDARY), ("le", "lbe"), ()),
}
# Which kinds are right under HIPE's two regimes; all others are false alarm and miss at once.
HIPE: Mapping[str, tuple[str, ...]] = {"strict": ("tp",), "fuzzy": ("tp", *BOUNDARY)}
_PAIRED = ("tp", "le", *BOUNDARY, "lbe")


def weighted(counts: pl.DataFrame, weights: Weights, zero_division: float | None) -> pl.DataFrame:
    """Return the counts with ratios of the true and false positives that errors amount to."""
    tp, fp, fn = (_weighed(weights, part) for part in ("tp", "fp", "fn"))
    return counts.with_columns(_ratios(tp, fp, fn, zero_division))


def plain(counts: pl.DataFrame, zero_division: float | None) -> pl.DataFrame:
    """Return counts of tp, fp and fn with their ratios."""
    return counts.with_columns(_ratios(pl.col("tp"), pl.col("fp"), pl.col("fn"), zero_division))


def nervaluate(counts: pl.DataFrame, mode: str, zero_division: float | None) -> pl.DataFrame:
    """Return cor, inc, par, mis, spu and the ratios of one mode; a partial one counts half."""
    cor, inc, par = (_sum(kinds) for kinds in NERVALUATE[mode])
    frame = counts.with_columns(cor=cor, inc=inc, par=par, mis=pl.col("fn"), spu=pl.col("fp"))
    frame = frame.with_columns(
        possible=pl.sum_horizontal("cor", "inc", "par", "mis"),
        actual=pl.sum_horizontal("cor", "inc", "par", "spu"),
    )
    right = pl.col("cor") + 0.5 * pl.col("par")
    ratios = _ratios(right, pl.col("actual") - right, pl.col("possible") - right, zero_division)
    return frame.with_columns(ratios)


def hipe(counts: pl.DataFrame, regime: str, zero_division: float | None) -> pl.DataFrame:
    """Return tp, fp, fn and the ratios of one regime."""
    right, paired = _sum(HIPE[regime]), _sum(_PAIRED)
    frame = counts.with_columns(
        tp=right, fp=paired + pl.col("fp") - right, fn=paired + pl.col("fn") - right
    )
    return plain(frame, zero_division)


def _sum(kinds: Iterable[str]) -> pl.Expr:
    names = list(kinds)
    return pl.sum_horizontal(names) if names else pl.lit(0, pl.Int64)


def _weighed(weights: Weights, part: str) -> pl.Expr:
    parts = [(kind, getattr(weights[kind], part)) for kind in KINDS]
    terms = [pl.col(kind) * weight for kind, weight in parts if weight]
    return pl.sum_horizontal(terms) if terms else pl.lit(0.0)


def _ratios(tp: pl.Expr, fp: pl.Expr, fn: pl.Expr, zero_division: float | None) -> list[pl.Expr]:
    parts = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    return [
        ratio_expr(above, below, zero_division).alias(name)
        for name, (above, below) in zip(RATIOS, parts, strict=True)
    ]


def explained(before: Mapping[str, int], after: Mapping[str, int], weights: Weights) -> list[float]:
    """Return what each kind of error adds to the F1 of ``after`` over that of ``before``.

    1/F1 = 1 + (FP' + FN') / 2TP' is a sum over kinds, and so is the difference: exact, no order
    of removal to choose. Empty where an F1 is undefined or 0.
    """
    tp = [sum(n[k] * weights[k].tp for k in KINDS) for n in (before, after)]
    if not all(tp):
        return []
    each = [
        [n[k] * (weights[k].fp + weights[k].fn) / (2 * t) for k in KINDS]
        for n, t in zip((before, after), tp, strict=True)
    ]
    f1 = [1 / (1 + sum(costs)) for costs in each]
    return [f1[0] * f1[1] * (a - b) for a, b in zip(*each, strict=True)]
