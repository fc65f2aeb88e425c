"""The registry of attributes: what can be told of an item that may say why it is hard.

To add one: a function from facts to values in a file of this room, and a line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.annotate.attributes import (
    of_items,
    of_mentions,
    of_overlap,
    of_sentences,
    of_training,
    of_trees,
)
from coleval.annotate.attributes.model import Attribute, Values
from coleval.corpus.items import CHARACTER, SPANS
from coleval.counts.coref_classes import CRITERIA
from coleval.plugins import Registry

if TYPE_CHECKING:
    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.task import Task

__all__ = [
    "ATTRIBUTES", "PAPER", "Attribute", "Values", "lacking", "level_of", "untrained", "usual",
]  # fmt: skip

_SPAN, _TOKEN, _BOTH = ("span",), ("token",), ("span", "token")
_LABELLED = ("span", "token", "string", "instance", "word", "row")
_ANY = (*_LABELLED, *CRITERIA)
_WORD, _TEXT = ("word",), ("span", "token", "instance", "word")
_QUARTERS, _SEEN = "quantile 4", "quantile 3 apart 0"
_SHARE = "interval 0,0.5,1 apart 0,1"

_ALL = (
    Attribute("eCon", "entity label consistency: the share of training spans of this string that "
              "have the label", _SPAN, "training", _SHARE, of_training.consistency),
    Attribute("tCon", "token label consistency: the share of this token's occurrences in training "
              "that have the label", _TOKEN, "training", _SHARE, of_training.consistency),
    Attribute("eFre", "entity frequency: how often this string is a span in training",
              _SPAN, "training", _SEEN, of_training.frequency),
    Attribute("tFre", "token frequency: how often this token occurs in training",
              _TOKEN, "training", _SEEN, of_training.frequency),
    Attribute("eLen", "entity length: tokens in the span",
              _SPAN, "", "interval 3,inf apart 1,2,3", of_items.span_length),
    Attribute("sLen", "sentence length: tokens in the sentence",
              _BOTH, "text", _QUARTERS, of_sentences.length),
    Attribute("eDen", "entity density: the share of the sentence's tokens inside gold entities",
              _BOTH, "text", _QUARTERS, of_sentences.entity_density),
    Attribute("oDen", "density of unknown words: the share of the sentence's words that do not "
              "occur in training", _BOTH, "words", _SEEN, of_sentences.unknown_density),
    Attribute("label", "the label", _LABELLED, "", "discrete", of_items.label),
    Attribute("eFre_share", "entity frequency as a share: how many of the training spans are this "
              "string", _SPAN, "training", _SEEN, of_training.frequency_share),
    Attribute("tFre_share", "token frequency as a share: how many of the training tokens are this "
              "token", _TOKEN, "training", _SEEN, of_training.frequency_share),
    Attribute("bin", "difficulty: the number of systems that solve the item", _ANY, "", "discrete",
              of_items.bin_),
    Attribute("position", "position of the first token in its sentence, from 1",
              _BOTH, "text", _QUARTERS, of_items.position),
    Attribute("capitalisation", "lower, Title, UPPER, miXed, or no letters",
              _ANY, "form", "discrete", of_items.capitalisation),
    Attribute("hapax", "whether the form occurs only once in the corpus",
              _ANY, "form", "discrete", of_items.hapax),
    Attribute("frequency", "how often the word is in training as it is written, without training "
              "in the references", _WORD, "segments", "interval 4,9,99,999,inf apart 0,1,2,3,4",
              of_training.word_frequency),
    Attribute("characters", "length of the form in characters",
              _ANY, "form", _QUARTERS, of_items.characters),
    Attribute("arc_length", "dependency length: distance to the head in words; 0 for the root",
              _WORD, "tree", "interval 2,6,inf apart 0,1,2", of_trees.length),
    Attribute("direction", "the side of the word that its head is on",
              _WORD, "tree", "discrete", of_trees.direction),
    Attribute("depth", "how many arcs lead from the root to the word",
              _WORD, "tree", "interval 4,6,inf apart 1,2,3,4", of_trees.depth),
    Attribute("arity", "how many words depend on the word",
              _WORD, "tree", "interval 2,inf apart 0,1,2", of_trees.arity),
    Attribute("projectivity", "whether the arc to the head spans words that do not descend from it",
              _WORD, "tree", "discrete", of_trees.crossing),
    Attribute("relation", "the relation to the head, with its subtype",
              _WORD, "tree", "discrete", of_trees.relation),
    Attribute("base_relation", "the relation to the head, without its subtype",
              _WORD, "tree", "discrete", of_trees.universal),
    Attribute("upos", "the part of speech, of gold and of each system that has its own",
              _TEXT, "upos", "discrete", of_trees.upos),
    Attribute("mention_length", "tokens in the mention",
              CRITERIA, "", "interval 3,inf apart 1,2,3", of_mentions.length),
    Attribute("mention_kind", "pronoun, name, noun or other, by the part of speech of the head; "
              "phrase: several words without a head", CRITERIA, "pos", "discrete",
              of_mentions.kind),
    Attribute("antecedent_distance", "tokens from the beginning of the closest antecedent to that "
              "of the mention", CRITERIA, "", _QUARTERS, of_mentions.distance),
    Attribute("chain_size", "mentions in the chain",
              CRITERIA, "", "interval 2,5,10,inf apart 2", of_mentions.chain_size),
    Attribute("train_overlap", "overlap with training: the share of the sentence's trigrams that "
              "occur in training", _BOTH, "sentences", _SHARE, of_overlap.overlap),
    Attribute("in_train", "whether the sentence occurs in training, word for word",
              _BOTH, "sentences", "discrete", of_overlap.repeated),
)  # fmt: skip

ATTRIBUTES: Registry[Attribute] = Registry(
    "attributes", {attribute.name: attribute for attribute in _ALL}, Attribute
)
# Those of Fu et al. (2020), in the order of their program.
PAPER = ("eCon", "tCon", "eFre", "tFre", "eLen", "sLen", "eDen", "oDen", "label")

_WANT = {
    "text": "running text (the corpus has only spans or instances)",
    "training": "training data: --train FILE",
    "words": "training data: --train FILE",
    "sentences": "training data: --train FILE",
    "form": "the forms of items",
    "tree": "trees (--task dep)",
    "segments": "generated text (--task text)",
    "upos": "parts of speech: the column `upos`",
    "pos": "parts of speech: --columns pos=5",
}
_TRAINED = ("training", "words", "sentences")


def level_of(attribute: Attribute, unit: str) -> str | None:
    """Return the unit an attribute is counted over where items of a unit are asked for."""
    if unit == CHARACTER and "span" in attribute.levels:
        return unit
    if unit in attribute.levels or (unit == "word" and "token" in attribute.levels):
        return unit
    return "token" if unit in SPANS and "token" in attribute.levels else None


def usual(task: Task, *, trained: bool) -> tuple[str, ...]:
    """Return the attributes that are used where none is named."""
    return (*(task.attributes or PAPER), *(task.trained_attributes if trained else ()))


def untrained(attribute: Attribute, facts: Facts) -> str:
    """Return what an attribute needs if that is training data and nobody gave any, else nothing."""
    need = attribute.needs
    known = facts.training is not None or (need == "words" and facts.known)
    return _WANT[need] if need in _TRAINED and not known else ""


def lacking(attribute: Attribute, facts: Facts) -> str:
    """Return what an attribute needs and there is not, nothing if all is there."""
    need, formless = attribute.needs, not facts.items.has_form
    missing = {
        "": False,
        "text": not facts.has_text,
        "training": facts.training is None or formless,
        "words": not facts.has_text or (facts.training is None and not facts.known),
        "sentences": not facts.has_text or facts.training is None,
        "form": formless,
        "segments": "segment" not in facts.corpus.task_kind.units,
        "tree": not facts.corpus.task_kind.trees,
        "pos": "pos" not in facts.items.context.columns,
        "upos": of_trees.UPOS not in (*facts.corpus.layers, *of_items.context_names(facts)),
    }[need]
    if missing and need in _TRAINED and facts.training is not None:
        need = "text"
    return _WANT[need] if missing else ""
