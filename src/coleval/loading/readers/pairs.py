"""Pairs: an id and a label a line, by TAB or else spaces; ``#`` lines at the top are comments.

A file may also have a label alone on each line, and no ids.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import DataError, UsageError
from coleval.loading.readers.headers import KNOWN, part_of
from coleval.loading.readers.ids import check_ids
from coleval.loading.readers.lines import blank, read_lines
from coleval.loading.readers.model import TableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

_PAIR = r"^(?<id>[^\t]*)\t(?<label>[^\t]*)$|^ *(?<id2>[^\t ]+) +(?<label2>[^\t]*)$"


def read_pairs(source: Source, selection: Selection) -> TableFile:
    """Return the ids and the column ``label``; a first line that says ``id`` is a header."""
    if selection.picks:
        raise UsageError(
            "a file of pairs has its columns fixed: id, label",
            where="--columns",
            remedy="leave it out, or read it with --format table",
        )
    lines = read_lines(source).str.strip_chars_end("\r")
    if (alone := _alone(lines)) is not None:
        return replace(alone, path=source.path)
    rows, turned = _rows(lines, source)
    match = rows["text"].str.extract_groups(_PAIR).struct.unnest()
    pairs = match.select(
        pl.coalesce("id", "id2").str.strip_chars(" ").alias("id"),
        pl.coalesce("label", "label2").str.strip_chars(" ").alias("label"),
    )
    if turned:
        pairs = pairs.select(id="label", label="id")
    raise_earliest(_problems(rows, pairs), source.path)
    table = TableFile(
        path=source.path,
        id=pairs["id"],
        columns={"label": pairs["label"]},
        line=rows["line"].to_numpy(),
    )
    check_ids(table)
    return table


def _alone(lines: pl.Series) -> TableFile | None:
    """Return the labels of a file that has one a line, None if any line has more.

    Labels are gold's by their lines, so an empty line is an item without an answer.
    """
    text = lines.str.strip_chars(" ")
    below = (text.str.starts_with("#").not_() & (text != "")).arg_max() or 0
    if text.str.contains("[\t ]").slice(below).any():
        return None
    first = text[below].casefold()
    named = part_of(first) in ("gold", "system") or first in KNOWN["label"]
    last = len(text) - int((text.reverse() != "").arg_max() or 0)
    labels = text[below + named : last].replace("", None)
    line = np.arange(below + named, last, dtype=np.uint32) + np.uint32(1)
    return TableFile("", None, {"label": labels.alias("label")}, line=line) if len(labels) else None


def _rows(lines: pl.Series, source: Source) -> tuple[pl.DataFrame, bool]:
    """Return the lines with data and their numbers, and whether the header puts the label first."""
    frame = pl.DataFrame({"text": lines}).with_row_index("line", 1).filter(~blank(lines))
    top = int(np.argmin(frame["text"].str.starts_with("#").to_numpy()))
    if frame["text"][top].startswith("#"):
        raise DataError("holds only comments", where=source.path, remedy="is it the right file?")
    header = _header(frame["text"][top].strip(" "))
    rows = frame.slice(top + (header is not None))
    if not len(rows):
        raise DataError("holds no pairs", where=source.path, remedy="there is only a header")
    return rows, header == "label"


def _header(text: str) -> str | None:
    """Return which column comes first if a line is a header: ``id`` or ``label``; else None."""
    first, _, second = text.lower().partition("\t" if "\t" in text else " ")
    if first.strip() in KNOWN["id"]:
        return "id"
    answers = (*KNOWN["label"], *KNOWN["gold"])
    return "label" if first.strip() in answers and second.strip() in KNOWN["id"] else None


def _problems(rows: pl.DataFrame, pairs: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first line that is no pair, and the first pair with an empty half."""
    wrong = pairs["id"].is_null() | pairs["label"].is_null()
    for line, text in rows.filter(wrong).head(1).iter_rows():
        width = len(text.split("\t")) if "\t" in text else len(text.split())
        remedy = "a line holds an id and a label; for more columns: --format table"
        yield unreadable(line, f"{there_are_columns(width)} where a pair has 2", remedy)
    for name in ("id", "label"):
        for line in rows.filter(pairs[name] == "")["line"][:1]:
            yield unreadable(line, f"the {name} is empty", "a line holds an id and a label")
