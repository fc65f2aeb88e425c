"""Which column of a table of sequences holds the tokens, gold, the systems; and whether it is one.

Columns are known by their names and types: tokens are a list of text in each row, and gold and
systems are lists beside it. What a name leaves open is an error, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.selection import Selection, columns_option, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.frames import opaque
from coleval.loading.readers.headers import (
    KNOWN,
    SYSTEMS,
    TOKEN_LISTS,
    check_places,
    numbered,
    part_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# Names of lists of tags where none is called gold: `tags`, `ner_tags`, `pos_labels` …
_TAGS = (*KNOWN["label"], "tag", "tags", "ner", "pos", "chunk", "*_tags", "*_tag", "*_labels",
         "*_label")  # fmt: skip
# What else is listed for tokens, and answers nothing.
_OTHERS = (
    "lemma", "lemmas", "upos", "xpos", "feats", "head", "heads", "deprel", "deps", "misc",
    "start", "end", "starts", "ends", "offsets", "ws", "whitespace", "space_after", "input_ids",
    "attention_mask", "token_type_ids", "special_tokens_mask", "word_ids",
)  # fmt: skip
# What lists of tokens hold; nulls are those of empty lists.
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
LIST, NESTED, PLAIN = "list", "nested", "plain"


@dataclass(frozen=True, slots=True)
class SequenceColumns:
    """The columns by what they are; ``form`` is None in a file of answers alone."""

    form: str | None
    gold: str | None
    systems: tuple[str, ...]
    id: str | None
    document: str | None
    context: Mapping[str, str]


def kinds_of(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    """Return what each column holds in a row: a list of plain values, a value, or else."""
    return {name: _kind(kind) for name, kind in schema.items()}


def _kind(kind: pl.DataType) -> str:
    if isinstance(kind, (pl.List, pl.Array)):
        return NESTED if opaque(kind.inner) else LIST
    return NESTED if opaque(kind) else PLAIN


def holds_sequences(
    schema: Mapping[str, pl.DataType] | None, selection: Selection, *, answers_alone: bool = False
) -> bool:
    """Tell whether a table holds a list of tokens and lists of tags in each row.

    In a system's file, ``answers_alone`` will do.
    """
    if schema is None:
        return False
    kinds = kinds_of(schema)
    lists = [name for name, kind in kinds.items() if kind == LIST]
    elsewhere = answers_alone and _is_elsewhere(selection, list(kinds))
    form = (None if elsewhere else selection.get("form")) or _tokens(lists, schema)
    others = [name for name in lists if name != form]
    plain_gold = [n for n, kind in kinds.items() if kind == PLAIN and part_of(n) == "gold"]
    if form is None and answers_alone:
        return bool(lists)
    listed = form in lists or isinstance(form, int)
    return listed and bool(others) and not plain_gold


def _is_elsewhere(selection: Selection, names: list[str]) -> bool:
    """Tell whether the tokens are chosen by a name that a file does not have, as gold's may."""
    form = selection.get("form")
    return isinstance(form, str) and form not in names


def _tokens(lists: list[str], schema: Mapping[str, Any] | None = None) -> str | None:
    """Return the first list that is called tokens and holds text."""
    lower = {name.casefold(): name for name in reversed(lists)}
    found = next((lower[name] for name in TOKEN_LISTS if name in lower), None)
    if found is None or schema is None:
        return found
    return found if schema[found].inner in _TEXTS else None


