"""One sentence an analysis: what its tables say first of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.report import Report


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.2f} %"


def _score(report: Report) -> str:
    rows = _told(report.table("overall"))
    scores = ("accuracy", "f1", "aligned_accuracy")
    key = next((k for k in scores if rows[0].get(k) is not None), "")
    if not key:
        return f"{rows[0]['system']} stands first; nothing has a score"
    name = rows[0].get("metric") or {"f1": "F1"}.get(key, "accuracy")
    text = f"{rows[0]['system']} is best with {name} {_percent(rows[0][key])}"
    if len(rows) < 2 or rows[1][key] is None:
        return text
    points = 100 * (rows[0][key] - rows[1][key])
    return f"{text}, {points:.2f} points before {rows[1]['system']}"


def _told(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the metric that ranks, where a system has a row for each metric."""
    if "metric" not in frame.columns:
        return frame.to_dicts()
    ranking = next(
        (m for m in ("LAS", "conll") if m in frame["metric"].to_list()), frame["metric"][0]
    )
    return frame.filter(pl.col("metric") == ranking).to_dicts()


def _compare(report: Report) -> str:
    ranks = report.table("ranks").to_dicts()
    if len(ranks) < 2:
        return "there is nothing to compare with"
    first = [row["system"] for row in ranks if row["group"] == ranks[0]["group"]]
    best = ranks[0]
    place = f"{best['system']} is {_places(best['rank_low'], best['rank_high'])} of {len(ranks)}"
    same = (
        f"; no test tells it from {_listed(first[1:])}"
        if len(first) > 1
        else "; it beats all others"
    )
    return place + same


def _places(low: int | None, high: int | None) -> str:
    return f"place {low}" if low == high else f"between place {low} and {high}"


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _bins(report: Report) -> str:
    bins = report.table("bins").sort("bin").to_dicts()
    if not bins:
        return "there is nothing to solve"
    total = sum(row["items"] for row in bins) or 1
    nobody, everybody = bins[0]["items"], bins[-1]["items"]
    return (
        f"{everybody:,} of {total:,} items ({_percent(everybody / total)}) everybody solves, "
        f"{nobody:,} ({_percent(nobody / total)}) nobody"
    )


def _errors(report: Report) -> str:
    rows = report.table("overall").filter(pl.col("method") == "fair").to_dicts()
    if not rows:
        return "counted by another taxonomy than fair"
    names = {"le": "wrong labels", "be": "wrong boundaries", "lbe": "both wrong", "fn": "missed",
             "fp": "invented"}  # fmt: skip
    best = rows[0]
    order = sorted(names, key=lambda k: -(best[k] or 0))
    parts = ", ".join(f"{best[k]:,} {names[k]}" for k in order if best[k])
    return f"{best['system']}: {parts or 'no errors'}"


def _confusion(report: Report) -> str:
    frame = report.table("confusion").filter(pl.col("gold").ne_missing(pl.col("answer")))
    if frame.is_empty():
        return "nothing is taken for anything else"
    top = frame.sort("n", descending=True, maintain_order=True).row(0, named=True)
    gold, answer = (top[k] if top[k] is not None else "nothing" for k in ("gold", "answer"))
    return f"{top['system']} most often says {answer} for {gold} ({top['n']:,} times)"


# Their rarest values are always the hardest: nothing to begin a story with.
_ANSWERS = ("label", "relation", "base_relation", "upos")


def _buckets(report: Report) -> str:
    told = pl.col("attribute").is_in(_ANSWERS).not_()
    frame = report.table("attributes").filter(pl.col("gap") < 0, told)
    if frame.is_empty():
        return "no attribute sets items apart"
    top = frame.sort("gap", maintain_order=True).row(0, named=True)
    return (
        f"{top['attribute']} matters most: systems lose {-100 * top['gap']:.2f} points from "
        f"{top['best_bucket']} to {top['worst_bucket']}"
    )


def _pivot(report: Report) -> str:
    frame = report.table("slices")
    if frame.is_empty():
        return "no slice is worse than the rest"
    top = frame.row(0, named=True)
    more = f" and {top['and_attribute']} = {top['and_value']}" if top["and_attribute"] else ""
    return (
        f"where {top['attribute']} = {top['value']}{more}: {_percent(top['score'])} of "
        f"{top['n']:,} items right, {_percent(top['overall'])} of all"
    )


def _changes(report: Report) -> str:
    row = report.table("summary").row(0, named=True)
    return (
        f"from {row['before']} to {row['after']}: {row['corrections']:,} corrections, "
        f"{row['new_errors']:,} new errors, {row['changed_errors']:,} changed errors"
    )


def _oracle(report: Report) -> str:
    row = report.table("overall").row(0, named=True)
    return (
        f"some system is right in {_percent(row['oracle'])}, the best ({row['best_system']}) in "
        f"{_percent(row['best'])}, a majority vote in {_percent(row['majority'])}"
    )


FINDINGS: Mapping[str, Callable[[Any], str]] = {
    "score": _score, "compare": _compare, "bins": _bins, "errors": _errors,
    "confusion": _confusion, "buckets": _buckets, "pivot": _pivot, "changes": _changes,
    "oracle": _oracle,
}  # fmt: skip
