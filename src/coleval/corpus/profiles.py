"""Named sets of options that make coleval count as another program does. A registry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Profile:
    """A program's habits, as options; ``about`` says what it is and where it departs.

    ``alone`` are options that it has in one analysis and not in others, by analysis.
    """

    name: str
    about: str
    options: Mapping[str, Any] = field(default_factory=dict)
    alone: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


_ZERO = {"undefined": "0"}
_HIPE = {
    "format": "hipe",
    "task": "span",
    "scheme": "any",
    "repair": "begin",
    "outside": ("O", "_", ""),
    "fold": True,
    "within": "document",
    "forms": True,
    "drop": "#",
    "taxonomy": "hipe",
    **_ZERO,
}

PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "conlleval",
            "conlleval.pl: an invalid sequence begins a span, undefined is 0",
            {"scheme": "iob2", "repair": "begin", **_ZERO},
        ),
        Profile(
            "seqeval",
            "seqeval's default mode: as conlleval, letters B I E S M L U understood",
            {"scheme": "any", "repair": "begin", **_ZERO},
        ),
        Profile(
            "seqeval-strict",
            "seqeval mode=strict, scheme=IOB2: spans that do not begin with B- are dropped",
            {"scheme": "iob2", "repair": "discard", **_ZERO},
        ),
        Profile(
            "seqscore-discard",
            "seqscore --repair-method discard: as seqeval-strict; conlleval is its other method",
            {"scheme": "iob2", "repair": "discard", **_ZERO},
        ),
        Profile(
            "sklearn",
            "scikit-learn, zero_division=0, macro averages over all labels of all systems",
            {"average": "all", **_ZERO},
        ),
        Profile(
            "hipe-strict",
            "HIPE-scorer micro strict: one sequence per document, labels in lower case, tokens "
            "that begin with # left out, a span right only if its token strings are gold's too, a "
            "wrong one counted under the label of the gold span that it overlaps",
            _HIPE,
        ),
        Profile(
            "nervaluate",
            "nervaluate: COR INC PAR MIS SPU by coleval errors, whatever the input's order; "
            "labels add up to the total",
            {"scheme": "iob2", "repair": "begin", "taxonomy": "nervaluate", **_ZERO},
        ),
        Profile(
            "interpreteval",
            "InterpretEval's program (Fu et al. 2020), by coleval buckets: one sequence for all "
            "sentences, training strings searched for as patterns, frequencies scaled and cut",
            {
                "scheme": "iob2",
                "repair": "begin",
                "within": "corpus",
                "bucketing": "interpreteval",
                **_ZERO,
            },
        ),
        Profile(
            "ud2018",
            "the CoNLL 2018 evaluation in every analysis: punctuation counts, subtypes do not, "
            "undefined is 0",
            {"task": "dep", "punct": True, "subtypes": False, **_ZERO},
        ),
        Profile(
            "compareval",
            "ComparEval (Tuggener 2017) in every analysis: no punctuation, subtypes kept; changes "
            "of mentions by their first nominal antecedent, among nouns and pronouns",
            {"task": "dep", "punct": False, "subtypes": True},
            # Its script for changes departs from the paper; its upper bound does not.
            {
                "changes": {
                    "antecedent": "first",
                    "cataphors": False,
                    "pronouns": ("PRP", "PRP$"),
                }
            },
        ),
        Profile(
            "corefud",
            "the CorefUD scorer (CRAC shared tasks since 2023): mentions matched by their heads, "
            "empty nodes by their dependencies, chains of one mention left out before; undefined "
            "is 0",
            {
                "task": "coref",
                "mention_match": "head",
                "zero_match": "dependent",
                "min_mentions": 2,
                **_ZERO,
            },
            # BLANC is the mean over links and non-links if either side has any of them.
            {"score": {"blanc": "either"}},
        ),
        Profile(
            "sacrebleu",
            "sacreBLEU's paired bootstrap, as Moses had it: p of differences without their signs",
            {"task": "text"},
            {"compare": {"differences": "unsigned"}},
        ),
        Profile(
            "hipe-fuzzy",
            "hipe-strict by another name: coleval errors has micro strict, and micro fuzzy, where "
            "an overlap with the right label is right",
            _HIPE,
        ),
    )
}


def profile_named(name: str) -> Profile:
    """Return a profile by its name; raise with near misses."""
    if name not in PROFILES:
        raise unknown("profile", name, PROFILES, where="--profile")
    return PROFILES[name]


def habits_of(profile: str, analysis: str) -> Mapping[str, Any]:
    """Return the options that a profile has in one analysis alone; none without a profile."""
    return PROFILES[profile].alone.get(analysis, {}) if profile in PROFILES else {}
