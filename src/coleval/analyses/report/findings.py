"""One sentence an analysis: what its tables say first of all, with its metric and its n."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.compare.undecided import CANNOT, UNDECIDED
from coleval.analyses.report.findings_of_errors import buckets, confusion, errors, pivot
from coleval.analyses.wording import listed, number_of, percent, points

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.analyses.report.topic import Topic
    from coleval.corpus.report import Report

    Row = dict[str, Any]


def _score(report: Report, topic: Topic) -> str:
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


def _compare(report: Report, topic: Topic) -> str:
    ranks = report.table("ranks").to_dicts()
    if len(ranks) < 2:
        return "There is one system: nothing to compare it with."
    best, power = ranks[0], report.table("power").row(0, named=True)
    if best["rank_low"] is None:
        return f"Differences of {topic.title} cannot be tested: {best['note']}."
    level = f"{100 * (1 - power['alpha']):g} %"
    head = (
        f"{best['system']} ranks {_places(best)} of {len(ranks)} by {topic.title} "
        f"({level}, n = {number_of(power['units'], power['unit'])})"
    )
    return f"{head}{_apart(report.table('pairs'), best['system'], power['alpha'])}."


def _apart(pairs: pl.DataFrame, system: str, alpha: float) -> str:
    """Return which systems are not significantly different from one, and where none can be."""
    own = pairs.filter((pl.col("a") == system) | (pl.col("b") == system)).to_dicts()
    for row in own:
        if CANNOT in (row["note"] or "") and "in which" not in row["note"]:
            return f"; {row['note']}"
    left = [row for row in own if row["p_adjusted"] is None or row["p_adjusted"] >= alpha]
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


def _bins(report: Report, topic: Topic) -> str:
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


def _changes(report: Report, topic: Topic) -> str:
    row = report.table("summary").row(0, named=True)
    kinds = (
        f"{number_of(row['corrections'], 'correction')}, "
        f"{number_of(row['new_errors'], 'new error')}, "
        f"{number_of(row['changed_errors'], 'changed error')} "
        f"(n = {number_of(row['items'], 'item')})"
    )
    return f"From {row['before']} to {row['after']}, {_moved(row, topic)}: {kinds}."


def _moved(row: Row, topic: Topic) -> str:
    name, key = topic.title, "accuracy" if topic.empty_is_answer else "f1"
    before, after = row[f"{key}_before"], row[f"{key}_after"]
    if before is None or after is None:
        lost = [row[side] for side in ("before", "after") if row[f"{key}_{side}"] is None]
        return f"{name} of {' and '.join(lost)} is undefined"
    change = after - before
    verb = "rises" if change > 0 else "falls"
    size = f"{verb} {points(abs(change))} points" if change else "stays the same"
    return f"{name} {size} ({points(before)} → {points(after)})"


def _oracle(report: Report, topic: Topic) -> str:  # noqa: ARG001
    row = report.table("overall").row(0, named=True)
    if not row["items"]:
        return "There are no gold items that a combination of systems could solve."
    return (
        f"At least one system is right on {percent(row['oracle'])}; the best "
        f"({row['best_system']}) on {percent(row['best'])}; a majority vote on "
        f"{percent(row['majority'])} (n = {number_of(row['items'], 'item')})."
    )


FINDINGS: Mapping[str, Callable[[Any, Topic], str]] = {
    "score": _score, "compare": _compare, "bins": _bins, "errors": errors,
    "confusion": confusion, "buckets": buckets, "pivot": pivot, "changes": _changes,
    "oracle": _oracle,
}  # fmt: skip
