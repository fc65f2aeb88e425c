"""``score`` in the report: who ranks first, by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import listed, number_of, points

if TYPE_CHECKING:
    from coleval.analyses.report.story import Story
    from coleval.analyses.report.topic import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    Row = dict[str, Any]


def finding(report: Report, topic: Topic) -> str:
    """Return who ranks first, by which score, and how far ahead."""
    rows, key = _ranking(report.table("overall"), topic.metric)
    first, name = rows[0], topic.title
    if first[key] is None:
        return f"No system has a score: {name} is undefined."
    size = f"(n = {_scored(first, topic)})"
    same = [row["system"] for row in rows if row[key] == first[key]]
    if len(same) > 1:
        return f"{listed(same)} share the first rank with {name} {points(first[key])} {size}."
    if len(rows) == 1 or rows[1][key] is None:
        return f"{first['system']} reaches {name} {points(first[key])} {size}."
    text = f"{first['system']} ranks first with {name} {points(first[key])}"
    return (
        f"{text}, {points(first[key] - rows[1][key])} points ahead of {rows[1]['system']} {size}."
    )


def _ranking(frame: pl.DataFrame, metric: str) -> tuple[list[Row], str]:
    """Return the rows that rank the systems, and the column of the score that does."""
    if "metric" not in frame.columns:
        return frame.to_dicts(), metric
    return frame.filter(pl.col("metric").str.to_lowercase() == metric).to_dicts(), "f1"


def _scored(row: Row, topic: Topic) -> str:
    """Return over how many things a system is ranked: words, mentions, items, gold spans."""
    if "recall_den" in row:
        return number_of(row["recall_den"], "gold mention")
    if "gold" in row:
        return number_of(row["gold"], f"gold {topic.unit}")
    if topic.metric == "accuracy":
        return number_of(row["items"], topic.unit)
    return number_of(row["tp"] + row["fn"], f"gold {topic.unit}")


def finish(tables: dict[str, pl.DataFrame], _: Corpus, story: Story) -> dict[str, pl.DataFrame]:
    """Return the tables with the systems best first by the score that all chapters go by."""
    metric = story.topic.metric
    if not metric.startswith("arcs"):
        return tables
    overall = tables["overall"]
    own = overall.filter(pl.col("metric") == metric)
    best = own.sort("f1", "system", descending=[True, False], nulls_last=True)
    rank = best.select("system").with_row_index("rank")
    joined = overall.join(rank, on="system", how="left", maintain_order="left")
    return tables | {"overall": joined.sort("rank", maintain_order=True).drop("rank")}
