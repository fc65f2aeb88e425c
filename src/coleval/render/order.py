"""In which order systems stand: as in the leaderboard if there is one, so that tables agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


def systems_of(report: Report, frame: pl.DataFrame) -> list[str]:
    """Return the systems of ``frame``, each once."""
    here = dict.fromkeys(str(name) for name in frame["system"].unique(maintain_order=True))
    ranked = report.tables.get("overall")
    if ranked is None or "system" not in ranked.columns:
        return list(here)
    best_first = dict.fromkeys(str(name) for name in ranked["system"])
    return [name for name in best_first if name in here] + [n for n in here if n not in best_first]
