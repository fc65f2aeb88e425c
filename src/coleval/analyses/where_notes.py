"""What a filter does to precision: false positives that ``--where`` drops (DEFINITIONS §14).

A condition on gold, difficulty or answers may drop spurious answers, either because it is neither
true nor false where gold has nothing, or because it decides so. Precision is then that of the items
kept, and a reader should know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from coleval.analyses.counted import selected_items
from coleval.analyses.wording import number_of
from coleval.annotate.attributes import ATTRIBUTES
from coleval.corpus.far import additive
from coleval.query.wide import wide

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.query.wide import Wide

_TEXT = re.compile(r"'(?:[^']|'')*'")
# Attributes that look at gold's label, its chains, or at the systems.
_ANSWERS = {"label", "bin", "eCon", "tCon", "antecedent_distance", "chain_size"}


def nothing_left(corpus: Corpus) -> tuple[str, ...]:
    """Return the warning that no item matches a filter, nothing if some do."""
    where = corpus.scoring.where
    if not where or len(selected_items(corpus)):
        return ()
    return (f"no item matches --where `{where}`: check the values (coleval pivot --rows COLUMN …)",)


def left_out(corpus: Corpus) -> tuple[str, ...]:
    """Return the warning that a filter drops spurious answers, nothing if it does not.

    A filter by context alone (place, form, document), which every item has, chooses a part of the
    data; its precision is that of the part, and there is nothing to warn of.
    """
    where = corpus.scoring.where
    if not where:
        return ()
    every, kept = selected_items(corpus.with_options(where="")), selected_items(corpus)
    there, still = _spurious(every), _spurious(kept)
    if there == still or not _about_answers(wide(corpus, every), where):
        return ()
    text = (
        f"--where `{where}` leaves out {there - still:,} of {number_of(there, 'spurious answer')}: "
        "precision and F1 are computed over the remaining items only; "
        f"keep them with --where '({where}) or gold is null'"
    )
    return (text,)


@additive(sum)
def _spurious(items: Items) -> int:
    """Return how many answers all systems together give where gold has none."""
    bare = items.gold == 0
    return sum(int(np.count_nonzero(codes[bare])) for codes in items.answers.values())


def _about_answers(table: Wide, where: str) -> bool:
    """Tell whether a condition names what depends on gold or on systems."""
    neutral = {"item", "form", *table.items.context.columns, *(set(ATTRIBUTES) - _ANSWERS)}
    # A word of a text is no name: form = 'gold' is about the form.
    names = (name.removeprefix("bucket_") for name in table.mentioned(_TEXT.sub("''", where)))
    return any(name not in neutral for name in names)
