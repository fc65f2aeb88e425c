"""Instances: each with one label, or with any number of them; and matrices of right and wrong.

Lists in tables are sets of labels only where that is asked for, for they may be sequences.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import RESERVED, Items
from coleval.corpus.plain_names import settled
from coleval.corpus.problems import MISSING, Problem
from coleval.corpus.schemes import OUTSIDE, looks_tagged
from coleval.corpus.selection import columns_option, is_frame
from coleval.corpus.statuses import EMPTY, KIND, NOT_RUN, OK, status_column
from coleval.counts.span_slots import proposed, slots
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.align.ids import absent_of, rows_of
from coleval.loading.readers.frames import texts, written_out
from coleval.loading.readers.headers import TOKEN_LISTS
from coleval.loading.readers.ids import by_value, listed, plain_numbers
from coleval.loading.readers.long import statuses
from coleval.loading.tasks.layers import same_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TableFile


_EMPTY = ("", "_")
# What the column of gold is called where a table has systems alone.
NO_GOLD = "<no gold>"


def instance_corpus(
    reading: Reading,
    gold: TableFile,
    systems: Mapping[str, tuple[TableFile, str]],
    origins: Mapping[str, Origin],
) -> Corpus:
    """Return the corpus of instances; a system is a column of gold's table or of its own."""
    if reading.numbers:
        every = (gold, *(file for file, _ in systems.values()))
        tables = {id(file): by_value(file) for file in every}
        gold = tables[id(gold)]
        systems = {name: (tables[id(file)], column) for name, (file, column) in systems.items()}
    check_lists(reading, {"": (gold, "gold"), **systems})
    columns = {"": gold.columns["gold"]}
    absent: dict[str, Problem | None] = {}
    places: dict[str, pl.Series | None] = {}
    for name, (file, column) in systems.items():
        rows = places[name] = None if file is gold else rows_of(gold, file)
        answers = file.columns[column]
        columns[name] = answers if rows is None else answers.gather(rows)
        absent[name] = None if rows is None else absent_of(gold, file, rows)
    if reading.status:
        columns, statuses = with_statuses(reading.status, systems, columns, places)
        gold = replace(gold, context={**gold.context, **statuses})
    many = reading.separator or any(isinstance(c.dtype, pl.List) for c in columns.values())
    build = _many if many else _single
    items = build(reading, gold, columns)
    entries = tuple(
        Entry(name, origins[name], notes=_written_otherwise(items, name, file), absent=absent[name])
        for name, (file, _) in systems.items()
    )
    own = Entry("", origins[""], notes=gold.notes)
    return Corpus("label", reading, own, entries, {"instance": items})


def _written_otherwise(items: Items, name: str, file: TableFile) -> tuple[Problem, ...]:
    """Return the note that labels of a system are gold's as numbers, and wrong as they are."""
    plain = plain_numbers(pl.Series(items.labels, dtype=pl.String)).to_list()
    if len(set(plain)) == len(plain):
        return ()
    own = [code for code in np.unique(items.gold).tolist() if code]
    values = {plain[code - 1] for code in own}
    others = [k for k, text in enumerate(plain, 1) if k not in own and text in values]
    wrong = np.flatnonzero(np.isin(items.answers[name], others))
    if not len(wrong):
        return ()
    code = int(items.answers[name][wrong[0]])
    return (
        Problem(
            file.path, None, "labels",
            f"`{items.labels[code - 1]}` is a label that gold never has, and as a number it is "
            f"gold's `{plain[code - 1]}`",
            "it counts as wrong; --numbers reads 7.0 and 0007 as 7",
            len(wrong), fatal=False,
        ),
    )  # fmt: skip


def matrix_corpus(reading: Reading, file: TableFile, origins: Mapping[str, Origin]) -> Corpus:
    """Return the corpus of a matrix of 0 and 1: a row an item, which is there to be solved."""
    # What is neither right nor wrong was not answered.
    codes = {name: (column + 1).fill_null(0) for name, column in file.columns.items()}
    answers = {name: column.to_numpy() for name, column in codes.items()}
    gold = np.full(len(file), 2, np.uint8)
    items = Items(
        "row", context_of(file), ("0", "1"), gold, answers, empty_is_answer=True, group=""
    )
    entries = tuple(
        Entry(name, origins[""], absent=unanswered(file, name)) for name in file.columns
    )
    return Corpus("matrix", reading, Entry("", origins[""]), entries, {"row": items})


def unanswered(table: TableFile, name: str) -> Problem | None:
    """Return that a system has nothing in some rows of a table, None if it has a cell in all."""
    gone = table.columns[name].is_null().arg_true()
    if not len(gone):
        return None
    ids = pl.Series([f"row {int(row) + 1}" for row in gone.head(6)])
    ids = ids if table.id is None else table.id.gather(gone)
    more = f" and {len(gone) - 5:,} more" if table.id is None and len(gone) > 5 else ""
    some = listed(ids) if table.id is not None else ", ".join(ids.head(5)) + more
    return Problem(
        table.path, None, MISSING,
        f"`{name}` has nothing for {len(gone):,} of {len(table):,} items: {some}",
        "fill in the cells", len(gone),
    )  # fmt: skip


