"""Tables with a header: which column is the id, gold, a system; and tables of tokens as tokens."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.corpus.selection import Selection, columns_option, is_frame, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.documents import documents_of
from coleval.loading.readers.frames import Frame, opaque, read_frame, texts
from coleval.loading.readers.headers import (
    KNOWN,
    SYSTEMS,
    TOKEN_LISTS,
    check_distinct,
    check_places,
    numbered,
    place_of,
)
from coleval.loading.readers.ids import check_ids
from coleval.loading.readers.lines import DOCSTART
from coleval.loading.readers.model import TableFile, TokenFile
from coleval.loading.readers.names import unique
from coleval.loading.readers.steps import dense

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source


_ANSWERS = ("gold", "system")
_PLACES = ("id", "form", "sentence", "document")


def read_table(source: Source, selection: Selection, *, roles: Collection[str] = ()) -> TableFile:
    """Return gold and the systems; a lone column of answers is ``label`` or the one role asked for.

    With ``form`` among the roles blank rows are kept, for ``as_tokens`` to end sentences at.
    """
    frame = read_frame(source)
    names = frame.data.columns
    wanted = [role for role in _ANSWERS if role in roles] or _ANSWERS
    check_places(numbered(selection, wanted, len(names)), names, source.path)
    header = TableHeader(names, selection, source.path)
    parts = {part: header.part(part) for part in (*_PLACES, *selection.context)}
    places = {part: name for part, name in parts.items() if name is not None}
    token = place_of("form", names)
    if "form" in roles and "form" not in places and token is not None:
        places["form"] = names[token]
    answers = _answers(header, frame.data, places, roles)
    if "form" not in roles:
        frame = frame.keep(~frame.blank)
    if len(frame.data) == 0:
        raise DataError("holds no rows", where=source.path, remedy="there is only a header")
    used = places if "form" in roles else {p: n for p, n in places.items() if p == "id"}
    check_apart(answers, names, source.path)
    check_distinct(_by_name(selection, places, answers), frame.repeated, source.path)
    check_values(frame.data, {**used, **answers}, source.path)
    table = TableFile(
        path=source.path,
        id=texts(frame.data[places["id"]]).alias("id") if "id" in places else None,
        columns={key: texts(frame.data[name]).alias(name) for key, name in answers.items()},
        context=_context(frame, places, answers),
        line=frame.line,
        notes=_guessed(header, places, answers),
    )
    if "form" not in roles:
        check_ids(table)
    return table


def as_tokens(table: TableFile) -> TokenFile:
    """Return the rows with a form as tokens, in sentences and documents.

    A sentence ends where ``sentence`` or ``document`` changes, at a row without a form, and at
    ``-DOCSTART-``; a table that has none of them is one sentence.
    """
    check_no_lists(table)
    if "form" not in table.context:
        remedy = f"name it: {columns_option([('form', 'NAME')], table.path)}"
        raise UsageError("no column holds the tokens", where=table.path, remedy=remedy)
    form = texts(table.context["form"])
    start = (form == DOCSTART).fill_null(value=False).to_numpy()
    kept = form.is_not_null().to_numpy() & ~start
    if not kept.any():
        raise DataError("holds no tokens", where=table.path, remedy="is it the right file?")
    rows = pl.Series(kept)
    # Rows that are no tokens end a sentence, as does another value of `sentence` or `document`.
    breaks = np.cumsum(~kept, dtype=np.int64)[kept]
    changes = _changes(table, "sentence", rows) | _changes(table, "document", rows)
    line = np.arange(1, len(form) + 1, dtype=np.uint32) if table.line is None else table.line
    document, names = _documents(table, start, kept)
    return TokenFile(
        path=table.path,
        form=form.filter(rows).alias("form"),
        sentence=dense(breaks + np.cumsum(changes, dtype=np.int64)),
        line=line[kept],
        columns={name: column.filter(rows) for name, column in table.columns.items()},
        document=document,
        documents=names,
        context={
            name: (column if column.dtype.is_numeric() else texts(column)).filter(rows)
            for name, column in table.context.items()
            if name not in _PLACES
        },
        notes=table.notes,
    )


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The names of a table's columns, and which of them a selection chooses."""

    names: list[str]
    selection: Selection
    path: str

    def column(self, pick: int | str) -> str:
        """Return the name of the column that a pick means."""
        width = len(self.names)
        return self.names[position(pick, header=self.names, width=width, where=self.path)]

    def matching(self, pick: int | str, free: Sequence[str]) -> list[str]:
        """Return the columns a pick means: a glob takes only what plays no other part."""
        globbed = isinstance(pick, str) and pick not in self.names
        found = [name for name in free if globbed and fnmatchcase(name, str(pick))]
        return found or [self.column(pick)]

    def part(self, part: str) -> str | None:
        """Return the column chosen for a part, else the one known by its name, if there is one."""
        if (pick := self.selection.get(part)) is not None:
            return self.column(pick)
        lower = {name.lower(): name for name in reversed(self.names)}
        return next((lower[known] for known in KNOWN.get(part, ()) if known in lower), None)


