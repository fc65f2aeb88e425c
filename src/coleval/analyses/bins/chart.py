"""Bin × system as a heat map: the share of the bin is the background, the hardest bin is left."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.bins.ranges import Range, fitted_ranges, folded, note, title
from coleval.render.listing import marks, ratio
from coleval.render.sheet import DASH, Cell, Head, Sheet, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

NAME = "tps"
ByBin = dict[int, int]


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a system, a column a bin or a range of bins, and what is solved in all."""
    items: ByBin = dict(report.table("bins").select("bin", "items").iter_rows())
    last = max(items, default=0)
    crowd = report.shown is not None
    return (fitted_ranges(last, width, partial(_drawn, report, items), crowd=crowd),)


def _drawn(report: Report, items: Mapping[int, int], columns: Sequence[Range]) -> Sheet:
    solved = _solved(report)
    sizes = folded(items, columns)
    parts = [folded(solved[system], columns) for system in solved]
    percent = "percent" in report.look
    cells = [
        _cells([row[at] for row in parts], size, percent=percent) for at, size in enumerate(sizes)
    ]
    heads = [
        Head(f"{title(column)}\n{size:,}", marked=any(cell.mark for cell in below))
        for column, size, below in zip(columns, sizes, cells, strict=True)
    ]
    recall = _recalls(report, list(solved))
    what = "% solved per difficulty bin" if percent else "items solved per difficulty bin"
    return Sheet(
        NAME,
        f"{what} (hardest left; bin size below)",
        (Head("system", right=False, elastic=True), *heads, Head("R %", marked=True)),
        tuple(zip([Cell(visible(system)) for system in solved], *cells, recall, strict=True)),
        (_explained(report, max(items, default=0)), *note(columns, NAME)),
        among="of its bin",
    )


def _solved(report: Report) -> dict[str, ByBin]:
    solved: dict[str, ByBin] = defaultdict(dict)
    for bin_, system, tp in report.table(NAME).select("bin", "system", "tp").iter_rows():
        solved[system][bin_] = tp
    return solved


def _cells(solved: Sequence[int], size: int, *, percent: bool) -> list[Cell]:
    """Return the cells of one bin over all systems; an empty bin is undefined, zeros are dots."""
    if not size:
        return [Cell(DASH, dim=True) for _ in solved]
    signs = marks(solved, "high")
    return [
        Cell(_text(n, size, percent=percent), sign if n else "", n / size if n else None, dim=not n)
        for n, sign in zip(solved, signs, strict=True)
    ]


def _text(n: int, size: int, *, percent: bool) -> str:
    if not n:
        return "·"
    return str(rounded(n, size)) if percent else f"{n:,}"


def rounded(part: int, whole: int) -> int:
    """Return a share in whole percent, half to even as the paper has it, from exact counts."""
    percent, rest = divmod(100 * part, whole)
    return percent + (2 * rest > whole or (2 * rest == whole and percent % 2 == 1))


def _recalls(report: Report, systems: Sequence[str]) -> list[Cell]:
    known = dict(report.table("systems").select("system", "recall").iter_rows())
    values = [known[system] for system in systems]
    return [
        Cell(ratio(value), sign) for value, sign in zip(values, marks(values, "high"), strict=True)
    ]


def _explained(report: Report, last: int) -> str:
    """Return what the bins count; a system without a share of bin 1 is none that they count."""
    of_bins = report.table("systems")["singular"]
    number = len(of_bins) if report.shown is None else report.shown.of
    others = of_bins.null_count() > 0 or number != last
    systems = "the system" if last == 1 else f"the {last:,} systems"
    named = " named by --bins-from" if others else ""
    return f"bin k: items that k of {systems}{named} solve · R %: recall over all bins"
