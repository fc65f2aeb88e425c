"""What a format is recognised by: how its files begin, the suffix, the task if it is named."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coleval.corpus.selection import Selection
from coleval.loading.readers.conllu import HEADER, first_named
from coleval.loading.readers.lines import first_filled
from coleval.loading.readers.long import looks_long

if TYPE_CHECKING:
    from coleval.loading.readers.source import Source

# Suffixes of what is a table and nothing else.
_JSON = (".jsonl", ".ndjson", ".json")
TABLE_ONLY = (".csv", *_JSON, ".parquet", ".arrow", ".feather", ".ipc")
# An object of JSON, whatever the suffix; no token begins like this.
_OBJECT = re.compile(rb'\s*(\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:')
_ID_NAMES = ("id", "item", "case_id", "instance", "item_id", "example_id")


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a format is recognised by: the first text, the suffix, the task if it is named."""

    text: bytes
    suffix: str
    task: str | None
    columns: Selection = field(default_factory=Selection)

    @property
    def line(self) -> bytes:
        """Return the first line that is not blank."""
        start = first_filled(self.text)
        end = self.text.find(b"\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def may_be(self, task: str, *, sure: bool = False) -> bool:
        """Tell whether a file may be of a task: the one that is named, or any where none is.

        ``sure`` asks for one that is named.
        """
        return self.task == task or (self.task is None and not sure)


def is_json(source: Source) -> bool:
    """Return whether a file is JSON by its suffix or its beginning, sound or not."""
    return source.suffix in _JSON or _OBJECT.match(source.head) is not None


def is_conllu(beginning: Beginning) -> bool:
    """Tell CoNLL-U by its suffix or its first comment."""
    comments = (b"# sent_id", b"# newdoc", b"# text =", HEADER)
    return beginning.suffix == ".conllu" or beginning.line.startswith(comments)


def is_corefud(beginning: Beginning) -> bool:
    """Tell CorefUD by its fields of entities; where coreference is asked for, CoNLL-U is that."""
    named = b"\n# global.Entity" in b"\n" + beginning.text
    return beginning.may_be("coref", sure=not named) and is_conllu(beginning)


def is_cupt(beginning: Beginning) -> bool:
    """Tell multiword expressions by their column."""
    named = beginning.suffix == ".cupt" or "parseme:mwe" in first_named(beginning.text)
    return named and beginning.may_be("span")


def is_coref_json(beginning: Beginning) -> bool:
    """Tell documents with clusters, where coreference is asked for."""
    return beginning.task == "coref" and (
        beginning.suffix in _JSON or beginning.text[:64].lstrip()[:1] == b"{"
    )


def is_brat(beginning: Beginning) -> bool:
    """Tell standoff annotations of brat."""
    if beginning.suffix == ".ann":
        return True
    from coleval.loading.readers.brat import looks_like_brat

    return looks_like_brat(beginning.line)


def is_offsets(beginning: Beginning) -> bool:
    """Tell records of texts and spans by characters."""
    if beginning.task not in (None, "span") or beginning.text.lstrip()[:1] not in (b"{", b"["):
        return False
    from coleval.loading.readers.offsets import looks_like_offsets

    return looks_like_offsets(beginning.text)


def names_of(line: bytes) -> list[str]:
    """Return the names of columns in the first line of a table: a header, or an object's keys."""
    text = line.decode("utf-8", "replace").strip("\ufeff\r ")
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            first = json.loads(text)
            return list(first) if isinstance(first, dict) else []
        # Only the beginning of a long line is there.
        return re.findall(r'"(\w+)"\s*:', text)
    separator = next((s for s in ("\t", ",", ";") if s in text), ",")
    return [name.strip(' "') for name in text.split(separator)]


def is_long(beginning: Beginning) -> bool:
    """Tell a long table by the names of its columns."""
    if beginning.suffix not in (*TABLE_ONLY, ".tsv", ".txt", ".json"):
        return False
    return looks_long(names_of(beginning.line), beginning.columns)


def is_table(beginning: Beginning) -> bool:
    """Return whether it is a table by its suffix, as JSON, or by a TSV header that names ids."""
    if beginning.suffix in TABLE_ONLY or _OBJECT.match(beginning.text):
        return True
    if beginning.task not in (None, "label") or beginning.line.startswith(b"#"):
        return False
    names = beginning.line.decode("utf-8", "replace").strip("\r").casefold().split("\t")
    return len(names) > 1 and any(n in _ID_NAMES for n in names)
