"""Attributes that compare an item's string with the training data: how often, with which label.

A string that the training data do not have has frequency 0, and no label there, so consistency 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import Values, numbers
from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts


def frequency(facts: Facts) -> Values:
    """Return how often the string occurs among training spans, or tokens, in lower case."""
    return numbers(_times(facts, _counts(facts)), facts.strings[1])


def word_frequency(facts: Facts) -> Values:
    """Return how often a word occurs as it is written: in training, else in all references."""
    distinct, row = facts.spelled
    if facts.training is None:
        forms = facts.whole.form()
        assert forms is not None  # noqa: S101  - items have forms, or nobody asks
        words = forms.filter(pl.Series(facts.whole.gold != 0)).cast(pl.String).rename("form")
        known = words.to_frame().group_by("form").agg(pl.len().alias("n"))
    else:
        known = facts.training.tables["token"].group_by("form").agg(pl.col("n").sum())
    frame = distinct.rename("form").to_frame()
    n = frame.join(known, on="form", how="left", maintain_order="left")["n"].fill_null(0)
    return numbers(n.cast(pl.Int64), row.to_numpy())


def frequency_share(facts: Facts) -> Values:
    """Return which share of all training spans, or tokens, the string is; null if there is none."""
    counts = _counts(facts)
    times, every = _times(facts, counts).to_numpy(), np.array(int(counts["n"].sum()))
    return numbers(ratio_array(times, every), facts.strings[1])


def _times(facts: Facts, counts: pl.DataFrame) -> pl.Series:
    """Return how often each distinct string occurs in training."""
    n = counts.group_by("string").agg(pl.col("n").sum())
    found = facts.strings[0].to_frame().join(n, on="string", how="left", maintain_order="left")
    return found["n"].fill_null(0)


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
    if facts.items.of_spans:
        return facts.training.strings("span")
    return facts.training.strings("token" if facts.begin else "tag")
