"""Labels that gold does not have: of a system that has no other, or of one that is misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def strangers(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yield which systems have labels that gold has not: other names for them, or misspelt ones."""
    frame = tables.get("labels")
    if frame is None or not {"system", "label", "support", "tp", "fp"} <= set(frame.columns):
        return
    # Relations that a treebank happens to lack are no misspelling.
    trees = "metric" in frame.columns
    gold = frame.filter(pl.col("support") > 0)["label"].unique().sort().to_list()
    said = frame.filter(pl.col("tp") + pl.col("fp") > 0)
    known = said.filter(pl.col("label").is_in(gold))["system"].unique()
    odd = said.filter(pl.col("support") == 0) if gold else said.clear()
    for part in odd.partition_by("system", maintain_order=True):
        own, system = part.sort("label"), part["system"][0]
        if system not in known:
            yield (
                f"{system}: none of its labels ({listed(own['label'].to_list())}) is one of gold's "
                f"({listed(gold)}); if they mean the same, rename them in one of the files"
            )
        elif not trees:
            named = [f"`{label}` ({n:,} ×)" for label, n in own.select("label", "fp").iter_rows()]
            yield (
                f"{system}: gold never has {listed(named)}, which all count as wrong and in macro "
                "averages as labels with 0; misspelt? `coleval validate` has the lines"
            )
