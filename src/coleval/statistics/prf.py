"""Accuracy, precision, recall and F1 from confusion counts; undefined is null, never 0 or NaN.

Everything here takes the table ``system, gold, answer, n`` (null = nothing there) and returns
tables of counts and ratios. Ratios are taken once, from sums.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.statistics.ratio import ratio_expr, ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


RATIOS = ("precision", "recall", "f1")


def label_counts(confusion: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return tp, fp, fn of every label that gold or any system has, for every system.

    ``systems`` are named: one without output, where gold has nothing either, has no count.
    """
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    both = pl.concat([confusion["gold"], confusion["answer"]]).drop_nulls().unique().sort()
    grid = named.join(both.rename("label").to_frame(), how="cross")
    right = confusion.filter(pl.col("gold") == pl.col("answer"))
    for part, column, name in (
        (right, "gold", "tp"),
        (confusion, "answer", "predicted"),
        (confusion, "gold", "support"),
    ):
        sums = _sums(part, column, name)
        grid = grid.join(sums, on=["system", "label"], how="left", maintain_order="left")
    return (
        grid.with_columns(pl.col("tp", "predicted", "support").fill_null(0))
        .with_columns(fp=pl.col("predicted") - pl.col("tp"), fn=pl.col("support") - pl.col("tp"))
        .select("system", "label", "tp", "fp", "fn", "support")
    )


