"""Long tables: a row for every system and instance, with the answer, a score, or right and wrong.

CSV, TSV, JSON lines, Parquet, Arrow and data frames; columns are found by their names or chosen:
``id=question,system=model,gold=answer_key,answer=prediction``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.selection import columns_option
from coleval.corpus.statuses import STATUSES, spelled_status
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.frames import opaque, read_frame, texts
from coleval.loading.readers.headers import KNOWN as OF_TABLES
from coleval.loading.readers.headers import check_distinct
from coleval.loading.readers.model import FACT, RECORD, SCORE, LongFile, row_place
from coleval.loading.readers.tables import TableHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.frames import Frame
    from coleval.loading.readers.source import Source

    Place = Callable[[int], str]

# The names by which columns are found, case aside, the first of these a table has.
_KNOWN = {
    "system": ("system", "model", "model_name", "model_id", "run"),
    "id": (*OF_TABLES["id"], "question_id", "sample_id", "doc_id"),
    "gold": (*OF_TABLES["gold"], "target", "answer_key"),
    "answer": ("answer", "prediction", "predicted", "pred", "response", "output"),
    "score": ("score",),
    "correct": ("correct", "is_correct", "right"),
    "status": ("status",),
    "epoch": ("epoch", "trial"),
    "task": ("task",),
}
_SAID = ("answer", "score", "correct")
_RIGHT = {"1": True, "true": True, "yes": True, "1.0": True,
          "0": False, "false": False, "no": False, "0.0": False}  # fmt: skip


def looks_long(names: Sequence[str], selection: Selection) -> bool:
    """Tell whether columns are those of a long table, by what is chosen or by their names.

    A table that names gold and ``system`` but no answer has that system's answers there.
    """
    picks = selection.picks
    if "system" in picks:
        return "answer" in picks or ("gold" not in picks and bool({"score", "correct"} & {*picks}))
    found = _by_name(names)
    if "system" not in found or "id" not in found:
        return False
    if "answer" in found:
        return True
    return "gold" not in found and ("score" in found or "correct" in found)


def read_long(source: Source, selection: Selection, chosen: Sequence[str]) -> LongFile:
    """Return the records; ``chosen`` are the columns of scores, by default ``score``."""
    frame = read_frame(source)
    frame = frame.keep(~frame.blank)
    if len(frame.data) == 0:
        raise DataError("holds no rows", where=source.path, remedy="there is only a header")
    header = TableHeader(frame.data.columns, selection, source.path)
    parts = _parts(header, frame.data, chosen)
    place = partial(row_place, source.path, frame.line)
    check_distinct(
        [n for p, n in parts.items() if not isinstance(selection.get(p), int)],
        frame.repeated, source.path,
    )  # fmt: skip
    data = frame.data
    columns = {p: _text(data[n], place) for p, n in parts.items() if p in RECORD}
    for part in ("id", "system"):
        if part in columns:
            _check_filled(columns[part], part, parts[part], place)
    if "status" in columns:
        columns["status"] = statuses(columns["status"], place)
    names = [name for name in chosen or [parts.get("score", "")] if name]
    # An answer of nothing but white space is none.
    if "answer" in columns:
        answer = columns["answer"]
        columns["answer"] = answer.set(answer.str.strip_chars() == "", None)
    if "system" not in columns:
        columns["system"] = pl.Series([source.name or "system"]).new_from_index(0, len(data))
    empty = pl.Series([None], dtype=pl.String).new_from_index(0, len(data))
    rows = pl.DataFrame([columns.get(name, empty).alias(name) for name in RECORD])
    epoch = empty.cast(pl.Int64)
    if "epoch" in parts:
        text = _text(data[parts["epoch"]], place)
        epoch = text.cast(pl.Int64, strict=False)
        wrong = epoch.is_null() & text.is_not_null()
        _refuse(wrong, text.alias(parts["epoch"]), "a whole number", place,
                "number the answers to one instance: 1, 2, 3")  # fmt: skip
    more = [
        numbers_of(data[name], place).alias(
            f"{SCORE}{name if number and name != parts.get('score') else 'score'}"
        )
        for number, name in enumerate(names)
    ]
    if "correct" in parts:
        more.append(_rights(data[parts["correct"]], place))
    more += _facts(frame, header, {*parts.values(), *names})
    return LongFile(source.path, rows.with_columns(epoch.alias("epoch"), *more), place)


def _by_name(names: Sequence[str]) -> dict[str, str]:
    """Return the columns that play a part by their names."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = {
        part: next((lower[known] for known in every if known in lower), None)
        for part, every in _KNOWN.items()
    }
    return {part: name for part, name in found.items() if name is not None}


