"""Words on a text without its spaces, the characters two texts share, and where texts part.

Places are bytes of UTF-8; two texts are the same or not to the byte. The words of a multiword
token all stand where the token does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from coleval.corpus.problems import Problem
from coleval.loading.align.near import common
from coleval.loading.readers.code_points import text_at
from coleval.loading.readers.steps import flat, steps

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from coleval.loading.readers.code_points import CodePoints
    from coleval.loading.readers.model import OffsetFile, TokenFile

    Numbers = NDArray[np.integer]


# Unicode's separators of words, which forms may hold: the UD evaluation leaves them out, too.
_SPACE = r"\p{Zs}"


@dataclass(frozen=True, eq=False)
class Characters:
    """A text without spaces, first and last place of its tokens, and the token of each word.

    ``several`` tells the words of tokens that hold more than one; ``breaks`` those that begin
    a sentence; ``form`` are the words' own, where a word is a token without its spaces: the UD
    evaluation takes these out of tokens, and not of the words that a token holds.
    """

    text: bytes
    low: NDArray[np.integer]
    high: NDArray[np.integer]
    token: NDArray[np.integer]
    several: NDArray[np.bool_]
    breaks: NDArray[np.bool_]
    form: pl.Series

    @cached_property
    def start(self) -> NDArray[np.integer]:
        """Return where each word begins."""
        return self.low[self.token]

    @cached_property
    def end(self) -> NDArray[np.integer]:
        """Return the place behind each word."""
        return self.high[self.token]

    @cached_property
    def sentences(self) -> NDArray[np.integer]:
        """Return where each sentence begins, and where the last one ends."""
        return np.append(self.start[self.breaks], len(self.text))


def characters(file: TokenFile) -> Characters:
    """Return the places of a file's words."""
    form, token, several = _tokens(file)
    bare = _bare(form)
    text = bare.str.join("")[0].encode()
    # Half the bytes where they will do: places live as long as the corpus, for each system.
    kind: type[np.signedinteger] = np.int32 if len(text) < np.iinfo(np.int32).max else np.int64
    size = bare.str.len_bytes().to_numpy().astype(kind)
    high = np.cumsum(size, dtype=kind)
    words = file.form if bare is form else without_spaces(file.form, several)
    return Characters(text, high - size, high, token, several, steps(file.sentence), words)


def same_tokens(gold: TokenFile, file: TokenFile) -> bool:
    """Tell whether two files that have as many words have them in the same tokens."""
    if gold is file or (gold.multiwords is None and file.multiwords is None):
        return True
    return np.array_equal(first_words(gold), first_words(file))


def first_words(file: TokenFile) -> NDArray[np.int64]:
    """Return the first word of each token, and the number of words behind them."""
    token = _tokens(file)[1]
    return np.append(np.flatnonzero(steps(token)), len(file))


def without_spaces(form: pl.Series, several: NDArray[np.bool_]) -> pl.Series:
    """Return the forms of words, those that are tokens by themselves without spaces."""
    alone = np.flatnonzero(~several)
    own = form.gather(alone)
    bare = _bare(own)
    return form if bare is own else form.clone().scatter(alone, bare)


def _bare(form: pl.Series) -> pl.Series:
    return form.str.replace_all(_SPACE, "") if form.str.contains(_SPACE).any() else form


def _tokens(file: TokenFile) -> tuple[pl.Series, NDArray[np.uint32], NDArray[np.bool_]]:
    """Return the tokens' forms, the token of each word, and whether that holds several words."""
    n, multi = len(file), file.multiwords
    if multi is None:
        return file.form, np.arange(n, dtype=np.uint32), np.zeros(n, np.bool_)
    change = np.zeros(n + 1, np.int8)
    np.add.at(change, multi.first, 1)
    np.add.at(change, multi.end, -1)
    inside = np.cumsum(change[:-1]) > 0
    opens = ~inside
    opens[multi.first] = True
    # scatter writes in place
    form = file.form.clone().scatter(multi.first, multi.form)
    return form.filter(opens), np.cumsum(opens, dtype=np.uint32) - 1, inside


@dataclass(frozen=True, slots=True)
class SharedCharacters:
    """The characters of two texts that are the same: places in gold's, and how many come before.

    ``before`` counts them up to each place of the system's texts.
    """

    ours: Numbers
    before: NDArray[np.integer]
    problems: tuple[Problem, ...] = ()


