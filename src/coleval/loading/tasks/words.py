"""What words of trees have beside head and relation: tags, and tokens and sentences around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.corpus.items import Items
from coleval.corpus.tree_answers import answer, answers, head_of, relation_of
from coleval.counts.span_slots import proposed, slots
from coleval.loading.align.characters import first_words, same_tokens
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.trees import heads_as_gold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.loading.align.characters import Characters
    from coleval.loading.align.choice import GoldText
    from coleval.loading.align.position import Alignment
    from coleval.loading.readers.model import TokenFile

    Places = NDArray[np.integer]
    Ends = tuple[Places, Places]

_NONE = "_"


@dataclass(frozen=True, slots=True)
class Edges:
    """The word that each edge leads to, and the code of its relation and head."""

    word: NDArray[np.int64]
    codes: Codes


def edges_of(gold: TokenFile, file: TokenFile, alignment: Alignment, coder: Coder) -> Edges:
    """Return the edges of a file, their heads as gold's words; none where it has no DEPS.

    An edge that is written twice, or two paths over empty nodes that read the same, are one.
    """
    deps = file.columns.get("deps")
    at = None if deps is None else (deps != _NONE).arg_true()
    if deps is None or at is None or not len(at):
        return Edges(np.empty(0, np.int64), np.empty(0, np.uint8))
    there = pl.DataFrame({"word": at.cast(pl.Int64), "edge": deps.gather(at)})
    each = there.with_columns(pl.col("edge").str.split("|")).explode("edge", empty_as_null=True)
    parts = each.select(
        "word",
        head=pl.col("edge").str.extract(r"^([0-9]+):").cast(pl.Int32),
        relation=pl.col("edge").str.extract(r"^[0-9]+:(.*)$"),
    )
    parts = _once(parts)
    word = parts["word"].to_numpy()
    head = heads_as_gold(gold, file, alignment, parts["head"], word)
    return Edges(word, coder.encode(answers(parts["relation"], head)))


def _once(parts: pl.DataFrame) -> pl.DataFrame:
    """Return rows in their order, those that are there already left out."""
    again = parts.is_duplicated()
    return parts.unique(keep="first", maintain_order=True) if again.any() else parts


def universal_path(label: str) -> str:
    """Return an edge without the subtypes of its relations."""
    steps = (step.partition(":")[0] for step in relation_of(label).split(">"))
    return answer(">".join(steps), head_of(label))


def edge_items(
    edges: Mapping[str, Edges],
    rows: Mapping[str, NDArray[np.integer]],
    labels: list[str],
    home: pl.DataFrame,
) -> Items:
    """Return the edges as items: gold's and those of systems that meet none of gold's.

    Edges of one word with one label are as many edges: without subtypes, ``nmod:of`` and
    ``nmod:in`` are two ``nmod``. ``home`` is where each word of gold is.
    """
    layers = {
        name: proposed(rows[name][e.word].astype(np.int64), e.codes.astype(np.int32), multiset=True)
        for name, e in edges.items()
    }
    gold = layers.pop("")
    found = slots(gold, layers, labels, bits=0)
    codes = dict(found.codes)
    context = home[pl.Series(found.key)].with_columns(start=pl.Series(found.key))
    items = Items("edge", context, (), codes.pop(""), codes)
    return items.sorted_labels(labels)


TAGS = ("upos", "xpos", "feats", "lemma")


@dataclass(frozen=True, slots=True)
class WordCoders:
    """Dictionaries that gold and all systems share: of answers, of each kind of tag, of edges.

    Tags and edges are taken for what they are, as the UD evaluation does.
    """

    answers: Coder
    tags: Mapping[str, Coder] = field(
        default_factory=lambda: {name: Coder(exact=True) for name in TAGS}
    )
    edges: Coder = field(default_factory=lambda: Coder(exact=True))

    def encode(self, gold: TokenFile, file: TokenFile, alignment: Alignment) -> Codes:
        """Return the codes of relations and heads, 0 for words without a head."""
        relation = {**file.columns, **file.context}["deprel"]
        head = heads_as_gold(gold, file, alignment, file.columns["head"])
        return self.answers.encode(answers(_filled(relation, ""), head))

    def encode_tags(self, file: TokenFile) -> dict[str, Codes]:
        """Return the codes of the tags that a file has; ``_`` is a tag like any other."""
        return {
            name: coder.encode(_filled(file.columns[name], "_"))
            for name, coder in self.tags.items()
            if name in file.columns
        }


def _filled(column: pl.Series, empty: str) -> pl.Series:
    return column.fill_null(empty) if column.null_count() else column


@dataclass(frozen=True, slots=True)
class Words:
    """The tags of a file's words, and first and last place of its tokens and of its sentences.

    ``edges`` are those of enhanced graphs.
    """

    tags: Mapping[str, Codes]
    tokens: tuple[NDArray[np.integer], NDArray[np.integer]]
    sentences: tuple[NDArray[np.integer], NDArray[np.integer]]
    edges: Edges


def words_of(text: GoldText, file: TokenFile, alignment: Alignment, coders: WordCoders) -> Words:
    """Return the words of a file; where its characters are not gold's, gold's places are its."""
    places = alignment.characters or text.characters
    if alignment.characters is None and not same_tokens(text.file, file):
        tokens, sentences = _by_words(text, file)
    else:
        tokens, sentences = _by_characters(places, file)
    edges = edges_of(text.file, file, alignment, coders.edges)
    return Words(coders.encode_tags(file), tokens, sentences, edges)


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
