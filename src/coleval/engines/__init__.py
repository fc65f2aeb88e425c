"""Where counting happens; an engine knows its own driver and nothing else does.

It leaves how things are counted to ``kernels`` and to the queries of ``sql/``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.items import Items
    from coleval.kernels.bins import BinCounts
    from coleval.query.wide import Wide


class Engine(Protocol):
    """What every engine can count: integer tables that add up over disjoint documents."""

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        ...

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        ...

    def overlaps(self, items: Items) -> pl.DataFrame:
        """Return how many instances have g gold labels, a answers and b of both: system, …, n."""
        ...

    def bins(self, items: Items) -> BinCounts:
        """Return how many items each bin holds, and how many of them each system solves."""
        ...

    def words(self, items: Items, text: pl.Series) -> pl.DataFrame:
        """Return form, bin, n of the items that have a bin, their forms taken from ``text``."""
        ...

    def traits(self, items: Items, columns: list[pl.Series]) -> pl.DataFrame:
        """Return bin, property, total, n: what whole numbers about items sum up to in each bin."""
        ...

    def filtered(self, items: Items, where: str, table: Wide) -> Items:
        """Return the items for which an SQL condition over their wide table holds."""
        ...


def local_engine() -> Engine:
    """Return the engine of this machine."""
    from coleval.engines.local import Local

    return Local()
