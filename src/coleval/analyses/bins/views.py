"""Bin × system as a heat map: the share of the bin is the background, the hardest bin is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from coleval.analyses.bins.spec import TABLES
from coleval.analyses.ordering import given_views
from coleval.declare.conditions import HIT, OF_BIN
from coleval.declare.figures import Figure
from coleval.declare.tables import ByKind, count, percent, text
from coleval.render.fitting import fits
from coleval.render.listing import marks, ratio
from coleval.render.sheet import DASH, Cell, Head, Sheet, View
from coleval.render.visible import visible
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    for at, (low, high) in enumerate(columns):
        if low == high:
            tps = {system: part[at] for system, part in zip(solved, parts, strict=True)}
            cells[at] = _leading(cells[at], low, tps)
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


def _leading(cells: Sequence[Cell], bin_: int, tps: Mapping[str, int]) -> list[Cell]:
    """Return the cells of one bin with the items that they count."""
    table = next(table for table in TABLES if table.name == NAME)
    rows = ({"bin": bin_, "system": system, "tp": tp} for system, tp in tps.items())
    return [
        replace(cell, counts=table.counted("tp", row))
        for cell, row in zip(cells, rows, strict=True)
    ]


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


_BIN = count("bin", "systems that solve an item (0: hardest)")
_SYSTEMS = Figure(
    "bars", "items that each system solves", text("system"), percent("recall", "solved"),
    also=(count("tp", "items"), count("singular", "solved by no other")), counts=HIT,
)  # fmt: skip
SPURIOUS = (
    Figure(
        "bars",
        "spurious items by the number of systems that predict them",
        count("bin", "systems that predict an item"),
        count("items"),
        upright=True,
        counts="spurious = {bin}",
    ),
)
BINS = (
    Figure(
        "stacked bars",
        "items by the number of systems that solve them",
        _BIN,
        count("items"),
        text("part", ""),
        also=(percent("of_bin", "of the bin"), count("whole", "items of the bin"),
              percent("share", "of all items, the bin has")),
        upright=True,
        shaped_by="coleval.analyses.bins.views:split",
        overview="difficulty",
        colours=(2, 5),
        counts=ByKind("side", {
            "all": OF_BIN,
            "solved": f"{OF_BIN} and \"outcome_{{best}}\" = 'correct'",
            "others": f"{OF_BIN} and \"outcome_{{best}}\" <> 'correct'",
        }),
    ),
)  # fmt: skip
BY = (
    Figure(
        "stacked bars",
        "items by the number of systems that solve them, group by group",
        _BIN,
        count("items"),
        text("by", "group"),
        also=(percent("share", "of its group"),),
        upright=True,
    ),
)
TPS = (
    Figure(
        "heat map",
        "items of each difficulty bin that each system solves (0: hardest)",
        text("system"),
        percent("share", "solved"),
        count("bin"),
        also=(count("tp", "items"),),
        shaped_by="coleval.analyses.bins.views:shares",
        counts=f"{OF_BIN} and {HIT}",
    ),
)
SYSTEMS = (_SYSTEMS,)
PAIRS = (
    Figure(
        "bars",
        "{before} → {after}: items solved more or less, by difficulty bin (0: hardest)",
        count("bin", "bin"),
        count("delta", "items more"),
        also=(count("items"),),
        apart=("before", "after"),
        most=3,
    ),
)


def split(report: Report) -> pl.DataFrame:
    """Return the items of each bin in two parts, in one where there is a single system."""
    bins = _readable(report, report.table("bins"), "items", "share")
    bins = bins.with_columns(whole="items", part=pl.lit(None, pl.String))
    best = _most_solved(report)
    if best is None:
        return bins.with_columns(of_bin=pl.lit(None, pl.Float64), side=pl.lit("all"))
    own = _readable(report, report.table("tps").filter(pl.col("system") == best), "tp")
    own = own.select("bin", "tp")
    joined = bins.join(own, on="bin", how="left", maintain_order="left")
    right = joined.with_columns(
        items=pl.col("tp").fill_null(0),
        part=pl.lit(f"solved by {best} (most)"),
        side=pl.lit("solved"),
        best=pl.lit(best),
    )
    wrong = joined.with_columns(items=pl.col("whole") - pl.col("tp").fill_null(0),
                                part=pl.lit("not solved by it"), side=pl.lit("others"),
                                best=pl.lit(best))  # fmt: skip
    share = ratio_expr(pl.col("items"), pl.col("whole"), None)
    return pl.concat([right, wrong]).with_columns(of_bin=share).drop("tp")


def _readable(report: Report, frame: pl.DataFrame, *sums: str) -> pl.DataFrame:
    return frame if report.shown is None else in_ranges(frame, "bin", *sums)


def shares(report: Report) -> pl.DataFrame:
    """Return what each system solves of each bin, or of each range of the bins of a crowd."""
    solved = report.table("tps")
    if report.shown is None:
        return solved
    sized = solved.join(report.table("bins").select("bin", "items"), on="bin",
                        maintain_order="left")  # fmt: skip
    few = in_ranges(sized, "bin", "tp", "items", by=("system",))
    return few.with_columns(share=ratio_expr(pl.col("tp"), pl.col("items"), None))


def _most_solved(report: Report) -> str | None:
    """Return the system that solves most items; none if there is but one, or no counts."""
    if "tps" not in report.tables:
        return None
    sums = report.table("tps").group_by("system", maintain_order=True).agg(pl.col("tp").sum())
    if sums.height < 2:
        return None
    return str(sums.sort("tp", descending=True, maintain_order=True)["system"][0])


def systems(report: Report, width: int) -> tuple[View, ...]:
    """Return the table ``systems`` with the rank of each."""
    return given_views(TABLES, "systems", report, width)


Range = tuple[int, int]

# More bins than can be read are folded into so many ranges, however wide the paper.
FOLDED = 30
NARROWEST = 3
FEWEST = 5


def fitted_ranges(
    last: int, width: int, draw: Callable[[Sequence[Range]], Sheet], *, crowd: bool = False
) -> Sheet:
    """Return the drawing with as many columns as ``width`` takes, of a crowd as can be read."""
    most = min(last + 1, max(FEWEST, width // NARROWEST))
    drawn: list[Range] = []
    for columns in range(min(most, FOLDED) if crowd else most, FEWEST, -1):
        chosen = ranges(last, columns)
        if chosen == drawn:
            continue
        sheet, drawn = draw(chosen), chosen
        if fits(sheet, width):
            return sheet
    return draw(ranges(last, FEWEST))


def ranges(last: int, columns: int) -> list[Range]:
    """Return the first and the last bin of at most ``columns`` columns, from 0 to ``last``."""
    if last + 1 <= columns or last < FEWEST:
        return [(k, k) for k in range(last + 1)]
    middle = last - 2
    size = -(-middle // max(1, columns - 3))
    inner = [(low, min(low + size, last) - 1) for low in range(2, last, size)]
    return [(0, 0), (1, 1), *inner, (last, last)]


def readable(last: int) -> list[Range]:
    """Return the bins of a crowd, in so many ranges as can be read."""
    return ranges(last, FOLDED)


def in_ranges(frame: pl.DataFrame, name: str, *sums: str, by: Sequence[str] = ()) -> pl.DataFrame:
    """Return rows on bins, summed over ranges of them if these are fewer.

    The column of bins becomes one of names; other columns than ``sums`` and ``by`` go.
    """
    import polars as pl

    columns = readable(int(cast("int", frame[name].max() or 0)))
    at = np.searchsorted([low for low, _ in columns], frame[name].to_numpy(), side="right") - 1
    called = pl.Series(map(title, columns), dtype=pl.String).gather(at).alias(name)
    return (
        frame.with_columns(called)
        .group_by(name, *by, maintain_order=True)
        .agg(pl.col(column).sum() for column in sums)
    )


def title(column: Range) -> str:
    """Return what stands above a column: ``7`` or ``2–6``."""
    low, high = column
    return str(low) if low == high else f"{low}–{high}"


def folded(counts: Mapping[int, int], columns: Sequence[Range]) -> list[int]:
    """Return the sums of counts by bin over each column."""
    known = Counter(counts)
    return [sum(known[k] for k in range(low, high + 1)) for low, high in columns]


def note(columns: Sequence[Range], table: str) -> tuple[str, ...]:
    """Return the sentence that says bins are summed, none where each stands alone."""
    if all(low == high for low, high in columns):
        return ()
    return (f"bins are merged into ranges to fit the width; single bins: --as csv --table {table}",)
