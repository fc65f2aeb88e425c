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
    for part in frame.partition_by("system", maintain_order=True):
        own = part.filter(pl.col("tp") + pl.col("fp") > 0)["label"].sort().to_list()
        if own and gold and not set(own) & set(gold):
            yield (
                f"{part['system'][0]}: none of its labels ({listed(own)}) is one of gold's "
                f"({listed(gold)}); if they mean the same, rename them in one of the files"
            )