def _answers(
    header: TableHeader, data: pl.DataFrame, places: dict[str, str], roles: Collection[str]
) -> dict[str, str]:
    """Return the column of each answer wanted; raise when it is not clear which they are."""
    selection = header.selection
    asked = [role for role in _ANSWERS if role in roles]
    wanted = asked or list(_ANSWERS)
    gold = header.part("gold") if "gold" in wanted else None
    free = [name for name in header.names if name not in {gold, *places.values()}]
    systems: dict[str, str] = {}
    if "system" in wanted:
        systems = _systems(header, free, [] if gold is None else _like_gold(data, gold, free))
    found = ({"gold": gold} if gold else {}) | systems
    missing = [role for role in wanted if role not in found and not (role == "system" and systems)]
    if missing:
        label = header.part("label")
        left = [name for name in free if name not in found.values()]
        if label not in left and "label" not in selection.picks:
            label = left[0] if len(left) == 1 and not found else None
        if label is not None:
            role = missing[0] if found or asked else "label"
            found = {role: label} | found if role == "gold" else found | {role: label}
    if not found or any(role in missing and role not in found for role in roles):
        # Systems alone that were named have no gold, where a table may have both.
        free_of_gold = selection.all("system") and {*_ANSWERS} <= {*roles} and missing == ["gold"]
        if free_of_gold and "gold" not in selection.picks and "form" not in roles:
            return found
        raise _unclear(header, places, wanted)
    return found


def _systems(header: TableHeader, free: list[str], like_gold: list[str]) -> dict[str, str]:
    """Return one system as ``system``, several ones by their own names.

    Those that are ``like_gold`` are systems if none is called so or the context columns are named.
    """
    if picks := header.selection.all("system"):
        found = [name for pick in picks for name in header.matching(pick, free)]
    else:
        called = [name for name in free if _is_called_system(name)]
        every = not called or header.selection.context
        found = [n for n in free if n in called or (every and n in like_gold)]
    found = list(dict.fromkeys(found))
    return {"system": found[0]} if len(found) == 1 else {name: name for name in found}


def _is_called_system(name: str) -> bool:
    return any(fnmatchcase(name.lower(), known) for known in SYSTEMS)


def _guessed(
    header: TableHeader, places: dict[str, str], answers: dict[str, str]
) -> tuple[Problem, ...]:
    """Return what to say if columns were read as systems by their values and others were not."""
    names, selection, path = header.names, header.selection, header.path
    systems = [name for part, name in answers.items() if part != "gold"]
    others = [name for name in names if name not in {*places.values(), *answers.values()}]
    chosen = selection.all("system") or selection.all("label") or "gold" not in answers
    if chosen or not others or all(map(_is_called_system, systems)):
        return ()
    text = (
        f"read as systems: {', '.join(systems)}; not {', '.join(others)}, of whose values fewer "
        "than half are labels of gold"
    )
    remedy = f"or name the systems: {columns_option([('system', n) for n in systems], path)}"
    return (Problem(path, None, "columns", text, remedy, fatal=False),)


