"""Names over columns and before rows: as the leaderboard orders them, short, no two the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.sheet import Head
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from coleval.corpus.report import Report


def shortened_heads(names: Sequence[str], cells: int, *, marked: bool = False) -> list[Head]:
    """Return a head for each name in at most ``cells``, with the name in full behind it."""
    shown = [visible(name) for name in names]
    short = distinct(shown, cells)
    return [Head(short[name], marked=marked, full=name) for name in shown]


def systems_of(report: Report, frame: pl.DataFrame) -> list[str]:
    """Return the systems of ``frame``, each once, as a leaderboard orders them if there is one."""
    here = dict.fromkeys(str(name) for name in frame["system"].unique(maintain_order=True))
    tables = report.tables
    ranked = next((tables[name] for name in ("ranking", "overall") if name in tables), None)
    if ranked is None or "system" not in ranked.columns:
        return list(here)
    best_first = dict.fromkeys(str(name) for name in ranked["system"])
    return [name for name in best_first if name in here] + [n for n in here if n not in best_first]
