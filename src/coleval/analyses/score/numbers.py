"""``score`` of numbers: the mean, or another metric, of each system, and how its numbers spread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items
from coleval.analyses.wording import listed, number_of
from coleval.corpus.numbers import values
from coleval.corpus.options import OF_STRUCTURES
from coleval.declare.tables import BETTER, Shaped
from coleval.metrics.counting import by_pattern, counting_of, gold_of
from coleval.metrics.registry import measure, titled_in
from coleval.render.listing import plain
from coleval.statistics.measure import observed, total
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.statistics.measure import Floats, Measure


def leaderboard(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall``: the score of each system, the best first, and of how many items."""
    items, score = scored_items(corpus), headline(corpus)
    found = values(items)
    frame = pl.DataFrame(
        {
            "system": pl.Series(items.systems, dtype=pl.String),
            "metric": pl.Series([score.name] * len(found), dtype=pl.String),
            "value": null_for_nan(observed(score)),
            "items": pl.Series([len(items)] * len(found), dtype=pl.Int64),
            "answered": pl.Series((~np.isnan(found)).sum(axis=1), dtype=pl.Int64),
            "mean": _each(np.mean, found),
            "sd": _each(lambda row: row.std(ddof=1) if len(row) > 1 else np.nan, found),
            "min": _each(np.min, found),
            "median": _each(np.median, found),
            "max": _each(np.max, found),
            BETTER: pl.Series([score.better] * len(found), dtype=pl.String),
        }
    )
    falling = [not score.lower, False]
    return {"overall": frame.sort("value", "system", descending=falling, nulls_last=True)}


def is_of_metric(corpus: Corpus) -> bool:
    """Tell whether a metric was asked for in place of all that a leaderboard of labels has."""
    kind = corpus.task_kind
    # Trees, chains and texts have leaderboards of their metrics.
    return corpus.scoring.metric not in OF_STRUCTURES and not (kind.metrics or kind.numeric)


def of_metric(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall`` by one metric of a task: system, metric, value, and how much gold has."""
    name = corpus.scoring.metric
    how = by_pattern(counting_of(corpus, scored_items(corpus)), name)
    systems, gold = how.items.systems, gold_of(how, name)
    frame = pl.DataFrame(
        {
            "system": pl.Series(systems, dtype=pl.String),
            "metric": pl.Series([name] * len(systems), dtype=pl.String),
            "value": null_for_nan(observed(replace(measure(name, how), n=how.units.n))),
            "items": pl.Series([int(total(gold, how.units.n)[0])] * len(systems), dtype=pl.Int64),
        }
    )
    return {"overall": frame.sort("value", "system", descending=[True, False], nulls_last=True)}


def headline(corpus: Corpus) -> Measure:
    """Return the measure that systems are ranked by, over single items."""
    items = scored_items(corpus)
    name = corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))
    return measure(name, counting_of(corpus, items, items.unit))


def _each(of: Callable[[Floats], float], rows: Floats) -> pl.Series:
    """Return something of the known numbers of each row, null where there is none."""
    known = [row[~np.isnan(row)] for row in rows]
    return null_for_nan(np.array([of(row) if len(row) else np.nan for row in known], np.float64))


def shown(report: Report) -> Shaped:
    """Return the leaderboard under the name of its metric; a mean is not shown twice."""
    frame = report.table("overall")
    names = frame["metric"].unique().to_list()
    own = frame.drop("mean", strict=False) if names == ["mean"] else frame
    return Shaped(own, title=f"systems, best first by {titled_in(frame)}")


def finding(report: Report, topic: Topic) -> str:
    """Return which system ranks first, by which score, and how far ahead."""
    if "ranking" in report.tables:
        rows, key = report.table("ranking").to_dicts(), "macro"
        over = f"mean over {number_of(rows[0]['groups'], topic.group)}"
    else:
        rows, key = report.table("overall").to_dicts(), "value"
        over = f"n = {number_of(rows[0]['answered'], 'item')}"
    first, name = rows[0], topic.title
    if first[key] is None:
        return f"No system has a score: {name} is undefined."
    if len(topic.tied) > 1:
        ends = sorted(row[key] for row in rows if row["system"] in topic.tied)
        return (
            f"{listed(topic.tied)} are tied for first with {name} {plain(ends[0])} to "
            f"{plain(ends[-1])}: no difference from {topic.tied[0]} is significant ({over})."
        )
    ahead = ""
    if len(rows) > 1 and rows[1][key] is not None:
        gap = plain(abs(first[key] - rows[1][key]))
        ahead = f", {gap} ahead of {rows[1]['system']}"
    return f"{first['system']} ranks first with {name} {plain(first[key])}{ahead} ({over})."