def _parts(header: TableHeader, data: pl.DataFrame, chosen: Sequence[str]) -> dict[str, str]:
    """Return the column of each part: the one chosen, else the one called so."""
    names = header.names
    for name in chosen:
        if name not in names:
            raise unknown("column", name, names, where=f"{header.path}: --score")
    # What is chosen for one part is not found for another.
    picked = {part: header.column(pick) for part, pick in header.selection.picks.items()}
    free = [name for name in names if name not in {*picked.values(), *chosen}]
    found = _by_name(free) | {part: name for part, name in picked.items() if part in _KNOWN}
    if "status" in found and "status" not in picked and not _all_known(data[found["status"]]):
        del found["status"]
    said = chosen or any(part in found for part in _SAID)
    if "id" not in found or not said:
        lacking = [*(["id"] if "id" not in found else []), *([] if said else ["answer"])]
        option = columns_option(
            [(part, "NAME") for part in ("id", "system", "answer")], header.path
        )
        raise UsageError(
            f"it is not clear which column is {' and which '.join(lacking)}",
            where=header.path,
            remedy=f"the header has: {', '.join(names)}\n  say which: {option}",
        )
    return found


def _facts(frame: Frame, header: TableHeader, used: set[str]) -> list[pl.Series]:
    """Return the other columns, those that were chosen under the names they were given."""
    picks = header.selection.picks.items()
    given = {header.column(pick): part for part, pick in picks if part not in _KNOWN}
    return [
        frame.typed(name).alias(f"{FACT}{given.get(name, name)}")
        for name in header.names
        if name not in used
    ]


def _all_known(column: pl.Series) -> bool:
    """Tell whether every value is a status."""
    if column.dtype.is_nested():
        return False
    values = texts(column).drop_nulls().unique().to_list()
    return bool(values) and all(spelled_status(value) in STATUSES for value in values)


def _text(column: pl.Series, place: Place) -> pl.Series:
    """Return a column as text; raise for the first value that is none."""
    if column.dtype.is_nested() or opaque(column.dtype):
        row = int(column.is_not_null().arg_max() or 0)
        what = "a list" if isinstance(column.dtype, (pl.List, pl.Array)) else "no text"
        raise DataError(
            f"column `{column.name}` holds {what} where text is due",
            where=place(row),
            remedy="write one value in each row, or choose another column with --columns",
        )
    return texts(column)


def _refuse(wrong: pl.Series, text: pl.Series, due: str, place: Place, remedy: str) -> None:
    """Raise for the first value that is marked."""
    for row in wrong.arg_true()[:1]:
        raise DataError(
            f"`{text[int(row)]}` in column `{text.name}` is not {due}",
            where=place(int(row)),
            remedy=remedy,
        )


def _check_filled(column: pl.Series, part: str, name: str, place: Place) -> None:
    empty = column.is_null() | (column.str.strip_chars() == "").fill_null(value=True)
    for row in empty.arg_true()[:1]:
        raise DataError(
            f"column `{name}` is empty, which is to name the {part}",
            where=place(int(row)),
            remedy="give it a value, or choose another column with --columns",
        )


def statuses(column: pl.Series, place: Place) -> pl.Series:
    """Return statuses as they are called; raise for the first value that is none."""
    values = column.drop_nulls().unique().to_list()
    wrong = [value for value in values if spelled_status(value) not in STATUSES]
    for row in column.is_in(wrong).fill_null(value=False).arg_true()[:1] if wrong else ():
        raise unknown("status", column[int(row)], STATUSES, where=place(int(row)))
    return column.replace({value: spelled_status(value) for value in values})


def numbers_of(column: pl.Series, place: Place) -> pl.Series:
    """Return scores as numbers, null for an empty cell or NaN; raise for the first other value."""
    if column.dtype == pl.Boolean or column.dtype.is_numeric():
        plain = column.cast(pl.Float64)
    else:
        text = _text(column, place).str.strip_chars()
        plain = text.cast(pl.Float64, strict=False)
        bad = plain.is_null() & text.is_not_null() & (text != "")
        _refuse(bad, text, "a number", place, "leave the cell empty where there is no score")
    return plain.set(~plain.is_finite().fill_null(value=True), None)


def _rights(column: pl.Series, place: Place) -> pl.Series:
    """Return what is right: true, 1, yes; raise for the first value that says neither."""
    text = _text(column, place).str.strip_chars().str.to_lowercase()
    found = text.replace_strict(_RIGHT, default=None, return_dtype=pl.Boolean)
    bad = found.is_null() & text.is_not_null() & ~text.is_in(["", "nan"])
    for row in bad.arg_true()[:1]:
        raise DataError(
            f"`{column[int(row)]}` in column `{column.name}` is neither right nor wrong",
            where=place(int(row)),
            remedy="write 1 or 0; a score on a scale is read with --score and --threshold",
        )
    return found.alias("correct")
