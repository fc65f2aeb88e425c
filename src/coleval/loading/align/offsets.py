"""Spans placed by characters, brought to gold's texts.

Where a record has gold's text, its offsets are gold's. Where the two differ in white space alone,
or one of them was made of tokens, spans go by the other characters; what gold has at the same of
those is the same span. Any other difference is a problem, unless texts that differ are aligned.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.loading.align.characters import SharedCharacters, shared_as_a_whole, shared_in_pairs
from coleval.loading.align.ids import paired_records
from coleval.loading.readers.code_points import CodePoints
from coleval.loading.readers.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.loading.readers.model import OffsetFile

    Numbers = NDArray[np.integer]

_SAME = ("low", "high", "holes")


@dataclass(frozen=True)
class GoldTexts:
    """Gold's texts and spans, and what aligning systems with them looks up."""

    file: OffsetFile

    @cached_property
    def points(self) -> CodePoints:
        """Return the code points of all texts."""
        return CodePoints(self.file.texts)

    @cached_property
    def spans(self) -> PlacedSpans:
        """Return gold's own spans."""
        return _shifted(self.file, self.points.first[self.file.document])


@dataclass(frozen=True, slots=True)
class PlacedSpans:
    """Where the spans of a layer stand among the code points of all of gold's texts.

    ``pieces`` are the fragments of spans with holes. A span that shares no character with gold's
    text is empty there: ``lost`` tells such spans apart by their own places. ``absent`` are the
    records of gold's that the layer lacks.
    """

    start: Numbers
    end: Numbers
    pieces: Pieces
    problems: tuple[Problem, ...] = ()
    absent: Numbers | None = None
    lost: Mapping[int, str] = field(default_factory=dict)


def place(gold: GoldTexts, system: OffsetFile, *, near: bool = False) -> PlacedSpans:
    """Return where a system's spans stand in gold's texts; problems are in it, not raised."""
    if system.texts is gold.file.texts:
        # Its spans were found in gold's own texts, and nothing can differ.
        return _shifted(system, gold.points.first[system.document])
    record = paired_records(gold.file, system)
    if record is None:
        theirs = CodePoints(system.texts)
        shared = shared_as_a_whole(gold.file, gold.points, system, theirs, near=near)
        there = _shifted(system, theirs.first[system.document])
        every = np.ones(len(system), np.bool_)
        return _moved(gold, there, shared, every)
    placed = _by_records(gold, system, record, near=near)
    return replace(placed, absent=np.setdiff1d(np.arange(len(gold.file.texts)), record))


def _nowhere(problems: tuple[Problem, ...]) -> PlacedSpans:
    nothing = np.empty(0, np.int64)
    return PlacedSpans(nothing, nothing, Pieces(nothing, nothing, nothing), problems)


def _shifted(file: OffsetFile, by: Numbers) -> PlacedSpans:
    return PlacedSpans(file.start + by, file.end + by, Pieces.of(file.fragments, by))


def _by_records(gold: GoldTexts, system: OffsetFile, record: Numbers, *, near: bool) -> PlacedSpans:
    """Return the spans of records that are paired with gold's, each by its text."""
    ours = gold.file.texts.gather(pl.Series(record))
    unlike = (ours != system.texts).fill_null(value=False).to_numpy()
    home = gold.points.first[record]
    if not unlike.any():
        placed = _shifted(system, home[system.document])
        return replace(placed, problems=_beyond(gold, system, record))
    # In the order of gold's records, places in gold rise with those in the system's texts.
    pairs = np.flatnonzero(unlike)
    pairs = pairs[np.argsort(record[pairs], kind="stable")]
    theirs = CodePoints(system.texts.gather(pl.Series(pairs)))
    shared = shared_in_pairs(
        gold.file, gold.points, system, theirs, (record[pairs], pairs), near=near
    )
    home = home.copy()
    home[pairs] = theirs.first[:-1]
    placed = _moved(gold, _shifted(system, home[system.document]), shared, unlike[system.document])
    return replace(placed, problems=(*placed.problems, *_beyond(gold, system, record)))


