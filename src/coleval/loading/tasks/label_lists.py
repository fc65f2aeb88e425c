"""Lists in tables: sets of labels only where that is asked for, for they may be sequences."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.schemes import OUTSIDE, looks_tagged
from coleval.corpus.selection import columns_option, is_frame
from coleval.errors import UsageError
from coleval.loading.readers.headers import TOKEN_LISTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TableFile

# A list that JSON, Python or numpy has written: quoted or comma-separated values, numbers, or none.
_LIST = r"""(?s)^\s*\[(?:\s*|[^\]]*["',].*|[\s\d.+-]+)\]\s*$"""
_LINE_EACH = (
    "for tags of tokens: add the list of tokens of each row as a column `tokens`, or write one "
    "token and its tag per line, a blank line after each sentence"
)


def check_lists(reading: Reading, columns: Mapping[str, tuple[TableFile, str]]) -> None:
    """Raise if a column of lists is not declared to hold sets of labels.

    ``--separator`` declares it. So does ``--task label`` with the columns named by ``--columns``,
    unless the lists are sequences: a list of tokens beside them is as long in every row, a label is
    there twice, or the labels are tags. Lists that are written as text are never labels.
    """
    listed = []
    for file, column in columns.values():
        answers = file.columns[column]
        if isinstance(answers.dtype, pl.List):
            listed.append((file, column))
        elif _lists_as_text(answers):
            raise _as_text(file, answers)
    if not reading.separator:
        _check_declared(reading, columns, listed)


def _check_declared(
    reading: Reading,
    columns: Mapping[str, tuple[TableFile, str]],
    listed: Sequence[tuple[TableFile, str]],
) -> None:
    """Raise for lists that no separator declares: sequences first, however they are named."""
    for file, column in listed:
        answers = file.columns[column]
        tokens = next(_as_long(file, answers), None)
        if tokens is not None:
            raise _undeclared(file, columns, answers.name, tokens)
        _check_sets(file, answers, reading)
    for file, column in listed:
        if not _named(reading, column):
            raise _undeclared(file, columns, file.columns[column].name, None)


def _check_sets(file: TableFile, answers: pl.Series, reading: Reading) -> None:
    """Raise for lists whose order must mean something: a label is there twice, or all are tags."""
    labels = answers.list.drop_nulls()
    twice = (labels.list.len() != labels.list.n_unique()).arg_true()
    if len(twice):
        row = int(twice[0])
        label = next(name for name, n in Counter(labels[row]).items() if n > 1)
        raise _ordered(file, row, f"column `{answers.name}` has `{label}` more than once in a row")
    distinct = labels.explode().drop_nulls().unique().to_list()
    outside = frozenset((*OUTSIDE, *(reading.outside or ())))
    tags = [label for label in distinct if label not in outside]
    if tags and looks_tagged(tags, outside, suffix=reading.suffix):
        row = int(labels.list.contains(min(tags)).arg_true()[0])
        raise _ordered(file, row, f"column `{answers.name}` holds lists of tags (`{min(tags)}`)")


def _ordered(file: TableFile, row: int, problem: str) -> UsageError:
    return UsageError(
        f"{problem}: these are sequences, not sets of labels",
        where=file.at(row),
        remedy=f"{_LINE_EACH}\n  if they are sets nevertheless (order and repetition are ignored): "
        f"{_separated(file)}",
    )


def _separated(file: TableFile) -> str:
    """Return what to type to declare lists as sets, in the words of where they are from."""
    python = is_frame(file.path)
    return 'task="label", separator="|"' if python else "--task label --separator '|'"


def _lists_as_text(answers: pl.Series) -> bool:
    """Tell whether every answer that is not empty is a list as Python or JSON writes it."""
    texts = answers.drop_nulls()
    texts = texts.filter(texts.str.strip_chars() != "")
    # Classes hardly ever begin so: the first one nearly always settles it.
    return bool(len(texts)) and bool(re.match(_LIST, texts[0])) and texts.str.contains(_LIST).all()


def _as_text(file: TableFile, answers: pl.Series) -> UsageError:
    separator = 'separator="|"' if is_frame(file.path) else "--separator '|'"
    row = int(answers.str.contains(_LIST).fill_null(value=False).arg_true()[0])
    return UsageError(
        f"column `{answers.name}` holds lists written as text, which would be read as one label "
        f"each: `{answers[row][:40]}`",
        where=file.at(row),
        remedy=f"for sets of labels: write A|B and use {separator}, or write the lists as JSON "
        f"lists in JSONL or as lists in Parquet\n  {_LINE_EACH}",
    )


def _named(reading: Reading, column: str) -> bool:
    """Tell whether the task is said to be labels, and which column holds them."""
    part = "gold" if column == "gold" else "system"
    chosen = (*reading.columns.all(part), *reading.columns.all("label"))
    return reading.task_kind.label_sets and bool(chosen)


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
        ("gold" if column == "gold" else "system", table.columns[column].name): None
        for table, column in columns.values()
    }
    named = columns_option(list(parts), file.path)
    problem = f"column `{name}` holds lists, which may be sets of labels or sequences of tags"
    task = 'task="label",' if is_frame(file.path) else "--task label"
    declared = f"{task} {named}"
    if tokens is not None:
        problem = f"column `{name}` holds as many labels as `{tokens}` holds tokens, in every row"
        declared = _separated(file)
    return UsageError(
        problem,
        where=file.path,
        remedy=f"for sets of labels (order is ignored): {declared}\n  {_LINE_EACH}",
    )
