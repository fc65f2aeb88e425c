"""How a table is drawn: what stands on which axis, what has a colour, what a tooltip says.

A figure is declared beside the columns of its table and drawn by ``render/charts.py`` for SVG and
HTML, from the same rows and with the same words for numbers as the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from coleval.declare.tables import end_of

if TYPE_CHECKING:
    import polars as pl

    from coleval.declare.tables import ByKind, Column

# Bars of names lie, those of ordered values are ``upright``; "dots" may have whiskers; "ranges"
# reach from one number to another; "points" stand where two numbers meet, "curves" join them.
FigureKind = Literal[
    "bars", "stacked bars", "dots", "ranges", "lines", "curves", "points", "heat map"
]
# A page shows so many figures of a table, one for each value of the columns apart.
FIGURES = 12


@dataclass(eq=False, repr=False)
class Figure:
    """One figure of a table, for frames that have all of its columns.

    ``where`` names a column that must hold something, ``unless`` one that must not.
    ``name`` is a row, a bar, a place on an axis or a point; ``value`` the number drawn, against
    another one, ``x``, for points and curves. ``series`` have a colour each, and are the columns of
    a heat map. ``low`` and ``high`` name the ends of intervals; ``also`` are more numbers for the
    tooltip. There is a figure for each value of the columns ``apart``, which the ``title`` may
    name; no more than ``most`` of them. Rows may be sorted, the highest of a column ``falling``
    first; of very many names the first ``top`` are drawn. A heat map of pairs is ``mirrored``: b
    against a follows from a against b; a ``square`` one has the same names down and across. Its
    cells are pale where the column ``sure`` is false, and dots hollow; they have two hues, apart at
    0, if they are ``signed`` or differences in points. Rows with one value of the column ``band``
    stand on one ground. The figure that fills a place of an ``overview`` is at the head of a page;
    a later table's goes before an earlier one's. Stretches of bars have ``colours`` by number where
    the usual ones say nothing. What is ``aside`` is not in a report.
    Which items a mark ``counts`` is said as for columns of tables.
    Its rows are those that the table shows, or as it is stored if ``raw``, or those of
    ``shaped_by``, the ``module:function`` from a report. An ``axis`` may have a title of its own,
    which may name columns too.
    """

    kind: FigureKind
    title: str
    name: Column
    value: Column
    series: Column | None = None
    x: Column | None = None
    low: str = ""
    high: str = ""
    also: tuple[Column, ...] = ()
    apart: tuple[str, ...] = ()
    top: int | None = None
    upright: bool = False
    mirrored: bool = False
    square: bool = False
    sure: str = ""
    signed: bool = False
    shaped_by: str = ""
    raw: bool = False
    where: str = ""
    unless: str = ""
    falling: str = ""
    most: int = FIGURES
    axis: str = ""
    notes: tuple[str, ...] = ()
    band: str = ""
    overview: str = ""
    colours: tuple[int, ...] = ()
    aside: bool = False
    counts: str | ByKind = ""

    def in_unit(self, frame: pl.DataFrame) -> Figure:
        """Return the figure of a frame whose scores are plain numbers, if they are."""
        if not end_of(frame):
            return self
        also = tuple(column.in_unit(frame) for column in self.also)
        axis = self.axis.removesuffix(" %")
        return replace(self, value=self.value.in_unit(frame), also=also, axis=axis)

    def suits(self, frame: pl.DataFrame) -> bool:
        """Return whether ``frame`` has the columns, and a number to draw."""
        drawn = (self.name, self.value, self.series, self.x)
        named = [column.name for column in drawn if column is not None]
        needed = {*named, *filter(None, (self.sure, self.where, self.falling))}
        if not needed <= set(frame.columns) or (self.unless and _holds(frame, self.unless)):
            return False
        return _holds(frame, self.value.name) and _holds(frame, self.where or self.value.name)


def _holds(frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and frame[name].null_count() < frame.height
