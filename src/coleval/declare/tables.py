"""How a table is read: what its columns mean, in which order, and how rows become a wide table.

Every renderer goes by it: console, HTML, LaTeX and Markdown draw the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

# A "bar" is as long as its number is of the greatest; "before" and "after" are the words around an
# item, of which a screen shows the nearest.
Kind = Literal[
    "text", "prose", "count", "ratio", "points", "decimal", "digest", "share", "pair", "flag",
    "bar", "before", "after",
]  # fmt: skip
Better = Literal["high", "low", ""]
# A screen shows so many rows of a list, and so many pairs in depth.
ROWS, IN_DEPTH = 60, 3
_TEXTUAL = ("text", "prose", "digest", "flag", "bar", "before", "after")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; ``whole`` names the column that a share or a pair is a part of.

    ``names`` are values as people read them.
    """

    name: str
    title: str
    kind: Kind = "count"
    better: Better = ""
    whole: str = ""
    names: Mapping[str, str] | None = None

    @property
    def textual(self) -> bool:
        """Whether the values stand on the left, as words do."""
        return self.kind in _TEXTUAL


def text(name: str, title: str | None = None, names: Mapping[str, str] | None = None) -> Column:
    """Return a column of words; its title is its name unless it has one."""
    return Column(name, name.replace("_", " ") if title is None else title, "text", names=names)


def count(name: str, title: str | None = None) -> Column:
    """Return a column of whole numbers; its title is its name unless it has one."""
    return Column(name, name.replace("_", " ") if title is None else title)


def percent(name: str, title: str, better: Better = "") -> Column:
    """Return a column of shares of 1, shown in percent."""
    return Column(name, title if "%" in title else f"{title} %".lstrip(), "ratio", better)


def points(name: str, title: str = "points") -> Column:
    """Return a column of differences of shares, shown in points with their sign."""
    return Column(name, title, "points")


def differing(name: str, title: str) -> Column:
    """Return a column of sizes of differences of shares, shown in points without a sign."""
    return Column(name, title, "ratio")


def decimal(name: str, title: str) -> Column:
    """Return a column of numbers with four decimals."""
    return Column(name, title, "decimal")


def bar(name: str) -> Column:
    """Return bars as long as the numbers of a column, beside which it stands."""
    return Column(name, "", "bar")


@dataclass(frozen=True, slots=True)
class Wide:
    """How a long table becomes the wide one that people print: labels × systems, bins × systems.

    ``down`` names the rows, ``across`` the columns, ``cell`` what stands where they meet; a count
    ``below`` each head sorts them if ``sorted``. Cells are ``shaded`` by how high they are; the
    best ``among`` those of a column is marked if ``cell`` says which end is. What does not fit is
    counted as ``crowd``. Of many columns and few rows, a ``turned`` table makes rows. Names at
    the head of columns may be ``headed`` by a unit, ``broken`` into lines at a letter, and have
    other than the usual number of ``cells``.
    """

    down: str
    across: str
    cell: Column
    below: str = ""
    sorted: bool = False
    shaded: bool = False
    turned: bool = False
    among: str = ""
    crowd: str = ""
    headed: str = ""
    broken: str = ""
    cells: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table of an analysis as people read it.

    It is for frames in which the column ``where`` holds something, and in which the column
    ``lone`` has one value. A list has ``columns`` in this order (all by default; those ``varying``
    only if they do), at most ``limit`` rows on a screen. They are numbered if they are
    ``ranked_by`` a column, sorted if one is ``falling``, left out if a count is not ``filled``.
    There is a list for each value of the columns ``apart``, which the title may name, but none
    where these are more than ``most``. A table is shown from ``least`` rows on.
    Others are ``wide``, or have a ``chart``: ``package.module:function``. Tables ``inside``
    another one are listed only when they are named. ``raw`` ones are shown as they are.
    """

    name: str
    title: str = ""
    columns: tuple[Column, ...] = ()
    where: str = ""
    lone: str = ""
    ranked_by: str = ""
    falling: str = ""
    filled: str = ""
    varying: tuple[str, ...] = ()
    limit: int | None = ROWS
    apart: tuple[str, ...] = ()
    most: int | None = None
    least: int = 0
    raw: bool = False
    inside: bool = False
    wide: Wide | None = None
    chart: str = ""
    notes: tuple[str, ...] = ()

    @property
    def picture(self) -> Callable[..., Any] | None:
        """Return the function that draws the table, imported now; none for a list."""
        return resolve_name(self.chart) if self.chart else None

    def suits(self, frame: pl.DataFrame) -> bool:
        """Return whether this is how to read ``frame``."""
        if self.lone and frame[self.lone].n_unique() > 1:
            return False
        if not self.where:
            return True
        return self.where in frame.columns and frame[self.where].null_count() < frame.height
