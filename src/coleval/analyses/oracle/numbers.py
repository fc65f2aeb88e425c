"""``oracle`` of numbers: what the best of all systems reaches item by item, and what each adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.outcomes import outcomes_of
from coleval.analyses.wording import number_of
from coleval.declare.tables import BETTER
from coleval.render.listing import plain
from coleval.statistics.item_scores import best_of, ladder
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from coleval.analyses.oracle.spec import Options
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def oracle(corpus: Corpus, _: Options) -> dict[str, pl.DataFrame]:
    """Return ``overall``, the best of k systems (``ladder``), and what each alone adds."""
    found = outcomes_of(corpus)
    items, sign = found.items, found.sign
    # Of numbers that are signed the largest is the best; an item that nobody answered is none.
    signed = sign * found.values
    signed = signed[:, ~np.isnan(signed).all(axis=0)]
    names, best = items.systems, best_of(signed)
    means = np.array([np.nanmean(row) if len(row) else np.nan for row in signed])
    first = max(range(len(names)), key=lambda k: (np.nan_to_num(means[k], nan=-np.inf), -k))
    whole = float(best.mean()) if best.size else np.nan
    overall = {
        "items": signed.shape[1], "value": sign * whole, "best_system": names[first],
        "best_value": sign * means[first], "gain": sign * (whole - means[first]),
        "lowest": sign * float(np.nanmin(signed, axis=0).mean()) if best.size else np.nan,
    }  # fmt: skip
    end = pl.lit("low" if sign < 0 else "high").alias(BETTER)
    frame = pl.DataFrame([overall]).with_columns(pl.col(pl.Float64).fill_nan(None))
    return {
        "overall": frame.with_columns(end),
        "ladder": _ladder(signed, names, sign).with_columns(end),
        "leave_one_out": _without(signed, names, sign, whole).with_columns(end),
    }


def _ladder(signed: np.ndarray, names: tuple[str, ...], sign: int) -> pl.DataFrame:
    """Return the systems in the order in which each raises the best of all before it most."""
    order, reached = ladder(signed)
    gains = np.diff(reached, prepend=np.nan)
    return pl.DataFrame(
        {
            "k": pl.Series(range(1, len(order) + 1), dtype=pl.Int64),
            "system": pl.Series([names[k] for k in order], dtype=pl.String),
            "value": null_for_nan(sign * reached),
            "gain": null_for_nan(sign * gains),
        }
    )


def _without(signed: np.ndarray, names: tuple[str, ...], sign: int, whole: float) -> pl.DataFrame:
    """Return what is lost without each system, and on how many items it alone is best."""
    rows = []
    for k, name in enumerate(names):
        others = best_of(np.delete(signed, k, axis=0))
        alone = signed[k] > np.nan_to_num(others, nan=-np.inf) + TIE
        rest = np.where(np.isnan(others), signed[k], others)
        without = float(rest.mean()) if rest.size else np.nan
        rows.append((name, int(alone.sum()), sign * without, sign * (whole - without)))
    kinds = {"system": pl.String, "alone": pl.Int64, "value": pl.Float64, "loss": pl.Float64}
    frame = pl.DataFrame(rows, schema=kinds, orient="row").fill_nan(None)
    return frame.sort("alone", "system", descending=[True, False])


def finding(report: Report, topic: Topic) -> str:
    """Return what the best choice between systems reaches, and what the best of them does."""
    row = report.table("overall").row(0, named=True)
    if row["value"] is None:
        return "There are no items that a combination of systems could answer."
    return (
        f"The best of all systems on each item reaches {topic.title} {plain(row['value'])}; the "
        f"best system ({row['best_system']}), {plain(row['best_value'])} "
        f"(n = {number_of(row['items'], 'item')})."
    )
