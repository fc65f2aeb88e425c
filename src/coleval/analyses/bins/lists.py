"""The tables of bins that are no lists: words and properties across bins, spurious items."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.bins.ranges import Range, fitted_ranges, folded, in_ranges, note, readable
from coleval.analyses.bins.ranges import title as range_title
from coleval.analyses.bins.spec import DIFFICULTY, SPURIOUS
from coleval.declare.tables import text
from coleval.render.listing import listing
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.report import Report

    Draw = Callable[[Sequence[Range]], list[Cell]]

ROWS = 60
ALL = -1
TENTH = 0.1
MEANS = ("characters", "tokens", "sentence_length", "position")

ByBin = dict[int, int]
Sums = dict[str, dict[int, float]]


def words(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a form, a column a bin or a range of bins; the background is its share."""
    counts: dict[str, ByBin] = defaultdict(dict)
    for form, bin_, n in report.table("words").select("form", "bin", "n").iter_rows():
        counts[form][bin_] = n
    rows = {form: partial(_word, counts[form]) for form in counts}
    return _by_bin(report, "words", "form", "occurrences of each form by bin", rows, width)


def _by_bin(
    report: Report, name: str, what: str, title: str, rows: Mapping[str, Draw], width: int
) -> tuple[View, ...]:
    """Return a row for each of some names, a column a bin or a range of bins, and all bins."""
    last = max(report.table("bins")["bin"].to_list(), default=0)
    shown = list(rows)[: rows_for(width, ROWS)]
    rest = len(rows) - len(shown)
    more = (f"… and {rest:,} more: --as csv --table {name}",) if rest else ()

    def draw(columns: Sequence[Range]) -> Sheet:
        heads = (Head(range_title(column)) for column in columns)
        return Sheet(
            name,
            f"{title}, hardest left",
            (Head(what, right=False, elastic=True), *heads, Head("all")),
            tuple((Cell(visible(row)), *rows[row](columns)) for row in shown),
            (*more, *note(columns, name)),
        )

    return (fitted_ranges(last, width, draw, crowd=report.shown is not None),)


def _word(counts: ByBin, columns: Sequence[Range]) -> list[Cell]:
    values = folded(counts, columns)
    whole = sum(values)
    cells = [Cell(f"{n:,}", shade=n / whole) if n else Cell("·", dim=True) for n in values]
    return [*cells, Cell(f"{whole:,}", dim=True)]


def bins(report: Report, width: int) -> tuple[View, ...]:
    """Return ranges of bins where these are too many to be read; else nothing, for a list does."""
    if report.shown is None:
        return ()
    frame = report.table("bins")
    few = in_ranges(frame, "bin", "items", "share")
    columns = (text("bin"), *DIFFICULTY.columns[1:])
    sheet = listing(few, name="bins", title=DIFFICULTY.title, columns=columns, width=width)
    merged = note(readable(frame.height - 1), "bins")
    return (replace(sheet, notes=merged, fixed=True),)


def spurious(report: Report, width: int) -> tuple[View, ...]:
    """Return how many spurious items how many systems share; bin 0 is named where there is one."""
    frame = report.table(SPURIOUS.name)
    title = f"{SPURIOUS.title}{' (0: true negatives)' if 0 in frame['bin'] else ''}"
    columns, limit = SPURIOUS.columns, rows_for(width, ROWS)
    return (listing(frame, name=SPURIOUS.name, title=title, columns=columns, limit=limit),)


def profile(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a property, a column a bin or a range of bins, and all bins together."""
    totals: Sums = defaultdict(dict)
    counts: dict[str, ByBin] = defaultdict(dict)
    for bin_, name, value, n in report.table("profile").iter_rows():
        totals[name][ALL if bin_ is None else bin_] = (value or 0.0) * n
        counts[name][ALL if bin_ is None else bin_] = n
    rows = {_named(name): partial(_means, name, totals[name], counts[name]) for name in totals}
    title = "properties of the items of each bin"
    return _by_bin(report, "profile", "property", title, rows, width)


def _named(name: str) -> str:
    if name in MEANS:
        return f"{name.replace('_', ' ')}, mean"
    return f"{name.replace('_', ' ') if not name.startswith('label=') else name} %"


def _means(
    name: str, totals: Mapping[int, float], counts: Mapping[int, int], columns: Sequence[Range]
) -> list[Cell]:
    """Return the mean over each column and over all bins, dark where it is high for its row.

    A row in which bins hardly differ, by ten points or a tenth, stays pale.
    """
    *values, every = (_mean(totals, counts, column) for column in [*columns, (ALL, ALL)])
    known = [value for value in values if value is not None] or [0.0]
    least = min(known)
    spread = max(max(known) - least, TENTH * max(known) if name in MEANS else TENTH)
    cells = [
        Cell(
            _value(name, v), shade=None if v is None else (v - least) / (spread or 1), dim=v is None
        )
        for v in values
    ]
    return [*cells, Cell(_value(name, every), dim=True)]


def _mean(totals: Mapping[int, float], counts: Mapping[int, int], column: Range) -> float | None:
    bins = range(column[0], column[1] + 1)
    n = sum(counts.get(k, 0) for k in bins)
    return ratio_of(sum(totals.get(k, 0.0) for k in bins), n)


def _value(name: str, value: float | None) -> str:
    if value is None:
        return DASH
    return f"{value:.1f}" if name in MEANS else f"{100 * value:.0f}"
