"""SQL expressions over items: conditions, attributes, keys of a pivot, all by the wide table.

There is one way, so that a name means the same column wherever it is written. A value is a number,
true or false, or text; of anything else it is the text that DuckDB writes. NaN and infinity are
null.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import UsageError
from coleval.query.database import Database, Limits
from coleval.query.quoting import quoted
from coleval.query.results import complaint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.query.wide import Wide

_EXACT = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT", "BOOLEAN", "VARCHAR")  # fmt: skip
_FLOAT = ("FLOAT", "DOUBLE")
# Beyond 64 bits, or in tenths: as near as a floating-point number comes.
_LONG = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGNUM")


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression as ``inner`` SQL of an item, and DuckDB's name of its type."""

    inner: str
    kind: str

    @property
    def may_be_infinite(self) -> bool:
        """Tell whether there can be values that are no numbers of use: NaN and infinity."""
        return self.kind in _FLOAT

    def outer(self, column: str) -> str:
        """Return SQL of the value where ``column`` is what ``inner`` gave."""
        if self.kind in _EXACT or self.kind.startswith("ENUM"):
            return column
        if self.kind.startswith(_LONG):
            return f"{column}::double"
        if self.may_be_infinite:
            return f"case when isfinite({column}) then {column} end"
        return f"{column}::varchar"


def expression(database: Database, text: str, where: str) -> Expression:
    """Return an expression over items; raise, as said ``where``, for what is none."""
    with written(text, where):
        inner = _quoted(database, text) or _single(database, text)
        database.prepare(f"select {inner} from item")  # noqa: S608
        kinds = database.types(f'select item, {inner} as " " from item')  # noqa: S608
    if len(kinds) != 2:
        raise UsageError(
            f"{len(kinds) - 1} columns, but one value per item is needed",
            where=f"{where} `{text}`",
        )
    return Expression(inner, kinds[1])


def expression_values(table: Wide, text: str, where: str = "--attribute") -> pl.Series:
    """Return the value of an expression for every item, in their order; raise if it is no SQL."""
    database = Database({"item": table})
    found = expression(database, text, where)
    inner = f"select item, {found.inner} as {_VALUE} from item"  # noqa: S608
    outer = f'select item, {found.outer(_VALUE)} as "value"'
    with written(text, where):
        frame = database.frame(f"{outer} from ({inner}) order by item")
    if len(frame) != len(table):
        raise not_one_each(text, where)
    values = _in_order(table.items, frame["value"])
    return values if _is_simple(values.dtype) else values.cast(pl.String)


def items_holding(table: Wide, condition: str, where: str = "--where") -> NDArray[np.integer]:
    """Return the numbers of the items for which a condition holds, rising."""
    database = Database({"item": table})
    found = expression(database, condition, where)
    inner = f"select item, {found.inner} as {_VALUE} from item"  # noqa: S608
    with written(condition, where):
        kept = database.frame(f"select item from ({inner}) where {_VALUE}")["item"]  # noqa: S608
    numbers = np.sort(kept.to_numpy())
    if not np.all(numbers[1:] > numbers[:-1]):
        raise not_one_each(condition, where)
    return numbers


def rows_holding(columns: Mapping[str, Sequence[str]], condition: str) -> list[int]:
    """Return the rows of a small table for which a condition holds, none where it is wrong.

    What is wrong with it is said where items are filtered.
    """
    import duckdb

    with duckdb.connect(config=Limits().config) as database:
        database.register("place", pl.DataFrame(columns).with_row_index("number").to_arrow())
        query = f"select number from place where (\n{condition}\n) order by number"  # noqa: S608
        try:
            return [number for (number,) in database.execute(query).fetchall()]
        except duckdb.Error:
            return []


def not_one_each(text: str, where: str) -> UsageError:
    """Return the error for what has several values of an item, or none: ``unnest`` does that."""
    return UsageError(
        "one value per item is needed, but this has several or none",
        where=f"{where} `{text}`",
        remedy="use a function of lists, such as len() or list_max(), in place of unnest()",
    )


_VALUE = '" value"'


def _quoted(database: Database, text: str) -> str:
    """Return the column of this very name in quotes, hyphens and all; nothing if there is none."""
    name = text.strip()
    return quoted(name) if name in database.wide().names else ""


def _single(database: Database, text: str) -> str:
    """Return an expression in brackets; raise for what is no single one.

    Otherwise ``gold) or (true`` would be read, and what is behind two hyphens would be lost.
    """
    import duckdb

    try:
        duckdb.SQLExpression(text)
    except duckdb.InvalidInputException:
        raise UsageError("one expression is needed, but these are several") from None
    except duckdb.Error as error:
        raise complaint(error, text, database.words()) from None
    return f"(\n{text}\n)"


def several(text: str) -> bool:
    """Tell whether SQL is more than one statement; what is none is found when it is run."""
    import duckdb

    try:
        return len(duckdb.extract_statements(text)) > 1
    except duckdb.Error:
        return False


@contextmanager
def written(text: str, where: str) -> Iterator[None]:
    """Raise errors of queries as those of the expression in them, which is what users wrote."""
    try:
        yield
    except UsageError as error:
        raise _located(error, text, where) from None


def _located(error: UsageError, text: str, where: str) -> UsageError:
    """Return the error of a query as one of the expression."""
    if "GROUP BY" in error.problem or "aggregates" in error.problem:
        return UsageError(
            "an aggregate has one value for all items, but one value per item is needed",
            where=f"{where} `{text}`",
            remedy="add a window: count(*) over (partition by sentence)",
        )
    return UsageError(error.problem, where=f"{where} `{text}`", remedy=error.remedy)


def _in_order(items: Items, values: pl.Series) -> pl.Series:
    """Return values sorted by item number in the order that items have."""
    numbers = items.numbers
    if len(numbers) < 2 or np.all(numbers[1:] > numbers[:-1]):
        return values
    rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    return values.gather(pl.Series(rank))


def _is_simple(kind: pl.DataType) -> bool:
    return kind.is_integer() or kind.is_float() or kind in (pl.String, pl.Boolean)
