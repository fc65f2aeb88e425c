"""What an analysis gives back: named tables, a signature, warnings. No looks, no computing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl


@dataclass(frozen=True, slots=True)
class Report:
    """Tables in reading order; the first one is the answer, the others its detail.

    ``look`` is what the caller asked of renderers alone: ``percent`` for shares in place of counts.
    """

    command: str
    tables: Mapping[str, pl.DataFrame]
    signature: str
    warnings: tuple[str, ...] = field(default=())
    look: frozenset[str] = frozenset()

    def table(self, name: str | None = None) -> pl.DataFrame:
        """Return the named table, the first one without a name."""
        if name is None:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            raise unknown("table", name, self.tables, where=self.command)
        return self.tables[name]

    def part(self, name: str) -> tuple[Report, str]:
        """Return the report that a table belongs to and its name there: ``bins.tps`` is of bins."""
        command, _, own = name.partition(".")
        if not own:
            return self, name
        front = f"{command}."
        mine = {n.removeprefix(front): f for n, f in self.tables.items() if n.startswith(front)}
        return Report(command, mine, self.signature, look=self.look), own

    def _repr_html_(self) -> str:
        """Return what the console shows as notebooks show it."""
        from coleval.renderers.html_page import fragment

        return fragment(self)

    def show(self) -> None:
        """Print the report as the console shows it, or as HTML in a notebook."""
        from coleval.renderers import show

        show(self)

    def save(self, path: str | Path, *, form: str | None = None, table: str | None = None) -> None:
        """Write the report; the suffix of ``path`` says the form unless ``form`` does."""
        from coleval.renderers import save

        save(self, path, form=form, table=table)
