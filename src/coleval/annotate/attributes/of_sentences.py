"""Attributes of the sentence an item stands in: how long, how full of entities, how unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.annotate.attributes.model import Values, numbers

if TYPE_CHECKING:
    from coleval.annotate.attributes.facts import Facts


def length(facts: Facts) -> Values:
    """Return the number of tokens."""
    return numbers(facts.sentence_length, facts.sentence)


def entity_density(facts: Facts) -> Values:
    """Return the share of tokens inside gold entities."""
    return numbers(facts.per_sentence(facts.inside), facts.sentence)


def unknown_density(facts: Facts) -> Values:
    """Return the share of words that the training data do not have, as they are written."""
    words = facts.running.form.cast(pl.String)
    seen = pl.Series(sorted(facts.known)) if facts.known else _trained(facts)
    unknown = ~words.is_in(seen.implode()).to_numpy()
    return numbers(facts.per_sentence(unknown), facts.sentence)


def _trained(facts: Facts) -> pl.Series:
    if facts.training is None:
        raise ValueError("no training data")
    return facts.training.words()
