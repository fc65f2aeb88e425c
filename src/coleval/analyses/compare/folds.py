"""Folds of a cross-validation, or repeated splits: each system's mean over them, and tests."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.wording import number_of
from coleval.errors import DataError, UsageError, unknown
from coleval.metrics.counting import counting_of
from coleval.metrics.registry import measure
from coleval.statistics.blocks import FoldTest, corrected_t, ratio_to_training
from coleval.statistics.measure import by_unit
from coleval.statistics.paired import adjusted
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.compare.plan import Plan, Setting
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_WHERE = "--folds"
_FOLDS = {"system": pl.String, "metric": pl.String, "n": pl.Int64,
          **dict.fromkeys(("mean", "sd", "min", "max"), pl.Float64),
          "folds": pl.Int64, "note": pl.String}  # fmt: skip


def fold_tables(how: Setting, pairs: NDArray[np.intp]) -> dict[str, pl.DataFrame]:
    """Return ``folds`` (mean, sd, n of each system, best first) and ``fold_pairs``."""
    scores = _scores(how)
    rows = [_row(how, name, values) for name, values in zip(how.systems, scores, strict=True)]
    table = pl.DataFrame(rows, schema=_FOLDS)
    table = table.sort("mean", "system", descending=[not how.measure.lower, False],
                       nulls_last=True)  # fmt: skip
    return {"folds": table, "fold_pairs": _pairs(how, pairs, scores)}


def _scores(how: Setting) -> Floats:
    """Return the score of every system in each fold by itself."""
    items, name = how.counting.items, how.plan.folds
    _check(items, name)
    return by_unit(measure(how.plan.metric, counting_of(how.counting.corpus, items, name)))


def _check(items: Items, name: str) -> None:
    if name not in items.context.columns:
        raise unknown("column", name, items.context.columns, where=_WHERE)
    column = items.context[name]
    if column.null_count():
        raise DataError(
            f"{number_of(column.null_count(), 'item')} of {len(column):,} in no fold",
            where=f"{_WHERE} {name}",
            remedy="give every item the fold that it was tested in, or leave the others out: "
            f"--where '{name} is not null'",
        )
    if column.n_unique() < 2:
        raise UsageError(
            f"`{name}` has {number_of(column.n_unique(), 'value')}",
            where=_WHERE,
            remedy="it takes two folds or more, better ten",
        )


def _row(how: Setting, system: str, values: Floats) -> dict[str, object]:
    """Return a system: ``n`` of its ``folds`` have a score, and the others are in no mean."""
    known = values[~np.isnan(values)]
    n = len(known)
    return {
        "system": system,
        "metric": how.plan.metric,
        "n": n,
        "mean": float(known.mean()) if n else None,
        "sd": float(known.std(ddof=1)) if n > 1 else None,
        "min": float(known.min()) if n else None,
        "max": float(known.max()) if n else None,
        "folds": len(values),
        "note": f"{how.plan.metric} is undefined in {number_of(len(values) - n, 'fold')}: left out"
        if n < len(values)
        else None,
    }


def _pairs(how: Setting, pairs: NDArray[np.intp], scores: Floats) -> pl.DataFrame:
    ratio = ratio_to_training(scores.shape[1], how.plan.test_share)
    found = [corrected_t(scores[a] - scores[b], ratio, how.plan.alpha) for a, b in pairs]
    numbers = {name: np.array([asdict(one)[name] for one in found], np.float64)
               for name in ("delta", "sd", "low", "high", "t", "p")}  # fmt: skip
    a, b = _means(scores, pairs)
    frame = {
        "a": pl.Series([how.systems[k] for k, _ in pairs], dtype=pl.String),
        "b": pl.Series([how.systems[k] for _, k in pairs], dtype=pl.String),
        "metric": pl.Series([how.plan.metric] * len(pairs), dtype=pl.String),
        "n": pl.Series([one.n for one in found], dtype=pl.Int64),
        "value_a": null_for_nan(a),
        "value_b": null_for_nan(b),
        **{name: null_for_nan(column) for name, column in numbers.items()},
        "p_adjusted": null_for_nan(adjusted(numbers["p"], how.plan.correct)),
        "ratio": pl.Series([ratio] * len(pairs), dtype=pl.Float64),
        "note": pl.Series([_why(one) for one in found], dtype=pl.String),
    }
    return pl.DataFrame(frame)


def _means(scores: Floats, pairs: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the means of both systems over the folds in which both have a score."""
    both = [~np.isnan(scores[a] - scores[b]) for a, b in pairs]
    sides = [
        [scores[pair[side]][there].mean() if there.any() else np.nan
         for pair, there in zip(pairs, both, strict=True)]
        for side in (0, 1)
    ]  # fmt: skip
    return np.array(sides[0], np.float64), np.array(sides[1], np.float64)


def _why(found: FoldTest) -> str | None:
    """Return why a pair has no test, or nothing to test."""
    if found.n < 2:
        return f"both have a score in {number_of(found.n, 'fold')}: two are needed"
    if found.sd:
        return None
    return "equal in every fold" if found.p == 1 else "the same difference in every fold: no spread"


def checked_share(plan: Plan) -> None:
    """Raise for the share of the test items where there are no folds."""
    if plan.test_share is not None and not plan.folds:
        raise UsageError(
            "there are no folds that it could be the share of",
            where="--test-share",
            remedy="name their column too: --folds COLUMN",
        )
