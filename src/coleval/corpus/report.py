"""What an analysis gives back: named tables, a signature, warnings. No looks, no computing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from coleval.corpus.lazy import LazyMapping
from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from coleval.corpus.excerpt import Excerpt, ShownGroups, ShownSystems
    from coleval.declare.kinds import Form
    from coleval.declare.tables import CountedItems


@dataclass(frozen=True, slots=True)
class PageHead:
    """What was evaluated: a title, facts by name, and the command line if it was one.

    ``sources`` are gold ("") and the systems: name, path, hash of the file, hash of the answers.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    command: str = ""
    sources: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ItemColumn:
    """A column of items: codes as bytes, a number of ``size`` bytes each, little end first.

    They are places in ``values``, or in the labels that gold and the systems share if these are
    None; of ``whole`` numbers they are the differences from one to the next.
    """

    name: str
    codes: bytes
    size: int
    values: list[Any] | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ItemBlock:
    """Items of a page, of so many there are, and the sentences around them by number.

    ``systems`` are their columns by name, ``versus`` conditions on two systems.
    """

    items: int
    of: int
    unit: str
    columns: tuple[ItemColumn, ...]
    labels: list[Any]
    systems: Mapping[str, str]
    sentences: Mapping[int, list[str]]
    condition: str
    versus: Mapping[str, str]


class ItemSource(Protocol):
    """The items that numbers of a report count."""

    def condition(self, counted: CountedItems) -> str:
        """Return the SQL condition of a number, with the values of its row."""

    def block(self, conditions: Iterable[str], rows: Sequence[int] | None = None) -> ItemBlock:
        """Return the items, or some of them, with all columns that conditions name."""

    def some(self, most: int, first: Iterable[int]) -> Sequence[int]:
        """Return the places of so many items, those of these numbers first."""

    def __len__(self) -> int:
        """Return the number of items."""


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Tables in reading order; the first one is the answer, the others its detail.

    ``look`` is what the caller asked of renderers alone: ``percent`` for shares in place of counts.
    ``about`` is for the head of a page. A screen shows the tables in ``leads`` alone, all where
    there are none. Of a crowd of systems people see those ``shown``, of very many groups
    these ``groups``, and ``excerpts`` of tables that are not made before somebody asks for them:
    ``in_full``, when the report is ``whole``. What is drawn has tables of the rows shown, and
    ``every`` table as it is. ``items`` are what its numbers count.
    """

    command: str
    tables: Mapping[str, pl.DataFrame]
    signature: str
    warnings: tuple[str, ...] = field(default=())
    look: frozenset[str] = frozenset()
    about: PageHead | None = None
    leads: tuple[str, ...] = ()
    shown: ShownSystems | None = None
    groups: ShownGroups | None = None
    excerpts: Mapping[str, Excerpt] = field(default_factory=dict)
    whole: bool = False
    every: Mapping[str, pl.DataFrame] | None = None
    items: ItemSource | None = field(default=None, compare=False)

    def in_full(self) -> Report:
        """Return the same report, of which all forms have all rows: of all systems, and pairs."""
        return replace(self, shown=None, groups=None, excerpts={}, whole=True)

    def without_items(self) -> Report:
        """Return the same report, whose page has no items: neither gold nor answers nor texts."""
        return replace(self, items=None)

    def rows(self, name: str) -> int:
        """Return how many rows the named table has; nothing is made for that."""
        excerpt = self.excerpts.get(name)
        return self.table(name).height if excerpt is None else excerpt.rows

    def all_rows(self, name: str) -> pl.DataFrame:
        """Return the named table as it is where only some rows are drawn, for what sums over all.

        Of a table that is too long to be made it is the excerpt.
        """
        if name in self.excerpts:
            return self.excerpts[name].frame
        return self.table(name) if self.every is None else self.every[name]

    def table(self, name: str | None = None) -> pl.DataFrame:
        """Return the named table, the first one without a name."""
        if name is None:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            raise unknown("table", name, self.tables, where=self.command)
        return self.tables[name]

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return the named table, a Polars frame."""
        return self.table(name)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a table of that name."""
        return name in self.tables

    def __iter__(self) -> Iterator[str]:
        """Return the names of the tables, the answer first."""
        return iter(self.tables)

    def keys(self) -> KeysView[str]:
        """Return the names of the tables, the answer first."""
        return self.tables.keys()

    def part(self, name: str) -> tuple[Report, str]:
        """Return the report that a table belongs to and its name there: ``bins.tps`` is of bins."""
        command, _, own = name.partition(".")
        if not own:
            return self, name
        front = f"{command}."
        mine = {n.removeprefix(front): n for n in self.tables if n.startswith(front)}
        made = {short: partial(self.tables.__getitem__, n) for short, n in mine.items()}
        short = {k: self.excerpts[n] for k, n in mine.items() if n in self.excerpts}
        part = Report(command, LazyMapping(made, keep=False), self.signature, look=self.look,
                      about=self.about, leads=self.leads, shown=self.shown,
                      groups=self.groups, excerpts=short, whole=self.whole)  # fmt: skip
        return part, own

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the first table as an Arrow stream, which DuckDB, pandas and others take."""
        return self.table().__arrow_c_stream__(requested_schema)

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table, the first one without a name, as a frame of pandas."""
        return self.table(table).to_pandas()

    def to_latex(self, table: str | None = None, *, caption: str = "", tint: bool = False) -> str:
        """Return a table, or all of them, in LaTeX for ``booktabs``.

        ``caption`` replaces the title; ``tint`` gives cells the backgrounds they have on a screen.
        """
        return self._text("latex", table, caption=caption, tint=tint)

    def to_markdown(self, table: str | None = None, *, caption: str = "") -> str:
        """Return a table, or all of them, in Markdown; ``caption`` replaces the title."""
        return self._text("markdown", table, caption=caption)

    def to_html(self, table: str | None = None) -> str:
        """Return a page with a table, or with all of them."""
        return self._text("html", table)

    def to_svg(self, table: str | None = None) -> str:
        """Return the figures of a table, or of the first table that has any."""
        return self._text("svg", table)

    def _text(self, form: str, table: str | None, **paper: Any) -> str:
        from coleval.render import text

        if table is not None:
            self.table(table)  # a misspelt name is an error
        return text(self, form, table=table, **paper)

    def __repr__(self) -> str:
        """Return what the console shows, as plain text."""
        from shutil import get_terminal_size

        from coleval.declare.wording import notes_in_python
        from coleval.render.console import plain

        width = get_terminal_size((100, 24)).columns
        return notes_in_python(plain(self, width), width).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return what the console shows as notebooks show it."""
        from coleval.render.html_page import fragment

        return fragment(self)

    def show(self) -> None:
        """Print the report as the console shows it, or as HTML in a notebook."""
        from coleval.render import show

        show(self)

    def save(self, path: str | Path, *, form: Form | None = None, table: str | None = None) -> None:
        """Write the report to a file, or one file a table to a directory (``"tables/"``).

        The suffix of ``path`` says the form unless ``form`` does; csv, tsv and parquet hold one
        ``table``, the first unless it is named.
        """
        from coleval.render import save

        save(self, path, form=form, table=table)
