"""``changes`` in the report: from the baseline or the runner-up to the best system."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from coleval.analyses.registry import ANALYSES
from coleval.analyses.running import some_tables
from coleval.analyses.wording import number_of, points
from coleval.corpus.excerpt import ROWS, Excerpt, note_on

if TYPE_CHECKING:
    import polars as pl

    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    Row = dict[str, Any]


def question(story: Story, usual: str) -> str:
    """Return what the chapter asks; "baseline" is said only of a system that was named so."""
    if len(story.order) < 2 or story.pair[0] != story.baseline:
        return usual
    called = f"the baseline, {story.baseline}" if story.named else story.baseline
    return f"Changes from {called}"


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the changes to the best system."""
    return corpus, {"pair": story.pair}


def finish(
    tables: dict[str, pl.DataFrame], corpus: Corpus, story: Story
) -> dict[str, pl.DataFrame]:
    """Return the tables, of many systems with the summary of every pair."""
    if len(story.order) <= 2 or _many_pairs(story):
        return tables
    return tables | {"pairs": _summary(corpus)}


def excerpts(corpus: Corpus, story: Story) -> dict[str, Excerpt]:
    """Return the pairs of the systems shown, where all of a crowd would be too many to count."""
    if story.shown is None or not _many_pairs(story):
        return {}
    chosen = [name for name in corpus.systems if name in story.shown.systems]
    pairs = tuple(combinations(chosen, 2))
    every = partial(_summary, corpus)
    kept = _summary(corpus, pairs=pairs)
    rows = comb(len(corpus.systems), 2)
    return {"pairs": Excerpt(kept, rows, note_on(kept, rows, story.shown), every)}


def _many_pairs(story: Story) -> bool:
    return story.shown is not None and comb(story.shown.of, 2) > ROWS


def _summary(corpus: Corpus, **given: Any) -> pl.DataFrame:
    return some_tables(ANALYSES["changes"], corpus, ("summary",), **given)["summary"]


MEASURED = "change of the score"
IN_POINTS = True


def measured(report: Report, _: Topic) -> float | None:
    """Return by how much the score moves."""
    row = report.table("summary").row(0, named=True)
    moved: float | None = row["delta"] if row["f1_delta"] is None else row["f1_delta"]
    return moved


def finding(report: Report, topic: Topic) -> str:
    """Return how the score moves, and how many corrections and new errors make it."""
    row = report.table("summary").row(0, named=True)
    kinds = (
        f"{number_of(row['corrections'], 'correction')}, "
        f"{number_of(row['new_errors'], 'new error')}, "
        f"{number_of(row['changed_errors'], 'changed error')} "
        f"(n = {number_of(row['items'], 'item')})"
    )
    return f"From {row['before']} to {row['after']}, {_moved(row, topic)}: {kinds}."


def _moved(row: Row, topic: Topic) -> str:
    name, key = topic.item_title, "accuracy" if topic.empty_is_answer else "f1"
    before, after = row[f"{key}_before"], row[f"{key}_after"]
    if before is None or after is None:
        lost = [row[side] for side in ("before", "after") if row[f"{key}_{side}"] is None]
        return f"{name} of {' and '.join(lost)} is undefined"
    change = after - before
    verb = "rises" if change > 0 else "falls"
    size = f"{verb} {points(abs(change))} points" if change else "stays the same"
    return f"{name} {size} ({points(before)} → {points(after)})"
