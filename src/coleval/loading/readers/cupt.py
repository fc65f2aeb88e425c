"""PARSEME's .cupt: CoNLL-U Plus whose column PARSEME:MWE holds multiword expressions.

``1:VID`` begins expression 1 of a sentence, ``1`` goes on with it, ``1;2:LVC.full`` belongs to two;
``*`` is none, and ``_`` was not annotated. Expressions are spans, with holes or without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.errors import DataError
from coleval.loading.readers.conllu import columns_of, conllu_lines
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.model import SpanFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.conllu import ConlluLines
    from coleval.loading.readers.source import Source

COLUMN = "parseme:mwe"
_NOTHING = ("*", "_")
_CODE = r"^([0-9]{1,9})(?::([^;:\s]+))?$"


def read_cupt(source: Source, selection: Selection) -> SpanFile:
    """Return the expressions of a file, by sentence; tokens are numbered as their IDs are."""
    data = one_line_end(source.text)
    columns = columns_of(data, source.path)
    column = _column(selection, columns, source.path)
    rows = conllu_lines(data, source.path, {column, "form"}, columns=columns)
    raise_earliest(_beside_words(rows, column), source.path)
    codes = _codes(rows, column)
    raise_earliest(_unreadable(codes, column), source.path)
    spans = codes.group_by("sentence", "number", maintain_order=True).agg(
        pl.col("line", "begins").first(),
        pl.col("category").drop_nulls().unique(maintain_order=True),
        pl.col("token"),
        pl.col("form").str.join(" "),
        again=pl.col("token").is_duplicated().any(),
    )
    raise_earliest(_contradictions(spans), source.path)
    start, end = (pl.col("token").list.get(at, null_on_oob=True) for at in (0, -1))
    holes = end - start + 1 != pl.col("token").list.len().cast(pl.Int32)
    label = pl.col("category").list.first()
    found = spans.select(
        "sentence", "line", "form", start=start, end=end, label=label,
        tokens=pl.when(holes).then("token"),
    )  # fmt: skip
    return SpanFile(source.path, found, len(rows.first), rows.size)


def _column(selection: Selection, columns: tuple[str, ...], path: str) -> str:
    """Return the column of expressions: that of PARSEME, or the one chosen."""
    from coleval.loading.readers.conllu import picked

    chosen = {name: c for name, c in picked(selection, path, columns).items() if name != "form"}
    if chosen:
        return next(iter(chosen.values()))
    if COLUMN not in columns:
        raise DataError(
            f"no column is called {COLUMN.upper()}",
            where=path,
            remedy="the first line names it: # global.columns = ID FORM … PARSEME:MWE; another "
            f"column: --columns label=…; there are {' '.join(columns).upper()}",
        )
    return COLUMN


def _codes(rows: ConlluLines, column: str) -> pl.DataFrame:
    """Return a row for each code of each word: its expression, and its category if it has one."""
    some = (~rows.words[column].is_in(_NOTHING)).arg_true()
    at = some.to_numpy()
    sentence = rows.sentence[at]
    frame = pl.DataFrame(
        {
            "line": rows.line[at],
            "sentence": sentence,
            "token": (at - rows.first[sentence] + 1).astype(np.int32),
            "form": rows.words["form"].gather(some),
            "code": rows.words[column].gather(some).str.split(";"),
        }
    ).explode("code", empty_as_null=True)
    parts = pl.col("code").str.extract_groups(_CODE).struct
    return frame.with_columns(number=parts[0].cast(pl.Int64), category=parts[1]).with_columns(
        begins=pl.col("category").is_not_null()
    )


def _beside_words(rows: ConlluLines, column: str) -> Iterator[Problem]:
    """Yield the first expression of a token of several words, or of an empty node."""
    some = rows.parts.filter(~pl.col(column).is_in(_NOTHING))
    for line, name, code in some.select("line", "id", column).head(1).iter_rows():
        yield unreadable(
            line,
            f"`{code}` is on {name}, which is not a word",
            "expressions are those of words: write `*` here",
        )


def _unreadable(codes: pl.DataFrame, column: str) -> Iterator[Problem]:
    for line, code in (
        codes.filter(pl.col("number").is_null()).select("line", "code").head(1).rows()
    ):
        yield unreadable(
            line,
            f"`{code or ''}` in {column.upper()} is not a multiword expression",
            "write 1:CATEGORY where expression 1 begins, 1 where it goes on, 1;2 where two do, and "
            "`*` for none",
        )


def _contradictions(spans: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first expression of each kind that has no category, two, or a word twice."""
    for line, number in spans.filter(~pl.col("begins")).select("line", "number").head(1).rows():
        yield unreadable(
            line,
            f"expression {number} goes on here, but has not begun in this sentence",
            f"its first word has the category: {number}:VID",
        )
    two = spans.filter(pl.col("category").list.len() > 1)
    for line, number, names in two.select("line", "number", "category").head(1).rows():
        yield unreadable(
            line,
            f"expression {number} is both {names[0]} and {names[1]}",
            "number the expressions of a sentence 1, 2, 3 …; each has one category",
        )
    for line, number in spans.filter("again").select("line", "number").head(1).rows():
        yield unreadable(
            line, f"expression {number} has a word twice", "write each number once for a word"
        )
