"""Answers to the span task: an outcome for each span and system, then tags painted from it.

What makes a span hard, and which mistake it invites, is the same for all systems; that is what
makes their errors alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.demo.chance import (
    ANSWERS,
    ITEMS,
    Codes,
    Flags,
    Places,
    Reals,
    pick,
    pick_by_row,
    stream,
)
from coleval.demo.language import TYPES
from coleval.demo.teams import Team, mind, team
from coleval.demo.text import DemoText, inside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.demo.likeness import Likeness

LABELS = ("O", *(f"{part}-{kind.name}" for kind in TYPES for part in "BI"))

_RIGHT, _MISSED, _LABEL, _BOUNDARY, _BOTH = range(5)
_CUT_LEFT, _CUT_RIGHT, _ADD_LEFT, _ADD_RIGHT, _NOWAY = range(5)


@dataclass(frozen=True, slots=True)
class DemoSpans:
    """The spans there are, then tempting places where there are none, both in reading order.

    ``difficulty`` is low where systems find a span, or fall for a temptation. ``lean`` says, in
    [0, 1), which way, to which label and at which edge a span invites to err.
    """

    start: Places
    end: Places
    kind: Codes
    real: Flags
    difficulty: Reals
    lean: Reals
    before: Flags
    after: Flags
    opens: Flags


def gold(text: DemoText) -> Codes:
    """Return the IOB2 codes of the text's own spans."""
    codes = np.zeros(len(text.word), np.uint8)
    _paint(codes, text.start, text.end, text.kind)
    return codes


def spans(text: DemoText, seed: int, alike: Likeness) -> DemoSpans:
    """Return what all systems have in common when they look at the text."""
    rng = stream(seed, ITEMS)
    taken = gold(text) > 0
    fake = _temptations(rng, text, taken)
    start, end = np.append(text.start, fake[0]), np.append(text.end, fake[1])
    kind = np.append(text.kind, fake[2])
    real = np.arange(len(start)) < len(text.start)
    difficulty = _difficulty(rng, text, start, end, real, alike.shared)
    lean = rng.random((3, len(start)), np.float32)
    free = np.append(~taken, False)
    opens = np.append(text.opens, True)
    before, after = free[start - 1] & ~opens[start], free[end] & ~opens[end]
    return DemoSpans(start, end, kind, real, difficulty, lean, before, after, text.opens)


def answers(items: DemoSpans, number: int, seed: int, alike: Likeness) -> Codes:
    """Return the codes a system gives to all tokens."""
    who = team(number, seed)
    noise, (way, label, edge) = mind(items.lean, number, seed, alike)
    outcome = _outcomes(items, who, noise, way)
    kind = np.where(_is(outcome, _LABEL, _BOTH), _other(items.kind, label), items.kind)
    start, end, possible = _edges(items, edge, _is(outcome, _BOUNDARY, _BOTH))
    said = (outcome != _MISSED) & possible
    codes = np.zeros(len(items.opens), np.uint8)
    _paint(codes, start[said], end[said], kind[said])
    _mend(codes, items.opens)
    _stray(codes, who.stray, stream(seed, ANSWERS, number, 1))
    return codes


def _temptations(
    rng: np.random.Generator, text: DemoText, taken: Flags
) -> tuple[Places, Places, Codes]:
    """Return places without a span that look like one: capitals above all."""
    capital = text.vocabulary.capitalised[text.word] & ~text.opens
    odds = np.where(capital, 0.4, 0.012)
    here = (rng.random(len(text.word)) < odds) & ~taken
    closes = np.append(text.opens[1:], True)
    start = np.flatnonzero(here & ~closes).astype(np.int32)
    wide = np.append(taken | closes, True)[start + 1] | (rng.random(len(start)) < 0.75)
    end = (start + np.where(wide, 1, 2)).astype(np.int32)
    apart = np.append(start[1:], np.iinfo(np.int32).max) > end
    kind = pick([kind.weight for kind in TYPES], rng.random(len(start))).astype(np.uint8)
    return start[apart], end[apart], kind[apart]


def _difficulty(
    rng: np.random.Generator, text: DemoText, start: Places, end: Places, real: Flags, spread: float
) -> Reals:
    """Return how hard each span is: rare, long and ambiguous ones are, and some for no reason."""
    seen = np.bincount(text.word, minlength=len(text.vocabulary.form))
    rare = 1 - np.log1p(seen[text.word[start]]) / np.log1p(seen.max(initial=1))
    double = text.vocabulary.ambiguous[text.word[start]]
    known = 0.7 * rare + 0.16 * (end - start - 1) + 0.5 * double - 0.28
    odd = np.where(rng.random(len(start)) < 0.05, 4.5, 0.0)
    drawn = spread * rng.standard_normal(len(start), np.float32) + odd
    return np.where(real, known + drawn, 0.95 + drawn - 0.3 * double).astype(np.float32)


def _outcomes(items: DemoSpans, who: Team, noise: Reals, lean: Reals) -> NDArray[np.intp]:
    """Return what becomes of each span; skill helps to find one and to resist a temptation."""
    skill = np.where(items.real, who.skill, 0.5 * who.eager - 0.3 * who.skill)
    wrong = np.where(items.real, 1 + pick(who.wrong, lean), _MISSED)
    return np.where(noise + skill > items.difficulty, _RIGHT, wrong)


def _is(outcome: NDArray[np.intp], one: int, other: int) -> Flags:
    return np.isin(outcome, (one, other))


def _edges(items: DemoSpans, lean: Reals, wrong: Flags) -> tuple[Places, Places, Flags]:
    """Return where the system sees spans begin and end, and whether its mistake is possible."""
    long = items.end - items.start > 1
    way = pick((2, 3, 2, 3), lean)
    way = np.where((way < _ADD_LEFT) & ~long, way + 2, way)
    room = np.where(way == _ADD_LEFT, items.before, items.after)
    blocked = (way >= _ADD_LEFT) & ~room
    way = np.where(blocked, np.where(long, way - 2, _NOWAY), way)
    way = np.where(wrong, way, -1)
    start = items.start + (way == _CUT_LEFT) - (way == _ADD_LEFT)
    end = items.end - (way == _CUT_RIGHT) + (way == _ADD_RIGHT)
    return start, end, way != _NOWAY


def _other(kind: Codes, lean: Reals) -> Codes:
    return pick_by_row(_confusion(), kind, lean).astype(np.uint8)


def _confusion() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    names = [kind.name for kind in TYPES]
    weight = np.tile([0.004 * kind.weight for kind in TYPES], (len(TYPES), 1))
    for row, kind in enumerate(TYPES):
        for place, name in enumerate(kind.taken_for):
            weight[row, names.index(name)] = 0.6**place
    np.fill_diagonal(weight, 0)
    return weight


def _paint(codes: Codes, start: Places, end: Places, kind: Codes) -> None:
    codes[inside(start, end)] = np.repeat(2 + 2 * kind, end - start)
    codes[start] = 1 + 2 * kind


def _mend(codes: Codes, opens: Flags) -> None:
    """Let a span that lost its first token to another begin where it still stands."""
    token = np.flatnonzero(codes)
    code = codes[token]
    ahead = np.where(opens[token], 0, codes[token - 1])
    orphan = (code % 2 == 0) & (ahead != code) & (ahead != code - 1)
    codes[token[orphan]] -= 1


def _stray(codes: Codes, share: float, rng: np.random.Generator) -> None:
    """Let a share of the spans begin with I-, as systems do that label each token on its own."""
    begins = np.flatnonzero(codes % 2)
    codes[begins[rng.random(len(begins)) < share]] += 1
