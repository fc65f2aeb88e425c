"""JSON lines with clusters: a document a line, mentions as inclusive offsets of its tokens.

``{"id": "doc1", "tokens": […], "clusters": [[[0, 1], [7, 7]], …]}``. The name is ``id``, ``name``,
``doc_key`` or ``doc_id``, else the number of the line; tokens may come by ``sentences``, or not.
"""

from __future__ import annotations

import json
from itertools import chain as chained
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.json_text import check_halves
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

_NAMES = ("id", "name", "doc_key", "doc_id", "document")
# The last token that an offset can name.
_LAST = np.iinfo(np.int32).max
Row = tuple[int, int, int, int, int]


def read_coref_json(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:  # noqa: ARG001
    """Return the mentions of a file of JSON lines, or of one JSON object."""
    documents = list(_documents(source))
    if not documents:
        check_not_empty(source.text, source.path)
    names: list[str] = []
    tokens: list[list[str] | None] = []
    rows: list[Row] = []
    labels: list[str] = []
    for at, (line, document) in enumerate(documents):
        names.append(_name(document, line))
        where = f"{source.path}:{line}"
        tokens.append(_tokens(document, where))
        last = _LAST if tokens[-1] is None else len(tokens[-1]) - 1
        for name, mentions in _clusters(document, where):
            rows += [(at, *_ends(m, where, last), len(labels), line) for m in mentions]
            labels.append(name)
    check_documents(names, [line for line, _ in documents], source.path)
    return _file(source.path, names, tokens, rows, labels)


def _file(
    path: str, names: list[str], tokens: list[list[str] | None], rows: list[Row], labels: list[str]
) -> MentionFile:
    table = np.array(rows, np.int64).reshape(-1, 5)
    whole = all(words is not None for words in tokens)
    words = list(chained.from_iterable(w or () for w in tokens)) if whole else []
    return MentionFile(
        path=path,
        documents=tuple(names),
        units=np.array([-1 if w is None else len(w) for w in tokens], np.int64),
        document=table[:, 0].astype(np.int32),
        start=table[:, 1].astype(np.int32),
        end=table[:, 2].astype(np.int32),
        chain=table[:, 3],
        line=table[:, 4].astype(np.uint32),
        names=pl.Series(labels, dtype=pl.String),
        texts=lambda rows, _: [pl.Series(words, dtype=pl.String).gather(pl.Series(rows))],
        columns={"form": 0} if whole else {},
    )


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
            if line == 1 and (whole := _whole(text)) is not None:
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
    if not isinstance(found, list) or any(isinstance(x, (list, dict)) for x in found):
        raise DataError(
            f"`{json.dumps(found)[:60]}` is not a list of tokens",
            where=where,
            remedy='write {"tokens": ["A", "cat"]}, or {"sentences": [["A", "cat"]]}',
        )
    return [str(token) for token in found]


def _whole(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _name(document: dict[str, Any], line: int) -> str:
    return next((str(document[key]) for key in _NAMES if key in document), str(line))


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
    ends = [mention, mention] if isinstance(mention, int) else mention
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
