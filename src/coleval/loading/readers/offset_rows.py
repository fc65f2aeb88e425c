"""Spans as they are collected from the records of a file, and what is wrong with any of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.errors import DataError
from coleval.loading.readers.code_points import CodePoints, texts_at
from coleval.loading.readers.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Numbers = NDArray[np.integer]
    Where = Callable[[int, str], str]
    Complaint = tuple[int, str, str, str]

_WRITE = "write the number of the first character and of the one after the last"
_UNITS = "do offsets count other units (--offsets utf16, --offsets bytes)?"
_SHOWN = 40


@dataclass(slots=True)
class SpanRows:
    """What records say of spans, a row a span, not yet looked at."""

    document: list[int] = field(default_factory=list)
    start: list[Any] = field(default_factory=list)
    end: list[Any] = field(default_factory=list)
    label: list[Any] = field(default_factory=list)

    def add(self, document: int, start: Any, end: Any, label: Any) -> None:
        """Add a span."""
        self.document.append(document)
        self.start.append(start)
        self.end.append(end)
        self.label.append(label)

    def places(self, where: Where) -> SpanPlaces:
        """Return the spans as columns; raise for the first that has no numbers or no label."""
        _raise_first(self._unlike(), where)
        start, end = (np.array(side, np.int64) for side in (self.start, self.end))
        document = np.array(self.document, np.int32)
        label = pl.Series("label", self.label, dtype=pl.String)
        nothing = np.empty(0, np.int64)
        return SpanPlaces(document, start, end, label, Pieces(nothing, nothing, nothing))

    def _unlike(self) -> Iterator[Complaint]:
        for part, side in (("start", self.start), ("end", self.end)):
            if set(map(type, side)) - {int}:
                at = next(k for k, value in enumerate(side) if type(value) is not int)
                yield at, part, f"{_named(side[at])} is not an offset", _WRITE
            elif side and not -(1 << 40) < min(side) <= max(side) < 1 << 40:
                at = next(k for k, value in enumerate(side) if not -(1 << 40) < value < 1 << 40)
                yield at, part, f"{side[at]} is beyond any text", _WRITE
        if set(map(type, self.label)) - {str}:
            at = next(k for k, value in enumerate(self.label) if type(value) is not str)
            yield at, "label", f"{_named(self.label[at])} is not a label", "a label is text"
        for at in (k for k, value in enumerate(self.label) if isinstance(value, str)):
            if not self.label[at].strip():
                yield at, "label", "the label is empty", "name what the span is"
                return


@dataclass(frozen=True, slots=True)
class SpanPlaces:
    """Spans by whatever units a file counts, with the fragments of those that have holes."""

    document: NDArray[np.int32]
    start: Numbers
    end: Numbers
    label: pl.Series
    pieces: Pieces

    def in_texts(
        self, texts: pl.Series, unit: str, where: Where, *, blank: bool = False
    ) -> SpanPlaces:
        """Return the spans by code points; raise for the first that is none of its text.

        Of records without a text only the order of the numbers is known to be right. Tokens may be
        ``blank``, spans may not.
        """
        units = TextUnits(texts, unit)
        known = texts.is_not_null().to_numpy()[self.document]
        _raise_first(self._impossible(units, known), where)
        if unit != "codepoints" and not known.all():
            at = int(np.flatnonzero(~known)[0])
            raise DataError(
                f"the record has no text, without which {units.called} cannot be counted",
                where=where(at, ""),
                remedy="keep the text in the records, or leave out --offsets",
            )
        start, end = (units.as_points(self.document, side) for side in (self.start, self.end))
        pieces = Pieces(self.pieces.span, *(
            units.as_points(self.document[self.pieces.span], side)
            for side in (self.pieces.start, self.pieces.end)
        ))  # fmt: skip
        found = SpanPlaces(self.document, start, end, self.label, pieces)
        _raise_first(found._off_characters(units), where)
        if not blank:
            _raise_first(found._blank(texts, known), where)
        return found

    def fragments(self) -> pl.Series | None:
        """Return the fragments as brat writes them, None if no span has holes."""
        if not len(self.pieces):
            return None
        texts = self.pieces.texts()
        return pl.Series([texts.get(k) for k in range(len(self.start))], dtype=pl.String)

    def _impossible(self, units: TextUnits, known: NDArray[np.bool_]) -> Iterator[Complaint]:
        for part, side in (("start", self.start), ("end", self.end)):
            for at in np.flatnonzero(side < 0)[:1]:
                yield int(at), part, f"the offset {side[at]} is negative", _WRITE
        for at in np.flatnonzero(self.end <= self.start)[:1]:
            start, end = int(self.start[at]), int(self.end[at])
            said = "has no characters" if start == end else "ends before it begins"
            yield int(at), "end", f"the span from {start:,} to {end:,} {said}", _WRITE
        size = units.size[self.document]
        for at in np.flatnonzero(known & (self.end > size))[:1]:
            said = f"the span ends at {int(self.end[at]):,}, but the text has {int(size[at]):,} "
            yield int(at), "end", said + units.called, _UNITS

    def _off_characters(self, units: TextUnits) -> Iterator[Complaint]:
        pieces = self.pieces.span[(self.pieces.start < 0) | (self.pieces.end < 0)]
        for part, side in (("start", self.start), ("end", self.end)):
            for at in np.flatnonzero(side < 0)[:1]:
                yield (
                    int(at),
                    part,
                    f"the offset is inside a character of several {units.called}",
                    _UNITS,
                )
        for at in pieces[:1]:
            yield (
                int(at),
                "",
                f"a fragment is cut inside a character of several {units.called}",
                _UNITS,
            )

    def _blank(self, texts: pl.Series, known: NDArray[np.bool_]) -> Iterator[Complaint]:
        """Yield the first span over white space alone."""
        rows = np.flatnonzero(known)
        if not len(rows):
            return
        points = CodePoints(texts)
        first = points.first[self.document[rows]]
        before = points.solid_before
        empty = before[self.end[rows] + first] == before[self.start[rows] + first]
        for at in rows[empty][:1]:
            start, end = int(self.start[at]), int(self.end[at])
            said = f"the span from {start:,} to {end:,} is white space only"
            yield int(at), "", said, "is it a span of this text? " + _UNITS


def other_texts(
    path: str, places: SpanPlaces, texts: pl.Series, said: pl.Series, line: NDArray[np.uint32]
) -> Iterator[Problem]:
    """Yield the note that some spans repeat another text than there is at their offsets."""
    if not len(said):
        return
    points = CodePoints(texts)
    first, pieces = points.first[places.document], places.pieces
    there = texts_at(points.points, places.start + first, places.end + first)
    if len(pieces):
        by = first[pieces.span]
        parts = texts_at(points.points, pieces.start + by, pieces.end + by)
        frame = pl.DataFrame({"span": pieces.span, "part": parts})
        joined = frame.group_by("span").agg(pl.col("part").str.join(" "))
        there = there.scatter(joined["span"], joined["part"])
    wrong = (said != there).fill_null(value=False).arg_true()
    for at in wrong[:1]:
        yield Problem(
            path,
            int(line[at]),
            "span text",
            f"a span says `{said[at]}` where the text has `{there[at]}`",
            "the offsets count; is it the right text, and do they count characters (--offsets)?",
            len(wrong),
            fatal=False,
        )


def _raise_first(complaints: Iterator[Complaint], where: Where) -> None:
    """Raise the complaint about the earliest span; return if there is none."""
    first = min(complaints, default=None, key=lambda complaint: complaint[0])
    if first is not None:
        span, part, problem, remedy = first
        raise DataError(problem, where=where(span, part), remedy=remedy)


def _named(value: Any) -> str:
    """Return a value of JSON as messages call it."""
    import json

    if value is None:
        return "null"
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"the list `{shown}`" if isinstance(value, list) else f"`{shown}`"


UNITS = ("codepoints", "utf16", "bytes")
_BYTES = (0x80, 0x800, 0x10000)
_UNIT_NAMES = {"codepoints": "characters", "utf16": "UTF-16 units", "bytes": "bytes"}


class TextUnits:
    """How many units of some kind each text has, and which code point each unit begins."""

    def __init__(self, texts: pl.Series, unit: str) -> None:
        """Count the units of all texts."""
        self.unit = unit
        self.points = texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
        self.size = self.points
        self._before: Numbers | None = None
        if unit == "codepoints":
            return
        width = _widths("".join(texts.drop_nulls().to_list()), unit)
        self._first = np.append(0, np.cumsum(self.points))
        self._before = np.append(0, np.cumsum(width))
        self.size = np.diff(self._before[self._first])

    @property
    def called(self) -> str:
        """Return what messages call the units."""
        return _UNIT_NAMES[self.unit]

    def as_points(self, text: NDArray[np.integer], offset: Numbers) -> Numbers:
        """Return offsets in some texts as code points, -1 for one that is inside a code point."""
        if self._before is None:
            return offset
        first = self._first[text]
        place = self._before[first] + offset
        found = np.searchsorted(self._before, place)
        inside = self._before[np.minimum(found, len(self._before) - 1)] != place
        return np.where(inside, -1, found - first)


def _widths(text: str, unit: str) -> NDArray[np.int64]:
    """Return how many units each code point has."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    edges = _BYTES if unit == "bytes" else _BYTES[-1:]
    width = np.ones(len(points), np.int64)
    for edge in edges:
        width += points >= edge
    return width
