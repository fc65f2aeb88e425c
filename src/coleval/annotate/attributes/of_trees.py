"""Attributes of a word in a tree: how far its head is, how deep it stands, what hangs on it.

Gold's tree says in which bucket a gold word is, a system's own tree in which its answer is: recall
by gold's length, precision by the length that was predicted (McDonald & Nivre 2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.annotate.attributes.model import GOLD, Values
from coleval.annotate.attributes.of_items import context
from coleval.annotate.attributes.tree_layers import codes_of
from coleval.annotate.trees import ROOT, arities, projectivity
from coleval.corpus.tree_answers import relation_of
from coleval.corpus.tree_answers import universal as universal_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts

    # What a tree tells of every word of gold, by layer: a whole number, below 0 nothing.
    Told = Callable[[str], NDArray[np.integer]]

_SIDES = ("root", "left", "right")
_ARCS = ("projective", "non-projective")
_UNTOLD = -1
UPOS = "upos"


def length(facts: Facts) -> Values:
    """Return the distance to the head in words, 0 for the root; null for a word on itself."""

    def told(layer: str) -> NDArray[np.integer]:
        far = np.abs(_way(facts, layer))
        return _unless_root(facts, layer, np.where(far == 0, _UNTOLD, far))

    return _whole(facts, told)


def direction(facts: Facts) -> Values:
    """Return on which side of the word its head stands: ``left``, ``right``, or ``root``."""

    def told(layer: str) -> NDArray[np.integer]:
        way = _way(facts, layer)
        return _unless_root(facts, layer, np.where(way == 0, _UNTOLD, np.where(way < 0, 1, 2)))

    return _named(facts, told, _SIDES)


def depth(facts: Facts) -> Values:
    """Return how many arcs lead from the root to the word; null where none do."""

    def told(layer: str) -> NDArray[np.integer]:
        deep = facts.trees.depth(layer)
        return np.where(deep == 0, _UNTOLD, deep)

    return _whole(facts, told)


def arity(facts: Facts) -> Values:
    """Return how many words depend on the word."""
    return _whole(facts, lambda layer: arities(facts.trees.head(layer)))


def crossing(facts: Facts) -> Values:
    """Return whether the arc to the head spans words that do not descend from it."""

    def told(layer: str) -> NDArray[np.integer]:
        trees = facts.trees
        return projectivity(trees.head(layer), trees.depth(layer), trees.sentence)

    return _named(facts, told, _ARCS)


def relation(facts: Facts) -> Values:
    """Return the relation with its subtype."""
    return _of_labels(facts, relation_of)


def universal(facts: Facts) -> Values:
    """Return the relation without its subtype."""
    return _of_labels(facts, universal_of)


def upos(facts: Facts) -> Values:
    """Return the part of speech: gold's, and each system's own where tags were read."""
    if UPOS not in facts.corpus.layers or facts.items.unit != "word":
        return context(UPOS).values(facts)
    tags = facts.corpus.layer(UPOS)
    rows = codes_of(tags, facts.items)
    return Values(np.arange(-1, len(tags.labels)), rows[GOLD], tags.labels, rows=rows)


def _way(facts: Facts, layer: str) -> NDArray[np.integer]:
    """Return how far on the head of every word is, below 0 where it stands before it."""
    head = facts.trees.head(layer)
    return np.where(head < 0, 0, head - np.arange(len(head), dtype=np.int32))


def _unless_root(facts: Facts, layer: str, told: NDArray[np.integer]) -> NDArray[np.integer]:
    return np.where(facts.trees.head(layer) == ROOT, 0, told)


def _whole(facts: Facts, told: Told) -> Values:
    """Return numbers told of every layer's tree; none is greater than the longest sentence."""
    rows = facts.trees.by_layer(told, facts.items)
    table = np.array([np.nan, *range(facts.trees.longest + 1)])
    return Values(table, rows[GOLD], whole=True, rows=rows)


def _named(facts: Facts, told: Told, names: tuple[str, ...]) -> Values:
    """Return names told of every layer's tree by their places."""
    rows = facts.trees.by_layer(told, facts.items)
    return Values(np.arange(-1, len(names)), rows[GOLD], names, rows=rows)


def _of_labels(facts: Facts, part: Callable[[str], str]) -> Values:
    """Return a part of every layer's answers in full, whatever the metric compares."""
    told = [part(label) for label in facts.trees.words.labels]
    known = tuple(dict.fromkeys(told))
    place = {name: k for k, name in enumerate(known)}
    rows = codes_of(facts.trees.words, facts.items)
    table = np.array([_UNTOLD, *(place[name] for name in told)], np.int64)
    return Values(table, rows[GOLD], known, rows=rows)