def _single(reading: Reading, gold: TableFile, columns: Mapping[str, pl.Series]) -> Items:
    coder = Coder(
        outside=frozenset(reading.outside or ()), fold=str.casefold if reading.fold else None
    )
    codes = {name: coder.encode(column) for name, column in columns.items()}
    missing = np.flatnonzero(codes[""] == 0)
    if len(missing) and columns[""].name != NO_GOLD:
        often = "once" if len(missing) == 1 else f"{len(missing):,} times"
        raise DataError(
            f"the gold label is empty ({often})",
            where=gold.at(int(missing[0])),
            remedy="every instance needs a gold label",
        )
    same = same_width(codes, len(coder.labels))
    items = Items(
        "instance", context_of(gold), (), same.pop(""), same, empty_is_answer=True, group=""
    )
    return items.sorted_labels(coder.labels)


def _many(reading: Reading, gold: TableFile, columns: Mapping[str, pl.Series]) -> Items:
    outside = frozenset(_EMPTY if reading.outside is None else reading.outside)
    coder = Coder(outside=outside, fold=str.casefold if reading.fold else None)
    exploded = {name: _exploded(c, reading.separator, coder) for name, c in columns.items()}
    bits = len(coder.labels).bit_length()
    layers = {
        name: proposed((instance << bits) | kind, kind)
        for name, (instance, kind) in exploded.items()
    }
    found = slots(layers[""], {n: k for n, k in layers.items() if n}, coder.labels, bits=bits)
    instance = found.key >> bits
    names = pl.Series("label", ["", *coder.labels], dtype=pl.String)
    labels = names.gather(pl.Series(found.key & ((1 << bits) - 1)))
    numbered = pl.Series("instance", instance.astype(np.uint32))
    kept = [column.gather(pl.Series(instance)) for column in context_of(gold).get_columns()]
    codes = dict(found.codes)
    items = Items(
        "instance", pl.DataFrame([numbered, *kept, labels]), (), codes.pop(""), codes,
        group="instance", group_count=len(gold),
    )  # fmt: skip
    return items.sorted_labels(coder.labels)


def _exploded(
    column: pl.Series, separator: str, coder: Coder
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return (instance, label code) of every label; text is one label if nothing separates it."""
    listed = column
    if not isinstance(column.dtype, pl.List):
        listed = column.str.split(separator) if separator else column.reshape((-1, 1)).arr.to_list()
    frame = pl.DataFrame({"instance": np.arange(len(listed)), "label": listed})
    long = frame.explode("label").drop_nulls()
    kind = coder.encode(long["label"]).astype(np.int32)
    there = kind > 0
    return long["instance"].to_numpy()[there].astype(np.int64), kind[there]


def context_of(file: TableFile) -> pl.DataFrame:
    """Return the columns of a table that are kept beside its answers, the ids first."""
    id_ = [] if file.id is None else [file.id.rename("id")]
    kept = {name: column for name, column in file.context.items() if name != "id"}
    names = settled(kept, {"id", *RESERVED} - {"form", "document", "sentence"})
    others = [
        # What items are ordered and grouped by is text.
        (
            written_out(column)
            if name in ("document", "sentence") and column.dtype.is_nested()
            else column
        ).rename(own)
        for own, (name, column) in zip(names, kept.items(), strict=True)
    ]
    return pl.DataFrame([*id_, *others]) if id_ or others else pl.DataFrame()


def with_statuses(
    name: str,
    systems: Mapping[str, tuple[TableFile, str]],
    columns: Mapping[str, pl.Series],
    rows: Mapping[str, pl.Series | None],
) -> tuple[dict[str, pl.Series], dict[str, pl.Series]]:
    """Return answers without those whose status is not ``ok``, and the columns of statuses."""
    answers, found = dict(columns), {}
    for system, (file, _) in systems.items():
        if sum(other is file for other, _ in systems.values()) > 1:
            raise UsageError(
                f"`{name}` is one column, but the table has answers of {len(systems)} systems",
                where=f"{file.path}: --status",
                remedy="give each system a file of its own, or write a long table: system, id, "
                "answer, status",
            )
        status = _status(name, file, columns[system], rows[system])
        # Answers may be lists, which have no other way of being none.
        empty = pl.Series([None], dtype=columns[system].dtype)
        answers[system] = columns[system].zip_with(status == OK, empty)
        found[status_column(system)] = status.cast(KIND)
    return answers, found


def _status(name: str, file: TableFile, answers: pl.Series, rows: pl.Series | None) -> pl.Series:
    if name not in file.context:
        raise unknown("column", name, file.context, where=f"{file.path}: --status")
    said = statuses(texts(file.context[name]), file.at)
    here = said if rows is None else said.gather(rows)
    frame = pl.DataFrame({"said": here, "answer": answers.is_not_null()})
    if rows is not None:
        frame = frame.with_columns(
            said=pl.when(rows.is_null()).then(pl.lit(NOT_RUN)).otherwise("said")
        )
    given = pl.col("said").is_not_null() & (pl.col("said") != OK)
    status = pl.when(given).then("said").when("answer").then(pl.lit(OK)).otherwise(pl.lit(EMPTY))
    return frame.select(status.alias("status")).to_series()


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
