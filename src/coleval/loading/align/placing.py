"""Entries of lists (a string and its label, without a place) put on their text.

Each entry gets an occurrence of its string that no other copy of the same pair has; ``all`` gives
a pair every occurrence. Copies for which no occurrence is left are repeated, under every policy.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray


# Scripts that write no spaces between words, and Hangul, which writes particles on to names:
# in these, a name may end wherever a letter does.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)


def inside_word(text: str, at: int) -> bool:
    """Tell whether a place is between two characters of one word.

    A combining mark belongs to the letter before it, in every script.
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if unicodedata.category(after).startswith("M") and not before.isspace():
        return True
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return False
    return _of_word(before) and _of_word(after)


def _of_word(character: str) -> bool:
    """Tell whether a character is a letter, a digit, an underscore or a combining mark."""
    marks = character == "_" or unicodedata.category(character).startswith("M")
    return character.isalnum() or marks


Place = tuple[int, int]
# How a string was found, the best way first; a later way has all places that an earlier one has.
EXACT, SPACES, CASE, INSIDE, ABSENT, EMPTY = range(6)


@dataclass(frozen=True)
class SearchedText:
    """A text, and a byte for each place that says if a token begins or ends there.

    There are none where the text has no tokens: words are looked for then.
    """

    text: str
    starts: bytes | None = None
    ends: bytes | None = None

    def allows(self, start: int, end: int) -> bool:
        """Tell whether an entity may have these ends."""
        if self.starts is not None and self.ends is not None:
            return bool(self.starts[start] and self.ends[end])
        return not inside_word(self.text, start) and not inside_word(self.text, end)

    @cached_property
    def bare(self) -> tuple[str, list[int]]:
        """Return the text without white space, and the place of each of its characters."""
        at = [k for k, character in enumerate(self.text) if not character.isspace()]
        return "".join(map(self.text.__getitem__, at)), at

    @cached_property
    def folded(self) -> str:
        """Return the text without white space and case."""
        return fold_letters(self.bare[0])


