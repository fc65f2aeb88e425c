"""A few spans of gold and one system that overlap, and what is left of them to be matched."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kind(IntEnum):
    """What became of a span; the boundary errors say what the system's span is to gold's."""

    TP = 1
    LE = 2
    BES = 3
    BEL = 4
    BEO = 5
    LBE = 6
    FN = 7
    FP = 8


class Span(NamedTuple):
    """A span in reading order; ``mask`` has a bit for each token, counted from one zero for all."""

    begin: int
    end: int
    mask: int
    label: int
    gold: bool


class Fate(NamedTuple):
    """A span's kind, its partner (-1 for none), and whether it counts as an error of its own.

    Partners that found each other are one error, gold's. A system's span that came to a gold
    span already taken is another.
    """

    kind: int
    partner: int
    counts: bool


@dataclass(slots=True)
class Pool:
    """The open spans, those used, and the tokens that are left of each; it shrinks as it is used.

    Spans are known by their place in reading order: begin, end, tokens, label.
    """

    spans: Sequence[Span]
    left: list[int] = field(init=False)
    fates: list[Fate] = field(init=False)
    gold: list[int] = field(init=False)
    system: list[int] = field(init=False)
    used_gold: list[int] = field(default_factory=list)
    used_system: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Open all spans; whoever stays open is missed or invented."""
        self.left = [span.mask for span in self.spans]
        self.fates = [Fate(Kind.FN if s.gold else Kind.FP, -1, counts=True) for s in self.spans]
        self.gold = [at for at, span in enumerate(self.spans) if span.gold]
        self.system = [at for at, span in enumerate(self.spans) if not span.gold]

    def join(self, gold: int, system: int) -> None:
        """Make two open spans one error."""
        kind = between(self.spans[gold], self.spans[system])
        self.fates[gold] = Fate(kind, system, counts=True)
        self.fates[system] = Fate(kind, gold, counts=False)
        self.gold.remove(gold)
        self.system.remove(system)


def overlap(a: Span, b: Span) -> bool:
    """Tell whether the extents of two spans have a token in common."""
    return a.begin < b.end and b.begin < a.end


def same_extent(a: Span, b: Span) -> bool:
    """Tell whether two spans begin and end with the same tokens."""
    return a.begin == b.begin and a.end == b.end


def between(gold: Span, system: Span) -> Kind:
    """Return the error that a system's span is, if it is meant to be gold's."""
    if gold.label != system.label:
        return Kind.LE if same_extent(gold, system) else Kind.LBE
    if same_extent(gold, system):
        return Kind.BEO
    if gold.begin <= system.begin and system.end <= gold.end:
        return Kind.BES
    if system.begin <= gold.begin and gold.end <= system.end:
        return Kind.BEL
    return Kind.BEO
