"""How the rows of a column file are laid out: found in its first line, or chosen by the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.corpus.problems import Problem
from coleval.corpus.schemes import OUTSIDE
from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.headers import (
    KNOWN,
    check_distinct,
    check_places,
    is_header,
    part_of,
    place_of,
)
from coleval.loading.readers.lines import DOCSTART, one_line_end
from coleval.loading.readers.names import repeated
from coleval.loading.readers.source import check_not_empty

if TYPE_CHECKING:
    from coleval.loading.readers.source import Source


# So many bytes show which labels a column has.
_SHOWN = 1 << 16
_PLACES = (*KNOWN["sentence"], *KNOWN["document"])


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """How the rows of one file are laid out: their width, the header, a part's column.

    ``skipped`` counts the lines down to the header's, none where there is no header.
    """

    width: int
    header: tuple[str, ...]
    form: int
    picks: dict[str, int]
    from_end: bool
    context: frozenset[str]
    skipped: int


def layout_of(source: Source, selection: Selection, role: str) -> ColumnLayout:
    """Return how a file's rows are laid out, from its first line that is not blank."""
    own = selection.of_system if role == "system" else selection
    return _layout(_first_line(source), own, (role,), source)


def other_answers(source: Source, selection: Selection, role: str) -> tuple[Problem, ...]:
    """Return what to say if another column has the labels of the one that is read as answers.

    Nobody has said which of them it is: a file of gold and answers side by side may be read as a
    system's, and gold's column as its answers.
    """
    layout = layout_of(source, selection, role)
    at = layout.picks[role]
    said = layout.header and part_of(layout.header[at]) in ("gold", "system")
    if layout.width < 3 or said or selection.pick(role, ""):
        return ()
    rows = [fields_of(line) for line in source.text[:_SHOWN].split(b"\n")[layout.skipped : -1]]
    columns = list(zip(*(row for row in rows if len(row) == layout.width), strict=True))
    labels = [
        {text for text in column if text not in OUTSIDE and not text.isdigit()}
        for column in columns
    ]
    taken = (layout.form, *layout.picks.values())
    alike = [
        k for k, own in enumerate(labels)
        if k not in taken and own and 2 * len(own & labels[at]) >= len(own)
    ]  # fmt: skip
    if not alike:
        return ()
    several, what = ", ".join(str(k + 1) for k in alike), "gold" if role == "gold" else "answers"
    column, have = ("columns", "have") if len(alike) > 1 else ("column", "has")
    return (
        Problem(
            source.path, None, "columns",
            f"column {at + 1} of {layout.width} is read as {what}, and {column} {several} {have} "
            "the same labels",
            f"if it is another one, say so: --columns {role}={alike[0] + 1}; files with gold and "
            "answers side by side are read with --merged",
            fatal=False,
        ),
    )  # fmt: skip


def merged_by_place(source: Source, selection: Selection) -> tuple[Problem, ...]:
    """Return what to say if only their places say which columns are gold and answers."""
    layout = merged_layout(source, selection)
    if layout.header or selection.all("gold") or selection.all("system"):
        return ()
    gold, *systems = (at + 1 for name, at in layout.picks.items() if name not in layout.context)
    text = f"column {gold} is read as gold, and {', '.join(map(str, systems))} as answers"
    remedy = f"if not, say so: --columns gold={systems[0]},system={gold}"
    return (Problem(source.path, None, "columns", text, remedy, fatal=False),)


def merged_layout(source: Source, selection: Selection) -> ColumnLayout:
    """Return how the rows of a file with gold and predictions are laid out."""
    fields, number = _first_line(source)
    where = f"{source.path}:{number}"
    if len(fields) < 3:
        raise DataError(
            f"has {len(fields)} columns; a merged file needs token, gold and prediction",
            where=where,
            remedy="without --merged the first file is gold and the others are systems",
        )
    header = _header(fields, selection)
    width = len(fields)
    form, gold, chosen = _merged_columns(header, width, selection, where)
    names = _system_names(chosen, header, source.name)
    place = {"gold": gold, **dict(zip(names, chosen, strict=True))}
    place |= _context(selection, header, width, where)
    skipped = number if header else 0
    return ColumnLayout(width, header, form, place, False, frozenset(selection.context), skipped)


def _merged_columns(
    header: tuple[str, ...], width: int, selection: Selection, where: str
) -> tuple[int, int, list[int]]:
    """Return the columns of tokens, of gold and of the predictions."""
    form = _part("form", 1, header, width, selection, where)
    gold = _part("gold", 1 if header and form == 1 else 2, header, width, selection, where)
    chosen = [
        position(column, header=header, width=width, where=where)
        for column in selection.all("system")
    ] or _predictions(form, gold, header, width, where)
    _agree({"form": [form], "gold": [gold], "system": chosen}, header, selection, where)
    _not_the_form(form, {"gold": gold}, ("gold",), where)
    for part, at in (("form", form), ("gold", gold)):
        if at in chosen:
            remedy = "choose three columns: --columns form=1,gold=2,system=3"
            raise _both(at, part, "system", remedy, where)
    if not chosen:
        raise UsageError(
            "no column is left for a prediction",
            where=where,
            remedy="name it: --columns form=1,gold=2,system=3",
        )
    return form, gold, chosen