# So many values show whether a column answers what gold does.
_SHOWN = 1000


def _like_gold(data: pl.DataFrame, gold: str, free: Sequence[str]) -> list[str]:
    """Return the columns half of whose values are labels of gold, or of a column that is so.

    Where gold has no classes, as texts have none, one value will do.
    """
    labels = _labels(data[gold])
    classes = labels.unique()
    if 2 * len(classes) > len(labels):
        return [name for name in free if _labels(data[name]).is_in(classes.implode()).any()]
    said = {name: _labels(data[name].head(_SHOWN)) for name in free}
    alike = [name for name, values in said.items() if _mostly_in(values, classes)]
    # What is wrong is often no label of gold's, but the same wrong label everywhere.
    classes = pl.concat([classes, *(said[name] for name in alike)]).unique()
    return [name for name in free if alike and _mostly_in(said[name], classes)]


def _mostly_in(values: pl.Series, classes: pl.Series) -> bool:
    return 2 * values.is_in(classes.implode()).sum() >= max(len(values), 1)


def _labels(column: pl.Series) -> pl.Series:
    values = texts(column)
    return (values.explode() if values.dtype == pl.List else values).drop_nulls()


def _by_name(selection: Selection, places: dict[str, str], answers: dict[str, str]) -> list[str]:
    """Return the columns of ids and answers that are not chosen by number.

    Joined tables often repeat their tokens, which are the same all over.
    """
    used = [("gold" if key == "gold" else "system", name) for key, name in answers.items()]
    used += [("id", places["id"])] if "id" in places else []
    return [
        name
        for part, name in used
        if not any(isinstance(column, int) for column in selection.all(part))
    ]


def _context(frame: Frame, places: dict[str, str], answers: dict[str, str]) -> dict[str, pl.Series]:
    """Return the other columns as they are, the parts among them under the part's name."""
    parts = {part: name for part, name in places.items() if part != "id"}
    used = {*places.values(), *answers.values()}
    others = [name for name in frame.data.columns if name not in used]
    keys = unique([*parts, *others])
    return {
        key: (frame.data[name] if key in _PLACES else frame.typed(name)).alias(key)
        for key, name in zip(keys, [*parts.values(), *others], strict=True)
    }


def _changes(table: TableFile, part: str, rows: pl.Series) -> NDArray[np.bool_]:
    """Tell at which tokens another sentence or document begins, the first token aside."""
    if part not in table.context:
        return np.zeros(int(rows.sum()), dtype=np.bool_)
    column = table.context[part].filter(rows)
    return column.ne_missing(column.shift(1)).to_numpy() & (np.arange(len(column)) > 0)


def _documents(
    table: TableFile, start: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return the tokens' documents: by their column, else by -DOCSTART-, else None."""
    if "document" not in table.context:
        if not start.any():
            return None, ()
        number = dense(np.cumsum(start, dtype=np.int64)[kept])
        return number, unique([""] * (int(number[-1]) + 1))
    rows = np.flatnonzero(kept)
    column = table.context["document"].filter(pl.Series(kept))
    return documents_of(column, lambda at: table.at(int(rows[at])))


def _unclear(header: TableHeader, places: dict[str, str], wanted: list[str]) -> UsageError:
    """Return the error for a header that does not say which columns hold the answers."""
    ids = [("id", places["id"])] if "id" in places else []
    option = columns_option([*ids, *((role, "NAME") for role in wanted)], header.path)
    alone = " (for `behaviour`, systems may have no gold)" if wanted == ["gold", "system"] else ""
    return UsageError(
        f"it is not clear which column is {' and which '.join(wanted)}",
        where=header.path,
        remedy=f"the header has: {', '.join(header.names)}\n  say which: {option}{alone}",
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
