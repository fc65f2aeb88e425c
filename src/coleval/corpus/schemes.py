"""Tag schemes: what ``B-PER`` means, and the spans that a sequence of tags stands for.

Every scheme is brought to four positions (begin, inside, end, single); a *chunk* is a run of
tokens of one type that nothing interrupts. Under ``begin`` every chunk is a span, as conlleval
has it; a chunk whose positions the scheme does not allow is a *repair*, and the policy says
what becomes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.problems import Problem
from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coleval.corpus.coding import Codes


OUT, BEGIN, INSIDE, END, SINGLE = range(5)

_LETTERS = {"B": BEGIN, "I": INSIDE, "E": END, "S": SINGLE, "L": END, "U": SINGLE, "M": INSIDE}
_NO_TYPE = "_"
# What stands for no tag unless --outside says otherwise: FairEval's files have the underscore.
OUTSIDE = ("O", "_")


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scheme's name, its letters, and the rule that says which chunks are as they should be."""

    name: str
    about: str
    letters: frozenset[str]
    sound: Callable[[Chunks], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Chunks:
    """Runs of tags, entry by entry and chunk by chunk; ``first`` and ``last`` are entry numbers."""

    position: NDArray[np.uint8]
    kind: NDArray[np.int32]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    after_same: NDArray[np.bool_]

    def every(self, true: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each chunk whether something holds for all its entries."""
        if true.all():
            return np.ones(len(self.first), np.bool_)
        return np.logical_and.reduceat(true, self.first) if len(self.first) else true[:0]


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans in reading order: token numbers (``end`` is the first token behind) and type codes."""

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    kind: NDArray[np.int32]
    repaired: NDArray[np.int32]

    @property
    def repairs(self) -> int:
        """Return how many sequences broke the scheme."""
        return len(self.repaired)


@dataclass(frozen=True, slots=True)
class TagTable:
    """What each tag code stands for: rows of (position, type), one column a level of stacking."""

    position: NDArray[np.uint8]
    kind: NDArray[np.int32]
    allowed: NDArray[np.bool_]
    bare: frozenset[int]


def _sound_iob2(c: Chunks) -> NDArray[np.bool_]:
    return (c.position[c.first] == BEGIN) & _inside_after_first(c)


def _sound_iob1(c: Chunks) -> NDArray[np.bool_]:
    right = np.where(c.after_same, BEGIN, INSIDE)
    return (c.position[c.first] == right) & _inside_after_first(c)


def _sound_io(c: Chunks) -> NDArray[np.bool_]:
    return c.every(c.position == INSIDE)


def _sound_bioes(c: Chunks) -> NDArray[np.bool_]:
    single = (c.first == c.last) & (c.position[c.first] == SINGLE)
    closed = (c.position[c.first] == BEGIN) & (c.position[c.last] == END)
    return single | (closed & (c.first != c.last))


def _sound_any(c: Chunks) -> NDArray[np.bool_]:
    return np.isin(c.position[c.first], (BEGIN, SINGLE))


def _inside_after_first(c: Chunks) -> NDArray[np.bool_]:
    inside = c.position == INSIDE
    inside[c.first] = True
    return c.every(inside)


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("iob2", "B- begins every span, I- continues it", frozenset("BI"), _sound_iob2),
        Scheme(
            "iob1",
            "I-; B- only directly after a span of the same type",
            frozenset("BI"),
            _sound_iob1,
        ),
        Scheme(
            "io", "I- only; adjacent tokens of one type are one span", frozenset("I"), _sound_io
        ),
        Scheme("bioes", "begin, inside, end, single", frozenset("BIES"), _sound_bioes),
        Scheme("bilou", "begin, inside, last, unit", frozenset("BILU"), _sound_bioes),
        Scheme("bmes", "begin, middle, end, single", frozenset("BMES"), _sound_bioes),
        Scheme("any", "all prefix letters, mixed", frozenset("BIESLUM"), _sound_any),
    )
}
SCHEMES["bmeso"] = SCHEMES["bmes"]
REPAIRS = {
    "begin": "an invalid sequence is a span of its own (conlleval)",
    "discard": "an invalid sequence is not a span (seqeval's strict mode, seqscore)",
    "extend": "an invalid sequence continues the span before it, whatever its type",
    "error": "an invalid sequence is an error with file and line",
}


def scheme_named(name: str) -> Scheme:
    """Return a scheme by its name; raise with near misses."""
    if name.lower() not in SCHEMES:
        raise unknown("scheme", name, SCHEMES, where="--scheme")
    return SCHEMES[name.lower()]


