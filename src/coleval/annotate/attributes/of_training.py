"""Attributes that compare an item's string with the training data: how often, with which label.

A string that the training data do not have has frequency 0, and no label there, so consistency 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import Values, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts


def frequency(facts: Facts) -> Values:
    """Return how often the string occurs among training spans, or tokens, in lower case."""
    strings, row = facts.strings
    n = _counts(facts).group_by("string").agg(pl.col("n").sum())
    found = strings.to_frame().join(n, on="string", how="left", maintain_order="left")["n"]
    return numbers(found.fill_null(0), row)


def consistency(facts: Facts) -> Values:
    """Return the share of the string's occurrences in training that carry the label."""
    strings, row = facts.strings
    place = strings.to_frame().with_row_index("at")
    known = _counts(facts).join(place, on="string", how="inner")
    labels = pl.DataFrame({"label": facts.items.labels}, schema={"label": pl.String})
    share = pl.col("n") / pl.col("n").sum().over("string")
    cells = known.with_columns(share=share).join(labels.with_row_index("code", 1), on="label")
    return Values(_table(cells, (len(strings), len(facts.items.labels) + 1)), row)


def _table(cells: pl.DataFrame, shape: tuple[int, int]) -> NDArray[np.float64]:
    table = np.zeros(shape)
    table[cells["at"].to_numpy(), cells["code"].to_numpy()] = cells["share"].to_numpy()
    return table


def _counts(facts: Facts) -> pl.DataFrame:
    """Return string, label, n of training spans where items are spans, else of its tokens.

    Tokens inside spans have the label of their span, tokens of tagged text their tag.
    """
    if facts.training is None:
        raise ValueError("no training data")
    if facts.items.unit == "span":
        return facts.training.strings("span")
    return facts.training.strings("token" if facts.begin else "tag")
