"""How the tables of ``score`` are drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.ordering import given_views
from coleval.analyses.score.spec import TABLES
from coleval.declare.columns import CORRECT_OF_ITEMS, columns
from coleval.declare.conditions import OF_LABEL
from coleval.declare.counting import CHAIN_METRICS
from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, percent, text
from coleval.metrics.registry import titled

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import View


_SYSTEM, _LABEL = text("system"), text("label")
_WITH_ENDS = "{} of each system"
_F1 = Figure(
    "dots", _WITH_ENDS.format("F1"), _SYSTEM, percent("f1", "F1"), low="f1_low", high="f1_high",
    also=columns("precision recall tp fp fn"), where="tp", unless="accuracy",
    overview="ranks",
)  # fmt: skip
OVERALL = (
    Figure(
        "dots", "{metric} of each system", _SYSTEM, percent("value", "score", scored=True),
        low="value_low", high="value_high", also=(count("answered", "items"),), raw=True,
        apart=("metric",), overview="ranks",
    ),
    Figure(
        "dots", _WITH_ENDS.format("accuracy"), _SYSTEM, percent("accuracy", "accuracy"),
        low="accuracy_low", high="accuracy_high", also=(CORRECT_OF_ITEMS,), unless="samples_f1",
        overview="ranks",
    ),
    _F1,
    replace(_F1, where="samples_f1", unless=""),
    Figure(
        "points", "precision against recall of each system", _SYSTEM, percent("precision", "P"),
        x=percent("recall", "R"), also=columns("f1"), where="tp", unless="accuracy",
    ),
    Figure(
        "heat map", "F1 of each system by metric", _SYSTEM, percent("f1", "F1"), text("metric"),
        also=columns("precision recall"), where="metric", raw=True,
    ),
)  # fmt: skip
RANKING = (
    Figure(
        "dots", "{metric} of each system: mean over groups", _SYSTEM,
        percent("macro", "mean over groups", scored=True),
        also=(percent("pooled", "all items together", scored=True), count("groups")),
        apart=("metric",), overview="ranks",
    ),
)  # fmt: skip
BY = (
    Figure(
        "heat map",
        "score of each system in each group; macro: mean over groups, pooled: all items",
        _SYSTEM, percent("score", "score", scored=True), text("by", "group"),
    ),
)  # fmt: skip
STATUS = (
    Figure(
        "stacked bars", "what became of the items of each system", _SYSTEM, count("n", "items"),
        text("status"),
    ),
)  # fmt: skip
RELIABILITY = (
    Figure(
        "points", "accuracy by confidence, in tenths", text("bin"), percent("accuracy", "accuracy"),
        _SYSTEM, x=percent("confidence", "mean confidence"), also=(count("items"),),
    ),
)  # fmt: skip
PLACES = (
    Figure(
        "stacked bars", "what became of the entities that each system lists", _SYSTEM,
        count("n", "entities"), text("status"),
    ),
)  # fmt: skip
LABELS = (
    Figure(
        "heat map", "F1 of each system by label, most support first", _LABEL,
        percent("f1", "F1"), _SYSTEM, also=columns("precision recall support"),
        falling="support", top=25,
        # A score leads to all that it is made of.
        counts=f'{OF_LABEL} or "{{system}}" = {{label}}',
    ),
)  # fmt: skip
RIGHT = (
    replace(
        LABELS[0], title="items right of each system by label, most support first",
        value=percent("recall", "right"), also=columns("support"), counts=OF_LABEL,
    ),
)  # fmt: skip
LABELS_OF_ONE = (
    Figure(
        "bars", "{system}: F1 by label, most support first", _LABEL, percent("f1", "F1"),
        also=columns("precision recall support"), apart=("system",), falling="support", top=40,
    ),
)  # fmt: skip


def overall(report: Report, width: int) -> tuple[View, ...]:
    """Return the table ``overall`` with the rank of each."""
    return given_views(TABLES, "overall", report, width)


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
