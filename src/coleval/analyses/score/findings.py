"""``score`` in the report: who ranks first, by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import listed, number_of, points

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    Row = dict[str, Any]

# So many groups, and systems, are named.
NAMED = 3


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the leaderboard, by the groups of the report."""
    return corpus, {"by": story.by}


def finding(report: Report, topic: Topic) -> str:
    """Return who ranks first, by which score, and how far ahead."""
    if "ranking" in report.tables:
        return _by_groups(report.table("ranking"), topic)
    rows, key = _ranking(report.table("overall"), topic.metric)
    first, name = rows[0], topic.title
    if first[key] is None:
        return f"No system has a score: {name} is undefined."
    size = f"(n = {_scored(first, topic, report.table('overall'))})"
    if len(topic.tied) > 1:
        return f"{_tied(rows, key, topic.tied, name)} {size}."
    same = [row["system"] for row in rows if row[key] == first[key]]
    if len(same) > 1:
        return f"{listed(same)} share the first rank with {name} {points(first[key])} {size}."
    if len(rows) == 1 or rows[1][key] is None:
        return f"{first['system']} reaches {name} {points(first[key])} {size}."
    text = f"{first['system']} ranks first with {name} {points(first[key])}"
    ahead = points(abs(first[key] - rows[1][key]))
    return f"{text}, {ahead} points ahead of {rows[1]['system']} {size}."


def _tied(rows: list[Row], key: str, tied: tuple[str, ...], name: str, over: str = "") -> str:
    """Return the systems that no test sets apart from the best, and from where to where they go."""
    scores = [row[key] for row in rows if row["system"] in tied]
    low, high = min(scores), max(scores)
    range_ = points(high) if points(low) == points(high) else f"{points(high)} to {points(low)}"
    return (
        f"{listed(tied)} are tied for first with {name} {range_}{over}: no difference from "
        f"{tied[0]} is significant"
    )


def _by_groups(frame: pl.DataFrame, topic: Topic) -> str:
    """Return who ranks first by the mean over groups, who is first where, and what is missing."""
    own = frame.filter(pl.col("metric").str.to_lowercase() == topic.metric.lower())
    rows = (own if own.height else frame).to_dicts()
    first, name = rows[0], topic.title
    if first["macro"] is None:
        return f"No system has a score: {name} is undefined."
    ahead = ""
    if len(rows) > 1 and rows[1]["macro"] is not None:
        size = points(abs(first["macro"] - rows[1]["macro"]))
        ahead = f", {size} points ahead of {rows[1]['system']}"
    groups = number_of(first["groups"], topic.group)
    text = (
        f"{first['system']} ranks first with a mean {name} of {points(first['macro'])} over "
        f"{groups}{ahead} (all items together: {points(first['pooled'])})."
    )
    if len(topic.tied) > 1:
        text = f"{_tied(rows, 'macro', topic.tied, f'a mean {name} of', f' over {groups}')}."
    return " ".join(filter(None, (text, _first_in(rows), _missing(rows, topic))))


def _first_in(rows: list[Row]) -> str:
    """Return in how many groups each system is first, those of few together."""
    counts = [(row["system"], row["best_in"].split(", ")) for row in rows if row["best_in"]]
    counts.sort(key=lambda one: -len(one[1]))
    parts = [f"{system} in {len(names)} ({_some(names)})" for system, names in counts[:NAMED]]
    more = f" and {number_of(len(counts) - NAMED, 'other')}" if len(counts) > NAMED else ""
    return f"First: {'; '.join(parts)}{more}." if len(counts) > 1 else ""


def _some(names: list[str]) -> str:
    rest = len(names) - NAMED
    return f"{', '.join(names[:NAMED])} and {rest} more" if rest > 0 else listed(names)


def _missing(rows: list[Row], topic: Topic) -> str:
    lost = [f"{row['system']} {row['missing']:,}" for row in rows if row["missing"]]
    more = f" and {number_of(len(lost) - NAMED, 'other system')}" if len(lost) > NAMED else ""
    parts = [f"Not run on some {topic.group}s: {', '.join(lost[:NAMED])}{more}."] if lost else []
    if empty := rows[0]["not_applicable"]:
        parts.append(f"Gold has nothing to score in {number_of(empty, topic.group)}.")
    return " ".join(parts)


def _ranking(frame: pl.DataFrame, metric: str) -> tuple[list[Row], str]:
    """Return the rows that rank the systems, and the column of the score that does."""
    if "metric" not in frame.columns:
        return frame.to_dicts(), metric
    own = frame.filter(pl.col("metric").str.to_lowercase() == metric.lower())
    return own.to_dicts(), "f1" if "f1" in frame.columns else "value"


def _scored(row: Row, topic: Topic, overall: pl.DataFrame) -> str:
    """Return over how many things a system is ranked: words, mentions, items, gold spans."""
    if "recall_den" in row:
        mentions = overall.filter(pl.col("metric") == "mentions")["recall_den"]
        return number_of(mentions[0], "gold mention")
    if "segments" in row:
        return number_of(row["segments"], topic.unit)
    if "gold" in row:
        return number_of(row["gold"], f"gold {topic.unit}")
    if topic.metric == "accuracy":
        return number_of(row["items"], topic.unit)
    return number_of(row["tp"] + row["fn"], f"gold {topic.unit}")
