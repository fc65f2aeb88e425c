"""What is shown of ``score``: the metrics of trees apart from those of text, one F1 of keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.compare.metrics import titled
from coleval.declare.counting import CHAIN_METRICS
from coleval.declare.tables import Shaped

if TYPE_CHECKING:
    from coleval.corpus.report import Report

# What is compared before any tree is.
_TEXT = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
_OF_TREES = "systems, best first by {}: F1"
_OF_TEXT = "segmentation and tags: F1 of tokens, sentences, words, tags"


def metrics(report: Report) -> Shaped:
    """Return the F1 of every metric of trees with the sentences wholly right, then all others."""
    frame = report.table("overall")
    trees, text = (frame.filter(pl.col("metric").is_in(_TEXT) == own) for own in (False, True))
    # Sentences are right in head and relation if both count, else in what counts.
    metric = "LAS" if "LAS" in trees["metric"] else "".join(trees["metric"][-1:])
    whole = _whole(trees.filter(pl.col("metric") == metric))
    labels = report.tables.get("labels")
    asked = metric if labels is None or labels.is_empty() else labels["metric"][0]
    more = f"; sentences: wholly right ({metric})" if len(whole) else ""
    of_trees = f"{_OF_TREES.format(asked)}{more}"
    parts = [pl.concat([trees, whole], how="diagonal").with_columns(part=pl.lit(of_trees)),
             text.with_columns(part=pl.lit(_OF_TEXT))]  # fmt: skip
    return Shaped(pl.concat(parts, how="diagonal"))


def _whole(one: pl.DataFrame) -> pl.DataFrame:
    """Return the share of sentences that are right in all of a metric, nothing without any."""
    if "sentences" not in one.columns:
        return one.clear()
    share = pl.col("sentences_correct") / pl.col("sentences")
    return one.filter(pl.col("sentences") > 0).with_columns(f1=share, metric=pl.lit("sentences"))


def chain_metrics(report: Report) -> Shaped:
    """Return the metrics of chains, with the one that ranks, which a signature names if chosen."""
    chosen = re.search(r"\|metric:(\w+)", report.signature)
    first = titled(chosen[1] if chosen else CHAIN_METRICS[0])
    more = "F1 of all metrics; recall, precision and their counts: --as csv"
    return Shaped(report.table("overall"), title=f"systems, best first by {first}: {more}")


def keys(report: Report) -> Shaped:
    """Return the CoNLL F1 of every system against every key, else that of MUC."""
    frame = report.table("keys")
    known = frame.filter(pl.col("f1").is_not_null())["metric"]
    return Shaped(frame.filter(pl.col("metric") == ("conll" if "conll" in known else "muc")))