def _beyond(gold: GoldTexts, system: OffsetFile, record: Numbers) -> tuple[Problem, ...]:
    """Return the problem that a span ends behind gold's text where a record repeats none."""
    bare = system.texts.is_null().to_numpy()[system.document]
    size = gold.points.size[record][system.document]
    wrong = np.flatnonzero(bare & (system.end > size))
    if not len(wrong):
        return ()
    at = int(wrong[0])
    return (
        Problem(
            system.path,
            int(system.span_line[at]),
            "offsets",
            f"{system.at_span(at)} ends at {int(system.end[at]):,}, but gold's text has "
            f"{int(size[at]):,} characters",
            "do offsets count UTF-16 units or bytes (--offsets utf16, --offsets bytes)?",
            len(wrong),
        ),
    )


def _moved(
    gold: GoldTexts, there: PlacedSpans, shared: SharedCharacters, moved: NDArray[np.bool_]
) -> PlacedSpans:
    """Return spans by the characters that their texts share with gold's, those that are moved."""
    if any(problem.fatal for problem in shared.problems):
        return _nowhere(shared.problems)
    rows = np.flatnonzero(moved)
    low, high = shared.before[there.start[rows]], shared.before[there.end[rows]]
    inner = there.pieces.where(moved[there.pieces.span])
    inner = inner.at(shared.before[inner.start], shared.before[inner.end])
    start, end = there.start.copy(), there.end.copy()
    start[rows], end[rows] = _extent(shared.ours, low, high)
    pieces = Pieces(inner.span, *_extent(shared.ours, inner.start, inner.end))
    pieces = pieces.and_also(there.pieces.where(~moved[there.pieces.span]))
    lost = {row: f"{there.start[row]} {there.end[row]}" for row in rows[high == low].tolist()}
    placed = PlacedSpans(start, end, pieces, shared.problems, lost=lost)
    return _as_gold_has_them(gold, shared, placed, _keys(low, high, inner, rows))


def _extent(places: Numbers, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Return the first place of each stretch of shared characters, and the one behind its last."""
    padded = np.append(places, places[-1] + 1 if len(places) else 0)
    start = padded[low]
    return start, np.where(high > low, padded[high - 1] + 1, start)


def _keys(low: Numbers, high: Numbers, inner: Pieces, rows: Numbers) -> pl.DataFrame:
    """Return what spans are in shared characters: two that are equal there are the same span."""
    holes = inner.texts()
    texts = pl.Series([holes.get(row) for row in rows.tolist()] if holes else [None] * len(rows),
                      dtype=pl.String)  # fmt: skip
    return pl.DataFrame({"low": low, "high": high, "holes": texts, "row": rows},
                        schema_overrides={"low": pl.Int64, "high": pl.Int64})  # fmt: skip


def _as_gold_has_them(
    gold: GoldTexts, shared: SharedCharacters, placed: PlacedSpans, keys: pl.DataFrame
) -> PlacedSpans:
    """Return spans with gold's offsets where gold has them with more white space, or fragments.

    A gold span that has just the shared characters goes before one that has others besides.
    """
    ours, spans = shared.ours, gold.spans
    low, high = np.searchsorted(ours, spans.start), np.searchsorted(ours, spans.end)
    pieces = spans.pieces
    inner = pieces.at(np.searchsorted(ours, pieces.start), np.searchsorted(ours, pieces.end))
    start, end = _extent(ours, low, high)
    loose = (start != spans.start) | (end != spans.end)
    loose[pieces.span] = True
    if not loose.any():
        return placed
    known = _keys(low, high, inner, np.arange(len(low))).with_columns(loose=pl.Series(loose))
    known = known.filter(pl.col("high") > pl.col("low")).sort("loose", maintain_order=True)
    known = known.unique(_SAME, keep="first", maintain_order=True).filter("loose")
    same = keys.join(known, on=_SAME, nulls_equal=True)
    return _replaced(placed, spans, same["row"].to_numpy(), same["row_right"].to_numpy())


def _replaced(placed: PlacedSpans, spans: PlacedSpans, row: Numbers, gold: Numbers) -> PlacedSpans:
    """Return the spans with those of some rows in the places of gold's."""
    start, end = placed.start.copy(), placed.end.copy()
    start[row], end[row] = spans.start[gold], spans.end[gold]
    kept = placed.pieces.where(~np.isin(placed.pieces.span, row))
    new = [Pieces(np.full(int(there.sum()), r), spans.pieces.start[there], spans.pieces.end[there])
           for r, g in zip(row.tolist(), gold.tolist(), strict=True)
           if (there := spans.pieces.span == g).any()]  # fmt: skip
    for pieces in new:
        kept = kept.and_also(pieces)
    return replace(placed, start=start, end=end, pieces=kept)
