"""Attributes of a mention: how long it is, what its head is, how its chain reaches back.

Gold's chains say in which bucket a mention of gold is, a system's own chains in which its answer
is, as for trees: recall by the distance that gold has, precision by the one that was predicted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import GOLD, Values, names, numbers
from coleval.counts.coref_classes import CHAINS, closest, numbered, ordered

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts

    Numbers = NDArray[np.int64]

# Tags of the Penn Treebank and of Universal Dependencies, and the Dutch pronoun.
_KINDS = {
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "PRON", "VNW"), "pronoun"),
    **dict.fromkeys(("NNP", "NNPS", "PROPN"), "name"),
    **dict.fromkeys(("NN", "NNS", "NOUN"), "noun"),
}


def length(facts: Facts) -> Values:
    """Return the tokens in a mention."""
    return numbers(facts.items.context["words"].cast(pl.Int64))


def kind(facts: Facts) -> Values:
    """Return ``pronoun``, ``name``, ``noun`` or ``other`` by the part of speech of the head.

    Other tags that are nominal are nouns. Where gold names no heads, several words are a
    ``phrase``.
    """
    kinds = dict.fromkeys(facts.corpus.reading.nominal, "noun") | _KINDS
    tag = facts.items.context["pos"].cast(pl.String)
    known = tag.replace_strict(kinds, default="other", return_dtype=pl.String)
    several = facts.items.context["words"] > 1
    phrase = pl.select(pl.when(several).then(pl.lit("phrase"))).to_series()
    return names(known.zip_with(tag.is_not_null(), phrase))


def distance(facts: Facts) -> Values:
    """Return how many tokens before the mention its closest antecedent begins; null without one.

    The closest nominal one, where the unit is that.
    """
    context = facts.whole.context
    start = context["start"].to_numpy().astype(np.int64)
    counts = context["nominal"].to_numpy() | (facts.items.unit != "nominal")

    def tokens(chain: Numbers) -> Numbers:
        before = closest(ordered(chain), counts)
        return np.where(before < 0, -1, start - start[before])

    return _by_layer(facts, tokens)


def chain_size(facts: Facts) -> Values:
    """Return how many mentions the chain has; null for a mention of none."""

    def sizes(chain: Numbers) -> Numbers:
        _, place, size = np.unique(chain, return_inverse=True, return_counts=True)
        return np.where(chain < 0, -1, size[place])

    return _by_layer(facts, sizes)


def _by_layer(facts: Facts, whole: Callable[[Numbers], Numbers]) -> Values:
    """Return whole numbers made of every layer's chains, below 0 for nothing."""
    chains = facts.corpus.at(CHAINS).chosen(list(facts.items.systems))
    some = slice(None) if facts.items.rows is None else facts.items.rows
    layers = {name: whole(chain)[some] for name, chain in numbered(chains).items()}
    table, place = np.unique(np.concatenate(list(layers.values())), return_inverse=True)
    rows = dict(zip(layers, np.split(place, len(layers)), strict=True))
    return Values(np.where(table < 0, np.nan, table), rows[GOLD], whole=True, rows=rows)
