"""What else a comparison tells: the smallest difference it could see, groups and their tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.compare.matrix import ROWS, paired_columns
from coleval.render.columns import Column
from coleval.render.listing import listing
from coleval.render.sheet import rows_for

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import View

_POWER = (
    Column("test", "test", "text"),
    Column("unit", "unit", "text"),
    Column("units", "units"),
    Column("tests", "tests"),
    Column("detectable", "detectable\none test", "ratio"),
    Column("detectable_adjusted", "detectable\nall tests", "ratio"),
    Column("units_for_a_point", "units to\ndetect 1 point"),
    Column("note", "note", "text"),
)
_GROUPS = (
    Column("group", "group", "text"),
    Column("n", "n"),
    Column("mean", "mean %", "ratio", "high"),
    Column("sd", "sd\npoints", "ratio"),
    Column("min", "lowest\n%", "ratio"),
    Column("max", "highest\n%", "ratio"),
    Column("note", "note", "text"),
)


def power(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the difference that a typical pair would show four times out of five."""
    title = "smallest difference (in points) detectable with a power of 80 %, for a typical pair"
    frame = report.table("power")
    return (listing(frame, name="power", title=title, columns=_POWER),)


def groups(report: Report, width: int) -> tuple[View, ...]:
    """Return mean and spread of each group."""
    title = "runs of a group, best mean first"
    frame = report.table("groups")
    limit = rows_for(width, ROWS)
    return (listing(frame, name="groups", title=title, columns=_GROUPS, limit=limit),)


def group_pairs(report: Report, width: int) -> tuple[View, ...]:
    """Return the differences of means; p is over units, p of runs over runs."""
    columns = (*paired_columns(), Column("p_runs", "p over\nruns", "decimal"))
    title = "differences of means; p generalises to other test sets, p over runs to other runs"
    frame = report.table("group_pairs")
    limit = rows_for(width, ROWS)
    return (listing(frame, name="group_pairs", title=title, columns=columns, limit=limit),)