def parse_tag(tag: str, *, suffix: bool = False) -> tuple[str, str] | None:
    """Return the letter and the type of a tag, None if it has no position letter.

    Only the first hyphen counts (``B-creative-work``); a letter alone has no type.
    """
    letter, hyphen, kind = tag.rpartition("-")[::-1] if suffix else tag.partition("-")
    if letter in _LETTERS and len(letter) == 1 and (kind or not hyphen):
        return letter, kind or _NO_TYPE
    return None


def kinds_of(tag: str, *, suffix: bool = False) -> list[str]:
    """Return the types that a tag names: one, several if it is stacked, none outside of spans."""
    return [kind for _, kind in _levels(tag, suffix=suffix)]


def looks_tagged(labels: Sequence[str], outside: frozenset[str], *, suffix: bool = False) -> bool:
    """Return whether all labels but the outside ones are tags with a position and a type.

    Beside an outside label ``B`` and ``I`` alone are tags too: of spans without a type.
    """
    inside = {label for label in labels if label not in outside}
    if inside < set(labels) and inside <= _LETTERS.keys() and ("B" in inside or inside == {"I"}):
        return True
    tags = [part for label in inside for part in label.split("|")]
    return bool(labels) and all("-" in t and parse_tag(t, suffix=suffix) for t in tags)


def tag_table(
    tags: Sequence[str], kinds: Callable[[str], int], scheme: Scheme, *, suffix: bool = False
) -> TagTable:
    """Return what each tag code means; code 0 is outside, ``kinds`` gives a type its number."""
    stacks = [[], *(_levels(tag, suffix=suffix) for tag in tags)]
    shape = (len(stacks), max(1, *(len(s) for s in stacks)))
    position, kind = np.zeros(shape, np.uint8), np.zeros(shape, np.int32)
    allowed = np.ones(shape, np.bool_)
    for code, stack in enumerate(stacks):
        for level, (letter, name) in enumerate(stack):
            position[code, level] = _LETTERS[letter]
            kind[code, level] = kinds(name)
            allowed[code, level] = letter in scheme.letters
    bare = frozenset(k for k, s in enumerate(stacks) if k and not s)
    return TagTable(position, kind, allowed, bare)


def _levels(tag: str, *, suffix: bool) -> list[tuple[str, str]]:
    parsed = (parse_tag(part, suffix=suffix) for part in tag.split("|"))
    return [level for level in parsed if level is not None]


def decode(
    codes: Codes, breaks: NDArray[np.bool_], table: TagTable, scheme: Scheme, repair: str
) -> Spans:
    """Return the spans of one layer of tags; ``breaks`` marks tokens that no span may reach over.

    Under ``error`` broken sequences are returned as under ``begin``; the caller knows the files.
    """
    token, position, kind, allowed, level = _entries(codes, table, breaks)
    if len(token) == 0:
        none = np.empty(0, np.int32)
        return Spans(none, none, none, none)
    chunks = _chunks(token, position, kind, level, breaks, extend=repair == "extend")
    sound = scheme.sound(chunks) & chunks.every(allowed)
    if repair == "extend":
        sound &= chunks.every(kind == np.repeat(kind[chunks.first], _sizes(chunks)))
    start, broken = token[chunks.first], chunks.first[~sound]
    if repair == "extend" and len(broken):
        plain = _chunks(token, position, kind, level, breaks, extend=False)
        legal = scheme.sound(plain) & plain.every(allowed)
        broken = _first_illegal(broken, chunks.last[~sound], plain.first, legal)
    keep = sound if repair == "discard" else np.ones(len(sound), np.bool_)
    spans = (start[keep], (token[chunks.last] + 1)[keep], kind[chunks.first][keep])
    return _in_order(*spans, np.sort(token[broken]))


def _first_illegal(
    first: NDArray[np.intp],
    last: NDArray[np.intp],
    chunk: NDArray[np.intp],
    legal: NDArray[np.bool_],
) -> NDArray[np.intp]:
    """Return the entry of each extended span, from first to last, at which its sequence breaks.

    It is that of the first chunk that is illegal by itself, else the one where the type changes.
    """
    illegal = np.append(chunk[~legal], np.iinfo(np.intp).max)
    broken = illegal[np.searchsorted(illegal, first)]
    second = np.append(chunk, 0)[np.searchsorted(chunk, first, side="right")]
    return np.where(broken <= last, broken, second)


def _in_order(
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    kind: NDArray[np.int32],
    repaired: NDArray[np.int32],
) -> Spans:
    if np.all(start[1:] > start[:-1]):
        return Spans(start, end, kind, repaired)
    order = np.lexsort((kind, end, start))
    return Spans(start[order], end[order], kind[order], repaired)


def _sizes(chunks: Chunks) -> NDArray[np.intp]:
    return chunks.last - chunks.first + 1


Entries = tuple[
    NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]
]


