"""The items of the systems and labels asked for: those of files that have nothing else.

Among spans and the like a row is there because somebody filled it. Where only systems or labels
that were not asked for did, the row goes too, or every count of items would depend on them.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import option_fold
from coleval.corpus.disk import only
from coleval.corpus.items import NOT_IN_GOLD
from coleval.corpus.schemes import kinds_of
from coleval.errors import unknown
from coleval.loading.tasks.tag import positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Kept = NDArray[np.bool_]

# Layers of trees that are no words: they have rows of their own.
APART = ("tokens", "sentences", "elas", "eulas")


def existing(corpus: Corpus, unit: str) -> Items:
    """Return the items of a unit that gold or a chosen system has, all labels read."""
    whole = corpus.units[unit]
    items = whole.chosen(list(corpus.systems))
    if judges := _judges(corpus, unit):
        items = replace(items, judges=only(whole.answers, judges))
    kept = items.kept(_existing(corpus, unit, items))
    if NOT_IN_GOLD in kept.context.columns:
        kept = _words_of_all(
            kept, empty_is_answer=items.empty_is_answer or corpus.task_kind.covers_text
        )
    if kept.group != "instance":
        return kept
    # Labels that neither gold nor a system nor a judge gives are left out.
    seen = np.zeros(len(kept.labels) + 1, np.bool_)
    for codes in (kept.gold, *kept.answers.values(), *(kept.judges or {}).values()):
        seen[codes] = True
    used = {label for label, there in zip(kept.labels, seen[1:], strict=True) if there}
    return kept.restricted(used, ()) if used else kept


def existing_layer(corpus: Corpus, name: str) -> Items:
    """Return the layer of some tags, its rows those of ``existing`` words."""
    systems = list(corpus.systems)
    layer = corpus.layers[name].chosen(systems)
    if name in APART or not corpus.task_kind.trees:
        return layer
    return layer.kept(_existing(corpus, "word", corpus.units["word"].chosen(systems)))


def relabelled(corpus: Corpus, unit: str, items: Items) -> Items:
    """Return items with the labels that are not asked for read as nothing, row by row.

    Where spans are asked for by their labels, tokens keep the tags of just those.
    """
    scoring = corpus.scoring
    if not corpus.task_kind.own_labels or not (scoring.labels or scoring.exclude):
        return items
    asked = scoring.unit or next(iter(corpus.units))
    if unit == asked:
        fold = option_fold(corpus, unit)
        # A label that only systems left out give is no misspelling, though nothing has it here.
        check_labels(corpus, corpus.units[unit].labels, fold=fold)
        return items.restricted(*(list(map(fold, n)) for n in (scoring.labels, scoring.exclude)))
    if corpus.task_kind.spans_of_tags and unit == "token":
        return _tags_of(corpus, items)
    return items


def selected(corpus: Corpus, unit: str, items: Items) -> Items:
    """Return existing items with the labels asked for, without those that nobody labels now."""
    found = relabelled(corpus, unit, items)
    if found is items or (corpus.task_kind.spans_of_tags and unit == "token"):
        return found
    if found.of_spans:
        from coleval.counts.crowded import slotted_anew

        found = slotted_anew(found, forms=corpus.reading.forms)
    # A token outside of entities is one that gold labels so; one with another tag is left out.
    return replace(found.kept(filled(found)), empty_is_answer=False)


def filled(items: Items) -> Kept:
    """Tell which items have an answer of gold or of a system."""
    there = items.gold != 0
    if there.all():
        return there
    for codes in items.answers.values():
        there |= codes != 0
    return there


def matching(
    systems: Iterable[str], patterns: str | Sequence[str], where: str = "--systems"
) -> list[str]:
    """Return the systems whose names or patterns are named; raise for one that is none."""
    wanted = patterns.split(",") if isinstance(patterns, str) else list(patterns)
    names = list(systems)
    chosen: list[str] = []
    for pattern in (p.strip() for p in wanted):
        found = [n for n in names if n == pattern] or [n for n in names if fnmatchcase(n, pattern)]
        if not found:
            raise unknown("system", pattern, names, where=where)
        chosen += [n for n in found if n not in chosen]
    return chosen


def check_labels(
    corpus: Corpus, labels: Iterable[str], *, fold: Callable[[str], str] = str
) -> None:
    """Raise for a label asked for that neither gold nor any system has: it is misspelt."""
    known = set(labels)
    for option in ("labels", "exclude"):
        for label in getattr(corpus.scoring, option):
            if fold(label) not in known:
                raise unknown("label", label, sorted(known), where=f"--{option}")


def _judges(corpus: Corpus, unit: str) -> list[str]:
    named = corpus.scoring.bins_from
    return matching(corpus.units[unit].systems, named, where="--bins-from") if named else []


def with_judges(corpus: Corpus) -> Corpus:
    """Return the corpus with the systems that bins count among its own, if they are others."""
    from coleval.corpus.corpus import Entry, Origin

    unit = corpus.scoring.unit or next(iter(corpus.units))
    known = {entry.name: entry for entry in corpus.entries}
    others = [name for name in _judges(corpus, unit) if name not in known]
    if not others:
        return corpus
    known |= {name: Entry(name, Origin("")) for name in others}
    every = [name for name in corpus.units[unit].systems if name in known]
    return replace(corpus, entries=tuple(known[name] for name in every))


def _existing(corpus: Corpus, unit: str, items: Items) -> Kept:
    """Tell which rows are there for gold or the chosen systems."""
    systems = list(corpus.systems)
    source = corpus.task_kind.source_unit
    if source and items.group != source:
        return filled(corpus.units[source].chosen(systems))
    if NOT_IN_GOLD in items.context.columns:
        there = ~items.context[NOT_IN_GOLD].to_numpy() | filled(items)
        tags = corpus.layers.get("upos") if unit == "word" else None
        return there if tags is None else there | filled(tags.chosen(systems))
    if items.of_spans or items.group == "instance":
        return filled(items)
    return np.ones(len(items), np.bool_)


def _words_of_all(items: Items, *, empty_is_answer: bool) -> Items:
    """Return words with their places in sentences, where those that gold lacks follow the others.

    If there are none of these, ``empty_is_answer`` is there as if no system cut the text otherwise.
    """
    place = positions(items.context["sentence"].to_numpy().astype(np.int32))
    context = items.context.with_columns(pl.Series("position", place))
    if context[NOT_IN_GOLD].any():
        return replace(items, context=context)
    return replace(items, context=context.drop(NOT_IN_GOLD), empty_is_answer=empty_is_answer)


def _tags_of(corpus: Corpus, items: Items) -> Items:
    """Return tokens whose tags are of the kinds of span asked for, others being outside."""
    scoring = corpus.scoring
    suffix = corpus.reading.suffix
    fold = option_fold(corpus, "span")
    labels, exclude = (set(map(fold, names)) for names in (scoring.labels, scoring.exclude))

    def kept(tag: str) -> bool:
        kinds = kinds_of(tag, suffix=suffix)
        return any((not labels or k in labels) and k not in exclude for k in kinds)

    # No tag is called "": an empty list would choose all tags, not none.
    return items.restricted([tag for tag in items.labels if kept(tag)] or [""], ())
