"""From the rows of a table and the declaration of a figure to what is drawn: marks with words.

No coordinates here; words for numbers are those of the tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from coleval.declare.tables import counted_by
from coleval.render.listing import written
from coleval.render.sheet import DASH
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from coleval.declare.figures import Figure
    from coleval.declare.tables import Column, CountedItems

# Colours that can be told apart; of more series, bars put the smallest together.
COLOURS = 8
_REST = "all others"
# Rows that can be read; what is ordered on an axis is drawn whole.
_MOST = 100
# Pairs of more names than this are drawn in one direction only.
_MIRRORED = 20
_ORDERED = ("lines", "curves", "points")
# Pixels: a chart is so wide unless it has very many columns, or stands beside another one.
WIDTH = 760.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One number that is drawn: which name, which series, its words, and what a tooltip says.

    A page has the condition ``where`` items are that it ``counts``.
    """

    name: str
    series: str
    value: float | None
    words: str
    tip: str
    x: float | None = None
    low: float | None = None
    high: float | None = None
    sure: bool = True
    band: str = ""
    counts: CountedItems | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure with its numbers; ``notes`` say what is not drawn, ``width`` is in pixels.

    A ``brief`` one is for pages: very many numbers are written once for all of its cells;
    a ``scripted`` one is for pages whose script writes them where they stand.
    """

    figure: Figure
    title: str
    names: tuple[str, ...]
    series: tuple[str, ...]
    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()
    width: float = WIDTH
    brief: bool = False
    scripted: bool = False

    def numbers(self) -> list[float]:
        """Return all that the axis of values has to reach."""
        every = ((mark.value, mark.low, mark.high) for mark in self.marks)
        return [value for values in every for value in values if value is not None]

    @property
    def axis(self) -> str:
        """Return the title of the axis of values."""
        return self.figure.axis or heading(self.figure.value)

    @property
    def fills(self) -> list[str]:
        """Return the class of the stretches of each series."""
        own = self.figure.colours or range(COLOURS)
        return [f"f{own[k % len(own)]}" for k in range(len(self.series))]

    @property
    def strokes(self) -> list[str]:
        """Return the class of the lines and dots of each series."""
        return [f"s{k % COLOURS}" for k in range(len(self.series))]

    def of(self, name: str) -> list[Mark]:
        """Return the marks of a name."""
        return [mark for mark in self.marks if mark.name == name]

    def joined(self, series: str) -> list[Mark]:
        """Return the marks of a series."""
        return [mark for mark in self.marks if mark.series == series]


def plotted(figure: Figure, frame: pl.DataFrame, title: str) -> Plot:
    """Return what a figure draws of ``frame``."""
    rows = frame.to_dicts()
    marks = [_mark(figure, row) for row in rows]
    if figure.mirrored:
        marks += [_other_way(figure, mark) for mark in marks]
    names = tuple(dict.fromkeys(mark.name for mark in marks))
    series = tuple(dict.fromkeys(mark.series for mark in marks))
    if figure.mirrored or figure.square:
        # What has no label is no place among labels.
        names = series = tuple(sorted(dict.fromkeys((*names, *series)), key=DASH.__eq__))
    if figure.kind == "dots" and any(mark.low is not None for mark in marks):
        title = f"{title}; whiskers: 95 % intervals"
    # What bands mean is said where there are bands.
    notes = figure.notes if not figure.band or any(mark.band for mark in marks) else ()
    plot = _within(Plot(figure, title, names, series, tuple(marks), notes))
    if figure.mirrored and len(plot.names) > _MIRRORED:
        plot = _half(plot)
    return _few(plot) if figure.kind == "stacked bars" else plot


def _half(plot: Plot) -> Plot:
    """Return the pairs of many names once."""
    order = {name: k for k, name in enumerate(plot.names)}
    marks = tuple(m for m in plot.marks if order[m.name] < order[m.series])
    return replace(plot, names=plot.names[:-1], series=plot.series[1:], marks=marks)


def _within(plot: Plot) -> Plot:
    """Return a plot with no more names than can be read, and a note of how many there are."""
    figure = plot.figure
    if figure.upright or figure.kind in _ORDERED:
        return plot
    names, notes = _first(plot.names, figure.top or _MOST, figure.name)
    series, more = _first(plot.series, len(plot.series), figure.name)
    if figure.series and figure.kind == "heat map":
        most = figure.top if figure.square else None
        series, more = _first(series, most or _MOST, figure.series)
    drawn, across = set(names), set(series)
    marks = tuple(m for m in plot.marks if m.name in drawn and m.series in across)
    notes = (*plot.notes, *notes, *more)
    return replace(plot, names=names, series=series, marks=marks, notes=notes)


def _first(names: tuple[str, ...], most: int, column: Column) -> tuple[tuple[str, ...], ...]:
    """Return no more than so many names, and a note of how many there are."""
    if len(names) <= most:
        return names, ()
    return names[:most], (f"{heading(column)}: the first {most:,} of {len(names):,}",)


def heading(column: Column) -> str:
    """Return the title of a column on one line."""
    return re.sub(r"\s+", " ", column.title).strip() or column.name.replace("_", " ")


def _mark(figure: Figure, row: Mapping[str, Any]) -> Mark:
    name, value = _named(figure.name, row), _finite(row[figure.value.name])
    series = _named(figure.series, row) if figure.series else ""
    low, high = _finite(row.get(figure.low)), _finite(row.get(figure.high))
    words = written(figure.value, row)
    numbers = [figure.x, figure.value] if figure.x else [figure.value]
    also = [column for column in (*numbers, *figure.also) if column and column.name in row]
    lines = [name if figure.kind != "curves" else "", series, *_number_lines(figure, also, row)]
    x = _finite(row[figure.x.name]) if figure.x else None
    sure = bool(row[figure.sure]) if figure.sure else True
    tip = "\n".join(dict.fromkeys(filter(None, lines)))
    band = "" if row.get(figure.band) is None else str(row[figure.band])
    counts = counted_by(figure.counts, row) if value else None
    return Mark(name, series, value, words, tip, x, low, high, sure, band, counts)


def _finite(value: Any) -> Any:
    """Return a number that has a place on an axis, none for NaN and infinity."""
    return value if value is None or isfinite(value) else None


def _named(column: Column, row: Mapping[str, Any]) -> str:
    words = written(column, row)
    return words if words != DASH or row[column.name] is None else visible(str(row[column.name]))


def _number_lines(
    figure: Figure, columns: Sequence[Column], row: Mapping[str, Any]
) -> Iterable[str]:
    """Yield a line for each number, that of the value with its interval."""
    for column in columns:
        low, high = row.get(figure.low), row.get(figure.high)
        own = (
            column is figure.value
            and figure.kind != "ranges"
            and low is not None
            and high is not None
        )
        between = " ({} to {})".format(*_words(figure, low, high)) if own else ""
        yield f"{heading(column)}: {written(column, row)}{between}"


def _words(figure: Figure, *values: Any) -> tuple[str, str]:
    column = figure.value
    low, high = (written(column, {column.name: value}) for value in values)
    return low, high


def _other_way(figure: Figure, mark: Mark) -> Mark:
    """Return what a pair says when it is read from the other side."""
    turned = figure.value.kind == "points"
    value = -mark.value if turned and mark.value is not None else mark.value
    words = written(figure.value, {figure.value.name: value}) if turned else mark.words
    first, second, *rest = mark.tip.split("\n")
    tip = "\n".join([second, first, *(line.replace(mark.words, words) for line in rest[:1])])
    if not turned:
        tip = "\n".join([second, first, *rest])
    return replace(mark, name=mark.series, series=mark.name, value=value, words=words, tip=tip)


def _few(plot: Plot) -> Plot:
    """Return a plot with no more series than colours: the smallest together, empty ones not."""
    sums = dict.fromkeys(plot.series, 0.0)
    for mark in plot.marks:
        sums[mark.series] += mark.value or 0
    plot = replace(plot, series=tuple(series for series in plot.series if sums[series]))
    if len(plot.series) <= COLOURS:
        return plot
    largest = sorted(plot.series, key=lambda series: -sums[series])[: COLOURS - 1]
    marks = [mark for mark in plot.marks if mark.series in largest]
    rest = f"{_REST} ({len(plot.series) - len(largest)})"
    marks += [_together(plot, name, rest, largest) for name in plot.names]
    return replace(
        plot, series=(*(s for s in plot.series if s in largest), rest), marks=tuple(marks)
    )


def _together(plot: Plot, name: str, rest: str, largest: Sequence[str]) -> Mark:
    column = plot.figure.value
    total = sum(m.value or 0 for m in plot.of(name) if m.series not in largest)
    words = written(column, {column.name: total})
    return Mark(name, rest, total, words, f"{name}\n{rest}\n{heading(column)}: {words}")
