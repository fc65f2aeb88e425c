"""What an error costs: ``LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN``, parsed and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import NamedTuple, NoReturn

from coleval.errors import UsageError, unknown

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
    weight = _sum(sum_, at + len(name) + 1)
    return _BOUNDARY if kind == "BE" else (kind.lower(),), weight


def _sum(text: str, at: int) -> Weight:
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
