"""Fair span errors of lists: ``coleval.span_errors``, ``overlap``, ``fair_scores``; no corpus.

The rules are those of ``corpus.errors``; for many sentences and systems a corpus is faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from coleval.analyses.errors.counts import NO_SPAN
from coleval.annotate import pool
from coleval.annotate.fair_rule import fair
from coleval.annotate.pool import Kind, Span
from coleval.errors import DataError, UsageError, unknown
from coleval.statistics.fair import KINDS, Weights, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator


ErrorKind = Literal["tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp"]
Relation = Literal["equal", "smaller", "bigger", "crossing", "apart"]
_BOUNDARY = ("bes", "bel", "beo")
_RELATIONS: Mapping[Kind, Relation] = {
    Kind.BES: "smaller",
    Kind.BEL: "bigger",
    Kind.BEO: "crossing",
}


@dataclass(frozen=True, slots=True)
class SpanError:
    """One error: its kind, the spans as they were given (None for none), the sentence from 0."""

    kind: ErrorKind
    gold: GivenSpan | None
    system: GivenSpan | None
    sentence: int


class SpanScores(NamedTuple):
    """Precision, recall and F1; None where one is undefined, 0/0."""

    precision: float | None
    recall: float | None
    f1: float | None


def span_errors(
    gold: Iterable[Iterable[GivenSpan]],
    system: Iterable[Iterable[GivenSpan]],
    *,
    right: bool = False,
    multiset: bool = False,
) -> list[SpanError]:
    """Return the errors of fair evaluation (Ortmann 2022) in reading order, each counted once.

    ``gold`` and ``system`` have a list of spans for each sentence. A span is ``(label, start,
    end)``, ``end`` being the first token after it, or ``(label, tokens)`` if it has holes. Spans
    labelled NONE or EMPTY are none. The kinds are those of ``corpus.errors``: ``le`` wrong label,
    ``bes``, ``bel``, ``beo`` wrong boundary (the system's span is smaller, larger, crossing),
    ``lbe`` both, ``fn`` missed, ``fp`` spurious.

    right: return right spans too, as ``tp``
    multiset: count a span that is given twice as two, not as one
    """
    sides = (list(gold), list(system))
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"gold has {len(sides[0]):,} sentences, the system has {len(sides[1]):,}",
            where="span_errors",
            remedy="give a list for each sentence, an empty one if it has no spans",
        )
    return [
        error
        for at, (ours, theirs) in enumerate(zip(*sides, strict=True))
        for error in _of_sentence(
            _given(ours, "gold", at, multiset=multiset),
            _given(theirs, "system", at, multiset=multiset), at, right=right,
        )
    ]  # fmt: skip


def _given(spans: Iterable[GivenSpan], side: str, at: int, *, multiset: bool) -> GivenSpans:
    return GivenSpans.of(spans, f"{side}, sentence {at}", NO_SPAN, multiset=multiset)


def _of_sentence(
    gold: GivenSpans, system: GivenSpans, sentence: int, *, right: bool
) -> Iterator[SpanError]:
    """Yield the errors of a sentence in reading order, right spans among them if asked for."""
    shared = gold.times & system.times
    rest = in_reading_order((gold.times - shared).elements(), (system.times - shared).elements())
    found = list(_fates(rest))
    if right:
        found += [(place, Kind.TP, place, place) for place in shared.elements()]
    for _, kind, ours, theirs in sorted(found, key=lambda error: error[:2]):
        yield SpanError(
            KINDS[kind - 1],  # type: ignore[arg-type]
            ours and gold.written[ours],
            theirs and system.written[theirs],
            sentence,
        )


def _fates(
    spans: list[tuple[Span, Place]],
) -> Iterator[tuple[Place, Kind, Place | None, Place | None]]:
    """Yield the place, the kind and both spans of every error among spans that are not right."""
    for (span, place), fate in zip(spans, fair([span for span, _ in spans]), strict=True):
        if fate.counts:
            partner = spans[fate.partner][1] if fate.partner >= 0 else None
            two = (place, partner) if span.gold else (partner, place)
            yield place, Kind(fate.kind), *two


def overlap(a: GivenSpan, b: GivenSpan) -> Relation:
    """Return what span ``b`` is to span ``a`` by where they begin and end, whatever their labels.

    ``equal``, ``smaller`` (within ``a``), ``bigger`` (around ``a``), ``crossing``, or ``apart``
    (no token in common). Of a boundary error these are the kinds bes, bel and beo.
    """
    ours, theirs = (
        Span(begin, end, mask, 0, gold)
        for (begin, end, mask, _), gold in ((place_of(a, "a"), True), (place_of(b, "b"), False))
    )
    if not pool.overlap(ours, theirs):
        return "apart"
    return "equal" if pool.same_extent(ours, theirs) else _RELATIONS[pool.between(ours, theirs)]


def fair_scores(counts: Mapping[Any, int], *, weights: str = "") -> SpanScores:
    """Return precision, recall and F1 of errors counted by kind.

    ``counts`` has tp, le, bes, bel, beo, lbe, fn and fp in lower or upper case; what is not there
    is 0, and ``be`` is the sum of the three boundary errors. tp, fp and fn alone give the
    traditional scores.

    weights: what errors amount to: "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"; kinds that are
        not named keep the fair weights, half a false positive and half a false negative
    """
    import polars as pl

    from coleval.statistics.fair import FAIR, RATIOS, weighted

    weighing = parsed(weights) if weights else FAIR
    kinds = _kinds(counts, weighing)
    row = weighted(pl.DataFrame(kinds, schema=dict.fromkeys(KINDS, pl.Int64)), weighing, None)
    return SpanScores(*row.select(RATIOS).row(0))


def _kinds(counts: Mapping[Any, int], weights: Weights) -> dict[str, list[int]]:
    """Return a count for each kind; ``be`` may stand for three kinds of one weight."""
    given: dict[str, int] = {}
    for name, n in counts.items():
        given[name.casefold()] = given.get(name.casefold(), 0) + _count(name, n)
    for name in given.keys() - {*KINDS, "be"}:
        raise unknown("error", name, (*KINDS, "be"), where="counts")
    parts = [kind for kind in _BOUNDARY if kind in given]
    if "be" in given and not parts:
        if len({weights[kind] for kind in _BOUNDARY}) > 1:
            _contradictory("`be` has no single weight: its three kinds differ")
        given["bes"] = given["be"]
    elif "be" in given and given["be"] != sum(given[kind] for kind in parts):
        _contradictory("`be` is not the sum of bes, bel and beo")
    return {kind: [given.get(kind, 0)] for kind in KINDS}


def _contradictory(problem: str) -> None:
    raise UsageError(problem, where="counts", remedy="give bes, bel and beo, and leave out be")


def _count(name: str, value: Any) -> int:
    try:
        n = index(value)
    except TypeError:
        n = -1
    if n < 0:
        raise UsageError(
            f"{value!r} is not a count", where=f"counts, {name}", remedy="use 0, 1, 2, …"
        )
    return n


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
