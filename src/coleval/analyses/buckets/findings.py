"""``buckets`` in the report: between which buckets of which attribute the score falls most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.asking import wide_table
from coleval.analyses.buckets.tables import DEFAULT
from coleval.analyses.pivot.slices import described_by
from coleval.annotate.buckets import OUTSIDE
from coleval.statistics.breakdown import spread, steepest

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    Row = dict[str, Any]

# Their rarest values are always the hardest: nothing to begin a story with.
_ANSWERS = ("label", "relation", "base_relation", "upos")
# The score of a bucket with fewer gold items says little.
FEWEST = 20


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the usual attributes and the score that all chapters go by.

    Without training data half of the usual attributes of spans and tokens cannot be worked out.
    Rows of tables have none of them but their labels: there the columns beside the answers are what
    describes them.
    """
    whole = corpus.training or corpus.task_kind.mentions
    attributes: tuple[str, ...] = DEFAULT if whole else (*DEFAULT, "position")
    if corpus.task_kind.of_tables and corpus.spread is None:
        attributes = (*DEFAULT, *described_by(wide_table(corpus)))
    return corpus, {"attributes": attributes, "by": story.topic.bucket_metric}


def finding(report: Report, topic: Topic) -> str:
    """Return between which buckets of which attribute the score falls most, weighted by n."""
    metric = topic.bucket_metric
    described = report.table("buckets").filter(pl.col("attribute").is_in(_ANSWERS).not_())
    if described.is_empty():
        return "No attribute is available but gold's own answers."
    frame = described.filter(
        pl.col("gold") >= FEWEST, pl.col("bucket").is_in((*OUTSIDE, "(other)")).not_()
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
        f"Mean {topic.item_title} falls {100 * top['points']:.1f} points from {top['attribute']} "
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
