"""``score`` of generated text: every metric that is kept, and the one that ranks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import selected_items
from coleval.counts.segments import statistics_of
from coleval.counts.units import units_of
from coleval.declare.tables import Shaped
from coleval.metrics.generated import by_unit
from coleval.metrics.text import METRICS, TextMetric, text_metric
from coleval.statistics.measure import UnitSums
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.report import Report
    from coleval.statistics.measure import Floats

OVERALL = ("system", "metric", "value", "segments", "lower")


def shown_metrics(corpus: Corpus, items: Items) -> list[TextMetric]:
    """Return the metric that ranks, then those whose counts are kept."""
    first = text_metric(corpus.task_kind.headline(corpus, items))
    kept = (one for one in METRICS.values() if one.statistic in corpus.layers)
    return list(dict.fromkeys([first, *kept]))


def generated(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall``: the metrics of each system, the best one first."""
    items = selected_items(corpus)
    frames = []
    for metric in shown_metrics(corpus, items):
        counts = statistics_of(corpus, items, metric.statistic)
        value = metric.score(counts.sum(axis=2).T.astype(np.float64))
        columns = {"system": list(items.systems), "value": null_for_nan(value)}
        frames.append(
            pl.DataFrame(columns, schema_overrides={"system": pl.String}).with_columns(
                metric=pl.lit(metric.name),
                segments=pl.lit(len(items), pl.Int64),
                lower=pl.lit(metric.better == "low"),
            )
        )
    falling = [not frames[0]["lower"][0], False]
    first = frames[0].sort("value", "system", descending=falling, nulls_last=True)
    order = first.select("system").with_row_index("place")
    overall = pl.concat(frames).join(order, on="system", how="left", maintain_order="left")
    return {"overall": overall.sort("place", maintain_order=True).select(OVERALL)}


def shown(report: Report) -> Shaped:
    """Return the leaderboard under the titles of metrics, with what each system answered."""
    frame = report.table("overall")
    titles = {name: metric.title for name, metric in METRICS.items()}
    named = frame.with_columns(pl.col("metric").replace(titles))
    if "value_low" in frame.columns:
        return Shaped(named)
    rows = named.select("system", "metric", "value")
    if "coverage" in frame.columns:
        answered = frame.select("system", metric=pl.lit("answered"), value="coverage").unique(
            maintain_order=True
        )
        rows = pl.concat([rows, answered])
    return Shaped(rows, title=f"systems, best first by {rows['metric'][0]}")


def unit_sums(corpus: Corpus, kind: str) -> Iterator[UnitSums]:
    """Yield the counts of each metric by unit, and its score of their sums."""
    items = selected_items(corpus)
    units = units_of(items, kind)
    for metric in shown_metrics(corpus, items):
        rows = by_unit(statistics_of(corpus, items, metric.statistic), units)
        yield UnitSums(
            units.key, rows.reshape(-1, len(units)), partial(_of_sums, metric, len(items.systems))
        )


def _of_sums(
    metric: TextMetric, systems: int, sums: Floats, _: float | None
) -> dict[tuple[str, str], Floats]:
    counts = sums.reshape(systems, -1, sums.shape[1]).swapaxes(0, 1)
    return {(metric.name, "value"): metric.score(counts)}
