"""Numbers in text: the digits 0 to 9 and nothing else, in every format.

A cast alone takes a sign, and a regular expression the digits of all scripts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from polars._typing import PolarsDataType


def whole(text: pl.Expr, kind: PolarsDataType = pl.Int64) -> pl.Expr:
    """Return whole numbers, null for any other text and for what is too large."""
    signed = text.str.starts_with("+") | text.str.starts_with("-")
    return pl.when(~signed).then(text.cast(kind, strict=False))


def whole_numbers(text: pl.Series, kind: PolarsDataType = pl.Int64) -> pl.Series:
    """Return the whole numbers of a column, null for any other text and for what is too large."""
    return text.to_frame("text").select(whole(pl.col("text"), kind)).to_series().alias(text.name)
