"""What makes two answers about a word equal, by metric: those of the CoNLL 2018 evaluation.

A metric is a tuple of layers that must all agree; the first says who has an answer at all. So
``score`` counts agreement without a table of joint labels, and all else gets one when it asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.items import Renaming, renaming
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.options import FUNCTIONAL
from coleval.corpus.tree_answers import (
    answer,
    full,
    parts_of_answers,
    relation_of,
    told_head,
    universal,
    without_subtype,
)
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Hashes = NDArray[np.uint64]

# Odd constants of splitmix64 and of the golden ratio: any would do.
_STIR = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Heads:
    """What the labels of words say of heads, and where each sentence begins."""

    number: NDArray[np.int64]
    away: NDArray[np.int64]
    sentence: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, words: Items) -> Heads:
        """Return the heads of all words of a corpus, which stand sentence by sentence."""
        number, away = _head_numbers(words.labels)
        sentence = words.context["sentence"].to_numpy().astype(np.int64)
        first = np.searchsorted(sentence, np.arange(int(sentence.max(initial=-1)) + 2))
        return cls(number, away, sentence, first)

    def rows(self, codes: Codes, at: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the row of the head of some words, -1 for the root and words gold has not."""
        number = self.number[codes[at]]
        sentence = self.sentence[at] + self.away[codes[at]]
        there = (number > 0) & (sentence >= 0) & (sentence < len(self.first) - 1)
        return np.where(there, self.first[np.where(there, sentence, 0)] + number - 1, -1)


