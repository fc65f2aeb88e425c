"""Span files (FairEval): label, begin, end and token numbers by TABs, a blank line a sentence.

A sentence without spans keeps its place by a dummy span, ``NONE`` or ``EMPTY`` from 999. So a
run of blank lines ends one sentence, however long it is, as in the reference reader; all the
published files do it that way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import UsageError
from coleval.loading.readers.lines import (
    blank,
    one_line_end,
    tab_fields,
    whole_numbers,
)
from coleval.loading.readers.model import SpanFile
from coleval.loading.readers.steps import dense

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

DUMMY_LABELS = ("NONE", "EMPTY")
DUMMY_BEGIN = 999
_SPAN = re.compile(rb"[^\t]+\t *[0-9]+ *\t *[0-9]+ *(\t[0-9, ]*)?\r?$")
_NUMBER = r"^\s*[0-9]{1,9}\s*$"


def read_spans(source: Source, selection: Selection) -> SpanFile:
    """Return the spans without dummies; ``tokens`` is null where a span has no holes."""
    if selection.picks:
        raise UsageError(
            "a span file has its columns fixed: label, begin, end, tokens",
            where="--columns",
            remedy="leave it out, or name another --format",
        )
    rows = _rows(source)
    raise_earliest(_layout_problems(rows), source.path)
    rows = rows.with_columns(pl.col("begin", "end").str.strip_chars().cast(pl.Int32))
    dummy = (pl.col("begin") == DUMMY_BEGIN) & pl.col("label").is_in(DUMMY_LABELS)
    spans = rows.filter(~dummy)
    spans = spans.select(
        "sentence", "label", "line", _tokens(spans, source.path), start="begin", end="end",
        form=pl.lit(None, pl.String),
    )  # fmt: skip
    return SpanFile(source.path, spans, int(rows["sentence"][-1]) + 1)


def looks_like_spans(head: bytes) -> bool:
    """Tell whether the first line that is not blank is a span."""
    at = len(head) - len(head.lstrip())
    return _SPAN.match(head[head.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]) is not None


def _rows(source: Source) -> pl.DataFrame:
    """Return the lines that are no blank ones, with their line and sentence."""
    lines, fields = tab_fields(one_line_end(source.text), source.path)
    width = fields.list.len()
    for at in (width > 4).arg_true()[:1].to_list():
        raise_earliest([_width(at + 1, width[at])], source.path)
    filled = ~blank(lines)
    there = filled.arg_true().to_numpy()
    before = np.cumsum(~filled.to_numpy(), dtype=np.int32)[there]
    frame = pl.DataFrame(
        {
            name: fields.list.get(at, null_on_oob=True)
            for at, name in enumerate(("label", "begin", "end", "tokens"))
        }
    ).filter(filled)
    return frame.select(pl.when(pl.all() != "").then(pl.all())).with_columns(
        line=pl.Series((there + 1).astype(np.uint32)), sentence=pl.Series(dense(before))
    )


def _width(line: int, width: int) -> Problem:
    return unreadable(
        line,
        f"{there_are_columns(width)} where a span has 4",
        "label, begin, end and tokens, separated by TABs",
    )


def _layout_problems(rows: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first row of each kind of mistake in label, begin and end."""
    for row in rows.filter(pl.col("end").is_null()).head(1).iter_rows(named=True):
        width = sum(row[name] is not None for name in ("label", "begin", "end"))
        yield _width(row["line"], width)
    for line in rows.filter(pl.col("label").is_null())["line"].head(1):
        yield unreadable(line, "the label is empty", "write the label in the first column")
    yield from _half_dummies(rows)
    for name in ("begin", "end"):
        wrong = rows.filter(~pl.col(name).fill_null("").str.contains(_NUMBER))
        for row in wrong.head(1).iter_rows(named=True):
            said = f"the {name} `{row[name] or ''}` is not a token number"
            yield unreadable(row["line"], said, "write a number")
    numbers = rows.with_columns(
        pl.col("begin", "end").str.strip_chars().cast(pl.Int32, strict=False)
    )
    for row in numbers.filter(pl.col("begin") > pl.col("end")).head(1).iter_rows(named=True):
        yield unreadable(
            row["line"],
            f"the span begins at {row['begin']}, after its end at {row['end']}",
            "write the first token number before the last one",
        )


def _half_dummies(rows: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first line that begins like that of a sentence without spans, and goes on."""
    nothing = str(DUMMY_BEGIN)
    begin, end, tokens = (pl.col(n).str.strip_chars() for n in ("begin", "end", "tokens"))
    label = pl.col("label").str.strip_chars()
    whole = (
        (label == pl.col("label")) & (end == nothing) & tokens.fill_null("").is_in(["", nothing])
    )
    begun = rows.filter(label.is_in(DUMMY_LABELS) & (begin == nothing))
    for line, name in begun.filter(~whole).select("line", "label").head(1).iter_rows():
        yield unreadable(
            line,
            f"`{name}` from {nothing} is not the line of a sentence without spans",
            f"which is, by TABs, {name.strip()} {nothing} {nothing} {nothing}",
        )


def _tokens(spans: pl.DataFrame, path: str) -> pl.Series:
    """Return the token numbers of the spans with holes, null for others."""
    given = spans.filter(pl.col("tokens").is_not_null())
    lists = given["tokens"].str.split(",")
    length = lists.list.len().to_numpy().astype(np.int64)
    flat = whole_numbers(lists.explode().str.strip_chars(), pl.Int32)
    raise_earliest(_token_problems(given, flat, length), path)
    line = np.repeat(given["line"].to_numpy(), length)
    numbers = flat.to_frame("tokens").with_columns(line=pl.Series(line))
    kept = numbers.group_by("line", maintain_order=True).agg("tokens")
    holes = length != (given["end"] - given["begin"] + 1).to_numpy()
    own = spans.select("line")
    return own.join(kept.filter(pl.Series(holes)), on="line", how="left", maintain_order="left")[
        "tokens"
    ]


def _token_problems(
    spans: pl.DataFrame, flat: pl.Series, length: NDArray[np.int64]
) -> Iterator[Problem]:
    """Yield the first span whose token list is no rising list from its begin to its end."""
    line = np.repeat(spans["line"].to_numpy(), length)
    for at in flat.is_null().arg_true()[:1]:
        yield unreadable(int(line[at]), "a token number is not a number", "write numbers: 3, 4, 6")
    numbers = flat.fill_null(-1).to_numpy()
    same = line[1:] == line[:-1]
    for at in np.flatnonzero(same & (numbers[1:] <= numbers[:-1]))[:1]:
        yield unreadable(
            int(line[at]),
            "the token numbers are not in ascending order",
            "sort them, each one once",
        )
    last = np.cumsum(length) - 1
    first = last - length + 1
    ends = (numbers[first] == spans["begin"].to_numpy()) & (
        numbers[last] == spans["end"].to_numpy()
    )
    for at in np.flatnonzero(~ends)[:1]:
        yield unreadable(
            int(spans["line"][int(at)]),
            "the token numbers do not run from begin to end",
            "begin is the first token of the span and end the last one",
        )
