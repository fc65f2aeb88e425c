"""Spans that Python gives as lists, read and checked: ``(label, start, end)``, ``(label, tokens)``.

``end`` is the first token after the span, as in all tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NoReturn

from coleval.annotate.pool import Span
from coleval.errors import DataError

GivenSpan = tuple[str, int, int] | tuple[str, Collection[int]]
Place = tuple[int, int, int, str]
_FORMS = "write (label, start, end), end being the first token after the span, or (label, [tokens])"


@dataclass(frozen=True, slots=True)
class GivenSpans:
    """The spans of one side of a sentence: how often each is there, and how it was written."""

    times: Counter[Place]
    written: Mapping[Place, GivenSpan]

    @classmethod
    def of(
        cls, spans: Iterable[Any], where: str, unread: Collection[str], *, multiset: bool
    ) -> GivenSpans:
        """Return the spans of one side; labels ``unread`` name no span."""
        places = [(place_of(s, f"{where}, span {at}"), s) for at, s in enumerate(spans)]
        kept = [(place, span) for place, span in places if place[3] not in unread]
        times = Counter(place for place, _ in kept)
        return cls(times if multiset else Counter(set(times)), dict(reversed(kept)))


def place_of(span: Any, where: str) -> Place:
    """Return begin, end, tokens as bits (from token 0) and label of a span as it was given."""
    if isinstance(span, str) or not isinstance(span, Sequence) or len(span) not in (2, 3):
        _wrong(f"{span!r} is not a span", where)
    label, *rest = span
    if not isinstance(label, str) or not label:
        _wrong(f"{label!r} is not a label", where)
    if len(rest) == 1:
        return (*_of_tokens(rest[0], where), label)
    begin, end = (_token(number, where) for number in rest)
    if end <= begin:
        _wrong(f"the span from {begin} to {end} has no token", where)
    return begin, end, (1 << end) - (1 << begin), label


def _of_tokens(tokens: Any, where: str) -> tuple[int, int, int]:
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        _wrong(f"{tokens!r} is not a list of tokens", where)
    numbers = {_token(token, where) for token in tokens}
    if not numbers:
        _wrong("the list of tokens is empty", where)
    return min(numbers), max(numbers) + 1, sum(1 << number for number in numbers)


def _token(number: Any, where: str) -> int:
    try:
        token = index(number)
    except TypeError:
        _wrong(f"{number!r} is not a token number", where)
    if token < 0:
        _wrong(f"{token} is not a token number: the first token is 0", where)
    return token


def _wrong(problem: str, where: str) -> NoReturn:
    raise DataError(problem, where=where, remedy=_FORMS)


def in_reading_order(gold: Iterable[Place], system: Iterable[Place]) -> list[tuple[Span, Place]]:
    """Return the spans of both sides as the rules of span errors have them, each with its place."""
    sides = [(place, side) for places, side in ((gold, True), (system, False)) for place in places]
    first = min((place[0] for place, _ in sides), default=0)
    code = {label: at for at, label in enumerate(sorted({place[3] for place, _ in sides}), 1)}
    spans = [
        (Span(begin - first, end - first, mask >> first, code[label], side), place)
        for place, side in sides
        for begin, end, mask, label in (place,)
    ]
    return sorted(spans)
