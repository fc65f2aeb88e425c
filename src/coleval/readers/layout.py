"""How the rows of a column file are laid out: found in its first line, or chosen by the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.errors import DataError, UsageError
from coleval.readers.lines import DOCSTART, one_line_end
from coleval.readers.selection import Selection, position

if TYPE_CHECKING:
    from coleval.readers.source import Source

_FORM_NAMES = ("token", "form", "word", "tok")
_LABEL_NAMES = ("gold", "label", "tag", "ner", "ne-", "pred", "true", "pos", "chunk")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of one file are laid out: their width, the header, a part's column."""

    width: int
    header: tuple[str, ...]
    form: int
    picks: dict[str, int]
    from_end: bool
    context: frozenset[str]

    @property
    def skipped(self) -> int:
        """Return the number of header lines."""
        return 1 if self.header else 0


def layout_of(source: Source, selection: Selection, role: str) -> Layout:
    """Return how a file's rows are laid out, from its first line that is not blank."""
    return _layout(_first_line(source), selection, (role,), source)


def merged_layout(source: Source, selection: Selection) -> Layout:
    """Return how the rows of a file with gold and predictions are laid out."""
    fields, number = _first_line(source)
    where = f"{source.path}:{number}"
    if len(fields) < 3:
        raise DataError(
            f"has {len(fields)} columns; a merged file holds token, gold and prediction",
            where=where,
            remedy="without --merged the first file is gold and the others are systems",
        )
    header = _header(fields, number, selection)
    width = len(fields)
    form = position(selection.pick("form", 1), header=header, width=width, where=where)
    gold = position(selection.pick("gold", 2), header=header, width=width, where=where)
    chosen = [
        position(column, header=header, width=width, where=where)
        for column in selection.all("system")
    ] or [k for k in range(width) if k > gold and k != form]
    _not_the_form(form, {"gold": gold}, ("gold",), where)
    if not chosen:
        raise UsageError(
            "no column is left for a prediction",
            where=where,
            remedy="say which: --columns form=1,gold=2,system=3",
        )
    names = _system_names(chosen, header, source.name)
    place = {"gold": gold, **dict(zip(names, chosen, strict=True))}
    place |= _context(selection, header, width, where)
    return Layout(width, header, form, place, False, frozenset(selection.context))


def _first_line(source: Source) -> tuple[tuple[str, ...], int]:
    """Return the fields of the first line that is not blank, and its number."""
    data = one_line_end(source.text)
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        text = data[start:end]
        fields = _fields(text)
        if fields and fields[0] != DOCSTART:
            return fields, number
        start = end + 1
    if data.strip():
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    raise DataError("is empty", where=source.path, remedy="is it the right file?")


def _fields(text: bytes) -> tuple[str, ...]:
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
) -> Layout:
    fields, number = first
    where = f"{source.path}:{number}"
    if len(fields) < 2:
        raise DataError(
            f"`{fields[0][:60]}` is a single column; a column file has a token and its label",
            where=where,
            remedy="columns are separated by a TAB or by spaces; see `coleval formats`",
        )
    header = _header(fields, number, selection)
    place = {
        role: position(selection.pick(role, -1), header=header, width=len(fields), where=where)
        for role in roles
    }
    place |= _context(selection, header, len(fields), where)
    form = position(selection.pick("form", 1), header=header, width=len(fields), where=where)
    _not_the_form(form, place, roles, where)
    chosen = selection.pick(roles[0], "")
    ends = isinstance(chosen, int) and chosen < 0
    return Layout(len(fields), header, form, place, ends, frozenset(selection.context))


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
    return [header[k] if header else f"{name}.{n}" for n, k in enumerate(chosen, 1)]


def _not_the_form(form: int, place: dict[str, int], roles: tuple[str, ...], where: str) -> None:
    for role in roles:
        if place[role] == form:
            raise UsageError(
                f"column {form + 1} is chosen both as form and as {role}",
                where=where,
                remedy="say which column is which: --columns form=1,gold=2",
            )


def _header(fields: tuple[str, ...], number: int, selection: Selection) -> tuple[str, ...]:
    """Return the names of the columns if the first line holds names instead of a token."""
    if number != 1:
        return ()
    if selection.named:
        return fields
    labels = [f.casefold() for f in fields[1:]]
    named = fields[0].casefold() in _FORM_NAMES
    if named and all(any(name in label for name in _LABEL_NAMES) for label in labels):
        return fields
    return ()
