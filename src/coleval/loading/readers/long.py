"""Long tables: a row for every system and instance, with the answer, a score, or right and wrong.

CSV, TSV, JSON lines, Parquet, Arrow and data frames; columns are found by their names or chosen:
``id=question,system=model,gold=answer_key,answer=prediction``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.selection import columns_option, position
from coleval.corpus.statuses import STATUSES, spelled_status
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.frames import opaque, read_frame, texts
from coleval.loading.readers.headers import KNOWN as OF_TABLES
from coleval.loading.readers.headers import check_distinct
from coleval.loading.readers.model import RECORD, LongFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.frames import Frame
    from coleval.loading.readers.source import Source

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
    parts = _parts(frame, selection, chosen, source)
    place = _place(frame, source)
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
    scores = {name: numbers_of(data[name], place) for name in names}
    used = {*parts.values(), *names}
    # An answer of nothing but white space is none.
    if "answer" in columns:
        answer = columns["answer"]
        columns["answer"] = answer.set(answer.str.strip_chars() == "", None)
    return LongFile(
        source.path,
        _rows(columns, _epochs(data, parts, place), len(data), source),
        place,
        {"score" if name == parts.get("score") else name: c for name, c in scores.items()},
        _rights(data[parts["correct"]], place) if "correct" in parts else None,
        _context(frame, selection, used),
    )


def _by_name(names: Sequence[str]) -> dict[str, str]:
    """Return the columns that play a part by their names."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = {
        part: next((lower[known] for known in every if known in lower), None)
        for part, every in _KNOWN.items()
    }
    return {part: name for part, name in found.items() if name is not None}


def _parts(
    frame: Frame, selection: Selection, chosen: Sequence[str], source: Source
) -> dict[str, str]:
    """Return the column of each part: the one chosen, else the one called so."""
    names = frame.data.columns
    for name in chosen:
        if name not in names:
            raise unknown("column", name, names, where=f"{source.path}: --score")
    # What is chosen for one part is not found for another.
    picked = {
        part: names[position(pick, header=names, width=len(names), where=source.path)]
        for part, pick in selection.picks.items()
    }
    free = [name for name in names if name not in {*picked.values(), *chosen}]
    found = _by_name(free) | {part: name for part, name in picked.items() if part in _KNOWN}
    if "status" in found and "status" not in picked and not _all_known(frame.data[found["status"]]):
        del found["status"]
    said = chosen or any(part in found for part in _SAID)
    if "id" not in found or not said:
        lacking = [*(["id"] if "id" not in found else []), *([] if said else ["answer"])]
        option = columns_option(
            [(part, "NAME") for part in ("id", "system", *_SAID[:1])], source.path
        )
        raise UsageError(
            f"it is not clear which column is {' and which '.join(lacking)}",
            where=source.path,
            remedy=f"the header has: {', '.join(names)}\n  say which: {option}",
        )
    return found


def _context(frame: Frame, selection: Selection, used: set[str]) -> dict[str, pl.Series]:
    """Return the other columns, those that were chosen under the names they were given."""
    names = frame.data.columns
    given = {
        names[position(pick, header=names, width=len(names), where="--columns")]: part
        for part, pick in selection.picks.items()
        if part not in _KNOWN
    }
    return {given.get(name, name): frame.typed(name) for name in names if name not in used}


def _all_known(column: pl.Series) -> bool:
    """Tell whether every value is a status."""
    if column.dtype.is_nested():
        return False
    values = texts(column).drop_nulls().unique().to_list()
    return bool(values) and all(spelled_status(value) in STATUSES for value in values)


class _RowPlaces:
    """Where a row is: its line, or its number where there are no lines."""

    def __init__(self, frame: Frame, source: Source) -> None:
        self.line, self.path = frame.line, source.path

    def __call__(self, row: int) -> str:
        if self.line is None:
            return f"{self.path} row {row + 1}"
        return f"{self.path}:{int(self.line[row])}"


def _place(frame: Frame, source: Source) -> _RowPlaces:
    return _RowPlaces(frame, source)


def _text(column: pl.Series, place: Callable[[int], str]) -> pl.Series:
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


def _check_filled(column: pl.Series, part: str, name: str, place: _RowPlaces) -> None:
    empty = column.is_null() | (column.str.strip_chars() == "").fill_null(value=True)
    for row in empty.arg_true()[:1]:
        raise DataError(
            f"column `{name}` is empty, which is to name the {part}",
            where=place(int(row)),
            remedy="give it a value, or choose another column with --columns",
        )


def statuses(column: pl.Series, place: Callable[[int], str]) -> pl.Series:
    """Return statuses as they are called; raise for the first value that is none."""
    values = column.drop_nulls().unique().to_list()
    wrong = [value for value in values if spelled_status(value) not in STATUSES]
    for row in column.is_in(wrong).fill_null(value=False).arg_true()[:1] if wrong else ():
        raise unknown("status", column[int(row)], STATUSES, where=place(int(row)))
    return column.replace({value: spelled_status(value) for value in values})


def numbers_of(column: pl.Series, place: Callable[[int], str]) -> pl.Series:
    """Return scores as numbers, null for an empty cell or NaN; raise for the first other value."""
    if column.dtype == pl.Boolean or column.dtype.is_numeric():
        plain = column.cast(pl.Float64)
    else:
        text = _text(column, place).str.strip_chars()
        plain = text.cast(pl.Float64, strict=False)
        bad = plain.is_null() & text.is_not_null() & (text != "")
        for row in bad.arg_true()[:1]:
            raise DataError(
                f"`{text[int(row)]}` in column `{column.name}` is not a number",
                where=place(int(row)),
                remedy="leave the cell empty where there is no score",
            )
    return plain.set(~plain.is_finite().fill_null(value=True), None)


def _rights(column: pl.Series, place: _RowPlaces) -> pl.Series:
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


def _epochs(data: pl.DataFrame, parts: Mapping[str, str], place: _RowPlaces) -> pl.Series | None:
    if "epoch" not in parts:
        return None
    text = _text(data[parts["epoch"]], place)
    found = text.cast(pl.Int64, strict=False)
    for row in (found.is_null() & text.is_not_null()).arg_true()[:1]:
        raise DataError(
            f"`{text[int(row)]}` in column `{parts['epoch']}` is not a whole number",
            where=place(int(row)),
            remedy="number the answers to one instance: 1, 2, 3",
        )
    return found


def _rows(
    columns: Mapping[str, pl.Series], epoch: pl.Series | None, size: int, source: Source
) -> pl.DataFrame:
    """Return what records say; without a column of systems all are of one, the file's name."""
    none = pl.Series([None], dtype=pl.String).new_from_index(0, size)
    found = {name: columns.get(name, none) for name in RECORD}
    if "system" not in columns:
        found["system"] = pl.Series([source.name or "system"]).new_from_index(0, size)
    named = [column.alias(name) for name, column in found.items()]
    number = none.cast(pl.Int64) if epoch is None else epoch
    return pl.DataFrame([*named, number.alias("epoch")])
