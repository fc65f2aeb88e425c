"""What words of trees have beside head and relation: tags, and tokens and sentences around them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import Coder
from coleval.late_classes import dataclass
from coleval.loading.align.characters import first_words, same_tokens
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.edges import Edges, edges_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.loading.align.characters import Characters
    from coleval.loading.align.choice import GoldText
    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.model import TokenFile

    Places = NDArray[np.integer]
    Ends = tuple[Places, Places]

TAGS = ("upos", "xpos", "feats", "lemma")


def _exact() -> Coder:
    """Return a dictionary that takes tags for what they are, as the UD evaluation does."""
    return Coder(exact=True)


@dataclass(frozen=True, slots=True)
class TagCoders:
    """A dictionary for each kind of tag, and one for edges, shared by gold and all systems."""

    coders: Mapping[str, Coder] = field(default_factory=lambda: {n: _exact() for n in TAGS})
    edges: Coder = field(default_factory=_exact)

    def encode(self, file: TokenFile) -> dict[str, Codes]:
        """Return the codes of the tags that a file has; ``_`` is a tag like any other."""
        return {n: c.encode(_filled(file.columns[n])) for n, c in self._there(file)}

    def labels(self, name: str) -> list[str]:
        """Return the tags of one kind."""
        return self.coders[name].labels

    def _there(self, file: TokenFile) -> list[tuple[str, Coder]]:
        return [(name, coder) for name, coder in self.coders.items() if name in file.columns]


def _filled(tags: pl.Series) -> pl.Series:
    return tags.fill_null("_") if tags.null_count() else tags


@dataclass(frozen=True, slots=True)
class Words:
    """The tags of a file's words, and first and last place of its tokens and of its sentences.

    ``edges`` are those of enhanced graphs.
    """

    tags: Mapping[str, Codes]
    tokens: tuple[NDArray[np.integer], NDArray[np.integer]]
    sentences: tuple[NDArray[np.integer], NDArray[np.integer]]
    edges: Edges


def patched(codes: Codes, at: NDArray[np.integer], fresh: Codes) -> Codes:
    """Return a copy of codes with some others in it, in the wider type of the two."""
    found: Codes = codes.astype(max(codes.dtype, fresh.dtype, key=lambda kind: kind.itemsize))
    found[at] = fresh
    return found


def words_of(text: GoldText, file: TokenFile, found: Alignment, tags: TagCoders) -> Words:
    """Return the words of a file; where its characters are not gold's, gold's places are its."""
    edges = edges_of(text.file, file, found, tags.edges)
    if found.characters is None and not same_tokens(text.file, file):
        tokens, sentences = _by_words(text, file)
        return Words(tags.encode(file), _narrow(text.characters, tokens), sentences, edges)
    return placed_words(found.characters or text.characters, file, tags.encode(file), edges)


def placed_words(
    places: Characters, file: TokenFile, tags: Mapping[str, Codes], edges: Edges
) -> Words:
    """Return the words of a file that stand in places of a text."""
    tokens, sentences = _by_characters(places, file)
    return Words(tags, _narrow(places, tokens), sentences, edges)


def _narrow(places: Characters, ends: Ends) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return ends in half the bytes where they will do: they live as long as the corpus."""
    end = len(places.text)
    kind: type[np.signedinteger] = np.int32 if end < np.iinfo(np.int32).max else np.int64
    return ends[0].astype(kind, copy=False), ends[1].astype(kind, copy=False)


def _by_characters(places: Characters, file: TokenFile) -> tuple[Ends, Ends]:
    """Return the ends of tokens and of sentences."""
    starts = places.start[steps(file.sentence)]
    return (places.low, places.high), (starts, np.append(starts[1:], len(places.text)))


def _by_words(text: GoldText, file: TokenFile) -> tuple[Ends, Ends]:
    """Return the ends of tokens and of sentences of a file that has as many words as gold."""
    tokens, sentences = _by_characters(text.characters, text.file)
    ours, theirs = (first_words(side) for side in (text.file, file))
    breaks, moved = (np.append(np.flatnonzero(steps(side.sentence)), len(side))
                     for side in (text.file, file))  # fmt: skip
    return _stretches(tokens, ours, theirs), _stretches(sentences, breaks, moved)


def _stretches(gold: Ends, ours: Places, theirs: Places) -> Ends:
    """Return the ends of stretches of words, given as the first of each, among those of gold.

    One of the words that one of gold's has is that. All others are none of gold's: they are
    longer than any of these, and no two that begin in one place are of one length.
    """
    low, high = gold
    begin, end = theirs[:-1], theirs[1:]
    at = np.searchsorted(ours, begin, side="right") - 1
    same = (ours[at] == begin) & (ours[at + 1] == end)
    inside = begin - ours[np.searchsorted(low, low[at])]
    longer = int((high - low).max()) + 1 + inside
    return low[at], np.where(same, high[at], low[at] + longer)
