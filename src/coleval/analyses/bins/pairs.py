"""Two systems bin by bin: what the second solves more or less than the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable


def pair_table(
    bins: pl.DataFrame, tps: pl.DataFrame, pairs: Iterable[tuple[str, str]]
) -> pl.DataFrame:
    """Return before, after, bin, items, both systems' tp and share, and the differences."""
    known = tps["system"].unique(maintain_order=True).to_list()
    return pl.concat([_pair(bins, tps, *_known(pair, known)) for pair in pairs])


def _known(pair: tuple[str, str], systems: list[str]) -> tuple[str, str]:
    for name in pair:
        if name not in systems:
            raise unknown("system", name, systems, where="--pair")
    before, after = pair
    return before, after


def _pair(bins: pl.DataFrame, tps: pl.DataFrame, before: str, after: str) -> pl.DataFrame:
    return (
        bins.select("bin", "items")
        .join(_one(tps, before, "before"), on="bin", maintain_order="left")
        .join(_one(tps, after, "after"), on="bin", maintain_order="left")
        .select(
            pl.lit(before).alias("before"),
            pl.lit(after).alias("after"),
            "bin", "items", "tp_before", "tp_after",
            (pl.col("tp_after") - pl.col("tp_before")).alias("delta"),
            "share_before", "share_after",
            (pl.col("share_after") - pl.col("share_before")).alias("share_delta"),
        )
    )  # fmt: skip


def _one(tps: pl.DataFrame, system: str, name: str) -> pl.DataFrame:
    own = tps.filter(pl.col("system") == system)
    return own.select("bin", pl.col("tp", "share").name.suffix(f"_{name}"))
