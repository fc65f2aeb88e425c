"""What else is told of bins: how full they are, words and traits across them, two systems."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from coleval.analyses.bins.ranges import Range, fitted_ranges, folded, note, title
from coleval.render.columns import Column, ratio
from coleval.render.listing import listing
from coleval.render.sheet import DASH, PAGE, Cell, Head, Sheet, View, filled, rows_for
from coleval.render.visible import distinct, visible
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from coleval.corpus.report import Report

BAR = 40
ROWS, ITEMS = 60, 25
NEAR = 22
ALL = -1
TENTH = 0.1
MEANS = ("characters", "tokens", "sentence_length", "position")

ByBin = dict[int, int]
Sums = dict[str, dict[int, float]]


def fill(report: Report, width: int) -> tuple[View, ...]:
    """Return the items of each bin with a bar as long as their share."""
    rows = report.table("bins").select("bin", "items", "share").rows()
    longest = max((n for _, n, _ in rows), default=0) or 1
    most = rows_for(width, ROWS)
    bars = ["█" * round(BAR * n / longest) or ("▏" if n else "") for _, n, _ in rows]
    lines = tuple(
        (
            Cell(f"{bin_:,}"),
            Cell(f"{n:,}"),
            Cell(DASH if s is None else ratio(s)),
            Cell(bar, bar=filled(n, longest)),
        )
        for (bin_, n, s), bar in zip(rows[:most], bars[:most], strict=True)
    )
    rest = len(rows) - len(lines)
    more = (f"… and {rest:,} more bins: --as csv",) if rest else ()
    heads = (Head("bin"), Head("items"), Head("%"), Head("", right=False))
    told = "items by the number of systems that solve them (0: hardest)"
    return (Sheet("bins", told, heads, lines, more),)


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


def pairs(report: Report, width: int) -> tuple[View, ...]:
    """Return a list for each pair: what both solve of each bin, and the difference."""
    frame = report.table("pairs")
    names = frame.select("before", "after").unique(maintain_order=True).rows()
    return tuple(_pair(frame, before, after, rows_for(width, ROWS)) for before, after in names)


def _pair(frame: pl.DataFrame, before: str, after: str, limit: int | None) -> Sheet:
    short = distinct((visible(before), visible(after)), 24)
    a, b = short[visible(before)], short[visible(after)]
    columns = (
        Column("bin", "bin"),
        Column("items", "items"),
        Column("tp_before", f"{a}\nTP"),
        Column("tp_after", f"{b}\nTP"),
        Column("delta", "\n±"),
        Column("share_before", "first\n%", "ratio"),
        Column("share_after", "second\n%", "ratio"),
        Column("share_delta", "points\n±", "points"),
    )
    own = frame.filter((frame["before"] == before) & (frame["after"] == after))
    title = f"{visible(before)} → {visible(after)}, by bin"
    return listing(own, name="pairs", title=title, columns=columns, limit=limit)


def spurious(report: Report, width: int) -> tuple[View, ...]:
    """Return how many inventions how many systems share, nothing where every item has gold."""
    frame = report.table("spurious")
    if frame.is_empty():
        return ()
    told = " (0: true negatives)" if 0 in frame["bin"] else ""
    title = f"spurious items by the number of systems that predict them{told}"
    columns = (Column("bin", "systems"), Column("items", "items"))
    limit = rows_for(width, ROWS)
    return (listing(frame, name="spurious", title=title, columns=columns, limit=limit),)


def items(report: Report, width: int) -> tuple[View, ...]:
    """Return the hardest items in their context; the systems' answers are for files."""
    frame = report.table("items") if width >= PAGE else near(report.table("items"))
    columns = tuple(
        Column(name, header, "text" if name not in ("difficulty", "spurious") else "count")
        for name, header in _SHOWN.items()
    )
    sheet = listing(
        frame, name="items", title="hardest first, in context", columns=columns,
        limit=rows_for(width, ITEMS),
    )  # fmt: skip
    return (sheet,)


def near(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with what stands next to the item: far words go before near ones."""
    import polars as pl

    sides = {
        "left": (pl.col("left").str.tail(NEAR), "…{}"),
        "right": (pl.col("right").str.head(NEAR), "{}…"),
    }
    return frame.with_columns(
        pl.when(pl.col(side).str.len_chars() > NEAR + 1)
        .then(pl.format(form, near))
        .otherwise(side)
        .alias(side)
        for side, (near, form) in sides.items()
        if side in frame.columns
    )


_SHOWN = {
    "difficulty": "bin", "spurious": "spurious", "gold": "gold", "id": "id", "label": "label",
    "left": "left", "form": "form", "right": "right",
}  # fmt: skip


def _last(report: Report) -> int:
    return max(report.table("bins")["bin"].to_list(), default=0)
