"""JSON records of a text and spans by characters: doccano, spaCy, Prodigy, Label Studio, GLiNER."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.json_records import chosen_keys, json_records, no_garbage
from coleval.loading.readers.model import OffsetFile, WordPlaces
from coleval.loading.readers.offset_dialects import (
    GLINER,
    ID_KEYS,
    LABEL_STUDIO,
    PLAIN,
    SPAN_KEYS,
    TEXT_KEY,
    RecordKeys,
    pair,
    part_of,
)
from coleval.loading.readers.offset_rows import SpanRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.json_records import JsonRecords
    from coleval.loading.readers.offset_dialects import Dialect, Record
    from coleval.loading.readers.source import Source

_LIST = rb'"(?:spans|ents|entities|labels?)"\s*:\s*'
# A list of [start, end, label], or of objects with a start; or a key that one program alone has.
_SPANS = re.compile(
    _LIST + rb'(?:\{\s*"[^"]*"\s*:\s*)?\[\s*'
    rb'(?:\[\s*\d+\s*,\s*\d+\s*,\s*"|\{[^{}\[\]]*"(?:start|start_offset)"\s*:\s*\d)'
)
_TEXT = re.compile(rb'"text"\s*:\s*"')
_EMPTY = re.compile(_LIST + rb"(?:\[\s*\]|\{\s*\})")
_OTHERS = re.compile(rb'"tokenized_text"\s*:\s*\[|"(?:annotations|predictions)"\s*:\s*\[\s*\{')


def looks_like_offsets(beginning: bytes) -> bool:
    """Tell whether a file begins with records of a text and spans on it."""
    if beginning.lstrip()[:1] not in (b"{", b"["):
        return False
    if _OTHERS.search(beginning):
        return b'"ner"' in beginning or b'"data"' in beginning or b'"result"' in beginning
    return _SPANS.search(beginning) is not None


def read_offsets(source: Source, selection: Selection, role: str) -> OffsetFile:
    """Return the spans of a file; raise for the first record or span that cannot be read."""
    with no_garbage():
        return _read(source, selection, role)


def _read(source: Source, selection: Selection, role: str) -> OffsetFile:
    file = json_records(source)
    if not file.records:
        raise DataError("has no records", where=source.path, remedy="is it the right file?")
    dialect = _dialect(file)
    if dialect is PLAIN:
        file = replace(file, records=[r if type(r) is dict else pair(r) for r in file.records])
    keys = _keys(file, dialect, selection, role)
    records = [dialect.read(record, keys) for record in file.fields()]
    texts = _texts(file, records, role)
    rows, numbers = _rows(records)

    def path(span: int) -> str:
        return records[rows.document[span]].path.replace("{}", str(numbers[span]))

    def where(span: int, part: str) -> str:
        at = rows.document[span]
        return file.where(at, part_of(file.records[at], path(span), part))

    unit = "codepoints" if dialect.joined else selection.offsets
    places = rows.places(where).in_texts(texts, unit, where)
    line = np.array(file.line, np.uint32)
    return OffsetFile(
        path=source.path,
        texts=texts,
        ids=file.ids([record.id for record in records]),
        line=line,
        document=places.document,
        start=places.start,
        end=places.end,
        label=places.label,
        span_line=line[places.document],
        words=_words(file, records, texts, unit),
        joined=dialect.joined,
        context=_context(file, keys),
        fields=_fields([record.path for record in records], numbers, places.document),
        notes=_notes(file, records),
    )


def _fields(
    paths: list[str], numbers: list[int], document: NDArray[np.int32]
) -> Callable[[int], str]:
    """Return what says the path of a span, without the records that it was found in."""
    known = {path: path for path in paths}
    of_record = [known[path] for path in paths]
    number = np.array(numbers, np.int32)
    return lambda span: of_record[document[span]].replace("{}", str(number[span]))


def _rows(records: list[Record]) -> tuple[SpanRows, list[int]]:
    """Return the spans of all records as columns, and the number of each in its record."""
    size = [len(record.spans) for record in records]
    columns = list(zip(*chain.from_iterable(record.spans for record in records), strict=True))
    document = np.repeat(np.arange(len(records)), size).tolist()
    start, end, label, number = map(list, columns) if columns else ([], [], [], [])
    return SpanRows(document, start, end, label), number


def _dialect(file: JsonRecords) -> Dialect:
    """Return how the records are written: all are written as the first of its kind."""
    for record in file.records:
        if isinstance(record, dict) and "tokenized_text" in record:
            return GLINER
        if isinstance(record, dict) and isinstance(record.get("data"), dict):
            return LABEL_STUDIO
    return PLAIN


def _keys(file: JsonRecords, dialect: Dialect, selection: Selection, role: str) -> RecordKeys:
    """Return the keys of a file: those chosen, or those that hold spans."""
    chosen = chosen_keys(selection.picks, "form=body,label=marks")
    label = chosen.get(role) or chosen.get("label")
    keys = RecordKeys(
        text=chosen.get("form", TEXT_KEY),
        id=(chosen["id"],) if "id" in chosen else ID_KEYS,
        kept={n: k for n, k in chosen.items() if role == "gold" and n in selection.context},
    )
    if dialect is LABEL_STUDIO:
        return replace(keys, predictions=role == "system" and _predicted(file))
    if dialect is GLINER:
        return keys
    prodigy = any("_input_hash" in record or "_task_hash" in record for record in file.records)
    label = label or _spans_key(file)
    return replace(keys, spans=label, optional=prodigy)


def _predicted(file: JsonRecords) -> bool:
    """Tell whether tasks of Label Studio have predictions; raise for those of several models."""
    there = [(at, one) for at, record in enumerate(file.records) if isinstance(record, dict)
             for one in record.get("predictions") or () if isinstance(one, dict)]  # fmt: skip
    models = {str(one.get("model_version")): at for at, one in there}
    if len(models) > 1:
        raise UsageError(
            f"has predictions of several models: {', '.join(models)}",
            where=file.where(max(models.values()), "predictions"),
            remedy="write a file for each model",
        )
    return bool(there)


def _spans_key(file: JsonRecords) -> str | None:
    """Return the key that holds spans; of several, the one that is not always empty."""
    filled: dict[str, int] = {}
    for key in SPAN_KEYS:
        there = (at for at, record in enumerate(file.records)
                 if record.get(key) and isinstance(record[key], (list, dict)))  # fmt: skip
        if (first := next(there, None)) is not None:
            filled[key] = first
    if len(filled) > 1:
        several = " and ".join(f"`{key}`" for key in filled)
        raise UsageError(
            f"{several} hold spans",
            where=file.where(max(filled.values())),
            remedy=f"say which are to be scored: --columns label={next(iter(filled))}",
        )
    return next(iter(filled), None)


def _texts(file: JsonRecords, records: list[Record], role: str) -> pl.Series:
    """Return the texts; a system's record may leave out gold's, if it has an id or all do."""
    for at, record in enumerate(records):
        if record.text is None and role != "gold":
            continue
        if not isinstance(record.text, str):
            what = "has no text" if record.text is None else "has a text that is none"
            keys = list(file.records[at]) if isinstance(file.records[at], dict) else []
            raise DataError(
                f"{what}; its keys are {', '.join(f'`{k}`' for k in keys[:8]) or 'none'}",
                where=file.where(at),
                remedy="name the key of the text: --columns form=NAME",
            )
    return pl.Series("text", [record.text for record in records], dtype=pl.String)


def _words(
    file: JsonRecords, records: list[Record], texts: pl.Series, unit: str
) -> WordPlaces | None:
    """Return the tokens that all records have, None if some record has none."""
    if any(record.tokens is None for record in records):
        return None
    rows, number = SpanRows(), []
    for at, record in enumerate(records):
        for k, (start, end) in enumerate(record.tokens or ()):
            rows.add(at, start, end, "token")
            number.append(k)

    def where(token: int, part: str) -> str:
        return file.where(rows.document[token], f"tokens[{number[token]}]{part and f'.{part}'}")

    places = rows.places(where)
    places = places.in_texts(texts, unit, where, blank=True)
    same = np.diff(places.document) == 0
    wrong = np.flatnonzero(same & (places.start[1:] < places.end[:-1]))
    if len(wrong):
        raise DataError(
            "the token begins before the one before it ends",
            where=where(int(wrong[0]) + 1, "start"),
            remedy="write tokens in the order of the text",
        )
    return WordPlaces(places.document, places.start, places.end)


def _context(file: JsonRecords, keys: RecordKeys) -> dict[str, pl.Series]:
    """Return the values that records have under the keys to be kept."""
    found = {}
    for name, key in keys.kept.items():
        values = [pair(record).get(key) for record in file.records]
        if all(value is None for value in values):
            raise unknown("key", key, {k for r in file.records for k in pair(r)},
                          where="--columns")  # fmt: skip
        numbers = {type(value) for value in values if value is not None} <= {int, float}
        found[name] = (
            pl.Series(name, values)
            if numbers
            else pl.Series(name, [None if v is None else str(v) for v in values], dtype=pl.String)
        )
    return found


def _notes(file: JsonRecords, records: list[Record]) -> tuple[Problem, ...]:
    """Return the note that some of what Label Studio annotates is no span."""
    ignored = [at for at, record in enumerate(records) if record.ignored]
    if not ignored:
        return ()
    n = sum(record.ignored for record in records)
    at = ignored[0]
    return (
        Problem(
            file.path,
            file.line[at],
            "not a span",
            f"record {at + 1} has a result other than a span, or a second annotation",
            "only the spans of the first annotation are counted",
            n,
            fatal=False,
        ),
    )
