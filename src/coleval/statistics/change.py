"""Shares and differences from the counts of changes between pairs of systems; undefined is null."""

from __future__ import annotations

import polars as pl

from coleval.statistics.ratio import ratio_expr

KINDS = ("correction", "new error", "changed error")
SUMMARY = (
    "before", "after", "items", "different", "diff", "corrections", "new_errors", "changed_errors",
    "net", "correct_before", "correct_after", "accuracy_before", "accuracy_after", "delta",
    "f1_before", "f1_after", "f1_delta",
    "sentences", "sentences_before", "sentences_after",
)  # fmt: skip
CHANGES = (
    "before", "after", "kind", "gold", "label_before", "label_after", "n",
    "share_of_kind", "share_of_changes",
)  # fmt: skip
LABELS = (
    "before", "after", "label", "items", "correct_before", "correct_after",
    "accuracy_before", "accuracy_after", "delta",
)  # fmt: skip


def summary(
    counts: pl.DataFrame,
    totals: pl.DataFrame,
    *,
    gold: int,
    sentences: int,
    zero_division: float | None = None,
) -> pl.DataFrame:
    """Return one row a pair; ``totals`` has each system's own counts by its place."""
    table = counts
    for side in ("before", "after"):
        own = totals.rename({name: f"{name}_{side}" for name in totals.columns})
        table = table.join(own, on=f"place_{side}", how="left", maintain_order="left")
    sides = [_side(side, gold, zero_division) for side in ("before", "after")]
    both = table.with_columns(
        *(expression for side in sides for expression in side),
        diff=ratio_expr(pl.col("different"), pl.col("items")),
        net=pl.col("corrections") - pl.col("new_errors"),
        sentences=pl.lit(sentences or None, dtype=pl.Int64),
    )
    return (
        both.rename(
            {f"sentences_correct_{side}": f"sentences_{side}" for side in ("before", "after")}
        )
        .with_columns(
            delta=pl.col("accuracy_after") - pl.col("accuracy_before"),
            f1_delta=pl.col("f1_after") - pl.col("f1_before"),
        )
        .select(SUMMARY)
    )


def _side(side: str, gold: int, zero_division: float | None) -> tuple[pl.Expr, pl.Expr]:
    accuracy = ratio_expr(pl.col(f"correct_{side}"), pl.col("items"), zero_division)
    f1 = ratio_expr(2 * pl.col(f"tp_{side}"), pl.col(f"proposed_{side}") + gold, zero_division)
    return accuracy.alias(f"accuracy_{side}"), f1.alias(f"f1_{side}")


def shares(cells: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the transitions of each pair, kind by kind, the commonest first, with their shares."""
    order = {kind: at for at, kind in enumerate(KINDS)}
    table = cells.with_columns(
        order=pl.col("kind").replace_strict(order, return_dtype=pl.Int8),
        share_of_kind=pl.col("n") / pl.col("n").sum().over("pair", "kind"),
        share_of_changes=pl.col("n") / pl.col("n").sum().over("pair"),
    ).sort(
        "pair", "order", "n", "gold", "label_before", "label_after",
        descending=[False, False, True, False, False, False], nulls_last=True,
    )  # fmt: skip
    return table.join(pairs, on="pair", how="left", maintain_order="left").select(CHANGES)


def differences(
    counts: pl.DataFrame, pairs: pl.DataFrame, zero_division: float | None
) -> pl.DataFrame:
    """Return each label's accuracy before and after, the largest difference of a pair first.

    Labels that gold never has are left out: there is nothing of them to get right.
    """
    before, after, items = pl.col("correct_before"), pl.col("correct_after"), pl.col("items")
    table = counts.filter(items > 0).with_columns(
        accuracy_before=ratio_expr(before, items, zero_division),
        accuracy_after=ratio_expr(after, items, zero_division),
        delta=(after - before) / items,
        size=((after - before) / items).abs(),
    ).sort("pair", "size", "items", "label", descending=[False, True, True, False])  # fmt: skip
    return table.join(pairs, on="pair", how="left", maintain_order="left").select(LABELS)
