"""PubTator: titles and abstracts with the entities on them, by characters.

``1|t|Title``, ``1|a|Abstract``, then a line for each entity: id, begin, end, text, type and perhaps
a concept, by TAB. Offsets count the title, one sign, and the abstract. Relations are no spans.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem, raise_earliest, unreadable
from coleval.errors import DataError, UsageError
from coleval.loading.readers.lines import blank, read_lines
from coleval.loading.readers.model import OffsetFile
from coleval.loading.readers.offset_rows import SpanPlaces, other_texts
from coleval.loading.readers.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.beginnings import Beginning
    from coleval.loading.readers.source import Source

_TEXT = r"^(?<id>[^|\t ]+)\|(?<part>[ta])\|(?<text>.*)$"
_SPAN = (
    r"^(?<id>[^|\t ]+)\t(?<start>[0-9]{1,12})\t(?<end>[0-9]{1,12})\t(?<said>[^\t]*)\t"
    r"(?<label>[^\t]*[^\t ][^\t]*)(?:\t.*)?$"
)
# An id and the name of a relation, which is no number, then what it relates.
_RELATION = r"^[^|\t ]+\t[^\t0-9-][^\t]*\t"
_TITLE = re.compile(rb"[^|\t\n ]{1,100}\|[ta]\|")
_LINE = re.compile(rb"[^|\t\n ]+\t[0-9]+\t[0-9]+\t[^\t]*\t[^\t]")
_EXAMPLE = "write `1|t|Title`, `1|a|Abstract`, and `1`, TAB, `0`, TAB, `5`, TAB, text, TAB, type"


def is_pubtator(beginning: Beginning) -> bool:
    """Tell a title or an abstract with its id; by the suffix, entities alone too."""
    if beginning.task not in (None, "span"):
        return False
    alone = beginning.suffix == ".pubtator" and _LINE.match(beginning.line)
    return bool(alone or _TITLE.match(beginning.line))


def read_pubtator(source: Source, selection: Selection, role: str) -> OffsetFile:
    """Return the spans of all documents; those of a system may come without the texts."""
    if selection.picks:
        raise UsageError(
            "PubTator has its columns fixed",
            where="--columns",
            remedy="leave it out, or use --format",
        )
    lines = read_lines(source).str.strip_chars_end("\r")
    rows = pl.DataFrame({"raw": lines}).with_row_index("line", 1).filter(~blank(lines))
    parts = _matching(rows, _TEXT)
    spans = _matching(rows, _SPAN)
    raise_earliest(_problems(rows, parts, spans), source.path)
    documents = pl.concat([parts.select("line", "id"), spans.select("line", "id")])
    documents = documents.sort("line").unique("id", keep="first", maintain_order=True)
    if not len(documents):
        raise DataError("holds no documents", where=source.path, remedy=_EXAMPLE)
    texts = _texts(documents, parts)
    if role == "gold" and texts.null_count():
        at = int(texts.is_null().arg_max() or 0)
        raise DataError(
            f"document `{documents['id'][at]}` has no text",
            where=f"{source.path}:{documents['line'][at]}",
            remedy=_EXAMPLE,
        )
    number = documents.select("id", document=pl.int_range(pl.len()))
    spans = spans.join(number, on="id", how="left", maintain_order="left")
    line = spans["line"].to_numpy()
    nothing = np.empty(0, np.int64)
    places = SpanPlaces(
        spans["document"].to_numpy().astype(np.int32),
        spans["start"].cast(pl.Int64).to_numpy(),
        spans["end"].cast(pl.Int64).to_numpy(),
        spans["label"].str.strip_chars(),
        Pieces(nothing, nothing, nothing),
    ).in_texts(texts, selection.offsets, lambda at, _: f"{source.path}:{line[at]}")
    said = pl.select(pl.when(~texts.is_null().gather(places.document)).then(spans["said"]))
    return OffsetFile(
        path=source.path,
        texts=texts,
        ids=documents["id"],
        line=documents["line"].to_numpy(),
        document=places.document,
        start=places.start,
        end=places.end,
        label=places.label,
        span_line=line,
        notes=(
            *_relations(source.path, rows),
            *other_texts(source.path, places, texts, said.to_series(), line),
        ),
    )


def _matching(rows: pl.DataFrame, pattern: str) -> pl.DataFrame:
    """Return the parts of the lines that match a pattern, with their numbers."""
    found = rows.select("line", pl.col("raw").str.extract_groups(pattern).alias("parts"))
    return found.unnest("parts").filter(pl.col("id").is_not_null())


def _texts(documents: pl.DataFrame, parts: pl.DataFrame) -> pl.Series:
    """Return title and abstract of each document, a line each; null where it has neither."""
    wide = documents.select("id")
    for part in ("t", "a"):
        texts = parts.filter(part=part).select("id", pl.col("text").alias(part))
        wide = wide.join(texts, on="id", how="left", maintain_order="left")
    lacking = pl.col("t").is_null() & pl.col("a").is_null()
    text = pl.concat_str(pl.col("t").fill_null(""), pl.lit("\n"), pl.col("a").fill_null(""))
    return wide.select(pl.when(~lacking).then(text).alias("text")).to_series()


def _problems(rows: pl.DataFrame, parts: pl.DataFrame, spans: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first line that is nothing of PubTator, and the first text that is there twice."""
    read = pl.concat([parts["line"], spans["line"]])
    relation = pl.col("raw").str.contains(_RELATION)
    odd = rows.filter(~pl.col("line").is_in(read.implode()) & ~relation)
    for line, raw in odd.select("line", "raw").head(1).iter_rows():
        shown = raw if len(raw) <= 60 else f"{raw[:60]}…"
        yield unreadable(line, f"`{shown}` is neither text nor an entity", _EXAMPLE)
    again = parts.filter(~pl.struct("id", "part").is_first_distinct())
    for line, name, part in again.select("line", "id", "part").head(1).iter_rows():
        what = {"t": "title", "a": "abstract"}[part]
        yield unreadable(line, f"document `{name}` has a second {what}", "give each an id")


def _relations(path: str, rows: pl.DataFrame) -> Iterator[Problem]:
    """Yield the note that lines say something else than spans."""
    some = rows.filter(pl.col("raw").str.contains(_RELATION))
    for line in some["line"][:1]:
        yield Problem(
            path, line, "not a span", "a line is a relation", "only spans are counted", len(some),
            fatal=False,
        )  # fmt: skip
