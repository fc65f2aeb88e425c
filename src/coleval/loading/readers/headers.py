"""What columns hold: by their names, by the layout of a first line, or by what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from coleval.corpus.problems import Problem
from coleval.corpus.schemes import OUTSIDE, looks_tagged, parse_tag
from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.lines import DOCSTART, one_line_end
from coleval.loading.readers.names import repeated
from coleval.loading.readers.source import check_not_empty

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


# Where nothing is chosen, a column is taken by its name (case aside), the first of these it has.
KNOWN = {
    "id": ("id", "item", "item_id", "case_id", "instance", "instance_id", "example_id"),
    "form": ("form", "token", "word"),
    "sentence": ("sentence_id", "sent_id", "sentence"),
    "document": ("document_id", "doc_id", "document", "doc"),
    "gold": ("gold", "gold_label", "label_gold", "truth", "y_true", "true_label", "reference"),
    "label": ("label", "labels", "answer", "class"),
}
SYSTEMS = ("system*", "pred*", "y_pred*", "*_pred", "*_output")
# Names of tokens where a column must hold them: elsewhere `input` may be anything.
TOKENS = (*KNOWN["form"], "tok", "input", "forms", "tokens", "words")
# Names of columns that hold a list of tokens in each row.
TOKEN_LISTS = (*(name for name in TOKENS if name != "input"), "sentence")
_GOLD = ("true", "gold_*", "*_gold")
_LABELS = ("gold", "label", "tag", "ner", "ne-", "pred", "true", "pos", "chunk")


def part_of(name: str) -> str | None:
    """Return the part that a column plays by its name: form, gold, system, id; None if unknown."""
    lower = name.strip().casefold()
    if lower in TOKENS:
        return "form"
    if lower in KNOWN["gold"] or any(fnmatchcase(lower, known) for known in _GOLD):
        return "gold"
    if any(fnmatchcase(lower, known) for known in SYSTEMS):
        return "system"
    return "id" if lower in KNOWN["id"] else None


def place_of(part: str, names: Sequence[str]) -> int | None:
    """Return the place of the only column that plays a part by its name, None if there is none."""
    found = [at for at, name in enumerate(names) if part_of(name) == part]
    return found[0] if len(found) == 1 else None


def is_header(names: Sequence[str]) -> bool:
    """Tell whether the first line of a column file names its columns, not a token and its labels.

    Either every name is known and one is gold's, in any order; or the first means tokens, and all
    others look like names of labels or one is that of gold; or tokens and gold are named anywhere,
    and nothing beside them is what a line with a token has.
    """
    form = place_of("form", names)
    if form is None:
        return False
    others = [name.casefold() for at, name in enumerate(names) if at != form]
    parts = [part_of(name) for name in others]
    if all(parts) and "gold" in parts:
        return True
    alike = all(any(known in name for known in _LABELS) for name in others)
    named = alike or any(name in KNOWN["gold"] for name in others)
    first = form == 0 and names[0].casefold() != "input"
    if first and named:
        return True
    lower = [name.casefold() for name in names]
    two = all(any(name in KNOWN[part] for name in lower) for part in ("form", "gold"))
    return two and len(set(lower)) == len(lower) and not any(map(_is_value, names))


def _is_value(text: str) -> bool:
    """Tell whether a cell holds a tag, a number or punctuation, as no header does."""
    tagged = "-" in text and parse_tag(text) is not None
    return tagged or text == "O" or not any(map(str.isalpha, text))


def check_distinct(named: Iterable[str], repeated: Collection[str], where: str) -> None:
    """Raise if a column that is read by its name shares the name with another one."""
    for name in named:
        if name in repeated:
            raise UsageError(
                f"several columns are called `{name}`",
                where=where,
                remedy="give every column a name of its own, or choose by number: "
                "--columns gold=2,system=3",
            )


def check_form(
    form: tuple[str, Iterable[str]], answers: tuple[str, Iterable[str]], where: str
) -> None:
    """Raise if the column that a header calls tokens has nothing but tags, and that of tags not."""
    name, tokens = form
    other, labels = answers
    outside = frozenset(OUTSIDE)
    tags = [token for token in tokens if token not in outside]
    if tags and looks_tagged(tags, outside) and not looks_tagged(list(labels), outside):
        raise DataError(
            f"the header calls a column `{name}` that has nothing but tags such as `{min(tags)}`, "
            f"and `{other}` has none",
            where=where,
            remedy="write the names in the order of the columns, or say which is which: "
            f"--columns form={other},gold={name}",
        )


def check_places(places: Sequence[tuple[str, int]], names: Sequence[str], where: str) -> None:
    """Raise if a column that no name chose plays another part by its own name.

    A name is believed if another column plays the part, or what it says is read from this file too:
    a system's file may well have the header of gold.
    """
    parts = {part for part, _ in places}
    there = {part_of(name) for name in names}
    for part, at in places:
        said = part_of(names[at]) if names else None
        if said not in (None, part) and (part in there or said in parts):
            option = ",".join(_named(part, at, names) for part, at in places)
            raise UsageError(
                f"column {at + 1} is read as {part}, but the header calls it `{names[at]}`",
                where=where,
                remedy=f"name the columns: --columns {option}",
            )


def _named(part: str, at: int, names: Sequence[str]) -> str:
    """Return what to type for a part: the column so called, else the one read if it may be it."""
    said = place_of(part, names)
    own = names[at] if part_of(names[at]) in (None, part) else "NAME"
    return f"{part}={own if said is None else names[said]}"


def numbered(selection: Selection, parts: Iterable[str], width: int) -> list[tuple[str, int]]:
    """Return the parts whose columns are chosen by number, with the places that there are."""
    found = [
        (part, column - 1 if column > 0 else width + column)
        for part in parts
        for column in selection.all(part)
        if isinstance(column, int)
    ]
    return [(part, at) for part, at in found if 0 <= at < width]


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
    selection = selection.of_system if role == "system" else selection
    fields, number = _first_line(source)
    where, width = f"{source.path}:{number}", len(fields)
    if width < 2:
        raise DataError(
            f"`{fields[0][:60]}` is a single column; a column file has a token and its label",
            where=where,
            remedy="columns are separated by a TAB or by spaces, see `coleval formats`; a label on "
            "each line and nothing else is read with --task label",
        )
    header = fields if selection.named or is_header(fields) else ()
    form = _part("form", 1, header, width, selection, where)
    last = -2 if form == width - 1 and header else -1
    at = _part(role, last, header, width, selection, where)
    _agree({"form": [form], role: [at]}, header, selection, where)
    place = {role: at} | _context(selection, header, width, where)
    _not_both(form, "form", {role: at}, "choose two columns: --columns form=1,gold=2", where)
    chosen = selection.pick(role, "")
    ends = isinstance(chosen, int) and chosen < 0
    skipped = number if header else 0
    return ColumnLayout(width, header, form, place, ends, frozenset(selection.context), skipped)


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
    width, header = len(fields), fields if selection.named or is_header(fields) else ()
    form = _part("form", 1, header, width, selection, where)
    gold = _part("gold", 1 if header and form == 1 else 2, header, width, selection, where)
    chosen = [
        position(column, header=header, width=width, where=where)
        for column in selection.all("system")
    ] or _predictions(form, gold, header, width, where)
    _agree({"form": [form], "gold": [gold], "system": chosen}, header, selection, where)
    _not_both(form, "form", {"gold": gold}, "choose two columns: --columns form=1,gold=2", where)
    for part, at in (("form", form), ("gold", gold)):
        systems = dict.fromkeys(["system"] if at in chosen else [], at)
        remedy = "choose three columns: --columns form=1,gold=2,system=3"
        _not_both(at, part, systems, remedy, where)
    if not chosen:
        raise UsageError(
            "no column is left for a prediction",
            where=where,
            remedy="name it: --columns form=1,gold=2,system=3",
        )
    names = [source.name]
    if len(chosen) > 1:
        distinct = header and len({header[k] for k in chosen}) == len(chosen)
        numbers = [f"{source.name}.{n}" for n in range(1, len(chosen) + 1)]
        names = [header[k] for k in chosen] if distinct else numbers
    place = {"gold": gold, **dict(zip(names, chosen, strict=True))}
    place |= _context(selection, header, width, where)
    skipped = number if header else 0
    return ColumnLayout(width, header, form, place, False, frozenset(selection.context), skipped)


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
    # An unknown name before gold may be a system; behind tokens there are tags of other kinds.
    before = header[:gold] if form > 0 else ()
    for name in (name for at, name in enumerate(before) if at != form):
        if part_of(name) is None and name.casefold() not in _PLACES:
            raise UsageError(
                f"column `{name}` is before gold: it may be a system or something else",
                where=where,
                remedy="name the columns of all systems: "
                f"--columns form={header[form]},gold={header[gold]},system={name}",
            )
    return [k for k in range(width) if k not in (form, gold) and (k > gold or k in systems)]


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


def _not_both(at: int, one: str, others: dict[str, int], remedy: str, where: str) -> None:
    """Raise if the column of one part is that of another."""
    for other, place in others.items():
        if place == at:
            problem = f"column {at + 1} is chosen both as {one} and as {other}"
            raise UsageError(problem, where=where, remedy=remedy)