def _entries(codes: Codes, table: TagTable, breaks: NDArray[np.bool_]) -> Entries:
    """Return (token, position, type, allowed, level) of every tag that is not outside.

    Stacked tags are sorted by level, so that each level reads like a flat file. A level is a
    type and, where one type is stacked on itself, its place among its equals. Runs of tagged tokens
    without stacks are flat, level 0, for stacks elsewhere must not change how they are read.
    """
    inside = table.position[:, 0] != OUT
    # Mostly only code 0 is outside, and there is nothing to look up.
    there = codes != 0 if inside[1:].all() else inside[codes]
    token = np.flatnonzero(there).astype(np.int32)
    tag = codes[token]
    if not _stacked(codes, table):
        level = np.zeros(len(token), np.int64)
        return token, table.position[tag, 0], table.kind[tag, 0], table.allowed[tag, 0], level
    at = np.nonzero(table.position[tag])
    kind = table.kind[tag][at]
    entry = token[at[0]]
    level = 1 + kind.astype(np.int64) * table.position.shape[1] + _rank(at[0], kind)
    level[~_in_stacks(token, table.position[tag], breaks)[at[0]]] = 0
    order = np.lexsort((entry, level))
    parts = (entry, table.position[tag][at], kind, table.allowed[tag][at], level)
    return tuple(part[order] for part in parts)  # type: ignore[return-value]


def _stacked(codes: Codes, table: TagTable) -> bool:
    """Tell whether this layer has stacked tags: others' do not change how it is read."""
    if table.position.shape[1] == 1:
        return False
    used = np.bincount(codes, minlength=len(table.position)) > 0
    return bool(table.position[used, 1].any())


def _in_stacks(
    token: NDArray[np.int32], position: NDArray[np.uint8], breaks: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which tokens are in a run, without gap or break, that has stacked tags."""
    apart = breaks[token]
    apart[1:] |= token[1:] != token[:-1] + 1
    run = np.cumsum(apart)
    stacked = np.zeros(len(token) + 1, np.bool_)
    stacked[run[position[:, 1] != OUT]] = True
    return stacked[run]


def _rank(group: NDArray[np.intp], kind: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return 0 for the first entry of its type on a token, 1 for the second, and so on."""
    order = np.lexsort((np.arange(len(kind)), kind, group))
    g, k = group[order], kind[order]
    new = np.ones(len(g), np.bool_)
    new[1:] = (g[1:] != g[:-1]) | (k[1:] != k[:-1])
    places = np.arange(len(g))
    rank = np.empty(len(g), np.int64)
    rank[order] = places - np.maximum.accumulate(np.where(new, places, 0))
    return rank


def _chunks(
    token: NDArray[np.int32],
    position: NDArray[np.uint8],
    kind: NDArray[np.int32],
    level: NDArray[np.int64],
    breaks: NDArray[np.bool_],
    *,
    extend: bool,
) -> Chunks:
    """Cut the entries at gaps, breaks, B or S, behind E or S, and where the type changes."""
    apart = np.ones(len(token), np.bool_)
    apart[1:] = (token[1:] != token[:-1] + 1) | breaks[token[1:]] | (level[1:] != level[:-1])
    opens = (position == BEGIN) | (position == SINGLE)
    behind = np.zeros(len(token), np.bool_)
    behind[1:] = (position[:-1] == END) | (position[:-1] == SINGLE)
    other = np.zeros(len(token), np.bool_)
    other[1:] = kind[1:] != kind[:-1]
    fresh = apart | opens | behind | (other & (not extend))
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(token)) - 1
    return Chunks(position, kind, first, last, ~(apart | other)[first])


# The scheme such tags are read by, and the one that nobody has to ask for.
SCHEME, USUAL = "bmes", "iob2"
# A text without words of two characters, or without one of a single, is none to be sure of.
_NEEDED, _POSSIBLE = frozenset("BES"), frozenset("BMES")


def looks_segmented(labels: Iterable[str], outside: frozenset[str]) -> bool:
    """Tell whether labels are those of word segmentation: B, E, S and perhaps M, nothing else."""
    return _NEEDED <= frozenset(labels) - outside <= _POSSIBLE


def spans_note(path: str, tags: Iterable[str]) -> Problem:
    """Return the note that says that letters alone are read as spans."""
    return Problem(
        path, None, "tags without types",
        f"the tags {' '.join(sorted(tags))} have no types and are read as spans of one type, `_`",
        "--task tag compares the tags themselves",
        fatal=False,
    )  # fmt: skip


def words_note(path: str) -> Problem:
    """Return the note that says how such tags were read, and what F measures."""
    return Problem(
        path, None, "word segmentation",
        "the tags B M E S have no types and are read as words (--scheme bmes): precision, recall "
        "and F1 count words, which are right if both of their boundaries are",
        "--task tag compares the tags themselves",
        fatal=False,
    )  # fmt: skip
