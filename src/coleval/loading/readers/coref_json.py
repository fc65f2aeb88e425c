"""JSON lines with clusters: a document a line, mentions as inclusive offsets of its tokens.

``{"id": "doc1", "tokens": […], "clusters": [[[0, 1], [7, 7]], …]}``. The name is ``id``, ``name``,
``doc_key`` or ``doc_id``, else the number of the line; tokens may come by ``sentences``, or not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
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
    found = _JsonDocuments()
    for line, document in _documents(source):
        found.lines.append(line)
        found.names.append(_name(document, line))
        where = f"{source.path}:{line}"
        tokens = _tokens(document, where)
        last = _LAST if tokens is None else len(tokens) - 1
        found.units.append(-1 if tokens is None else len(tokens))
        if texts and tokens is not None:
            found.words += tokens
        _add_mentions(found, document, where, last)
    if not found.lines:
        check_not_empty(source.text, source.path)
    check_documents(found.names, found.lines, source.path)
    return _file(source.path, found, texts=texts and -1 not in found.units)


@dataclass(slots=True)
class _JsonDocuments:
    """What is found so far, document by document; ``sizes`` are those of clusters, ``ends`` flat.

    ``clusters`` counts those of each document.
    """

    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    clusters: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    ends: list[NDArray[np.int64]] = field(default_factory=list)


def _add_mentions(found: _JsonDocuments, document: dict[str, Any], where: str, last: int) -> None:
    """Add the clusters of a document, and the first and last tokens of their mentions."""
    clusters = list(_clusters(document, where))
    found.clusters.append(len(clusters))
    found.labels += (name for name, _ in clusters)
    found.sizes += (len(mentions) for _, mentions in clusters)
    every = list(chained.from_iterable(mentions for _, mentions in clusters))
    ends = _plain_ends(every, last)
    if ends is None:
        # One by one: some have more to them, or are wrong.
        ends = np.array([_ends(mention, where, last) for mention in every], np.int64)
    found.ends.append(ends.reshape(-1, 2))


def _plain_ends(mentions: list[Any], last: int) -> NDArray[np.int64] | None:
    """Return the ends of mentions if all are two numbers that are sound."""
    if {*map(type, mentions)} != {list} or {*map(len, mentions)} != {2}:
        return None
    flat = list(chained.from_iterable(mentions))
    if {*map(type, flat)} != {int} or min(flat) < 0 or max(flat) > last:
        return None
    ends = np.array(flat, np.int64)
    return ends if (ends[0::2] <= ends[1::2]).all() else None


def _file(path: str, found: _JsonDocuments, *, texts: bool) -> MentionFile:
    count = np.array(found.clusters, np.int64)
    size = np.array(found.sizes, np.int64)
    home = np.repeat(np.arange(len(count), dtype=np.int32), count)
    document = np.repeat(home, size)
    ends = np.concatenate(found.ends)
    words = found.words
    return MentionFile(
        path=path,
        documents=tuple(found.names),
        units=np.array(found.units, np.int64),
        document=document,
        start=ends[:, 0].astype(np.int32),
        end=ends[:, 1].astype(np.int32),
        chain=np.repeat(np.arange(len(size)), size),
        line=np.array(found.lines, np.uint32)[document],
        names=pl.Series(found.labels, dtype=pl.String),
        texts=lambda rows, _: [pl.Series(words, dtype=pl.String).gather(rows)],
        columns={"form": 0} if texts else {},
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
    kinds = {*map(type, found)} if isinstance(found, list) else {dict}
    if kinds & {list, dict}:
        raise DataError(
            f"`{json.dumps(found)[:60]}` is not a list of tokens",
            where=where,
            remedy='write {"tokens": ["A", "cat"]}, or {"sentences": [["A", "cat"]]}',
        )
    return found if kinds == {str} else [str(token) for token in found]


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
