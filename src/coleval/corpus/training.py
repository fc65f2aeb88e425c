"""What systems were trained on, as counts: how often each string occurs there, with which label.

Counted once and kept in a store beside the corpus; the running text is only there for programs
whose way of counting looks at it (``--profile interpreteval``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.lazy import LazyMapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TABLES = ("span", "token", "text")


@dataclass(frozen=True, slots=True)
class Training:
    """Tables, each read or counted when it is first looked at.

    ``span``: string (lower case), label, n. ``token``: form (as written), label (null outside), n.
    ``text``: form, tag and sentence of every token, in order.
    """

    path: str
    sha256: str
    tables: Mapping[str, pl.DataFrame]

    def strings(self, level: str) -> pl.DataFrame:
        """Return string, label, n of spans or tokens, or tokens by ``tag``, in lower case."""
        if level == "span":
            return self.tables["span"]
        lower = pl.col("form").str.to_lowercase().alias("string")
        if level == "tag":
            return _tally(self.tables["text"].select(lower, pl.col("tag").alias("label")))
        counted = self.tables["token"].group_by(lower, "label").agg(pl.col("n").sum())
        return counted.sort("string", "label", nulls_last=True)

    def words(self) -> pl.Series:
        """Return the distinct words as they are written."""
        return self.tables["token"]["form"].unique()


def counted(path: str, sha256: str, text: pl.DataFrame, span: pl.DataFrame) -> Training:
    """Return the training data of a text (form, tag, label, sentence) and its spans."""
    tables: dict[str, Callable[[], pl.DataFrame]] = {
        "span": lambda: _tally(span.with_columns(pl.col("string").str.to_lowercase())),
        "token": lambda: _tally(text.select("form", "label")),
        "text": lambda: text.select("form", "tag", "sentence"),
    }
    return Training(path, sha256, LazyMapping(tables))


def _tally(frame: pl.DataFrame) -> pl.DataFrame:
    columns = frame.columns
    plain = frame.with_columns(pl.col("label").cast(pl.String))
    n = pl.len().cast(pl.Int64).alias("n")
    return plain.group_by(columns).agg(n).sort(columns, nulls_last=True)
