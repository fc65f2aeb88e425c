"""What else is told of bins: how full they are, words and traits across them, two systems."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from coleval.analyses.bins.ranges import Range, fitted_ranges, folded, note, title
from coleval.analyses.bins.spec import SPURIOUS
from coleval.render.listing import listing
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

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
    shown = list(counts)[: rows_for(width, ROWS)]

    def draw(columns: Sequence[Range]) -> Sheet:
        heads = [Head(title(column)) for column in columns]
        rest = len(counts) - len(shown)
        more = (f"… and {rest:,} more forms: --as csv --table words",) if rest else ()
        return Sheet(
            "words",
            "occurrences of each form by bin, hardest left",
            (Head("form", right=False, elastic=True), *heads, Head("all")),
            tuple((Cell(visible(form)), *_word(counts[form], columns)) for form in shown),
            (*more, *note(columns, "words")),
        )

    return (fitted_ranges(_last(report), width, draw),)


def _word(counts: ByBin, columns: Sequence[Range]) -> list[Cell]:
    values = folded(counts, columns)
    whole = sum(values)
    cells = [Cell(f"{n:,}", shade=n / whole) if n else Cell("·", dim=True) for n in values]
    return [*cells, Cell(f"{whole:,}", dim=True)]


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

    def draw(columns: Sequence[Range]) -> Sheet:
        heads = [Head(title(column)) for column in columns]
        rows = [
            (Cell(visible(_named(name))), *_means(name, totals[name], counts[name], columns))
            for name in list(totals)[: rows_for(width, ROWS)]
        ]
        return Sheet(
            "profile",
            "properties of the items of each bin, hardest left",
            (Head("property", right=False, elastic=True), *heads, Head("all")),
            tuple(rows),
            note(columns, "profile"),
        )

    return (fitted_ranges(_last(report), width, draw),)


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


def _last(report: Report) -> int:
    return max(report.table("bins")["bin"].to_list(), default=0)