def shared_as_a_whole(
    gold: OffsetFile, ours: CodePoints, system: OffsetFile, theirs: CodePoints, *, near: bool
) -> SharedCharacters:
    """Return what all texts of both sides share, one after the other."""
    one = TextSide(gold, ours, np.arange(len(ours.size)), ours.solid_places)
    other = TextSide(system, theirs, np.arange(len(theirs.size)), theirs.solid_places)
    if np.array_equal(one.characters, other.characters):
        return SharedCharacters(one.places, theirs.solid_before)
    if not near:
        return SharedCharacters(one.places, theirs.solid_before, (other_text(one, other),))
    both = common(ours.points, theirs.points)
    if both is None:
        return SharedCharacters(one.places, theirs.solid_before, (_foreign(one, other),))
    return _near(*both, one, other)


def shared_in_pairs(
    gold: OffsetFile,
    ours: CodePoints,
    system: OffsetFile,
    theirs: CodePoints,
    pairs: tuple[Numbers, Numbers],
    *,
    near: bool,
) -> SharedCharacters:
    """Return what the texts of paired records share: gold's numbers, the system's numbers."""
    first = ours.first[pairs[0]]
    every = flat(first, first + ours.size[pairs[0]])
    one = TextSide(gold, ours, np.arange(len(ours.size)), every[ours.solid[every]])
    other = TextSide(system, theirs, pairs[1], theirs.solid_places)
    wrong = _unlike(one, other, pairs[0])
    if not wrong:
        note = _spaces(system, pairs[1])
        return SharedCharacters(one.places, theirs.solid_before, (note,))
    if not near:
        texts = int(pairs[0][wrong[0]]), wrong[0]
        found = other_text(one.of_text(texts[0]), other.of_text(texts[1]), texts, len(wrong))
        return SharedCharacters(one.places, theirs.solid_before, (found,))
    return _near_pairs(one, other, pairs[0])


def _near_pairs(one: TextSide, other: TextSide, records: Numbers) -> SharedCharacters:
    """Return what texts that differ have in common, pair by pair."""
    a, b = [], []
    for k, record in enumerate(records.tolist()):
        both = common(_text(one.points, record), _text(other.points, k))
        if both is None:
            found = _foreign(one.of_text(record), other.of_text(k), (record, k))
            return SharedCharacters(one.places, other.points.solid_before, (found,))
        a.append(both[0] + one.points.first[record])
        b.append(both[1] + other.points.first[k])
    return _near(np.concatenate(a), np.concatenate(b), one, other)


def _text(points: CodePoints, text: int) -> NDArray[np.uint32]:
    first = int(points.first[text])
    return points.points[first : first + int(points.size[text])]


def _unlike(one: TextSide, other: TextSide, record: Numbers) -> list[int]:
    """Return the pairs of texts that differ in more than white space."""
    bounds = np.searchsorted(one.places, one.points.first[record])
    ours = np.append(bounds, len(one.places))
    theirs = np.searchsorted(other.places, other.points.first)
    theirs[-1] = len(other.places)
    if np.array_equal(ours, theirs) and np.array_equal(one.characters, other.characters):
        return []
    a, b = one.characters, other.characters
    spans = zip(pairwise(ours.tolist()), pairwise(theirs.tolist()), strict=True)
    return [k for k, (p, q) in enumerate(spans) if not np.array_equal(a[slice(*p)], b[slice(*q)])]


def _spaces(system: OffsetFile, pairs: Numbers) -> Problem:
    return Problem(
        system.path,
        int(system.line[pairs.min()]),
        "white space",
        "a text differs from gold's in white space",
        "its spans go by the other characters",
        len(pairs),
        fatal=False,
    )


def _foreign(one: TextSide, other: TextSide, texts: tuple[int, int] | None = None) -> Problem:
    remedy = "is this the output for another text? They have too little in common to be aligned"
    return replace(other_text(one, other, texts), remedy=remedy)


def _near(a: Numbers, b: Numbers, one: TextSide, other: TextSide) -> SharedCharacters:
    """Return the characters that both sides have, and a note of those that only one has."""
    before = np.zeros(len(other.points.points) + 1, np.int64)
    before[b + 1] = 1
    alone = len(one.places) - len(a), len(other.places) - len(b)
    note = replace(
        other_text(one, other),
        kind="characters",
        problem=f"characters only in gold's text: {alone[0]:,}, only in this one: {alone[1]:,}",
        remedy="spans are the same if they have the same of the characters that both texts have",
        fatal=False,
    )
    return SharedCharacters(a, np.cumsum(before), (note,))