# The datasets of a task share labels, of which there may be a hundred thousand: read them once.
@lru_cache(maxsize=4)
def _head_numbers(labels: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the head that each code of a label says, and how many sentences away that is."""
    parts = parts_of_answers(labels)
    heads = [told_head(head) for head in parts.heads]
    number = np.array([head.number for head in heads], np.int64)[parts.head]
    away = np.array([head.away for head in heads], np.int64)[parts.head]
    return np.append(np.int64(-1), number), np.append(np.int64(0), away)


@lru_cache(maxsize=4)
def _are_functional(labels: tuple[str, ...], functional: frozenset[str]) -> NDArray[np.bool_]:
    """Tell which codes of labels are those of function words."""
    parts = parts_of_answers(labels)
    there = np.array([without_subtype(one) in functional for one in parts.relations], np.bool_)
    return np.append(np.False_, there[parts.relation])


def below(words: Items, layers: Sequence[tuple[Items, Codes]], functional: frozenset[str]) -> Items:
    """Return for every word which function words hang on it, with their codes in some ``layers``.

    Each layer comes with a table from its codes to those that are compared. Sets are summed up in
    64 bits: that two of a million different ones meet is one in 10^7.
    """
    heads = Heads.of(words)
    function = _are_functional(words.labels, functional)
    sums = {}
    for name in ("", *words.systems):
        codes = words.answers[name] if name else words.gold
        at = np.flatnonzero(function[codes])
        sides = [by[(part.answers[name] if name else part.gold)[at]] for part, by in layers]
        sums[name] = _summed(len(words), heads.rows(codes, at), _stirred(at, sides))
    return _coded(words, sums)


@dataclass(frozen=True, slots=True)
class SummedBelow:
    """The words on which function words hang, and what these sum up to: one word in five."""

    row: NDArray[np.uint32]
    sums: Hashes


def _stirred(at: NDArray[np.intp], sides: list[Codes]) -> Hashes:
    """Return a number for each word and its relation, tag and features."""
    mixed = at.astype(np.uint64) * np.uint64(_STIR[0])
    for part, odd in zip(sides, _STIR[1:], strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(odd) + part.astype(np.uint64)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_STIR[1])
    return mixed ^ (mixed >> np.uint64(29))


def _summed(size: int, head: NDArray[np.int64], stirred: Hashes) -> SummedBelow:
    sums = np.zeros(size, np.uint64)
    np.add.at(sums, head[head >= 0], stirred[head >= 0])
    row = np.flatnonzero(sums)
    return SummedBelow(row.astype(np.uint32), sums[row])


def _coded(words: Items, sums: dict[str, SummedBelow]) -> Items:
    known = np.unique(np.concatenate([np.unique(found.sums) for found in sums.values()]))
    kind = width(len(known))
    makers = {}
    for name in list(sums):
        found = sums.pop(name)
        codes = np.searchsorted(known, found.sums).astype(kind) + kind(1)
        makers[name] = partial(_spread, len(words), found.row, codes)
    labels = tuple(f"{{{k}}}" for k in range(1, len(known) + 1))
    gold = makers.pop("")()
    return replace(words, labels=labels, gold=gold, answers=LazyMapping(makers, keep=False),
                   judges=None)  # fmt: skip


def _spread(size: int, row: NDArray[np.uint32], codes: Codes) -> Codes:
    """Return codes of a few words among all of them: most words have no function words."""
    found = np.zeros(size, codes.dtype)
    found[row] = codes
    return found


CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated",
    "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed",
    "flat", "compound", "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
})  # fmt: skip
UNIVERSAL_FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
})  # fmt: skip
_PRESENT = "word"
_ANY = "_"


def by_metric(corpus: Corpus, items: Items, metric: str) -> Items:
    """Return words (some of those of the corpus) with the answer that a metric compares."""
    parts = parts_of(corpus, items, metric)
    return joined_parts(parts)


def compared_and_shown(corpus: Corpus, items: Items, metric: str) -> tuple[Items, Items]:
    """Return words as a metric compares them, and as tables show them: tags, else the relation."""
    compared = by_metric(corpus, items, metric)
    if metric in OF_EDGES:
        return compared, compared.relabelled(_relations(compared.labels, str))
    if metric in _SHOWN:
        return compared, by_metric(corpus, items, _SHOWN[metric])
    relation = _relation(corpus, items)
    return compared, _where_answered(relation, compared) if metric in OF_CONTENT else relation


def _where_answered(shown: Items, compared: Items) -> Items:
    """Return labels only where what is compared has an answer."""
    return replace(
        shown,
        gold=np.where(compared.gold > 0, shown.gold, 0),
        answers={n: np.where(compared.answers[n] > 0, shown.answers[n], 0) for n in shown.systems},
        judges=None,
        empty_is_answer=compared.empty_is_answer,
    )


def label_names(corpus: Corpus, items: Items, words: Items) -> tuple[str, ...]:
    """Return what to call each label of some ``words`` as the metric compares them.

    That is the relation where labels are answers or hold one, else the label as it is.
    """
    metric = corpus.scoring.metric
    if metric not in ("las", *OF_CONTENT, *OF_EDGES):
        return items.labels
    if metric in ("las", "clas", *OF_EDGES):
        return tuple(relation_of(label) or label for label in items.labels)
    attached = _content(corpus, words.where(items.numbers))
    first = np.zeros(len(items.labels) + 1, np.int64)
    for name in ("", *items.systems):
        first[side(items, name)] = side(attached, name)
    relations = ("", *map(relation_of, attached.labels))
    return tuple(relations[k] or name for k, name in zip(first[1:], items.labels, strict=True))


def parts_of(corpus: Corpus, items: Items, metric: str) -> tuple[Items, ...]:
    """Return the layers that must all agree."""
    return PARTS[metric](corpus, items)


def _attached(corpus: Corpus, items: Items) -> Items:
    """Return relation and head, subtypes left out where they do not count."""
    return items.relabelled(_with_heads(items.labels, _part(corpus)))


# Metrics share labels, of which a large corpus has hundreds of thousands: read them once.
@lru_cache(maxsize=16)
def _renaming(labels: tuple[str, ...], part: Callable[[str], str]) -> Renaming:
    return renaming([part(label) for label in labels])


@lru_cache(maxsize=16)
def _relations(labels: tuple[str, ...], part: Callable[[str], str]) -> Renaming:
    """Return the renaming of answers to the part of their relations that counts."""
    parts = parts_of_answers(labels)
    return renaming([part(relation) for relation in parts.relations]).spread(parts.relation)


@lru_cache(maxsize=16)
def _heads(labels: tuple[str, ...]) -> Renaming:
    parts = parts_of_answers(labels)
    return renaming(parts.heads).spread(parts.head)


@lru_cache(maxsize=16)
def _with_heads(labels: tuple[str, ...], part: Callable[[str], str]) -> Renaming:
    """Return the same renaming, but with the heads of answers."""
    parts, by = parts_of_answers(labels), _relations(labels, part)
    key = by.table[1:].astype(np.int64) * len(parts.heads) + parts.head
    pairs, place = np.unique(key, return_inverse=True)
    numbers = zip(*(part.tolist() for part in np.divmod(pairs, len(parts.heads))), strict=True)
    names = [answer(by.labels[relation - 1], parts.heads[head]) for relation, head in numbers]
    return renaming(names).spread(place)


@lru_cache(maxsize=16)
def _content_renaming(
    labels: tuple[str, ...], part: Callable[[str], str], kept: frozenset[str]
) -> Renaming:
    """Return the renaming that reads answers with other relations than these as nothing."""
    parts, by = parts_of_answers(labels), _with_heads(labels, part)
    content = np.array([without_subtype(one) in kept for one in parts.relations], np.bool_)
    there = np.append(np.True_, content[parts.relation])
    return replace(by, table=np.where(there, by.table, by.table.dtype.type(0)))


def relation_part(corpus: Corpus) -> Callable[[str], str]:
    """Return what makes the relation that counts of an answer."""
    return full if corpus.scoring.subtypes else universal


def _part(corpus: Corpus) -> Callable[[str], str]:
    """Return the same of a relation."""
    return str.lower if corpus.scoring.subtypes else without_subtype


def _relation(corpus: Corpus, items: Items) -> Items:
    return items.relabelled(_relations(items.labels, _part(corpus)))


def _content(corpus: Corpus, items: Items) -> Items:
    """Return relation and head of content words; each side says itself which words those are."""
    kept = CONTENT.union(FUNCTIONAL) - set(corpus.scoring.functional)
    by = _content_renaming(items.labels, _part(corpus), kept)
    return replace(items.relabelled(by), empty_is_answer=False)


def _layer(corpus: Corpus, items: Items, name: str) -> Items:
    """Return a layer of tags on the same words."""
    if name not in corpus.layers:
        raise UsageError(
            f"these files have no column of {name}",
            where="--metric",
            remedy="CoNLL-U has it (--format conllu); las, uas, ls, clas need trees alone",
        )
    kept = corpus.layer(name).chosen(list(items.systems))
    chosen = kept if items.rows is None else kept.where(items.rows)
    return replace(
        items, labels=chosen.labels, gold=chosen.gold, answers=chosen.answers, judges=None
    )


def _edges(name: str) -> Callable[[Corpus, Items], Items]:
    """Return what gives the edges of all words, punctuation as well: items of their own."""

    def edges(corpus: Corpus, words: Items) -> Items:
        if name not in corpus.layers and corpus.grid is not None and len(corpus.grid.cells) == 1:
            # One dataset of several, as in means over them: it has no edges to count.
            return replace(words.where(np.empty(0, np.intp)), unit="edge")
        if name not in corpus.layers:
            raise UsageError(
                "gold has no enhanced graphs (DEPS)",
                where=f"--metric {name}",
                remedy="use --metric las",
            )
        scoring = corpus.scoring
        if scoring.where or scoring.labels or scoring.exclude:
            raise UsageError(
                "edges of enhanced graphs are counted of all words and relations",
                where=f"--metric {name}",
                remedy="leave out --where, --labels and --exclude, or use --metric las",
            )
        return corpus.layer(name).chosen(list(words.systems))

    return edges


def _features(corpus: Corpus, items: Items) -> Items:
    """Return the universal features of words, in the order of their names."""
    layer = _layer(corpus, items, "feats")
    return layer.relabelled(_renaming(layer.labels, _universal_features))


def _universal_features(label: str) -> str:
    kept = (f for f in label.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept)) or _ANY


def _lemmas(corpus: Corpus, items: Items) -> Items:
    """Return lemmas; where gold has none (``_``) any will do."""
    layer = _layer(corpus, items, "lemma")
    if _ANY not in layer.labels:
        return layer
    code = layer.gold.dtype.type(layer.labels.index(_ANY) + 1)
    free = layer.gold == code
    return replace(
        layer,
        answers={n: np.where(free & (c > 0), code, c) for n, c in layer.answers.items()},
    )


def words_of(corpus: Corpus, items: Items) -> Items:
    """Return whether there is a word at all, with or without an answer."""
    layer = _layer(corpus, items, "upos") if "upos" in corpus.layers else items
    return layer.renamed([_PRESENT] * len(layer.labels))


def joined_parts(parts: tuple[Items, ...]) -> Items:
    """Return one layer that agrees where all parts do; it has an answer where the first has."""
    first = parts[0]
    if len(parts) == 1:
        return first
    keys = {name: _key(parts, name) for name in ("", *first.systems)}
    known = np.unique(np.concatenate([np.unique(key) for key in keys.values()]))
    known = known[known > 0]
    kind = width(len(known))
    codes = {
        name: np.where(key > 0, np.searchsorted(known, key) + 1, 0).astype(kind)
        for name, key in keys.items()
    }
    return replace(
        first, labels=_names(parts, known), gold=codes.pop(""), answers=codes, judges=None
    )


def side(items: Items, name: str) -> Codes:
    """Return the codes of gold (the empty name) or of a system."""
    return items.answers[name] if name else items.gold


def _key(parts: tuple[Items, ...], name: str) -> NDArray[np.int64]:
    key = np.zeros(len(parts[0]), np.int64)
    for part in parts:
        key = key * (len(part.labels) + 1) + side(part, name)
    return np.where(side(parts[0], name) > 0, key, 0)


def _names(parts: tuple[Items, ...], keys: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the parts' labels side by side.

    Labels may hold spaces: names that would be the same have TABs between the parts, which
    no label holds.
    """
    pieces = {}
    for k, part in reversed(list(enumerate(parts))):
        names = pl.Series([None, *part.labels], dtype=pl.String)
        pieces[str(k)] = names.gather(pl.Series(keys % (len(part.labels) + 1)))
        keys = keys // (len(part.labels) + 1)
    whole = [pl.col(str(k)) for k in range(len(parts))]
    spaced = pl.concat_str(whole, separator=" ", ignore_nulls=True)
    tabbed = pl.concat_str([part.fill_null("") for part in whole], separator="\t")
    joined = pl.DataFrame(pieces).with_columns(spaced=spaced, tabbed=tabbed)
    unlike = pl.when(pl.col("spaced").is_duplicated()).then("tabbed").otherwise("spaced")
    return tuple(joined.select(unlike).to_series().to_list())


def _one(make: Callable[[Corpus, Items], Items]) -> Callable[[Corpus, Items], tuple[Items, ...]]:
    return lambda corpus, items: (make(corpus, items),)


def _tag(name: str) -> Callable[[Corpus, Items], Items]:
    return lambda corpus, items: _layer(corpus, items, name)


def _head(_: Corpus, items: Items) -> Items:
    return items.relabelled(_heads(items.labels))


def _all_tags(corpus: Corpus, items: Items) -> tuple[Items, ...]:
    tags = (_layer(corpus, items, name) for name in ("upos", "xpos"))
    return (*tags, _features(corpus, items))


def _with_morphology(corpus: Corpus, items: Items) -> tuple[Items, ...]:
    # First what takes the most memory to be made.
    functions = function_words(corpus, items)
    tags = _layer(corpus, items, "upos"), _features(corpus, items)
    return (_content(corpus, items), *tags, functions)


def _with_lemmas(corpus: Corpus, items: Items) -> tuple[Items, ...]:
    return _content(corpus, items), _lemmas(corpus, items)


def function_words(corpus: Corpus, items: Items) -> Items:
    """Return the function words below each word, with their relations, tags and features."""
    kept = corpus.memo.get(("below", corpus.scoring.functional), lambda: _below(corpus))
    return kept if items.rows is None else kept.where(items.rows)


def _below(corpus: Corpus) -> Items:
    words = corpus.at("word")
    tags, features = (_layer(corpus, words, name) for name in ("upos", "feats"))
    layers = (
        (words, _relations(words.labels, _part(corpus)).table),
        (tags, np.arange(len(tags.labels) + 1, dtype=np.uint32)),
        (features, _renaming(features.labels, _universal_features).table),
    )
    return below(words, layers, frozenset(corpus.scoring.functional))


PARTS: Mapping[str, Callable[[Corpus, Items], tuple[Items, ...]]] = {
    "words": _one(words_of),
    "upos": _one(_tag("upos")),
    "xpos": _one(_tag("xpos")),
    "ufeats": _one(_features),
    "alltags": _all_tags,
    "lemmas": _one(_lemmas),
    "uas": _one(_head),
    "ls": _one(_relation),
    "las": _one(_attached),
    "clas": _one(_content),
    "mlas": _with_morphology,
    "blex": _with_lemmas,
    "eulas": _one(_edges("eulas")),
    "elas": _one(_edges("elas")),
}
_SHOWN = {"upos": "upos", "xpos": "xpos", "ufeats": "ufeats", "lemmas": "lemmas", "alltags": "upos"}
OF_CONTENT = ("clas", "mlas", "blex")
OF_EDGES = ("eulas", "elas")
