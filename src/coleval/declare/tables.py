"""How a table is read: what its columns mean, in which order, and how rows become a wide table.

Every renderer goes by it: console, HTML, LaTeX and Markdown draw the same thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from coleval.declare.figures import Figure

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


@dataclass(eq=False, repr=False)
class Column:
    """A column of a table; ``whole`` names the column that a share or a pair is a part of.

    ``names`` are values as people read them; numbers may have fewer ``digits`` than usual. What is
    ``scored`` is in the unit of a metric: in percent, or where a table has the column ``better``,
    a number as it is.
    """

    name: str
    title: str
    kind: Kind = "count"
    better: Better = ""
    whole: str = ""
    names: Mapping[str, str] | None = None
    digits: int | None = None
    scored: bool = False

    def in_unit(self, frame: pl.DataFrame) -> Column:
        """Return how the column is read in a frame, in the unit of what it is a score of."""
        end = end_of(frame)
        if not (self.scored and end):
            return self
        # What is better when high in shares is so where high numbers are better.
        better = end if self.better == "high" else ""
        return replace(self, kind="decimal", title=_without_percent(self.title), better=better)

    @property
    def textual(self) -> bool:
        """Whether the values stand on the left, as words do."""
        return self.kind in _TEXTUAL


# The column that frames have whose scores are plain numbers: which end is better.
BETTER = "better"


def end_of(frame: pl.DataFrame) -> Literal["high", "low", ""]:
    """Return which end is better of the plain numbers of a frame, nothing where it has shares."""
    known = frame[BETTER].drop_nulls().to_list() if BETTER in frame.columns else []
    return "" if not known else "low" if known[0] == "low" else "high"


def _without_percent(title: str) -> str:
    """Return a title without the units of shares."""
    plain = re.sub(r"(?<![\d ])\s*%|\npoints$| \(in points\)", "", title)
    return plain.replace("points", "difference")


def text(name: str, title: str | None = None, names: Mapping[str, str] | None = None) -> Column:
    """Return a column of words; its title is its name unless it has one."""
    return Column(name, name.replace("_", " ") if title is None else title, "text", names=names)


def count(name: str, title: str | None = None) -> Column:
    """Return a column of whole numbers; its title is its name unless it has one."""
    return Column(name, name.replace("_", " ") if title is None else title)


def percent(
    name: str, title: str, better: Better = "", digits: int | None = None, *, scored: bool = False
) -> Column:
    """Return a column of shares of 1, shown in percent."""
    named = title if "%" in title else f"{title} %".lstrip()
    return Column(name, named, "ratio", better, digits=digits, scored=scored)


def points(name: str, title: str = "points") -> Column:
    """Return a column of differences of shares, shown in points with their sign."""
    return Column(name, title, "points", scored=True)


def differing(name: str, title: str) -> Column:
    """Return a column of sizes of differences of shares, shown in points without a sign."""
    return Column(name, title, "ratio", scored=True)


def decimal(name: str, title: str, digits: int | None = None) -> Column:
    """Return a column of numbers, with four decimals unless it says how many."""
    return Column(name, title, "decimal", digits=digits)


def bar(name: str) -> Column:
    """Return bars as long as the numbers of a column, beside which it stands."""
    return Column(name, "", "bar")


@dataclass(eq=False, repr=False)
class WideForm:
    """How a long table becomes the wide one that people print: labels × systems, bins × systems.

    ``down`` names the rows, ``across`` the columns, ``cell`` what stands where they meet; a count
    ``below`` each head sorts them if ``sorted``; a ``total`` beside the name of a row sums a count
    over it. Cells are ``shaded`` by how high they are; the best ``among`` those of a column is
    marked if ``cell`` says which end is. What does not fit is counted as ``crowd``. Of many
    columns and few rows, a ``turned`` table makes rows. Names at the head of columns may be
    ``headed`` by a unit, ``broken`` into lines at a letter, and have other than the usual number
    of ``cells``.
    """

    down: str
    across: str
    cell: Column
    below: str = ""
    total: Column | None = None
    sorted: bool = False
    shaded: bool = False
    turned: bool = False
    among: str = ""
    crowd: str = ""
    headed: str = ""
    broken: str = ""
    cells: int | None = None


@dataclass(frozen=True, slots=True)
class ByKind:
    """What a number counts where that depends on the value of another ``column`` of its row."""

    column: str
    conditions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CountedItems:
    """The items that a number counts: an SQL condition, and the row that fills its braces."""

    condition: str
    row: Mapping[str, object]


def counted_by(declared: str | ByKind, row: Mapping[str, object]) -> CountedItems | None:
    """Return which items a row counts; None where nothing is declared, or the row lacks a name."""
    if isinstance(declared, ByKind):
        declared = declared.conditions.get(str(row[declared.column]), "")
    if not declared or not set(re.findall(r"\{(\w+)\}", declared)) <= row.keys():
        return None
    return CountedItems(declared, row)


@dataclass(eq=False, repr=False)
class Shaped:
    """The rows that are shown in place of those of a table, with what they need to be read.

    ``columns`` are shown behind those declared, ``notes`` below; a ``title`` takes the place of
    the one declared.
    """

    frame: pl.DataFrame
    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""


@dataclass(eq=False, repr=False)
class Table:
    """One table of an analysis as people read it.

    It is for frames in which columns ``where`` hold something. A list has ``columns`` in this
    order (all by default; those ``varying`` only if they do), at most ``limit`` rows on a screen.
    They are numbered if they are ``ranked_by`` a column, sorted if one is ``falling``, left out if
    a count is not ``filled``. There is a list for each value of the columns ``apart``, which the
    title may name; with more than ``most`` of these, another table of the name is shown, or none;
    a screen shows the first ``screens`` of them. A table is shown from ``least`` rows on.
    ``shaped_by`` is the ``module:function`` from a report to the rows that are ``Shaped`` for it.
    Others are ``wide``, or have a ``chart``: ``package.module:function``, and are listed where it
    draws nothing. Tables ``inside`` another one are listed only when they are named. ``raw`` ones
    are shown as they are. ``figures`` names the ``module:CONSTANT`` of what is drawn beside it on a
    page, and in a file of its own; nothing is imported before. Of a crowd of systems the rows of
    the best and the worst are shown, unless the first rows matter most (not ``excerpted``).
    ``counts`` say by column which items a number counts: an SQL condition over the item table,
    with columns of the row in braces, ``"outcome_{system}" = 'correct' and gold = {label}``.
    """

    name: str
    title: str = ""
    columns: tuple[Column, ...] = ()
    where: str = ""
    ranked_by: str = ""
    falling: str = ""
    filled: str = ""
    varying: tuple[str, ...] = ()
    limit: int | None = ROWS
    apart: tuple[str, ...] = ()
    most: int | None = None
    screens: int | None = None
    least: int = 0
    raw: bool = False
    inside: bool = False
    shaped_by: str = ""
    wide: WideForm | None = None
    chart: str = ""
    notes: tuple[str, ...] = ()
    figures: str = ""
    excerpted: bool = True
    counts: Mapping[str, str | ByKind] = field(default_factory=dict)

    def counted(self, name: str, row: Mapping[str, object]) -> CountedItems | None:
        """Return which items the number of a column counts in a row; None if nothing says so."""
        number = row.get(name)
        if not isinstance(number, int) or not number:
            return None
        return counted_by(self.counts.get(name, ""), row)

    @property
    def picture(self) -> Callable[..., Any] | None:
        """Return the function that draws the table, imported now; none for a list."""
        from pkgutil import resolve_name

        return resolve_name(self.chart) if self.chart else None

    @property
    def drawings(self) -> tuple[Figure, ...]:
        """Return the figures of the table, imported now."""
        from pkgutil import resolve_name

        return resolve_name(self.figures) if self.figures else ()

    def suits(self, frame: pl.DataFrame) -> bool:
        """Return whether this is how to read ``frame``."""
        return all(
            name in frame.columns and (name == BETTER or frame[name].null_count() < frame.height)
            for name in self.where.split()
        )

    def in_unit(self, frame: pl.DataFrame) -> Table:
        """Return how the table is read where its scores are plain numbers."""
        if not end_of(frame):
            return self
        columns = tuple(column.in_unit(frame) for column in self.columns)
        wide = self.wide and replace(self.wide, cell=self.wide.cell.in_unit(frame))
        return replace(self, columns=columns, wide=wide, title=_without_percent(self.title))

    def is_crowded(self, frame: pl.DataFrame) -> bool:
        """Return whether there were too many lists of ``frame``."""
        keys = [key for key in self.apart if key in frame.columns]
        return bool(self.most and keys) and frame.select(keys).n_unique() > (self.most or 0)