def _first_line(source: Source) -> tuple[tuple[str, ...], int]:
    """Return the fields of the first line that is not blank, and its number."""
    data = one_line_end(source.text)
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        text = data[start:end]
        fields = fields_of(text)
        if fields and fields[0] != DOCSTART:
            return fields, number
        start = end + 1
    check_not_empty(data, source.path)
    raise DataError("has no tokens", where=source.path, remedy="is it the right file?")


def fields_of(text: bytes) -> tuple[str, ...]:
    """Return the fields of one line as it is: at every TAB if it has one, else at spaces."""
    line = text.decode("utf-8", "replace").rstrip("\r")
    if not line.strip(" \t"):
        return ()
    return tuple(
        line.split("\t")
        if "\t" in line
        else line.split(" ")
        if line.strip(" ") == line and "  " not in line
        else filter(None, line.split(" "))
    )


def _layout(
    first: tuple[tuple[str, ...], int], selection: Selection, roles: tuple[str, ...], source: Source
) -> ColumnLayout:
    fields, number = first
    where = f"{source.path}:{number}"
    if len(fields) < 2:
        raise DataError(
            f"`{fields[0][:60]}` is a single column; a column file has a token and its label",
            where=where,
            remedy="columns are separated by a TAB or by spaces, see `coleval formats`; a label on "
            "each line and nothing else is read with --task label",
        )
    header = _header(fields, selection)
    form = _part("form", 1, header, len(fields), selection, where)
    last = -2 if form == len(fields) - 1 and header else -1
    place = {role: _part(role, last, header, len(fields), selection, where) for role in roles}
    _agree({"form": [form], **{r: [at] for r, at in place.items()}}, header, selection, where)
    place |= _context(selection, header, len(fields), where)
    _not_the_form(form, place, roles, where)
    chosen = selection.pick(roles[0], "")
    ends = isinstance(chosen, int) and chosen < 0
    skipped = number if header else 0
    kept = frozenset(selection.context)
    return ColumnLayout(len(fields), header, form, place, ends, kept, skipped)


def _part(
    part: str,
    default: int,
    header: tuple[str, ...],
    width: int,
    selection: Selection,
    where: str,
) -> int:
    """Return the column of a part: the chosen one, else the one so called, else the default."""
    said = place_of(part, header)
    column = selection.pick(part, default if said is None else said + 1)
    return position(column, header=header, width=width, where=where)


def _predictions(
    form: int, gold: int, header: tuple[str, ...], width: int, where: str
) -> list[int]:
    """Return the columns behind gold, and before it those that the header calls predictions."""
    systems = {at for at, name in enumerate(header) if part_of(name) == "system"}
    if header and form > 0:
        _check_before(form, gold, header, where)
    return [k for k in range(width) if k not in (form, gold) and (k > gold or k in systems)]


def _check_before(form: int, gold: int, header: tuple[str, ...], where: str) -> None:
    """Raise for an unknown name before gold where tokens are not first: it may be a system.

    Behind tokens and before gold are tags of other kinds.
    """
    before = [name for at, name in enumerate(header[:gold]) if at != form]
    for name in before:
        if part_of(name) is None and name.casefold() not in _PLACES:
            raise UsageError(
                f"column `{name}` is before gold: it may be a system or something else",
                where=where,
                remedy="name the columns of all systems: "
                f"--columns form={header[form]},gold={header[gold]},system={name}",
            )


def _agree(
    places: dict[str, list[int]], header: tuple[str, ...], selection: Selection, where: str
) -> None:
    """Raise if the header calls a column another part than the one it is read as."""
    by_number = [
        (part, at)
        for part, found in places.items()
        if not any(isinstance(k, str) for k in (*selection.all(part), *selection.all("label")))
        for at in found
    ]
    numbered = {part for part in places if any(isinstance(k, int) for k in selection.all(part))}
    used = [header[at] for part, found in places.items() for at in found
            if header and part not in {"form", *numbered}]  # fmt: skip
    check_distinct(used, repeated(header), where)
    check_places(by_number, header, where)


def _context(
    selection: Selection, header: tuple[str, ...], width: int, where: str
) -> dict[str, int]:
    return {
        name: position(column, header=header, width=width, where=where)
        for name, column in selection.context.items()
    }


def _system_names(chosen: list[int], header: tuple[str, ...], name: str) -> list[str]:
    if len(chosen) == 1:
        return [name]
    distinct = header and len({header[k] for k in chosen}) == len(chosen)
    return [header[k] if distinct else f"{name}.{n}" for n, k in enumerate(chosen, 1)]


def _not_the_form(form: int, place: dict[str, int], roles: tuple[str, ...], where: str) -> None:
    for role in roles:
        if place[role] == form:
            raise _both(form, "form", role, "choose two columns: --columns form=1,gold=2", where)


def _both(at: int, one: str, other: str, remedy: str, where: str) -> UsageError:
    problem = f"column {at + 1} is chosen both as {one} and as {other}"
    return UsageError(problem, where=where, remedy=remedy)


def _header(fields: tuple[str, ...], selection: Selection) -> tuple[str, ...]:
    """Return the names of the columns if the first line holds names instead of a token."""
    return fields if selection.named or is_header(fields) else ()
