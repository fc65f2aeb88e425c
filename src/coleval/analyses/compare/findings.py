"""``compare`` in the report: which ranks are sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.compare.undecided import UNDECIDED
from coleval.analyses.report.tables import cannot_decide
from coleval.analyses.wording import listed, number_of
from coleval.metrics.registry import titled_in

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    Row = dict[str, Any]


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the comparison with the options of the report."""
    return corpus, {**story.statistics, "by": story.by}


def finding(report: Report, topic: Topic) -> str:
    """Return the ranks of the best system, and which others are not significantly behind."""
    ranks = report.table("ranks").to_dicts()
    if len(ranks) < 2:
        return "There is one system: nothing to compare it with."
    best, power = ranks[0], report.table("power").row(0, named=True)
    if best["rank_low"] is None:
        return f"Differences of {topic.title} cannot be tested: {best['note']}."
    score = titled_in(report.table("ranks"))
    level = f"{100 * (1 - power['alpha']):g} %"
    head = (
        f"{best['system']} ranks {_places(best)} of {len(ranks)} by {score} "
        f"({level}, n = {number_of(power['units'], power['unit'])})"
    )
    return f"{head}{_apart(report.table('pairs'), best['system'], power['alpha'])}."


def _apart(pairs: pl.DataFrame, system: str, alpha: float) -> str:
    """Return which systems are not significantly different from one, and where none can be."""
    own = pairs.filter((pl.col("a") == system) | (pl.col("b") == system))
    if (too_few := cannot_decide(own)) is not None:
        return f"; {too_few}"
    left = own.filter(pl.col("p_adjusted").is_null() | (pl.col("p_adjusted") >= alpha)).to_dicts()
    same, open_ = (
        [row["b"] if row["a"] == system else row["a"] for row in left if _is_open(row) == is_open]
        for is_open in (False, True)
    )
    parts = [f"; not significantly different from {listed(same)}"] if same else []
    parts += [f"; undecided against {listed(open_)}: too few replicates"] if open_ else []
    return "".join(parts) or ", significantly ahead of all others"


def _is_open(row: Row) -> bool:
    return (row["note"] or "").startswith(UNDECIDED)


def _places(row: Row) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return _ordinal(low) if low == high else f"{low}–{high}"


def _ordinal(n: int) -> str:
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"
