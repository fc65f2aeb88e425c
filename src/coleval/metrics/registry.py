"""The registry of metrics, whatever modules of this room declare, and a measure of each.

Other packages add metrics as entry points ``coleval.metrics`` (docs/plugins.md).
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from coleval import metrics
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.errors import UsageError, unknown
from coleval.metrics.model import Metric
from coleval.plugins import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Measure

# Modules of this room that are no family of metrics.
_APART = ("counting", "model", "registry", "text")


def _declared() -> Iterator[Metric]:
    """Yield the metrics of every family: each module here that is not apart has some."""
    for module in iter_modules(metrics.__path__):
        if module.name not in _APART:
            yield from import_module(f"{metrics.__name__}.{module.name}").METRICS


METRICS: Registry[Metric] = Registry("metrics", {one.name: one for one in _declared()}, Metric)


def metrics_of(corpus: Corpus) -> dict[str, Metric]:
    """Return the metrics that a corpus has by their names."""
    return {one.name: one for one in METRICS.values() if _fits(one, corpus)}


def _fits(metric: Metric, corpus: Corpus) -> bool:
    return corpus.task in metric.tasks and metric.has(corpus)


def metric_named(name: str, corpus: Corpus) -> Metric:
    """Return a metric of a corpus (``f1``, ``f1:PER``); raise for one that it lacks."""
    base, colon, _ = name.partition(":")
    metric = METRICS.get(base)
    if metric is None or not _fits(metric, corpus) or (colon and not metric.of_label):
        able = [key for key, one in metrics_of(corpus).items() if one.of_label or not colon]
        raise unknown("metric", base, able, where="--metric")
    # Which end of plain numbers is better, only their owner knows.
    return replace(metric, better="low") if corpus.scoring.lower and base == "mean" else metric


def measure(name: str, how: UnitCounting, *, of_items: bool = False) -> Measure:
    """Return the measure called ``name``: one of the registry, or of one label: ``f1:PER``.

    ``of_items`` says that each item is right or wrong: trees then have accuracy, not F1.
    """
    metric = metric_named(name, how.corpus)
    base, colon, label = name.partition(":")
    if colon and label not in how.items.labels:
        raise unknown("label", label, how.items.labels, where=f"--metric {base}:")
    if base in TREE_METRICS and not (of_items or _all_words(how)):
        # Without the words of a run that is missing F1 is 2c / (g + p), accuracy is c / g.
        metric = replace(metric, sums=METRICS["f1"].sums)
    _not_of_a_matrix(base, how.items)
    code = how.items.labels.index(label) + 1 if colon else 0
    return metric.measure(replace(how, label=code), name)


def _all_words(how: UnitCounting) -> bool:
    """Return whether all systems have gold's words, so that accuracy and F1 are one number."""
    grid, systems = how.corpus.grid, how.corpus.systems
    return how.items.empty_is_answer and not (grid and grid.missing(systems))


def _not_of_a_matrix(base: str, items: Items) -> None:
    if items.unit == "row" and base != "accuracy":
        raise UsageError(
            "a matrix has only right and wrong, no labels",
            where=f"--metric {base}",
            remedy="--metric accuracy",
        )


def titled(metric: str) -> str:
    """Return a score as sentences name it: F1, macro F1, LAS, ARCS F1."""
    base, colon, label = metric.partition(":")
    if base.startswith("arcs"):
        return f"ARCS F1 ({base.partition('_')[2]} antecedent)"
    title = METRICS[base].title if base in METRICS else base.replace("_", " ")
    return f"{title} of {label}" if colon else title


def titled_in(frame: pl.DataFrame) -> str:
    """Return the score of a table as sentences name it, and over which groups it is a mean."""
    if not frame.height:
        return titled("f1")
    title = titled(str(frame["metric"][0]))
    return f"{title} (mean over {frame['mean_over'][0]})" if "mean_over" in frame.columns else title
