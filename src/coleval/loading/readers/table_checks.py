"""What keeps the columns of a table from being read as they are chosen or called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.selection import columns_option, is_frame
from coleval.errors import DataError, UsageError
from coleval.loading.readers.frames import opaque
from coleval.loading.readers.headers import TOKEN_LISTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.loading.readers.model import TableFile


def unclear(
    names: Sequence[str], places: dict[str, str], wanted: list[str], path: str
) -> UsageError:
    """Return the error for a header that does not say which columns hold the answers."""
    known = [("id", places["id"])] if "id" in places else []
    option = columns_option([*known, *((role, "NAME") for role in wanted)], path)
    alone = " (for `behaviour`, systems may have no gold)" if wanted == ["gold", "system"] else ""
    return UsageError(
        f"it is not clear which column is {' and which '.join(wanted)}",
        where=path,
        remedy=f"the header has: {', '.join(names)}\n  say which: {option}{alone}",
    )


def check_apart(answers: dict[str, str], names: Sequence[str], path: str) -> None:
    """Raise if one column is read as gold and as a system."""
    gold = answers.get("gold")
    if gold is None or list(answers.values()).count(gold) == 1:
        return
    others = [name for name in names if name != gold]
    option = columns_option([("gold", gold), ("system", (*others, "NAME")[0])], path)
    raise UsageError(
        f"column `{gold}` is chosen both as gold and as system",
        where=path,
        remedy=f"choose two columns: {option}",
    )


def check_values(data: pl.DataFrame, used: dict[str, str], path: str) -> None:
    """Raise for a column in use whose values are no text; only answers and tokens may be lists."""
    for part, name in used.items():
        kind = data.schema[name]
        inner = kind.inner if isinstance(kind, (pl.List, pl.Array)) else kind
        if inner is not kind and part in ("id", "sentence", "document"):
            raise _no_text(name, f"lists, which cannot be used as the {part}", path)
        if opaque(inner):
            raise _no_text(name, "values that are not text", path)


def _no_text(name: str, what: str, path: str) -> DataError:
    where = "columns=" if is_frame(path) else "--columns"
    remedy = f"choose another column with {where}, or write its values as text"
    return DataError(f"column `{name}` holds {what}", where=path, remedy=remedy)


def check_no_lists(table: TableFile) -> None:
    """Raise for a row that holds a whole sentence: its tokens, its tags, or both."""
    tokens = {name: c for name, c in table.context.items() if name.lower() in TOKEN_LISTS}
    for column in {**tokens, **table.columns}.values():
        if isinstance(column.dtype, (pl.List, pl.Array)):
            raise UsageError(
                f"column `{column.name}` holds a list in each row, not one token or tag",
                where=table.path,
                remedy="write one token and its tag per line, a blank line after each sentence",
            )