def _sums(counts: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    there = counts.filter(pl.col(column).is_not_null())
    return there.group_by("system", pl.col(column).alias("label")).agg(
        pl.col("n").sum().alias(name)
    )


def ratios(counts: pl.DataFrame, zero_division: float | None = None) -> pl.DataFrame:
    """Return counts with precision, recall and F1 = 2tp / (2tp + fp + fn) beside them."""
    tp, fp, fn = pl.col("tp"), pl.col("fp"), pl.col("fn")
    return counts.with_columns(
        ratio_expr(tp, tp + fp, zero_division).alias("precision"),
        ratio_expr(tp, tp + fn, zero_division).alias("recall"),
        ratio_expr(2 * tp, 2 * tp + fp + fn, zero_division).alias("f1"),
    )


def sided_ratios(counts: pl.DataFrame, zero_division: float | None = None) -> pl.DataFrame:
    """Return the same of counts ``tp``, ``tp_predicted``, ``predicted``, ``gold``.

    Gold's items that are found and answers that are right are counted each where they stand; F1
    is their sum through that of gold and predicted, the usual one where the two are the same.
    """
    tp, right = pl.col("tp"), pl.col("tp_predicted")
    predicted, gold = pl.col("predicted"), pl.col("gold")
    return counts.with_columns(
        ratio_expr(right, predicted, zero_division).alias("precision"),
        ratio_expr(tp, gold, zero_division).alias("recall"),
        ratio_expr(tp + right, predicted + gold, zero_division).alias("f1"),
    )


def micro(
    labels: pl.DataFrame, systems: Sequence[str], zero_division: float | None = None
) -> pl.DataFrame:
    """Return the sums over labels with their ratios, one row a system, sums of none being 0."""
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    sums = labels.group_by("system").agg(pl.col("tp", "fp", "fn").sum())
    every = named.join(sums, on="system", how="left", maintain_order="left")
    return ratios(every.with_columns(pl.col("tp", "fp", "fn").fill_null(0)), zero_division)


def averages(
    labels: pl.DataFrame, over: str, systems: Sequence[str], zero_division: float | None = None
) -> pl.DataFrame:
    """Return macro and weighted averages; a label whose score is undefined is in no average.

    An average of nothing, or of labels that weigh nothing, is ``zero_division`` itself.
    ``over`` says which labels the macro average has: ``gold`` (those gold has), ``union``
    (gold's and the system's own), ``all`` (gold's and those of all systems). Sums are exact
    before they are rounded, so that no order of labels or systems changes a last bit.
    """
    columns = labels.select("support", *RATIOS, kept=_AVERAGED[over]).to_dict(as_series=False)
    places: dict[str, list[int]] = {name: [] for name in systems}
    for at, name in enumerate(labels["system"].to_list()):
        places[name].append(at)
    rows = [
        {"system": name, **_averages_of(columns, places[name], zero_division)} for name in systems
    ]
    names = [f"{kind}_{ratio}" for kind in ("macro", "weighted") for ratio in RATIOS]
    return pl.DataFrame(rows, schema={"system": pl.String, **dict.fromkeys(names, pl.Float64)})


_AVERAGED = {
    "gold": pl.col("support") > 0,
    "union": pl.col("tp") + pl.col("fp") + pl.col("fn") > 0,
    "all": pl.lit(value=True),
}


def _averages_of(
    columns: Mapping[str, list[Any]], rows: Sequence[int], zero_division: float | None
) -> dict[str, float | None]:
    kept = [at for at in rows if columns["kept"][at]]
    support = [columns["support"][at] for at in rows]
    even = {
        f"macro_{r}": _mean([columns[r][at] for at in kept], [1] * len(kept), zero_division)
        for r in RATIOS
    }
    return even | {
        f"weighted_{r}": _mean([columns[r][at] for at in rows], support, zero_division)
        for r in RATIOS
    }


def _mean(
    values: list[float | None], weights: list[int], zero_division: float | None
) -> float | None:
    """Return the weighted mean of the values there are, ``zero_division`` if they weigh nothing."""
    pairs = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
    total = sum(w for _, w in pairs)
    return ratio_of(fsum(v * w for v, w in pairs), total, zero_division)


def accuracy(
    confusion: pl.DataFrame,
    systems: Sequence[str],
    *,
    empty_is_answer: bool,
    share: bool,
    zero_division: float | None,
) -> pl.DataFrame:
    """Return items and how many are correct; with ``empty_is_answer`` of all items.

    Their share is accuracy, null where it would only be recall by another name.
    """
    counted = pl.lit(value=True) if empty_is_answer else pl.col("gold").is_not_null()
    right = pl.col("gold").eq_missing(pl.col("answer")) & counted
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    sums = confusion.group_by("system").agg(
        items=pl.col("n").filter(counted).sum(), correct=pl.col("n").filter(right).sum()
    )
    every = named.join(sums, on="system", how="left", maintain_order="left")
    every = every.with_columns(pl.col("items", "correct").fill_null(0))
    ratio = ratio_expr(pl.col("correct"), pl.col("items"), zero_division)
    return every.with_columns(accuracy=ratio if share else pl.lit(None, dtype=pl.Float64))


_MEANS = {
    "samples_precision": ("b", "a"),
    "samples_recall": ("b", "g"),
    "samples_f1": ("2b", "g+a"),
    "samples_jaccard": ("b", "g+a-b"),
}


def samples(
    overlaps: pl.DataFrame, systems: Sequence[str], labels: int, zero_division: float | None = None
) -> pl.DataFrame:
    """Return subset accuracy, Hamming loss and the instance averages, one row a system."""
    g, a, b, n = (pl.col(c) for c in "gabn")
    wrong = ((g + a - 2 * b) * n).sum()
    exact = pl.when((g == b) & (a == b)).then(n).otherwise(0).sum()
    sums = overlaps.group_by("system").agg(
        items=n.sum(),
        correct=exact,
        wrong=wrong,
        **{
            name: _sample_mean(above, below, zero_division)
            for name, (above, below) in _MEANS.items()
        },
    )
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    every = named.join(sums, on="system", how="left", maintain_order="left")
    every = every.with_columns(
        pl.col("items", "correct", "wrong").fill_null(0),
        pl.col(*_MEANS).fill_null(pl.lit(zero_division, dtype=pl.Float64)),
    )
    items = pl.col("items")
    return every.with_columns(
        accuracy=ratio_expr(pl.col("correct"), items, zero_division),
        hamming_loss=ratio_expr(pl.col("wrong"), items * labels),
    ).drop("wrong")


def _sample_mean(above: str, below: str, zero_division: float | None) -> pl.Expr:
    top, bottom, n = _term(above), _term(below), pl.col("n")
    score = ratio_expr(top, bottom, zero_division)
    weight = n.filter(score.is_not_null())
    return ratio_expr((score * n).sum(), weight.sum())


def _term(name: str) -> pl.Expr:
    g, a, b = (pl.col(c) for c in "gab")
    return {"a": a, "b": b, "g": g, "2b": 2 * b, "g+a": g + a, "g+a-b": g + a - b}[name]
