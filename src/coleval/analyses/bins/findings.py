"""``bins`` in the report: how many items all systems solve, and how many none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.wording import listed, number_of, percent
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.report import Report


MEASURED = "share of items that no system solves"


def measured(report: Report, _: Topic) -> float | None:
    """Return the share of items that no system solves."""
    bins = report.table("bins").sort("bin")
    total = int(bins["items"].sum())
    return ratio_of(int(bins["items"][0]), total)


def finding(report: Report, topic: Topic) -> str:
    """Return how many items all systems solve, and how many none."""
    bins = report.table("bins").sort("bin").to_dicts()
    total = sum(row["items"] for row in bins)
    if not total:
        return "There are no gold items."
    none, every = bins[0]["items"], bins[-1]["items"]
    solved = f"{every:,} of {number_of(total, 'item')} ({percent(every / total)})"
    names = topic.judges
    if len(names) == 1:
        return f"{names[0]}, which alone sets the bins, solves {solved}." if topic.chosen else (
            f"{names[0]} solves {solved}.")  # fmt: skip
    who = f"All {len(names)} systems that set the bins ({listed(names)})" if topic.chosen else (
        "All systems")  # fmt: skip
    return f"{who} solve {solved}; none solves {none:,} ({percent(none / total)})."
