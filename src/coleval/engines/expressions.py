"""Any SQL expression over the wide item table as a column: what nobody has declared before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
import polars as pl

from coleval.annotate import ANNOTATIONS, mentioned
from coleval.engines.memory import _Stream
from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.items import Items


def expression_values(items: Items, expression: str, where: str = "--attribute") -> pl.Series:
    """Return the value of an expression for every item, in their order; raise if it is no SQL."""
    frame = items.frame(mentioned(expression, items))
    with duckdb.connect(config={"enable_external_access": "false"}) as con:
        con.register("item", _Stream(frame))
        try:
            query = f"select item, ({expression}) as value from item order by item"  # noqa: S608
            found = con.sql(query).pl()
        except duckdb.Error as error:
            raise UsageError(
                f"`{expression}`: {str(error).splitlines()[0]}",
                where=where,
                remedy=f"columns: {', '.join(dict.fromkeys([*frame.columns, *ANNOTATIONS]))}",
            ) from None
    return _in_order(items, found["value"])


def _in_order(items: Items, values: pl.Series) -> pl.Series:
    """Return values sorted by item number in the order that items have."""
    rank = np.argsort(np.argsort(items.numbers, kind="stable"), kind="stable")
    column = values.gather(pl.Series(rank))
    plain = column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.String)
    return (
        column.cast(pl.Float64)
        if column.dtype.is_decimal()
        else column
        if plain
        else column.cast(pl.String)
    )
