"""Labels that never meet: a system whose names are others than gold's has nothing right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def strangers(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yield which systems have none of gold's labels: they may have other names for them."""
    frame = tables.get("labels")
    if frame is None or not {"system", "label", "support", "tp", "fp"} <= set(frame.columns):
        return
    gold = frame.filter(pl.col("support") > 0)["label"].unique().sort().to_list()
    said = frame.filter(pl.col("tp") + pl.col("fp") > 0)
    known = said.filter(pl.col("label").is_in(gold))["system"].unique()
    odd = said.filter(~pl.col("system").is_in(known.implode())) if gold else said.clear()
    for part in odd.partition_by("system", maintain_order=True):
        own = part["label"].sort().to_list()
        yield (
            f"{part['system'][0]}: none of its labels ({listed(own)}) is one of gold's "
            f"({listed(gold)}); if they mean the same, rename them in one of the files"
        )
