"""Limits on changes, for continuous integration: ``max_new_errors=20,max_drop=0.5pp,worse=0.05``.

``worse`` is a level of significance: a system fails that is worse by more than chance allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import noun_for, number_of
from coleval.errors import GateError, UsageError, unknown
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.report import Report

    Row = dict[str, Any]

# What each limit looks at: counts of items, or shares of one.
COUNTS = {"max_new_errors": "new_errors", "max_changed_errors": "changed_errors"}
SHARES = {"max_drop": "drop", "max_diff": "diff"}
# The level at which a paired test (that of ``compare``) calls a system worse.
WORSE = "worse"
LIMITS = COUNTS | SHARES | {WORSE: "worse_p"}
_TITLES = {"f1": "F1", "accuracy": "accuracy"}
_EXAMPLE = "for example max_new_errors=20,max_drop=0.5pp"
_VALUE = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*(pp|%)?")
# A drop of half a point is no more than half a point, whatever its last bit.
_TIE = 1e-9
_GATE = {"before": pl.String, "after": pl.String, "limit": pl.String, "allowed": pl.Float64,
         "found": pl.Float64, "holds": pl.Boolean, "verdict": pl.String}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GateLimit:
    """One limit: how much of what is allowed, as a share of the items if ``share``."""

    name: str
    allowed: float
    share: bool

    def found(self, row: Row) -> float | None:
        """Return what a row of the summary has of it, null where that is undefined."""
        value: float | None = row[LIMITS[self.name]]
        if value is None or not (self.share and self.name in COUNTS):
            return value
        return ratio_of(value, row["items"])

    def verdict(self, row: Row) -> str:
        """Return what was found and what is allowed, as a sentence."""
        found, unit = self.found(row), 100 if self.share else 1
        if found is None:
            return f"{_undefined(row, self.name)}, so {self.name} cannot be checked."
        shown, allowed = _apart(unit * found, unit * self.allowed)
        if self.name == WORSE:
            return _chance(row, found, self.allowed)
        if self.name == "max_drop":
            return _fallen(row, shown, allowed)
        if self.name == "max_diff":
            of = number_of(row["items"], "answer")
            return f"{shown} % of {of} differ; the limit is {allowed} %."
        kind = LIMITS[self.name].replace("_", " ").removesuffix("s")
        if self.share:
            of = number_of(row["items"], "item")
            return f"{shown} % of {of} are {kind}s; the limit is {allowed} %."
        over = f", exceeded by {found - self.allowed:,g}" if found > self.allowed else ""
        return f"{number_of(found, kind)}; the limit is {self.allowed:,g}{over}."


def _undefined(row: Row, limit: str) -> str:
    """Return why a limit has nothing to look at."""
    if limit not in ("max_drop", WORSE):
        return "There are no items"
    lost = [row[side] for side in ("before", "after") if row[f"score_{side}"] is None]
    return f"{row['metric']} of {' and '.join(lost)} is undefined"


def _fallen(row: Row, shown: str, allowed: str) -> str:
    metric = row["metric"]
    fell = (
        f"{metric} fell by {shown} {noun_for(float(shown), 'point')}"
        if row["drop"]
        else f"{metric} did not fall"
    )
    return f"{fell}; the limit is {allowed}."


def _chance(row: Row, p: float, level: float) -> str:
    """Return whether a drop is more than chance allows."""
    if not row["drop"]:
        return f"{row['metric']} did not fall."
    more = "more" if p < level else "no more"
    return (
        f"{row['metric']} fell by {100 * row['drop']:.3g} points, {more} than chance allows "
        f"(p = {p:.3g}; the level is {level:g})."
    )


def _apart(value: float, limit: float) -> tuple[str, str]:
    """Return both numbers in three digits, or as many as it takes to tell them apart."""
    digits = (f"{value:.{n}g}" for n in range(3, 12))
    same = abs(value - limit) <= _TIE
    return next(d for d in (*digits, f"{value!r}") if same or float(d) != limit), f"{limit:g}"


def parse(text: str) -> tuple[GateLimit, ...]:
    """Return the limits of ``name=value,…``; raise for none, and for a share without its unit."""
    limits = tuple(_limit(part.strip()) for part in text.split(",") if part.strip())
    if not limits:
        raise UsageError("no limit is set", where="--gate", remedy=_EXAMPLE)
    names = [limit.name for limit in limits]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is set twice", where="--gate", remedy="set each limit once")
    return limits


def gated(
    summary: pl.DataFrame,
    limits: tuple[GateLimit, ...],
    *,
    score: str,
    p_of: Callable[[str, str], float | None],
) -> pl.DataFrame:
    """Return before, after, limit, allowed, found, holds, verdict: each limit for each pair.

    A drop is that of ``score``, f1 or accuracy; ``p_of`` two systems is that of a paired test. What
    is undefined keeps no limit.
    """
    fall = pl.col(f"{score}_before") - pl.col(f"{score}_after")
    sides = {f"score_{side}": pl.col(f"{score}_{side}") for side in ("before", "after")}
    drop = pl.when(fall.is_not_null()).then(pl.max_horizontal(fall, pl.lit(0.0)))
    rows = summary.with_columns(drop=drop, metric=pl.lit(_TITLES[score]), **sides).to_dicts()
    if any(limit.name == WORSE for limit in limits):
        for row in rows:
            row["worse_p"] = p_of(row["before"], row["after"])
    found = [_judged(row, limit) for row in rows for limit in limits]
    return pl.DataFrame(found, schema=_GATE)


def _judged(row: Row, limit: GateLimit) -> Row:
    found = limit.found(row)
    return {
        "before": row["before"],
        "after": row["after"],
        "limit": limit.name,
        "allowed": limit.allowed,
        "found": None if found is None else float(found),
        "holds": _holds(row, limit, found),
        "verdict": limit.verdict(row),
    }


def _holds(row: Row, limit: GateLimit, found: float | None) -> bool:
    if found is None:
        return False
    if limit.name == WORSE:
        return not row["drop"] or found >= limit.allowed
    return found <= limit.allowed + _TIE


# Limits on numbers: how many items may become worse, and by how much the mean may.
OF_NUMBERS = {"max_declined": "declined", "max_drop": "drop"}
_OF_NUMBERS = "for example max_declined=20,max_drop=0.01"


def parse_numbers(text: str) -> tuple[GateLimit, ...]:
    """Return the limits of ``name=value,…`` on numbers: counts, and a drop in their own unit."""
    limits = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, part.partition("="))
        if name not in OF_NUMBERS:
            raise unknown("limit", name, OF_NUMBERS, where="--gate")
        match = _VALUE.fullmatch(value)
        if not match or match[2] == "pp" or (match[2] and name == "max_drop"):
            raise UsageError(f"`{part}` sets no limit", where="--gate", remedy=_OF_NUMBERS)
        share = bool(match[2])
        limits.append(GateLimit(name, float(match[1]) / (100 if share else 1), share))
    if not limits:
        raise UsageError("no limit is set", where="--gate", remedy=_OF_NUMBERS)
    return tuple(limits)


def gated_numbers(summary: pl.DataFrame, limits: tuple[GateLimit, ...], sign: int) -> pl.DataFrame:
    """Return each limit for each pair, of numbers of which more (``sign`` 1) or less is better."""
    rows = []
    for row in summary.to_dicts():
        worse = None if row["delta"] is None else max(0.0, -sign * row["delta"])
        for limit in limits:
            of = row["items"] if limit.share else 1
            counted = ratio_of(row["declined"], of) if limit.name == "max_declined" else worse
            holds = counted is not None and counted <= limit.allowed + _TIE
            rows.append((row["before"], row["after"], limit.name, limit.allowed, counted, holds,
                         _verdict(row, limit, counted)))  # fmt: skip
    return pl.DataFrame(rows, schema=_GATE, orient="row")


def _verdict(row: Row, limit: GateLimit, counted: float | None) -> str:
    if counted is None:
        return f"There are no items that both answered, so {limit.name} cannot be checked."
    if limit.name == "max_drop":
        return f"The mean became worse by {counted:.4g}; the limit is {limit.allowed:g}."
    of = number_of(row["items"], "item")
    allowed = f"{100 * limit.allowed:g} %" if limit.share else f"{limit.allowed:g}"
    return f"{row['declined']:,} of {of} became worse; the limit is {allowed}."


def check(report: Report) -> None:
    """Raise if some limit does not hold; return if all do or there is none."""
    if "gate" not in report.tables:
        return
    broken = report.table("gate").filter(~pl.col("holds")).to_dicts()
    if broken:
        lines = [f"{row['before']} → {row['after']}: {row['verdict']}" for row in broken]
        raise GateError(
            "\n       ".join(lines),
            where="gate",
            remedy="see what broke: --items --kind 'new error'",
        )


def _limit(part: str) -> GateLimit:
    name, _, value = part.partition("=")
    name = name.strip()
    if name not in LIMITS:
        raise unknown("limit", name, LIMITS, where="--gate")
    match = _VALUE.fullmatch(value.strip())
    if not match or float(match[1]) == float("inf"):
        raise UsageError(f"`{part}` sets no limit", where="--gate", remedy=_EXAMPLE)
    number, unit = float(match[1]), match[2] or ""
    _sound(part, name, number, unit)
    return GateLimit(name, number / 100 if unit else number, share=bool(unit) or name in SHARES)


def _sound(part: str, name: str, number: float, unit: str) -> None:
    """Raise for a share without a unit, and for points of a count; 0 is 0 in all of them."""
    if name in SHARES and number and not unit:
        raise UsageError(
            f"`{part}` does not say whether {number:g} is a share or percentage points",
            where="--gate",
            remedy=f"{name}={number:g}pp or {name}={number:g}% for {number:g} percentage points, "
            f"{name}={100 * number:g}pp for a share of {number:g}",
        )
    if name == WORSE and (unit or not 0 < number < 1):
        raise UsageError(
            f"`{part}` is not a level of significance",
            where="--gate",
            remedy="worse=0.05: fails below p = .05",
        )
    if name in COUNTS and unit == "pp":
        raise UsageError(
            f"`{part}`: {name} limits a count, which has no percentage points",
            where="--gate",
            remedy=f"{name}={number:g} for a number, {name}={number:g}% for a share of the items",
        )