_SHOWN = 20
_FORMS = ("NFC", "NFKC")


def other_characters(
    gold: TokenFile, ours: Characters, system: TokenFile, theirs: Characters
) -> Problem | None:
    """Return where the characters part, None if it is not characters that files should go by.

    Where no token was cut otherwise before that place, what is wrong is a token, not a character.
    """
    form = next((f for f in _FORMS if _normal(ours, f) == _normal(theirs, f)), None)
    # The first byte that differs, or the length of the shorter text.
    n = min(len(ours.text), len(theirs.text))
    one, other = (np.frombuffer(side.text, np.uint8, n) for side in (ours, theirs))
    at = int(np.append(np.flatnonzero(one != other), n)[0])
    cut_alike = np.array_equal(ours.high[ours.high < at], theirs.high[theirs.high < at])
    if form is None and cut_alike:
        return None
    a, b = _word(ours, at), _word(theirs, at)
    return Problem(
        system.path,
        int(system.line[b]),
        "characters",
        f"the text differs from gold's at `{system.form[b]}`: it continues with "
        f"`{_context(theirs, at)}`, gold with `{_context(ours, at)}` ({gold.at(a)})",
        f"the two differ in Unicode form only: --normalise {form.lower()}"
        if form
        else "gold and system must have the same text, though tokenisation may differ; "
        "was text lost, added or rewritten here?",
    )


def _normal(side: Characters, form: str) -> str:
    return normalize(form, side.text.decode())  # type: ignore[arg-type]


def _word(side: Characters, at: int) -> int:
    """Return the word that a place is in, the last one behind the end."""
    return min(int(np.searchsorted(side.end, at, side="right")), len(side.token) - 1)


def _context(side: Characters, at: int) -> str:
    """Return some characters from the one that holds a place."""
    while at and at < len(side.text) and side.text[at] & 0xC0 == 0x80:
        at -= 1
    return side.text[at : at + 4 * _SHOWN].decode(errors="ignore")[:_SHOWN] or "the end of the text"


_SHOWN_AROUND = 20
ALIGN = "--differing-text align goes by the characters that both have"


@dataclass(frozen=True, slots=True)
class TextSide:
    """Texts of one file: their code points, the record of each, and places without white space."""

    file: OffsetFile
    points: CodePoints
    record: Numbers
    places: Numbers

    def of_text(self, text: int) -> TextSide:
        """Return the places of one text alone."""
        low, high = np.searchsorted(self.places, self.points.first[text : text + 2])
        return TextSide(self.file, self.points, self.record, self.places[low:high])

    @property
    def characters(self) -> NDArray[np.uint32]:
        """Return the code points that are no white space."""
        return self.points.points[self.places]

    def at(self, number: int, text: int | None) -> tuple[int, int, str]:
        """Return record and place of a character, and what stands around it."""
        if number >= len(self.places):
            text = self._text(self.places[-1]) if text is None and len(self.places) else text or 0
            return int(self.record[text]), int(self.points.size[text]), "the end of the text"
        place = int(self.places[number])
        text = self._text(place)
        first, last = int(self.points.first[text]), int(self.points.first[text + 1]) - 1
        low, high = max(first, place - _SHOWN_AROUND // 2), min(last, place + _SHOWN_AROUND)
        shown = text_at(self.points.points, low, high).replace("\n", "⏎")
        shown = f"{'…' if low > first else ''}{shown}{'…' if high < last else ''}"
        return int(self.record[text]), place - first, f"`{shown}`"

    def _text(self, place: int) -> int:
        return int(np.searchsorted(self.points.first, place, side="right")) - 1


def other_text(
    gold: TextSide, system: TextSide, texts: tuple[int, int] | None = None, n: int = 1
) -> Problem:
    """Return where two sides part; ``texts`` are their numbers where single texts are compared."""
    ours, theirs = gold.characters, system.characters
    short = min(len(ours), len(theirs))
    unlike = np.flatnonzero(ours[:short] != theirs[:short])
    at = int(unlike[0]) if len(unlike) else short
    one, a, expected = gold.at(at, None if texts is None else texts[0])
    other, b, found = system.at(at, None if texts is None else texts[1])
    return Problem(
        system.file.path,
        int(system.file.line[other]),
        "texts",
        f"record {other + 1}: the text differs from gold's at character {b:,}: {found}, but gold "
        f"has {expected} ({gold.file.at(one)}, character {a:,})",
        f"gold and system must have the same text but for white space; {ALIGN}",
        n,
    )