def columns_of(
    kinds: Mapping[str, str], selection: Selection, roles: tuple[str, ...], path: str
) -> SequenceColumns:
    """Return the columns of a table by what they are; raise where that is not clear.

    ``roles`` are what its lists may be: gold, system, or both.
    """
    names = list(kinds)
    check_places(numbered(selection, ("form", *roles), len(names)), names, path)
    chosen = _Chosen(kinds, selection, path)
    alone = "gold" not in roles
    lists = [name for name, kind in kinds.items() if kind == LIST]
    form = (None if alone and _is_elsewhere(selection, names) else chosen.one("form")) or _tokens(
        lists
    )
    if form is None and "gold" in roles:
        option = columns_option([("form", "NAME")], path)
        raise UsageError(
            "no column holds a list of tokens in each row",
            where=path,
            remedy=f"the columns are: {', '.join(names)}\n  name it: {option}",
        )
    # What stands beside the tokens is taken from gold's file.
    beside = {} if alone else selection.context
    context = {name: chosen.picked(column) for name, column in beside.items()}
    plain = [n for n, kind in kinds.items() if kind == PLAIN]
    taken = {form, *context.values()}
    parts = ("id",) if alone else ("id", "document")
    known = {part: chosen.one(part) or _known(part, plain, taken) for part in parts}
    document = known.get("document")
    free = [name for name in lists if name not in taken]
    chosen.check_plain(roles)
    gold = chosen.gold(free) if "gold" in roles else None
    systems = chosen.systems(free, gold, lone=alone) if "system" in roles else ()
    kept = [n for n in plain if n not in context.values() and n != document]
    every = {**{name: name for name in kept}, **context}
    return SequenceColumns(form, gold, systems, known["id"], document, every)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Columns by what the user chose, and by their names where nothing was chosen."""

    kinds: Mapping[str, str]
    selection: Selection
    path: str

    def picked(self, column: int | str) -> str:
        names = list(self.kinds)
        return names[position(column, header=names, width=len(names), where=self.path)]

    def one(self, part: str) -> str | None:
        column = self.selection.get(part)
        if column is None:
            return None
        name = self.picked(column)
        if part in ("id", "document") and self.kinds[name] != PLAIN:
            raise DataError(
                f"column `{name}` holds lists, which cannot be used as the {part}",
                where=self.path,
                remedy="choose a column with one value in each row",
            )
        return name

    def gold(self, free: list[str]) -> str:
        column = self.selection.pick("gold", 0)
        if column != 0:
            return self.picked(column)
        called = [name for name in free if part_of(name) == "gold"]
        tags = [name for name in free if _is_any(name, _TAGS)]
        for found in (called, tags, free):
            if len(found) == 1:
                return found[0]
            if found:
                break
        raise self._unclear("gold", called or tags or free)

    def systems(self, free: list[str], gold: str | None, *, lone: bool) -> tuple[str, ...]:
        """Return the lists of systems; in a ``lone`` file the tags that are not called so too."""
        wanted = self.selection.all("system") or (self.selection.all("label") if lone else ())
        if wanted:
            every: list[str] = []
            for want in wanted:
                globbed = isinstance(want, str) and want not in self.kinds
                found = [name for name in free if globbed and fnmatchcase(name, str(want))]
                every += found or [self.picked(want)]
            return tuple(dict.fromkeys(every))
        left = [name for name in free if name != gold]
        found = [name for name in left if _is_any(name, SYSTEMS)]
        found = found or [
            n for n in left if not _is_any(n, (*_TAGS, *_OTHERS)) and part_of(n) != "gold"
        ]
        if found or not lone:
            return tuple(found)
        if len(left) != 1:
            left = [name for name in left if part_of(name) == "gold" or _is_any(name, _TAGS)]
        if len(left) != 1:
            raise self._unclear("system", left)
        return tuple(left)

    def check_plain(self, roles: tuple[str, ...]) -> None:
        """Raise if a column that is called as what is read has lists of lists, or of objects."""
        for name, kind in self.kinds.items():
            part = part_of(name)
            wanted = (part in roles and not self.selection.all(part or "")) or name in (
                self.selection.all("gold") + self.selection.all("system")
            )
            if kind == NESTED and wanted:
                raise DataError(
                    f"column `{name}` holds lists of lists, or objects, in each row",
                    where=self.path,
                    remedy="a row needs a list with one tag for each token; or choose another "
                    f"column: {columns_option([(part or 'system', 'NAME')], self.path)}",
                )

    def _unclear(self, part: str, found: list[str]) -> UsageError:
        option = columns_option([(part, found[0] if found else "NAME")], self.path)
        lists = [name for name, kind in self.kinds.items() if kind == LIST]
        return UsageError(
            f"it is not clear which list is {part}"
            + (f": {', '.join(found)}" if found else ", there is none but the tokens"),
            where=self.path,
            remedy=f"the columns with lists are: {', '.join(lists)}\n  say which: {option}",
        )


def _known(part: str, plain: list[str], taken: set[str | None]) -> str | None:
    lower = {name.casefold(): name for name in reversed(plain) if name not in taken}
    return next((lower[name] for name in KNOWN[part] if name in lower), None)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern) for pattern in patterns)


def check_apart(columns: SequenceColumns, path: str) -> None:
    """Raise if one column is to be two things."""
    for part in ("form", "gold"):
        name = getattr(columns, part)
        others = (columns.form, *columns.systems) if part == "gold" else columns.systems
        if name is not None and name in others:
            other = "system" if name in columns.systems else "form"
            option = columns_option([(part, name), (other, "NAME")], path)
            raise UsageError(
                f"column `{name}` is chosen both as {part} and as {other}",
                where=path,
                remedy=f"choose two columns: {option}",
            )
