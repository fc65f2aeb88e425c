"""What every analysis begins with: the items asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.far import elsewhere
from coleval.corpus.spread import check_by_item
from coleval.counts.patterns import Patterns, patterns
from coleval.loading.tasks.selecting import check_labels, filled
from coleval.query.wide import wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def scored_items(corpus: Corpus) -> Items:
    """Return the items of the unit, the systems and the labels asked for, that ``where`` keeps.

    Answers with a head are reduced to what the metric compares. All who ask one corpus get the
    very same items, and with them what others have counted of these.
    """
    return corpus.memo.get("scored", lambda: _scored(corpus))


def _scored(corpus: Corpus) -> Items:
    if corpus.spread is not None:
        check_by_item(corpus.scoring.where, "--where")
        return elsewhere(corpus, scored_items)
    return compared(corpus, selected_items(corpus))


def compared(corpus: Corpus, items: Items) -> Items:
    """Return items reduced to what makes answers equal: a head, or that a mention is resolved."""
    return corpus.task_kind.compared(corpus, items)


def selected_items(corpus: Corpus) -> Items:
    """Return the same items with their answers in full; gold punctuation of trees is left out."""
    return corpus.memo.get("selected", lambda: _selected(corpus))


def _selected(corpus: Corpus) -> Items:
    if corpus.spread is not None:
        check_by_item(corpus.scoring.where, "--where")
        return elsewhere(corpus, selected_items)
    items = _labelled(corpus, corpus.at(corpus.scoring.unit))
    return _filtered(corpus, items) if corpus.scoring.where else items


def unfiltered(corpus: Corpus) -> Items:
    """Return the items asked for before ``where`` leaves any out."""
    whole = corpus.with_options(where="") if corpus.scoring.where else corpus
    return scored_items(whole)


def _filtered(corpus: Corpus, items: Items) -> Items:
    """Return the items that ``where`` keeps; it sees answers as the metric compares them."""
    return items.where(rows_kept(corpus, compared(corpus, items)))


def rows_kept(corpus: Corpus, items: Items) -> NDArray[np.integer]:
    """Return the places of the items for which the condition of ``where`` holds."""
    # Imported now: it brings the database along, which few questions need.
    from coleval.query.expressions import items_holding

    kept = items_holding(wide(corpus, items), corpus.scoring.where)
    return np.searchsorted(items.numbers, kept)


def counted_patterns(corpus: Corpus, items: Items, shown: Items | None = None) -> Patterns:
    """Return the patterns of items of a corpus, grouped by its engine."""
    return patterns(items, shown, engine=corpus.scoring.engine)


def _labelled(corpus: Corpus, items: Items) -> Items:
    """Return trees and mentions with the labels asked for, which others have selected already.

    Labels of trees are relations. A word that neither gold nor a system gives one of them is no
    item any more, but it stays in the tree.
    """
    scoring = corpus.scoring
    items, part_of = corpus.task_kind.counted(corpus, items), corpus.task_kind.label_part
    if part_of is None or not (scoring.labels or scoring.exclude):
        return items
    part = part_of(corpus)
    check_labels(corpus, {part(label) for label in corpus.units[items.unit].labels})
    named = [
        tuple(label for label in items.labels if part(label) in wanted)
        for wanted in (scoring.labels, scoring.exclude)
    ]
    found = items.restricted(*named)
    kept = found.where(filled(found))
    return replace(kept, empty_is_answer=False, group_count=items.group_count)
