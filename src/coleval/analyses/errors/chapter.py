"""``errors`` in the report: how many errors the best system makes, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.wording import number_of
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from coleval.analyses.report.topic import Topic
    from coleval.corpus.report import Report


_ERRORS = {
    "le": "wrong labels",
    "be": "wrong boundaries",
    "lbe": "with both wrong",
    "fn": "missed",
    "fp": "spurious",
}
_SINGULAR = {"wrong labels": "wrong label", "wrong boundaries": "wrong boundary"}


MEASURED = "number of errors that the best system makes for 100 gold spans"
IN_POINTS = True


def measured(report: Report, _: Topic) -> float | None:
    """Return how many errors the best system makes for each gold span."""
    frame = report.table("overall")
    fair = frame.filter(pl.col("method") == "fair")
    plain = frame.filter(pl.col("method") == "traditional")
    if fair.is_empty() or plain.is_empty():
        return None
    gold = int(plain["tp"][0] + plain["fn"][0])
    return ratio_of(sum(int(fair[kind][0]) for kind in _ERRORS), gold)


def finding(report: Report, _: Topic) -> str:
    """Return how many errors the best system makes, by kind."""
    frame = report.table("overall")
    rows = frame.filter(pl.col("method") == "fair").to_dicts()
    if not rows:
        return "Errors are counted under a taxonomy other than that of fair evaluation."
    best = rows[0]
    plain = frame.filter(pl.col("method") == "traditional", pl.col("system") == best["system"])
    gold = int(plain.select(pl.col("tp") + pl.col("fn")).item())
    order = sorted((kind for kind in _ERRORS if best[kind]), key=lambda kind: -best[kind])
    parts = ", ".join(f"{best[kind]:,} {_kind(best[kind], _ERRORS[kind])}" for kind in order)
    total = sum(best[kind] for kind in order)
    said = f"{number_of(total, 'error')}: {parts}" if parts else "no errors"
    return f"{best['system']} makes {said} (n = {number_of(gold, 'gold span')})."


def _kind(n: int, words: str) -> str:
    return _SINGULAR.get(words, words) if n == 1 else words
