"""Precision, recall and F1 from counts of span errors, under weights or another taxonomy.

``counts`` has a column for each kind of error (tp, le, bes, bel, beo, lbe, fn, fp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import polars as pl

from coleval.errors import UsageError, unknown
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Iterable


KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")
_BOUNDARY = ("bes", "bel", "beo")
_NAMED = ("TP", "FP", "FN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
_TERM = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)\s*\*?)?\s*([A-Za-z]*)\s*$")
_EXAMPLE = "write it like LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"


class Weight(NamedTuple):
    """How much of a true positive, a false positive and a false negative one error is."""

    tp: float = 0.0
    fp: float = 0.0
    fn: float = 0.0


Weights = Mapping[str, Weight]

_HALF = Weight(0.0, 0.5, 0.5)
FAIR: Weights = {
    **dict.fromkeys(KINDS, _HALF),
    "tp": Weight(tp=1.0),
    "fp": Weight(fp=1.0),
    "fn": Weight(fn=1.0),
}


def parsed(text: str) -> Weights:
    """Return the weights of a formula; kinds it does not name keep those of fair evaluation.

    ``BE`` stands for its three kinds. A formula that is not sound raises, with its place.
    """
    given: dict[str, Weight] = {}
    at = 0
    for part in text.split(","):
        names, weight = _formula(part, at)
        for name in names:
            if name in given:
                _wrong(f"`{name.upper()}` has two weights", at, "give each error one")
            given[name] = weight
        at += len(part) + 1
    weights = {**FAIR, **given}
    if not any(weight.tp for weight in weights.values()):
        _wrong("nothing counts as a true positive: all scores would be 0", 0, "let TP = 1 TP")
    return weights


def _formula(text: str, at: int) -> tuple[tuple[str, ...], Weight]:
    """Return the kinds that one formula is about, and what they weigh."""
    name, equals, sum_ = text.partition("=")
    if not text.strip():
        _wrong("a formula is empty", at, _EXAMPLE)
    if not equals:
        _wrong(f"`{text.strip()}` has no `=`", at, _EXAMPLE)
    kind = name.strip().upper()
    if kind not in _NAMED:
        raise unknown("error", name.strip(), _NAMED, where=_place(at))
    weight = _parsed_sum(sum_, at + len(name) + 1)
    return _BOUNDARY if kind == "BE" else (kind.lower(),), weight


def _parsed_sum(text: str, at: int) -> Weight:
    weights: dict[str, float] = {}
    for term in text.split("+"):
        match = _TERM.match(term)
        if not match or not term.strip():
            _wrong(f"`{term.strip()}` is not a weight", at, _EXAMPLE)
        number, count = match.group(1), match.group(2).upper()
        if count:
            _add(weights, count, 1.0 if number is None else _finite(number, at), at)
        elif float(number):
            _wrong(f"`{term.strip()}` does not name a count", at, "add TP, FP or FN: 0.5 FP")
        at += len(term) + 1
    return Weight(**{name.lower(): weight for name, weight in weights.items()})


def _finite(number: str, at: int) -> float:
    weight = float(number)
    if not isfinite(weight):
        _wrong(f"`{number[:12]}…` is too large for a weight", at, _EXAMPLE)
    return weight


def _add(weights: dict[str, float], count: str, weight: float, at: int) -> None:
    if count not in ("TP", "FP", "FN"):
        raise unknown("count", count, ("TP", "FP", "FN"), where=_place(at))
    if count in weights:
        _wrong(f"`{count}` appears twice in one formula", at, "add the weights up")
    weights[count] = weight


def _place(at: int) -> str:
    return f"--weights, character {at + 1}"


def _wrong(problem: str, at: int, remedy: str) -> NoReturn:
    raise UsageError(problem, where=_place(at), remedy=remedy)


def shown(weights: Weights) -> str:
    """Return the weights as a signature has them: those that are not fair evaluation's own."""
    other = {name: w for name, w in weights.items() if w != FAIR[name]}
    return ",".join(f"{name.upper()}={_terms(w)}" for name, w in other.items())


def _terms(weight: Weight) -> str:
    parts = zip(weight, ("TP", "FP", "FN"), strict=True)
    return "+".join(f"{_plain(number)}{count}" for number, count in parts if number) or "0"


def _plain(number: float) -> str:
    """Return a weight with all its digits and no exponent, so that it can be read again."""
    whole, _, part = f"{Decimal(repr(number)):f}".partition(".")
    return f"{whole}.{part.rstrip('0')}".rstrip(".")


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
