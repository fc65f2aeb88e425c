"""``examples`` in the report: a hard item and what most systems make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import number_of

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the corpus and the two systems that differ: the best, and the one before it."""
    if len(story.order) < 2:
        return corpus, {}
    return corpus, {"pair": (story.order[0], story.order[1])}


def finding(report: Report, _: Topic) -> str:
    """Return the hardest item, and what most systems make of it."""
    hard = report.table("examples").filter(pl.col("kind") == "hardest")
    if hard.is_empty():
        return "All systems solve every gold item."
    row = hard.row(0, named=True)
    answers = report.table("answers").filter(pl.col("rank") == row["rank"], ~pl.col("right"))
    who = "No system solves" if row["difficulty"] == 0 else (
        f"{number_of(row['difficulty'], 'system')} of {row['of']} solve")  # fmt: skip
    named = f"“{row['form']}”" if row["form"] else f"item {row['item']}"
    text = f"{who} {named} (gold: {row['gold']})"
    if answers.is_empty():
        return f"{text}."
    top = answers.row(0, named=True)
    says = "has" if top["n"] == 1 else "have"
    said = "no label" if top["answer"] == "–" else top["answer"]
    return f"{text}; {number_of(top['n'], 'system')} {says} {said} there."
