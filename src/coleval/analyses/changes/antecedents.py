"""Which nominal antecedent of a mention has to be right: the closest, or the first of its chain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.corpus.profiles import habits_of
from coleval.errors import UsageError
from coleval.kernels.mention_units import CHAINS, coref_units

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus

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
    chosen = given or habits_of(corpus.profile, "changes").get("antecedent")
    if not counts or chosen != _FIRST:
        return corpus
    return replace(corpus, units=coref_units(lambda: corpus.units[CHAINS], first=True))
