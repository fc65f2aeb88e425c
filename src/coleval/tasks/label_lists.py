"""Lists in tables: sets of labels only where that is asked for, for they may be sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import UsageError
from coleval.readers.headers import TOKEN_LISTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coleval.options import Reading
    from coleval.readers.model import TableFile


def check_lists(reading: Reading, columns: Mapping[str, tuple[TableFile, str]]) -> None:
    """Raise if a column of lists is not declared to hold sets of labels.

    ``--separator`` declares it. So does ``--task label`` with the columns named by ``--columns``,
    unless a list of tokens beside them is as long in every row.
    """
    if reading.separator:
        return
    for file, column in columns.values():
        answers = file.columns[column]
        if not isinstance(answers.dtype, pl.List):
            continue
        tokens = next(_as_long(file, answers), None)
        if tokens is not None or not _named(reading, column):
            raise _undeclared(file, columns, answers.name, tokens)


def _named(reading: Reading, column: str) -> bool:
    """Tell whether the task is said to be labels, and which column holds them."""
    part = "gold" if column == "gold" else "system"
    chosen = (*reading.columns.all(part), *reading.columns.all("label"))
    return reading.task == "label" and bool(chosen)


def _as_long(file: TableFile, answers: pl.Series) -> Iterator[str]:
    """Yield the names of columns that hold as many tokens as there are labels, in every row."""
    for name, column in file.context.items():
        tokens = name == "form" or name.lower() in TOKEN_LISTS
        if tokens and isinstance(column.dtype, (pl.List, pl.Array)):
            listed = column.cast(pl.List(column.dtype.inner or pl.Null))
            lengths = pl.DataFrame({"tokens": listed.list.len(), "labels": answers.list.len()})
            if (lengths["tokens"] == lengths["labels"]).all():
                yield column.name


def _undeclared(
    file: TableFile, columns: Mapping[str, tuple[TableFile, str]], name: str, tokens: str | None
) -> UsageError:
    parts = {
        f"{'gold' if column == 'gold' else 'system'}={table.columns[column].name}": None
        for table, column in columns.values()
    }
    named = ",".join(parts)
    problem = f"column `{name}` holds lists, which may be sets of labels or sequences of tags"
    declared = f"--task label --columns {named}"
    if tokens is not None:
        problem = f"column `{name}` holds as many labels as `{tokens}` holds tokens, in every row"
        declared = "--task label --separator '|'"
    return UsageError(
        problem,
        where=file.path,
        remedy=f"for sets of labels (order is ignored): {declared}\n  for tags of tokens: write "
        "one token and its tag per line, a blank line after each sentence",
    )
