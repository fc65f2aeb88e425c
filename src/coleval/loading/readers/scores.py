"""Tables of numbers: a row an item, a column of numbers a system, gold if there is any.

Systems are the columns chosen, else those called ``score_NAME``, else all columns of numbers.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from coleval.corpus.selection import columns_option, position
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.frames import read_frame, texts
from coleval.loading.readers.headers import KNOWN, check_distinct
from coleval.loading.readers.ids import check_ids
from coleval.loading.readers.long import numbers_of
from coleval.loading.readers.model import TableFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.frames import Frame
    from coleval.loading.readers.source import Source

PREFIX = "score_"


def read_scores(source: Source, selection: Selection) -> TableFile:
    """Return the numbers of each system by its name, and of ``gold``."""
    frame = read_frame(source)
    frame = frame.keep(~frame.blank)
    if len(frame.data) == 0:
        raise DataError("holds no rows", where=source.path, remedy="there is only a header")
    names = frame.data.columns
    picked = {
        part: names[position(column, header=names, width=len(names), where=source.path)]
        for part, column in selection.picks.items()
        if part != "system"
    }
    places = {part: name for part in ("id", "gold") if (name := _place(part, names, picked))}
    gold = places.get("gold")
    if gold and "gold" not in picked and not frame.typed(gold).dtype.is_numeric():
        # A reference is a text more often than a number.
        del places["gold"]
    systems = _systems(frame, [n for n in names if n not in {*places.values()}], selection, source)
    check_distinct([*places.values(), *systems.values()], frame.repeated, source.path)
    bare = TableFile(source.path, None, {}, line=frame.line)
    columns = {"gold": places["gold"]} if "gold" in places else {}
    given = {name: part for part, name in picked.items() if part not in ("id", "gold")}
    others = [name for name in names if name not in {*places.values(), *systems.values()}]
    table = TableFile(
        source.path,
        texts(frame.data[places["id"]]).alias("id") if "id" in places else None,
        {name: numbers_of(frame.data[own], bare.at) for name, own in (columns | systems).items()},
        {given.get(name, name): frame.typed(name) for name in others},
        frame.line,
    )
    check_ids(table)
    return table


def _place(part: str, names: Sequence[str], picked: dict[str, str]) -> str | None:
    lower = {name.lower(): name for name in reversed(names)}
    known = (lower[name] for name in KNOWN[part] if name in lower)
    return picked.get(part) or next(known, None)


def _systems(frame: Frame, free: list[str], selection: Selection, source: Source) -> dict[str, str]:
    """Return the column of each system by the system's name."""
    chosen = {name for part in selection.context.values() for name in (part,)}
    free = [name for name in free if name not in chosen]
    wanted = selection.all("system")
    if wanted:
        every = [name for want in wanted for name in _matching(want, free, frame.data.columns)]
        return {_name(name): name for name in every}
    called = {_name(name): name for name in free if name.lower().startswith(PREFIX)}
    found = called or {name: name for name in free if frame.typed(name).dtype.is_numeric()}
    if not found:
        raise UsageError(
            "no column holds numbers", where=source.path,
            remedy=f"the header has: {', '.join(frame.data.columns)}\n  name the systems: "
            + columns_option([("system", "NAME")], source.path),
        )  # fmt: skip
    return found


def _name(column: str) -> str:
    """Return the system of a column: ``score_bert`` is of bert."""
    return column[len(PREFIX) :] if column.lower().startswith(PREFIX) else column


def _matching(want: int | str, free: list[str], names: Sequence[str]) -> list[str]:
    if isinstance(want, int):
        return [names[position(want, header=names, width=len(names), where="--columns")]]
    found = [name for name in free if want in (name, _name(name))]
    found = found or [name for name in free if fnmatchcase(name, want)]
    if not found:
        raise unknown("column", want, names, where="--columns")
    return found


def is_by_system(names: Sequence[str], selection: Selection) -> bool:
    """Tell whether a table has a row for each system and item: one column called ``score``."""
    lower = [name.strip().lower() for name in names]
    if "score" in selection.picks:
        return True
    wide = any(name.startswith(PREFIX) for name in lower) or selection.all("system")
    return "score" in lower and not wide
