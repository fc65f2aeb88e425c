"""brat: the spans of a text in a file of their own, ``T1 TAB Label 0 5;10 15 TAB text``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem, raise_earliest, unreadable
from coleval.errors import DataError, UsageError
from coleval.loading.readers.lines import blank, one_line_end, series_of
from coleval.loading.readers.model import OffsetFile
from coleval.loading.readers.offset_rows import SpanPlaces, other_texts
from coleval.loading.readers.pieces import Pieces
from coleval.loading.readers.source import Source, check_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection

_ZIPPED = ("", ".gz", ".zst", ".bz2", ".xz")
# Relations, events, attributes, modifications, normalisations, equivalences, notes.
_OTHERS = r"^[REAMN*#]"
_SPAN = r"^T[^\t]*\t(?<label>\S+) (?<places>[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t(?<text>.*))?$"
_EXAMPLE = "a span is `T1`, TAB, `Label 0 5`, TAB, its text; fragments are `0 5;10 15`"
_SHOWN = 60


def looks_like_brat(line: bytes) -> bool:
    """Tell whether a first line is a span of brat."""
    head, _, rest = line.partition(b"\t")
    return head[:1] == b"T" and head[1:].isdigit() and len(rest.split(b"\t")[0].split()) > 2


def read_brat(source: Source, selection: Selection, role: str) -> OffsetFile:  # noqa: ARG001
    """Return the spans of an ``.ann`` on the text beside it; all else that it says is counted."""
    if selection.picks:
        raise UsageError(
            "brat has its columns fixed", where="--columns", remedy="leave it out, or use --format"
        )
    text = _text(source)
    rows = _rows(source)
    spans, others = pl.col("places").is_not_null(), pl.col("raw").str.contains(_OTHERS)
    for line, raw in rows.filter(~spans & ~others).select("line", "raw").head(1).iter_rows():
        shown = raw if len(raw) <= _SHOWN else f"{raw[:_SHOWN]}…"
        raise_earliest([unreadable(line, f"`{shown}` {_what(raw)}", _EXAMPLE)], source.path)
    ignored = _ignored(source.path, rows)
    rows = rows.filter(spans)
    line = rows["line"].to_numpy().astype(np.uint32)
    found = _places(rows, source.path)
    texts = pl.Series("text", [text], dtype=pl.String)
    found = found.in_texts(texts, selection.offsets, lambda at, _: f"{source.path}:{line[at]}")
    return OffsetFile(
        path=source.path,
        texts=texts,
        ids=None,
        line=np.ones(1, np.uint32),
        document=found.document,
        start=found.start,
        end=found.end,
        label=found.label,
        span_line=line,
        fragments=found.fragments(),
        notes=(*ignored, *other_texts(source.path, found, texts, rows["text"], line)),
    )


def companion(path: str) -> Path | None:
    """Return the text beside an ``.ann``, compressed or not; None if there is none."""
    bare = Path(path)
    if bare.suffix.lower() in _ZIPPED[1:]:
        bare = bare.with_suffix("")
    found = (bare.with_suffix(f".txt{zipped}") for zipped in _ZIPPED)
    return next((text for text in found if text.is_file()), None)


def _text(source: Source) -> str:
    path = None if source.path == "-" or source.frame is not None else companion(source.path)
    if path is None:
        stem = "the .ann" if source.path == "-" else Path(source.path).with_suffix(".txt").name
        raise DataError(
            f"there is no text for it: {stem} is missing",
            where=source.path,
            remedy="brat's offsets count the characters of a .txt next to the .ann",
        )
    text = Source(str(path), encoding=source.encoding)
    check_utf8(text.text, text.path)
    return text.text.decode("utf-8")


def _rows(source: Source) -> pl.DataFrame:
    """Return the lines that are not blank: label, places and text of those that are spans."""
    data = one_line_end(source.text)
    if not data.strip():
        return pl.DataFrame(schema={"line": pl.UInt32, "raw": pl.String, "label": pl.String,
                                    "places": pl.String, "text": pl.String})  # fmt: skip
    lines = series_of(data, source.path).str.strip_chars_end("\r")
    rows = pl.DataFrame({"raw": lines}).with_row_index("line", 1).filter(~blank(lines))
    parts = rows["raw"].str.extract_groups(_SPAN).struct.unnest()
    return rows.hstack(parts)


def _ignored(path: str, rows: pl.DataFrame) -> tuple[Problem, ...]:
    """Return the note that lines say something else than spans."""
    other = rows.filter(pl.col("places").is_null())
    if not len(other):
        return ()
    line, raw = other.row(0, named=True)["line"], other["raw"][0]
    kind = raw.split("\t")[0]
    return (
        Problem(
            path, int(line), "not a span", f"`{kind}` is a relation, event, attribute or note",
            "only spans are counted", len(other), fatal=False,
        ),
    )  # fmt: skip


def _what(raw: str) -> str:
    """Return what is wrong with a line that is no span."""
    if not raw.startswith("T"):
        return "is nothing that brat writes"
    fields = raw.split("\t")
    if len(fields) < 2:
        return "has no TAB"
    label, _, places = fields[1].partition(" ")
    if not label.strip() or not places.strip():
        return "has no label, or no offsets"
    if "-" in places:
        return "has a negative offset"
    return f"has offsets that are none: `{places}`"


def _places(rows: pl.DataFrame, path: str) -> SpanPlaces:
    """Return the spans of lines by the offsets as they are, fragments in their order."""
    if rows["places"].str.len_chars().max() or 0:
        numbers = rows["places"].str.extract_all("[0-9]+")
    else:
        numbers = pl.Series([[]], dtype=pl.List(pl.String)).clear()
    size = numbers.list.len().to_numpy().astype(np.int64)
    flat = numbers.list.explode().drop_nulls() if len(rows) else pl.Series([], dtype=pl.String)
    long = flat.str.len_chars() > 12
    if long.any():
        span = np.repeat(np.arange(len(rows)), size)[int(long.arg_true()[0])]
        raise DataError(
            f"the offset {flat.filter(long)[0]} is beyond any text",
            where=f"{path}:{rows['line'][int(span)]}",
            remedy=_EXAMPLE,
        )
    ends = flat.cast(pl.Int64).to_numpy().reshape(-1, 2)
    span = np.repeat(np.arange(len(rows)), size // 2)
    pieces = _in_order(span, ends, rows, path)
    first = np.append(0, np.cumsum(size // 2))
    start = pieces.start[first[:-1]]
    end = pieces.end[first[1:] - 1]
    whole = pieces.at(pieces.start, pieces.end)
    return SpanPlaces(np.zeros(len(rows), np.int32), start, end, rows["label"], whole)


def _in_order(
    span: NDArray[np.intp], ends: NDArray[np.int64], rows: pl.DataFrame, path: str
) -> Pieces:
    """Return the fragments in the order of the text; raise where two overlap, or one is empty."""
    order = np.lexsort((ends[:, 0], span))
    pieces = Pieces(span, ends[order, 0], ends[order, 1])
    several = np.bincount(span, minlength=len(rows))[span] > 1
    empty = several & (pieces.end <= pieces.start)
    same = np.append(False, span[1:] == span[:-1])
    over = same & np.append(False, pieces.start[1:] < pieces.end[:-1])
    for wrong, said in ((empty, "a fragment has no characters"), (over, "fragments overlap")):
        if wrong.any():
            at = int(span[np.flatnonzero(wrong)[0]])
            where = f"{path}:{rows['line'][at]}"
            raise DataError(f"{said}: `{rows['places'][at]}`", where=where, remedy=_EXAMPLE)
    return pieces
