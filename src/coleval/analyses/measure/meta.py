"""How far metrics of generated text agree with people: by system, and by segment.

Pairwise accuracy with ties is that of Deutsch, Foster and Freitag (2023), which WMT takes since
2023: two systems on a segment are ordered, or tied, as people order or tie them; scores of a metric
that differ by at most epsilon are tied, and epsilon is the one that agrees best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.score.generated import shown_metrics
from coleval.counts.segments import statistics_of
from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_META = {"level": pl.String, "metric": pl.String, "n": pl.Int64, "pearson": pl.Float64,
         "kendall": pl.Float64, "accuracy": pl.Float64, "epsilon": pl.Float64}  # fmt: skip


def meta(corpus: Corpus, table: str) -> pl.DataFrame:
    """Return correlations of the metrics that are kept with the scores of a table.

    It has a column `id`, or the numbers of segments from 1 in it, and a column for each system.
    """
    if not corpus.task_kind.texts:
        raise UsageError(
            "correlations of metrics with people are of generated text", where="--meta",
            remedy="use --correlate for any two columns",
        )  # fmt: skip
    items = corpus.with_table(table).at()
    human = _human(items, table)
    rows = []
    for metric in shown_metrics(corpus, items):
        counts = statistics_of(corpus, items, metric.statistic).swapaxes(0, 1).astype(np.float64)
        sign = -1 if metric.better == "low" else 1
        # Systems are scored on the segments that people have scored of them.
        there = ~np.isnan(human)
        whole = metric.score(np.where(there, counts, 0.0).sum(axis=2))
        means = np.array([row[~np.isnan(row)].mean() if (~np.isnan(row)).any() else np.nan
                          for row in human])  # fmt: skip
        by_segment = sign * metric.of_segments(counts)
        levels = {"system": (sign * whole[:, None], means[:, None]),
                  "segment": (by_segment, human)}  # fmt: skip
        rows += [{"level": level, "metric": metric.name, **_agreement(*both)}
                 for level, both in levels.items()]  # fmt: skip
    frame = pl.DataFrame(rows, schema=_META)
    return frame.sort("level", "accuracy", descending=[True, True], nulls_last=True)


def _human(items: Items, table: str) -> Floats:
    """Return the scores of people, a row a system, NaN where there are none."""
    there = [name for name in items.systems if name in items.context.columns]
    if not there:
        raise UsageError(
            "has no column of a system", where=f"--meta {table}",
            remedy=f"name its columns as the systems: {', '.join(items.systems[:5])}",
        )  # fmt: skip
    nothing = np.full(len(items), np.nan)
    return np.stack([
        items.context[name].cast(pl.Float64, strict=False).to_numpy().astype(np.float64)
        if name in there else nothing for name in items.systems
    ])  # fmt: skip


def _agreement(metric: Floats, human: Floats) -> dict[str, Any]:
    """Return the agreement of scores, a row a system and a column a segment."""
    from scipy.stats import kendalltau, pearsonr

    known = ~np.isnan(human) & ~np.isnan(metric)
    x, y = metric[known], human[known]
    varied = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
    accuracy, epsilon = pairwise_accuracy(metric, human)
    return {
        "n": int(known.sum()),
        "pearson": float(pearsonr(x, y).statistic) if varied else None,
        "kendall": float(kendalltau(x, y).statistic) if varied else None,
        "accuracy": accuracy,
        "epsilon": epsilon,
    }


def pairwise_accuracy(metric: Floats, human: Floats) -> tuple[float | None, float | None]:
    """Return the best share of pairs of systems that are ordered or tied alike, and its epsilon.

    It is the mean over segments (columns) with a pair that both have scores for. Of one column,
    as of whole systems, there is no epsilon: scores are tied if they are equal.
    """
    one, other = np.triu_indices(len(human), 1)
    apart, wanted = metric[one] - metric[other], np.sign(human[one] - human[other])
    known = ~np.isnan(apart) & ~np.isnan(wanted)
    pairs = known.sum(axis=0)
    if not pairs.any():
        return None, None
    weight = np.broadcast_to(1 / np.maximum(pairs, 1), known.shape)[known] / (pairs > 0).sum()
    size, sign, wanted = np.abs(apart[known]), np.sign(apart[known]), wanted[known]
    if metric.shape[1] == 1:
        return float(weight[sign == wanted].sum()), None
    # As epsilon grows a pair is tied from its own difference on: right if people tie it too.
    order = np.argsort(size, kind="stable")
    gain = np.where(wanted == 0, weight, 0.0) - np.where(
        (sign == wanted) & (sign != 0), weight, 0.0
    )
    start = float(weight[(sign == wanted) & (sign != 0)].sum())
    size, curve = size[order], start + np.cumsum(gain[order])
    last = np.append(size[1:] > size[:-1], True)
    ends, curve = np.append(0.0, size[last]), np.append(start, curve[last])
    if size[0] == 0:
        # Pairs that are equal are tied whatever epsilon is.
        ends, curve = ends[1:], curve[1:]
    best = int(np.argmax(curve))
    return float(curve[best]), float(ends[best])
