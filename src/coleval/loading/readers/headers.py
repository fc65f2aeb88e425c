"""What the name of a column says about it: that it holds tokens, gold, a system, ids."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from coleval.corpus.schemes import OUTSIDE, looks_tagged, parse_tag
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from coleval.corpus.selection import Selection

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
    return (first and named) or _names_two_parts(names)


def _names_two_parts(names: Sequence[str]) -> bool:
    """Tell whether tokens and gold are named among names that differ, none of them a tag."""
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
