"""The changes of a pair by what changed: kinds of mention, lemmas (Tuggener 2017, Table 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import decoded
from coleval.kernels.transitions import change_kinds
from coleval.statistics.change import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coleval.analyses.judging import Judged

TYPE, LEMMA, NOUN = "mention_type", "lemma", "noun"
_SCHEMA = {
    "before": pl.String, "after": pl.String, "split": pl.String, "value": pl.String,
    "kind": pl.String, "label_before": pl.String, "label_after": pl.String, "n": pl.Int64,
}  # fmt: skip
_ORDER = {kind: at for at, kind in enumerate(KINDS)}


def change_splits(parts: Judged, pairs: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Return how often each transition occurs: by type of mention, and of pronouns by lemma."""
    frames = [_of_pair(parts, pair) for pair in pairs]
    return pl.concat([pl.DataFrame(schema=_SCHEMA), *frames])


def _of_pair(parts: Judged, pair: tuple[str, str]) -> pl.DataFrame:
    kinds = change_kinds(parts.items, pair)
    rows = np.flatnonzero(kinds)
    context = parts.whole.context[pl.Series(rows)]
    labels = parts.shown.labels
    changed = pl.DataFrame(
        [
            pl.Series("kind", KINDS).gather(pl.Series(kinds[rows] - 1)),
            *(decoded(parts.shown.answers[system][rows], labels, f"label_{side}").cast(pl.String)
              for side, system in zip(("before", "after"), pair, strict=True)),
            context[TYPE],
            context[LEMMA],
        ]
    )  # fmt: skip
    pronouns = changed.filter(pl.col(TYPE) != NOUN)
    tables = [_counted(changed, TYPE, pair), _counted(pronouns, LEMMA, pair)]
    return pl.concat(tables)


def _counted(changed: pl.DataFrame, split: str, pair: tuple[str, str]) -> pl.DataFrame:
    """Return the transitions of each value of a column, the commonest value first."""
    keys = ["kind", "label_before", "label_after"]
    counted = changed.group_by(pl.col(split).alias("value"), *keys).agg(n=pl.len().cast(pl.Int64))
    ranked = counted.with_columns(
        total=pl.col("n").sum().over("value"),
        order=pl.col("kind").replace_strict(_ORDER, return_dtype=pl.Int8),
    ).sort(
        "total", "value", "order", "n", "label_before", "label_after",
        descending=[True, False, False, True, False, False], nulls_last=True,
    )  # fmt: skip
    sides = {"before": pair[0], "after": pair[1], "split": split}
    return ranked.select(*(pl.lit(v).alias(k) for k, v in sides.items()), "value", *keys, "n")
