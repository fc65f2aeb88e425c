"""The findings of the chapters on where systems fail: kinds of errors, labels, buckets, slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import number_of, percent
from coleval.annotate.buckets import OUTSIDE
from coleval.statistics.breakdown import spread, steepest

if TYPE_CHECKING:
    from coleval.analyses.report.topic import Topic
    from coleval.corpus.report import Report

    Row = dict[str, Any]

_ERRORS = {
    "le": "wrong labels", "be": "wrong boundaries", "lbe": "with both wrong", "fn": "missed",
    "fp": "spurious",
}  # fmt: skip
_SINGULAR = {"wrong labels": "wrong label", "wrong boundaries": "wrong boundary"}
# Their rarest values are always the hardest: nothing to begin a story with.
_ANSWERS = ("label", "relation", "base_relation", "upos")
# The score of a bucket with fewer gold items says little.
FEWEST = 20


def errors(report: Report, topic: Topic) -> str:  # noqa: ARG001
    """Return how many errors the best system makes, by kind."""
    frame = report.table("overall")
    rows = frame.filter(pl.col("method") == "fair").to_dicts()
    if not rows:
        return "Errors are counted under a taxonomy other than that of fair evaluation."
    best = rows[0]
    plain = frame.filter(pl.col("method") == "traditional", pl.col("system") == best["system"])
    gold = int(plain.select(pl.col("tp") + pl.col("fn")).item())
    order = sorted((kind for kind in _ERRORS if best[kind]), key=lambda kind: -best[kind])
    parts = ", ".join(f"{best[kind]:,} {_kind(best[kind], _ERRORS[kind])}" for kind in order)
    total = sum(best[kind] for kind in order)
    said = f"{number_of(total, 'error')}: {parts}" if parts else "no errors"
    return f"{best['system']} makes {said} (n = {number_of(gold, 'gold span')})."


def _kind(n: int, words: str) -> str:
    return _SINGULAR.get(words, words) if n == 1 else words


def confusion(report: Report, topic: Topic) -> str:  # noqa: ARG001
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


def buckets(report: Report, topic: Topic) -> str:
    """Return between which buckets of which attribute the score falls most, weighted by n."""
    metric = topic.bucket_metric
    frame = report.table("buckets").filter(
        pl.col("gold") >= FEWEST,
        pl.col("attribute").is_in(_ANSWERS).not_(),
        pl.col("bucket").is_in((*OUTSIDE, "(other)")).not_(),
    )
    means = frame.group_by("attribute", "bucket", maintain_order=True).agg(
        pl.col(metric).mean(), pl.col("gold").first()
    )
    falls = [_fall(part, metric) for part in means.partition_by("attribute", maintain_order=True)]
    top = max((fall for fall in falls if fall), key=lambda fall: fall["spread"], default=None)
    if top is None:
        return (
            f"No attribute has two buckets of at least {FEWEST} gold items with different scores."
        )
    return (
        f"Mean {topic.title} falls {100 * top['points']:.1f} points from {top['attribute']} "
        f"{top['high']['bucket']} (n = {top['high']['gold']:,}) to {top['low']['bucket']} "
        f"(n = {top['low']['gold']:,})."
    )


def _fall(part: pl.DataFrame, metric: str) -> Row | None:
    """Return the two buckets of an attribute that make most of its spread, the better one first."""
    scores, sizes = part[metric].to_list(), part["gold"].to_list()
    places = steepest(scores, sizes)
    if places is None:
        return None
    high, low = (part.row(at, named=True) for at in places)
    fall = high[metric] - low[metric]
    weighed = spread(scores, sizes) or 0.0
    return {"attribute": high["attribute"], "high": high, "low": low, "points": fall,
            "spread": weighed}  # fmt: skip


def pivot(report: Report, topic: Topic) -> str:
    """Return the surest of the slices in which the best system is significantly worse."""
    frame = report.table("slices")
    tried = report.table("tried").row(0, named=True)
    if not tried["slices"]:
        return f"No slice has {tried['least']:,} or more items, so none was tested."
    if frame.is_empty():
        return f"{_none_of(tried['slices'])} significantly worse than the rest."
    top = frame.row(0, named=True)
    more = f" and {top['and_attribute']} = {top['and_value']}" if top["and_attribute"] else ""
    share = topic.share_title
    many = "is" if tried["found"] == 1 else "are"
    return (
        f"{share[0].upper()}{share[1:]} is {percent(top['score'])} where {top['attribute']} = "
        f"{top['value']}{more} (n = {top['n']:,}), {percent(top['overall'])} overall; "
        f"{tried['found']:,} of {number_of(tried['slices'], 'slice')} {many} significantly worse."
    )


def _none_of(slices: int) -> str:
    return "The one slice is not" if slices == 1 else f"None of {slices:,} slices is"