def fold_letters(text: str) -> str:
    """Return a text without case, letter by letter: what would become longer stays as it is."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(f if len(f := c.casefold()) == 1 else c for c in text)


def look_up(text: SearchedText, string: str, *, fold: bool = False) -> tuple[int, list[Place]]:
    """Return how a string is found in a text, and where; nowhere if it is not."""
    string = string.strip()
    if not string:
        return EMPTY, []
    exact = [(s, s + len(string)) for s in _starts(text.text, string)]
    if exact and (found := [place for place in exact if text.allows(*place)]):
        return EXACT, found
    bare = "".join(string.split())
    loose = list(_bare_places(text, text.bare[0], bare))
    if found := [place for place in loose if text.allows(*place)]:
        return SPACES, found
    if fold:
        loose = list(_bare_places(text, text.folded, fold_letters(bare)))
        if found := [place for place in loose if text.allows(*place)]:
            return CASE, found
    return INSIDE if exact or loose else ABSENT, []


def _starts(text: str, string: str) -> Iterator[int]:
    """Yield where a string begins, also inside of itself."""
    at = text.find(string)
    while at >= 0:
        yield at
        at = text.find(string, at + 1)


def _bare_places(text: SearchedText, searched: str, string: str) -> Iterator[Place]:
    at = text.bare[1]
    for start in _starts(searched, string):
        yield at[start], at[start + len(string) - 1] + 1


FIRST, ALL, BEST, WORST = "first", "all", "best", "worst"
# The status of each entry; the first and the last ones are ways of being found.
REPEATED = EMPTY + 1
STATUSES = (
    "placed", "placed without spaces", "placed ignoring case", "inside words", "not in text",
    "empty", "repeated",
)  # fmt: skip
Labelled = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """The entries of a record: strings and labels, the text, and the spans gold has there."""

    text: SearchedText
    strings: Sequence[str]
    labels: Sequence[str]
    gold: Collection[Labelled] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """Places of entries, by entry; and what became of every entry, a number of ``STATUSES``."""

    entry: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    status: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """How the strings of a record were found, and where; the same for all policies."""

    how: list[int]
    places: list[list[Place]]


def occurrences(listed: Listed, *, fold: bool = False) -> Occurrences:
    """Return where the strings of a record occur; each is looked up once."""
    known = {string: look_up(listed.text, string, fold=fold) for string in set(listed.strings)}
    found = [known[string] for string in listed.strings]
    return Occurrences([how for how, _ in found], [places for _, places in found])


def placed(records: Sequence[Listed], found: Sequence[Occurrences], policy: str) -> Placement:
    """Return the places of all entries of some records under a policy; entries are numbered on."""
    rows: list[tuple[int, int, int]] = []
    status: list[int] = []
    for listed, one in zip(records, found, strict=True):
        first = len(status)
        if policy == ALL and _distinct(listed, one):
            status += one.how
            chosen = [(entry, place) for entry, at in enumerate(one.places) for place in at]
        else:
            taken = list(_taken(listed, one, policy))
            own = {entry for entry, _ in taken}
            status += [
                how if how > CASE or entry in own else REPEATED for entry, how in enumerate(one.how)
            ]
            chosen = list(_everywhere(listed, one)) if policy == ALL else taken
        rows += [(first + entry, start, end) for entry, (start, end) in chosen]
    table = np.array(sorted(rows), np.int64).reshape(-1, 3)
    return Placement(table[:, 0], table[:, 1], table[:, 2], np.array(status, np.uint8))


def _distinct(listed: Listed, found: Occurrences) -> bool:
    """Tell whether no two entries of a record can be after the same place, as in most of them."""
    as_written = all(how == EXACT or how > CASE for how in found.how)
    n = len(listed.strings)
    return as_written and (n < 2 or len(set(zip(listed.strings, listed.labels, strict=True))) == n)


def _everywhere(listed: Listed, found: Occurrences) -> Iterator[tuple[int, Place]]:
    """Yield every occurrence of every pair, once."""
    taken: set[tuple[str, Place]] = set()
    pairs: set[tuple[str, str]] = set()
    for entry, pair in enumerate(zip(listed.strings, listed.labels, strict=True)):
        if pair in pairs:
            continue
        pairs.add(pair)
        for place in found.places[entry]:
            if (pair[1], place) not in taken:
                taken.add((pair[1], place))
                yield entry, place


def _taken(listed: Listed, found: Occurrences, policy: str) -> Iterator[tuple[int, Place]]:
    """Yield the entries that get an occurrence, with it.

    What is found as it is written goes first: what is found without spaces or case has more
    occurrences to choose from, among them all of the former.
    """
    queues: dict[tuple[str, str], _Queue] = {}
    taken: set[tuple[str, Place]] = set()
    covered = bytearray(len(listed.text.text)) if policy in (FIRST, ALL) else None
    for entry in sorted(range(len(found.how)), key=found.how.__getitem__):
        label = listed.labels[entry]
        pair = (listed.strings[entry], label)
        if pair not in queues:
            queues[pair] = _Queue(deque(_ordered(found.places[entry], label, listed, policy)))
        place = queues[pair].take(label, taken, covered)
        if place is not None:
            yield entry, place


def _ordered(places: list[Place], label: str, listed: Listed, policy: str) -> list[Place]:
    """Return places in the order in which they are given away, of equals the first in the text."""
    if policy not in (BEST, WORST):
        return places
    return sorted(places, key=lambda at: ((*at, label) in listed.gold) is (policy == WORST))


class _Queue:
    """The occurrences that copies of one pair may get, each of which is looked at twice at most."""

    def __init__(self, places: deque[Place]) -> None:
        self.places = places
        self.overlapping: deque[Place] = deque()

    def take(
        self, label: str, taken: set[tuple[str, Place]], covered: bytearray | None
    ) -> Place | None:
        """Return the next place its label does not have; last those that other entries overlap."""
        while self.places:
            place = self.places.popleft()
            if covered is not None and covered.find(1, *place) >= 0:
                self.overlapping.append(place)
            elif (label, place) not in taken:
                return _mark(label, place, taken, covered)
        while self.overlapping:
            place = self.overlapping.popleft()
            if (label, place) not in taken:
                return _mark(label, place, taken, covered)
        return None


def _mark(
    label: str, place: Place, taken: set[tuple[str, Place]], covered: bytearray | None
) -> Place:
    taken.add((label, place))
    if covered is not None:
        covered[slice(*place)] = b"\x01" * (place[1] - place[0])
    return place
