"""``errors`` in the report: how many errors the best system makes, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.wording import number_of
from coleval.statistics.fair import BOUNDARY
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Topic
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
    kinds, gold = _best(report)[1:]
    return ratio_of(sum(kinds.values()), gold)


def finding(report: Report, _: Topic) -> str:
    """Return how many errors the best system makes, by kind."""
    best, kinds, gold = _best(report)
    order = sorted((kind for kind in _ERRORS if kinds[kind]), key=lambda kind: -kinds[kind])
    parts = ", ".join(f"{kinds[kind]:,} {_kind(kinds[kind], _ERRORS[kind])}" for kind in order)
    said = f"{number_of(sum(kinds.values()), 'error')}: {parts}" if parts else "no errors"
    return f"{best} makes {said} (n = {number_of(gold, 'gold span')})."


def _best(report: Report) -> tuple[str, dict[str, int], int]:
    """Return the first system, its errors by kind, whatever their names, and the gold spans."""
    first = report.table("overall").row(0, named=True)
    own = report.table("profile").filter(system=first["system"])
    counts = dict(own.select("error", "n").iter_rows())
    kinds = {kind: counts.get(kind, 0) for kind in _ERRORS}
    kinds["be"] = sum(counts.get(kind, 0) for kind in BOUNDARY)
    gold = first["possible"] if "possible" in first else first["tp"] + first["fn"]
    return first["system"], kinds, gold


def _kind(n: int, words: str) -> str:
    return _SINGULAR.get(words, words) if n == 1 else words
