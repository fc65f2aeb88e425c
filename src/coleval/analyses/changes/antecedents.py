"""Which mentions ``changes`` counts, and which of their nominal antecedents has to be right.

The paper takes the closest antecedent and all mentions. The program of Tuggener (2017) takes the
first, and the total of its mentions are nouns and pronouns alone, while every change counts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.changes.splits import NOUN, TYPE
from coleval.analyses.wording import number_of
from coleval.corpus.far import derived, in_parts
from coleval.corpus.profiles import habits_of
from coleval.corpus.spread import of_parts
from coleval.errors import UsageError
from coleval.kernels.coref_classes import CHAINS, CRITERIA, coref_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Flags = NDArray[np.bool_]

_NOMINAL, _FIRST = "nominal", "first"


def by_antecedent(corpus: Corpus, given: str | None) -> Corpus:
    """Return the corpus with mentions judged by the antecedent given, else by the profile's.

    Raise where one is given, but nominal antecedents are not what counts.
    """
    counts = corpus.task_kind.mentions and corpus.scoring.unit == _NOMINAL
    if given is not None and not counts:
        raise UsageError(
            f"`{given}` is about nominal antecedents, which are not counted here",
            where="--antecedent",
            remedy="add --unit nominal" if corpus.task_kind.mentions
            else "it is for coreference, with --unit nominal",
        )  # fmt: skip
    habits = habits_of(corpus.profile, "changes")
    first = (given or habits.get("antecedent")) == _FIRST
    cataphors = habits.get("cataphors", True)
    if not counts or (cataphors and not first):
        return corpus
    if corpus.spread is not None:
        return of_parts(corpus, corpus.spread.changed(partial(by_antecedent, given=given)))
    units = coref_units(lambda: corpus.units[CHAINS], first=first, cataphors=cataphors)
    return replace(corpus, units=units)


def uncounted(corpus: Corpus, items: Items, given: Sequence[str]) -> Items | None:
    """Return the mentions that are neither nouns nor pronouns, None where all mentions count.

    Pronouns are single words with a tag given, or else with one of the profile's.
    """
    if given:
        _check_tags(corpus, items)
    tags = given or habits_of(corpus.profile, "changes").get("pronouns", ())
    if not tags or items.unit not in CRITERIA or TYPE not in items.context.columns:
        return None
    found = _of_others(items, tuple(tags))
    return found if len(found) else None


def _of_others(items: Items, tags: tuple[str, ...]) -> Items:
    if items.far is not None:
        return derived(items, _of_others, tags)
    counted = items.context[TYPE].cast(pl.String).is_in([NOUN, *tags]).fill_null(value=False)
    return items.where((~counted).to_numpy())


def _check_tags(corpus: Corpus, items: Items) -> None:
    if not corpus.task_kind.mentions:
        raise UsageError("pronouns are mentions of coreference", where="--pronouns",
                         remedy="leave it out, or add --task coref")  # fmt: skip
    if TYPE not in items.context.columns:
        raise UsageError("gold has no part-of-speech tags", where="--pronouns",
                         remedy="name their column: --columns pos=5")  # fmt: skip


def left_out(others: Items | None) -> tuple[str, ...]:
    """Return what is to be said of mentions that are in no total."""
    answered = [] if others is None else _answered_kinds(others)
    if not answered:
        return ()
    tags = ", ".join(dict.fromkeys(answered))
    number = number_of(len(answered), "mention")
    note = (
        f"{number}, neither noun nor pronoun ({tags}), left out of the total; changes count, as in "
        "ComparEval's program (--pronouns names tags of pronouns)"
    )
    return (note,)


def _answered_kinds(others: Items) -> list[str]:
    """Return the tags of those mentions that gold or some system resolves."""
    if others.far is not None:
        return in_parts(_end_to_end, _answered_kinds, others)
    kinds = others.context[TYPE].cast(pl.String).fill_null("no tag")
    return kinds.filter(pl.Series(_answered(others))).to_list()


def _end_to_end(parts: list[list[str]]) -> list[str]:
    return [kind for part in parts for kind in part]


def _answered(items: Items) -> Flags:
    """Return which mentions gold or some system resolves."""
    found = items.gold > 0
    for codes in items.answers.values():
        found = found | (codes > 0)
    return found
