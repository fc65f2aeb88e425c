"""Segments: a text a line, as translation and summarisation have them; and the answers of SQuAD.

A line ends at a line feed alone: texts of the web hold every other sign that some programs take
for the end of a line. An empty line is an empty segment, and keeps its place.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.ids import check_ids
from coleval.loading.readers.model import TableFile
from coleval.loading.readers.source import check_utf8

if TYPE_CHECKING:
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


def read_segments(source: Source, selection: Selection) -> TableFile:  # noqa: ARG001
    """Return the lines of a file as the column ``text``."""
    check_utf8(source.text, source.path)
    lines = source.text.decode("utf-8").split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise DataError("is empty", where=source.path, remedy="is it the right file?")
    if all(line.endswith("\r") for line in lines):
        lines = [line[:-1] for line in lines]
    text = pl.Series("text", lines, dtype=pl.String)
    return TableFile(
        source.path, None, {"text": text}, line=np.arange(1, len(lines) + 1, dtype=np.uint32)
    )


def looks_like_squad(text: bytes) -> bool:
    """Return whether JSON is that of SQuAD: paragraphs with questions."""
    return b'"paragraphs"' in text and b'"qas"' in text


def read_squad(source: Source, selection: Selection) -> TableFile:  # noqa: ARG001
    """Return questions with all their gold answers, or the answers of a system by their ids.

    A question that has no answer has an empty one, as in the program of SQuAD 2.0.
    """
    try:
        data = json.loads(source.text)
    except ValueError as error:
        raise DataError(f"is not JSON ({error})", where=source.path,
                        remedy="is the download complete?") from None  # fmt: skip
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        return _questions(data["data"], source.path)
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise DataError("has neither questions nor answers by their ids", where=source.path,
                        remedy='answers are an object: {"ID": "answer", …}')  # fmt: skip
    ids = pl.Series("id", list(data), dtype=pl.String)
    return TableFile(source.path, ids, {"text": pl.Series(list(data.values()), dtype=pl.String)})


def _questions(articles: list[Any], path: str) -> TableFile:
    rows = [
        (str(asked["id"]), [one["text"] for one in asked.get("answers", ())] or [""],
         asked["question"], article.get("title", ""))
        for article in articles
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
    ]  # fmt: skip
    kinds: dict[str, Any] = dict.fromkeys(("id", "gold", "form", "document"), pl.String)
    kinds["gold"] = pl.List(pl.String)
    frame = pl.DataFrame(rows, schema=kinds, orient="row")
    table = TableFile(
        path, frame["id"], {"gold": frame["gold"]}, {n: frame[n] for n in ("form", "document")}
    )
    check_ids(table)
    return table
