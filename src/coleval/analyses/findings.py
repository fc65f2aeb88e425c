"""One sentence an analysis: what its tables say first of all, with its metric and its n."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.metrics import titled
from coleval.analyses.undecided import CANNOT, UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.report import Report

    Row = dict[str, Any]


def _points(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.2f}"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f} %"


def _score(report: Report, metric: str) -> str:
    rows, key = _ranking(report.table("overall"), metric)
    first, name = rows[0], titled(metric)
    if first[key] is None:
        return f"No system has a score: {name} is undefined."
    same = [row["system"] for row in rows if row[key] == first[key]]
    if len(same) > 1:
        return f"{_listed(same)} share the first rank with {name} {_points(first[key])}."
    text = f"{first['system']} ranks first with {name} {_points(first[key])}"
    if len(rows) == 1 or rows[1][key] is None:
        return f"{first['system']} reaches {name} {_points(first[key])}."
    return f"{text}, {_points(first[key] - rows[1][key])} points ahead of {rows[1]['system']}."


def _ranking(frame: pl.DataFrame, metric: str) -> tuple[list[Row], str]:
    """Return the rows that rank the systems, and the column of the score that does."""
    if "metric" not in frame.columns:
        return frame.to_dicts(), metric
    return frame.filter(pl.col("metric").str.to_lowercase() == metric).to_dicts(), "f1"


def _compare(report: Report, metric: str) -> str:
    ranks = report.table("ranks").to_dicts()
    if len(ranks) < 2:
        return "There is one system: nothing to compare it with."
    best, power = ranks[0], report.table("power").row(0, named=True)
    if best["rank_low"] is None:
        return f"Differences of {titled(metric)} cannot be tested: {best['note']}."
    level = f"{100 * (1 - power['alpha']):g} %"
    head = (
        f"{best['system']} ranks {_places(best)} of {len(ranks)} by {titled(metric)} "
        f"({level}, n = {power['units']:,} {power['unit']}s)"
    )
    return f"{head}{_apart(report.table('pairs'), best['system'], power['alpha'])}."


def _apart(pairs: pl.DataFrame, system: str, alpha: float) -> str:
    """Return which systems are not significantly different from one, and where none can be."""
    own = pairs.filter((pl.col("a") == system) | (pl.col("b") == system)).to_dicts()
    for row in own:
        if f"{CANNOT} any" in (row["note"] or ""):
            return f"; {row['note']}"
    left = [row for row in own if row["p_adjusted"] is None or row["p_adjusted"] >= alpha]
    same, open_ = (
        [row["b"] if row["a"] == system else row["a"] for row in left if _is_open(row) == is_open]
        for is_open in (False, True)
    )
    parts = [f"; not significantly different from {_listed(same)}"] if same else []
    parts += [f"; undecided against {_listed(open_)}: too few replicates"] if open_ else []
    return "".join(parts) or ", significantly ahead of all others"


def _is_open(row: Row) -> bool:
    return (row["note"] or "").startswith(UNDECIDED)


def _places(row: Row) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return _ordinal(low) if low == high else f"{low}–{high}"


def _ordinal(n: int) -> str:
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _bins(report: Report, metric: str) -> str:  # noqa: ARG001
    bins = report.table("bins").sort("bin").to_dicts()
    total = sum(row["items"] for row in bins)
    if not total:
        return "There are no gold items."
    none, every = bins[0]["items"], bins[-1]["items"]
    return (
        f"All systems solve {every:,} of {total:,} items ({_percent(every / total)}); "
        f"none solves {none:,} ({_percent(none / total)})."
    )


_ERRORS = {
    "le": "wrong labels", "be": "wrong boundaries", "lbe": "with both wrong", "fn": "missed",
    "fp": "spurious",
}  # fmt: skip


def _errors(report: Report, metric: str) -> str:  # noqa: ARG001
    frame = report.table("overall")
    rows = frame.filter(pl.col("method") == "fair").to_dicts()
    if not rows:
        return "Errors are counted under a taxonomy other than that of fair evaluation."
    best = rows[0]
    plain = frame.filter(pl.col("method") == "traditional", pl.col("system") == best["system"])
    gold = int(plain.select(pl.col("tp") + pl.col("fn")).item())
    order = sorted((kind for kind in _ERRORS if best[kind]), key=lambda kind: -best[kind])
    parts = ", ".join(f"{best[kind]:,} {_ERRORS[kind]}" for kind in order)
    total = sum(best[kind] for kind in order)
    told = f"{total:,} errors: {parts}" if parts else "no errors"
    return f"{best['system']} makes {told} (n = {gold:,} gold spans)."


def _confusion(report: Report, metric: str) -> str:  # noqa: ARG001
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


# Their rarest values are always the hardest: nothing to begin a story with.
_ANSWERS = ("label", "relation", "base_relation", "upos")


def _buckets(report: Report, metric: str) -> str:  # noqa: ARG001
    told = pl.col("attribute").is_in(_ANSWERS).not_()
    frame = report.table("attributes").filter(pl.col("spread") > 0, told)
    if frame.is_empty():
        return "No attribute has buckets with different scores."
    top = frame.sort("spread", descending=True, maintain_order=True).row(0, named=True)
    name = next(column.removeprefix("from_") for column in _bucket_scores(frame))
    fall = top[f"from_{name}"] - top[f"to_{name}"]
    return (
        f"Mean {titled(name)} falls {100 * fall:.1f} points from {top['attribute']} "
        f"{top['from_bucket']} (n = {top['from_n']:,}) to {top['to_bucket']} "
        f"(n = {top['to_n']:,})."
    )


def _bucket_scores(frame: pl.DataFrame) -> list[str]:
    return [f"from_{name}" for name in ("f1", "precision", "recall", "accuracy")
            if f"from_{name}" in frame.columns]  # fmt: skip


def _pivot(report: Report, metric: str) -> str:  # noqa: ARG001
    frame = report.table("slices")
    tried = report.table("tried").row(0, named=True)
    if frame.is_empty():
        return f"None of {tried['slices']:,} slices is significantly worse than the rest."
    top = frame.row(0, named=True)
    more = f" and {top['and_attribute']} = {top['and_value']}" if top["and_attribute"] else ""
    return (
        f"Accuracy is {_percent(top['score'])} where {top['attribute']} = {top['value']}{more} "
        f"(n = {top['n']:,}), {_percent(top['overall'])} overall; {tried['found']:,} of "
        f"{tried['slices']:,} slices are significantly worse."
    )


def _changes(report: Report, metric: str) -> str:  # noqa: ARG001
    row = report.table("summary").row(0, named=True)
    kinds = (
        f"{row['corrections']:,} corrections, {row['new_errors']:,} new errors, "
        f"{row['changed_errors']:,} changed errors (n = {row['items']:,} items)"
    )
    return f"From {row['before']} to {row['after']}, {_moved(row)}: {kinds}."


def _moved(row: Row) -> str:
    name, key, delta = ("F1", "f1", "f1_delta") if row["f1_delta"] is not None else (
        "accuracy", "accuracy", "delta")  # fmt: skip
    change = row[delta]
    if change is None:
        return f"{name} is undefined"
    verb = "rises" if change > 0 else "falls"
    size = f"{verb} {_points(abs(change))} points" if change else "stays the same"
    return f"{name} {size} ({_points(row[f'{key}_before'])} → {_points(row[f'{key}_after'])})"


def _oracle(report: Report, metric: str) -> str:  # noqa: ARG001
    row = report.table("overall").row(0, named=True)
    return (
        f"At least one system is right on {_percent(row['oracle'])}; the best "
        f"({row['best_system']}) on {_percent(row['best'])}; a majority vote on "
        f"{_percent(row['majority'])} (n = {row['items']:,} items)."
    )


FINDINGS: Mapping[str, Callable[[Any, str], str]] = {
    "score": _score, "compare": _compare, "bins": _bins, "errors": _errors,
    "confusion": _confusion, "buckets": _buckets, "pivot": _pivot, "changes": _changes,
    "oracle": _oracle,
}  # fmt: skip
