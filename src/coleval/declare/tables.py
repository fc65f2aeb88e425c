"""How a table is read: what its columns mean, in which order, and how rows become a wide table.

Every renderer goes by it: console, HTML, LaTeX and Markdown draw the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.render.sheet import View

Kind = Literal[
    "text", "prose", "count", "ratio", "points", "decimal", "digest", "share", "pair", "flag"
]
Better = Literal["high", "low", ""]
# A screen shows so many rows of a list, and so many pairs in depth.
ROWS, IN_DEPTH = 60, 3


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; ``whole`` names the column that a share or a pair is a part of."""

    name: str
    title: str
    kind: Kind = "count"
    better: Better = ""
    whole: str = ""

    @property
    def textual(self) -> bool:
        """Whether the values stand on the left, as words do."""
        return self.kind in ("text", "prose", "digest", "flag")


def text(name: str, title: str = "") -> Column:
    """Return a column of words; its title is its name unless it has one."""
    return Column(name, title or name.replace("_", " "), "text")


def count(name: str, title: str = "") -> Column:
    """Return a column of whole numbers; its title is its name unless it has one."""
    return Column(name, title or name.replace("_", " "))


def percent(name: str, title: str, better: Better = "") -> Column:
    """Return a column of shares of 1, shown in percent."""
    return Column(name, f"{title} %", "ratio", better)


def points(name: str, title: str = "points") -> Column:
    """Return a column of differences of shares, shown in points with their sign."""
    return Column(name, title, "points")


@dataclass(frozen=True, slots=True)
class Wide:
    """How a long table becomes the wide one that people print: labels × systems, bins × systems.

    ``down`` names the rows, ``across`` the columns, ``cell`` what stands where they meet. A column
    ``below`` each head is a count of its own. Cells are ``shaded`` by how high they are; the best
    of each column is marked if ``better`` says which end is. There is a sheet for each value of
    ``apart``. What does not fit is counted as ``crowd``.
    """

    down: str
    across: str
    cell: Column
    below: str = ""
    apart: tuple[str, ...] = ()
    shaded: bool = False
    among: str = ""
    crowd: str = ""
    head_cells: int = 16


@dataclass(frozen=True, slots=True)
class Table:
    """One table of an analysis as people read it.

    It is for frames in which the column ``where`` holds something. A list has ``columns`` in this
    order (all by default), best rows first if they are ``ranked_by`` a column, at most ``limit``
    on a screen, one for each value of ``apart`` and then for at most ``most`` of them. Others are
    ``wide``, or have a ``chart``: ``package.module:function``. ``inside`` tables are shown within
    another one, and by themselves only when they are named.
    """

    name: str
    title: str = ""
    columns: tuple[Column, ...] = ()
    where: str = ""
    ranked_by: str = ""
    limit: int | None = ROWS
    apart: tuple[str, ...] = ()
    most: int | None = None
    raw: bool = False
    inside: bool = False
    wide: Wide | None = None
    chart: str = ""
    notes: tuple[str, ...] = ()

    @property
    def picture(self) -> Callable[[Report, int], tuple[View, ...]] | None:
        """Return the function that draws the table, imported now; none for a list."""
        return resolve_name(self.chart) if self.chart else None

    def suits(self, frame: pl.DataFrame) -> bool:
        """Return whether this is how to read ``frame``."""
        if not self.where:
            return True
        return self.where in frame.columns and frame[self.where].null_count() < frame.height
