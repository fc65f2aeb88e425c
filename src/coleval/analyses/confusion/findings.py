"""``confusion`` in the report: the commonest confusion of the best system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]] | str:
    """Return the best system alone, or why there is nothing to confuse."""
    if corpus.task_kind.unlabelled:
        return corpus.task_kind.unlabelled
    return corpus.chosen([story.order[0]]), {}


def finding(report: Report, _: Topic) -> str:
    """Return the commonest confusion of the best system."""
    frame = report.table("confusion")
    wrong = frame.filter(pl.col("gold").ne_missing(pl.col("answer")))
    if wrong.is_empty():
        return "No label is confused with another."
    top = wrong.sort("n", descending=True, maintain_order=True).row(0, named=True)
    system, gold, answer, n = (top[key] for key in ("system", "gold", "answer", "n"))
    if gold is None:
        return f"{system} falsely predicts {answer} most often ({n:,})."
    there = int(frame.filter(pl.col("gold") == gold)["n"].sum())
    said = f"misses {gold}" if answer is None else f"labels {gold} as {answer}"
    return f"{system} {said} most often ({n:,} of {there:,})."
