"""JSON lines with clusters: a document a line, mentions as inclusive offsets of its tokens.

``{"id": "doc1", "tokens": […], "clusters": [[[0, 1], [7, 7]], …]}``. The name is ``id``, ``name``,
``doc_key`` or ``doc_id``, else the number of the line; tokens may come by ``sentences``, or not.
"""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain as chained
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.json_records import check_halves
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

_NAMES = ("id", "name", "doc_key", "doc_id", "document")
# The last token that an offset can name.
_LAST = np.iinfo(np.int32).max


def read_coref_json(
    source: Source,
    selection: Selection,  # noqa: ARG001
    *,
    texts: bool = True,
) -> MentionFile:
    """Return the mentions of a file of JSON lines, or of one JSON object; its words, if wanted."""
    lines, names, units, words = [], [], [], list[str]()
    # Of each chain its document, name and size; of each mention its first and last token.
    chains: list[tuple[int, str, int]] = []
    ends: list[NDArray[np.int64]] = []
    for at, (line, document) in enumerate(_documents(source)):
        where = f"{source.path}:{line}"
        lines.append(line)
        names.append(next((str(document[key]) for key in _NAMES if key in document), str(line)))
        tokens = _tokens(document, where)
        units.append(-1 if tokens is None else len(tokens))
        if texts and tokens is not None:
            words += tokens
        last = _LAST if tokens is None else len(tokens) - 1
        for name, mentions in list(_clusters(document, where)):
            chains.append((at, name, len(mentions)))
            ends.append(_ends_of(mentions, where, last))
    if not lines:
        check_not_empty(source.text, source.path)
    check_documents(names, lines, source.path)
    size = np.array([n for _, _, n in chains], np.int64)
    home = np.repeat(np.array([at for at, _, _ in chains], np.int32), size)
    extent = np.concatenate([np.zeros((0, 2), np.int64), *ends]).astype(np.int32)
    return MentionFile(
        path=source.path,
        documents=tuple(names),
        units=np.array(units, np.int64),
        document=home,
        start=extent[:, 0],
        end=extent[:, 1],
        chain=np.repeat(np.arange(len(size)), size),
        line=np.array(lines, np.uint32)[home],
        names=pl.Series([name for _, name, _ in chains], dtype=pl.String),
        texts=lambda rows, _: [pl.Series(words, dtype=pl.String).gather(rows)],
        columns={"form": 0} if texts and -1 not in units else {},
    )


def _ends_of(mentions: list[Any], where: str, last: int) -> NDArray[np.int64]:
    """Return the first and the last token of each mention of a chain; raise for anything else."""
    if {*map(type, mentions)} == {list} and {*map(len, mentions)} == {2}:
        flat = list(chained.from_iterable(mentions))
        if {*map(type, flat)} == {int} and min(flat) >= 0 and max(flat) <= last:
            ends = np.array(flat, np.int64).reshape(-1, 2)
            if (ends[:, 0] <= ends[:, 1]).all():
                return ends
    # One by one: some have more to them, or are wrong.
    return np.array([_ends(mention, where, last) for mention in mentions], np.int64).reshape(-1, 2)


def _documents(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object with its line; a file may also be a single object over many lines."""
    data = source.text
    check_utf8(data, source.path)
    check_halves(data, source.path)
    text = data.decode("utf-8")
    for line, piece in enumerate(text.split("\n"), start=1):
        if not piece.strip():
            continue
        try:
            document = json.loads(piece)
        except (ValueError, RecursionError) as error:
            with suppress(ValueError, RecursionError):
                whole = json.loads(text) if line == 1 else None
                if isinstance(whole, dict):
                    yield 1, whole
                    return
            raise DataError(
                f"is not JSON ({error})",
                where=f"{source.path}:{line}",
                remedy="write one object per line, one document each",
            ) from None
        if not isinstance(document, dict):
            raise _no_clusters(f"{source.path}:{line}")
        yield line, document


def _strings(found: Any, where: str) -> list[str]:
    """Return a list of strings or numbers as strings; raise for anything else."""
    kinds = {*map(type, found)} if isinstance(found, list) else {dict}
    if kinds & {list, dict}:
        raise DataError(
            f"`{json.dumps(found)[:60]}` is not a list of tokens",
            where=where,
            remedy='write {"tokens": ["A", "cat"]}, or {"sentences": [["A", "cat"]]}',
        )
    return found if kinds == {str} else [str(token) for token in found]


def _tokens(document: dict[str, Any], where: str) -> list[str] | None:
    if "tokens" in document:
        return _strings(document["tokens"], where)
    if "sentences" not in document:
        return None
    sentences = document["sentences"]
    every = sentences if isinstance(sentences, list) else [sentences]
    return [token for sentence in every for token in _strings(sentence, where)]


def _clusters(document: dict[str, Any], where: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the name and the mentions of each chain."""
    given = document.get("clusters")
    if not isinstance(given, (dict, list)):
        raise _no_clusters(where)
    for name, mentions in given.items() if isinstance(given, dict) else enumerate(given):
        if not isinstance(mentions, list):
            raise _no_mention(mentions, where)
        yield str(name), mentions


def _no_clusters(where: str) -> DataError:
    return DataError(
        "the object has no `clusters`",
        where=where,
        remedy='write {"id": "doc1", "clusters": [[[0, 1], [7, 7]]]}, offsets inclusive',
    )


def _ends(mention: Any, where: str, last: int) -> tuple[int, int]:
    """Return the first and the last token of a mention; raise for anything else."""
    if isinstance(mention, int):
        raise DataError(
            f"`{mention}` in a chain is a bare number: `[0, 1]` may be one mention or two",
            where=where,
            remedy="write the first and the last token of each mention: [[0, 1]], or [[0, 0], "
            "[1, 1]] for two of one token",
        )
    ends = mention
    sound = isinstance(ends, list) and len(ends) >= 2 and all(type(e) is int for e in ends[:2])
    if not sound or not 0 <= ends[0] <= ends[1] <= _LAST:
        raise _no_mention(mention, where)
    if ends[1] > last:
        raise DataError(
            f"the mention `{json.dumps(mention)[:60]}` ends after the last token, {last}",
            where=where,
            remedy="tokens count from 0, and the second number is that of the last token inside",
        )
    return ends[0], ends[1]


def _no_mention(mention: Any, where: str) -> DataError:
    return DataError(
        f"`{json.dumps(mention)[:60]}` is not a mention",
        where=where,
        remedy="write the numbers of its first and its last token, both inside: [3, 5]",
    )
