"""Limits on changes, for continuous integration: ``max_new_errors=20,max_drop=0.5%``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import GateError, UsageError, unknown

if TYPE_CHECKING:
    from coleval.report import Report

# What each limit looks at; a percentage of a count is one of the items.
LIMITS = {
    "max_new_errors": "new_errors",
    "max_changed_errors": "changed_errors",
    "max_drop": "drop",
    "max_diff": "diff",
}


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: how much of what is allowed, as a share of the items if ``share``."""

    name: str
    allowed: float
    share: bool

    def found(self, row: dict[str, float | None]) -> float:
        """Return what a row of the summary has of it; undefined is nothing."""
        value = row[LIMITS[self.name]] or 0.0
        counted = LIMITS[self.name] in ("new_errors", "changed_errors")
        return value / (row["items"] or 1) if self.share and counted else value


def parse(text: str) -> tuple[Limit, ...]:
    """Return the limits of ``name=value,…``; a value may end in ``%``."""
    return tuple(_limit(part.strip()) for part in text.split(",") if part.strip())


def gated(summary: pl.DataFrame, text: str) -> pl.DataFrame:
    """Return before, after, limit, allowed, found, holds: each limit for each pair.

    A drop is that of accuracy; of F1 where there is one.
    """
    fell = pl.coalesce(-pl.col("f1_delta"), -pl.col("delta"))
    rows = summary.with_columns(drop=pl.max_horizontal(fell, pl.lit(0.0))).to_dicts()
    limits = parse(text)
    found = [
        (row["before"], row["after"], limit, limit.found(row)) for row in rows for limit in limits
    ]
    return pl.DataFrame(
        {
            "before": [before for before, *_ in found],
            "after": [after for _, after, *_ in found],
            "limit": [limit.name for *_, limit, _ in found],
            "allowed": [limit.allowed for *_, limit, _ in found],
            "found": [float(value) for *_, value in found],
            "holds": [value <= limit.allowed for *_, limit, value in found],
        }
    )


def check(report: Report) -> None:
    """Raise if some limit does not hold; return if all do or there is none."""
    if "gate" not in report.tables:
        return
    broken = report.table("gate").filter(~pl.col("holds")).to_dicts()
    if broken:
        lines = [_said(row) for row in broken]
        raise GateError(
            "\n       ".join(lines),
            where="gate",
            remedy="see what broke: --items --kind 'new error'",
        )


def _said(row: dict[str, object]) -> str:
    found, allowed = float(str(row["found"])), float(str(row["allowed"]))
    over = f"{row['limit']} is {allowed:g}, found {found:g}, {found - allowed:g} too much"
    return f"{row['before']} → {row['after']}: {over}"


def _limit(part: str) -> Limit:
    name, _, value = part.partition("=")
    if name not in LIMITS:
        raise unknown("limit", name, LIMITS, where="--gate")
    share = value.endswith("%")
    try:
        number = float(value.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise UsageError(
            f"`{part}` sets no limit",
            where="--gate",
            remedy="for example max_new_errors=20,max_drop=0.5%",
        )
    return Limit(name, number / 100 if share else number, share)
