"""What an option needs to have an effect; one that would have none is an error that says why.

Options name their ``needs`` and the options that they go ``only_with`` where they are declared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coleval.corpus.items import CHARACTER, SPANS, STRING
from coleval.corpus.options import OF_STRUCTURES
from coleval.corpus.statuses import has_statuses
from coleval.declare.counting import CHAIN_METRICS
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.declare.options import Option

_MEAN = re.compile(r"\bmean_score\b")
_DIFFICULTY = re.compile(r"\b(?:difficulty|spurious|outcome_\w+)\b")


@dataclass(frozen=True, slots=True)
class Call:
    """A command (the empty name: any that is yet to come) on a corpus, with all of its options."""

    command: str
    corpus: Corpus
    options: Mapping[str, Any]

    def is_one_of(self, commands: str) -> bool:
        """Return whether the command is among some, or may yet be any of them."""
        return not self.command or self.command in commands.split()

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Return whether an option has an expression that names some column."""
        return any(pattern.search(str(value)) for value in (*self.options.values(),
                                                            self.corpus.scoring.where))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Need:
    """Whether an option has an effect in a call, and why it has none where it has not."""

    holds: Callable[[Call], bool]
    reason: str


def _has_tags(call: Call) -> bool:
    """Return whether spans are those of tags, which may break their scheme."""
    return call.corpus.gold.repairs is not None


def _has_words(call: Call) -> bool:
    corpus = call.corpus
    return corpus.text_unit is not None or corpus.task_kind.trees or CHARACTER in corpus.units


def _of_names(call: Call) -> bool:
    corpus = call.corpus
    every = {*corpus.systems, *(label for items in corpus.units.values() for label in items.labels)}
    # Tags of spans have become the kinds of these.
    return bool(every & set(corpus.reading.names)) or corpus.task_kind.spans_of_tags


def _of_functional(call: Call) -> bool:
    metric = call.options.get("metric") or call.corpus.scoring.metric
    trees = call.corpus.task_kind.trees
    return trees and (call.is_one_of("score report sql") or metric in ("clas", "mlas", "blex"))


def _of_macro(call: Call) -> bool:
    macro = call.is_one_of("score report") or "macro" in str(call.options.get("metric"))
    return macro and call.corpus.task_kind.own_labels


def _of_labels(call: Call) -> bool:
    kind, metric = call.corpus.task_kind, call.options.get("metric")
    if kind.mentions:
        # Scores of chains have no labels.
        chains = call.command == "compare" and (not metric or metric in CHAIN_METRICS)
        return call.command != "score" and not chains
    return kind.own_labels or kind.trees


def _of_units(call: Call) -> bool:
    if call.command == "errors":
        return call.corpus.scoring.unit in (None, *SPANS)
    if call.command == "score" and call.corpus.task_kind.mentions:
        return bool(call.options.get("leaderboard"))
    return True


def _of_ratios(call: Call) -> bool:
    if call.corpus.task_kind.numeric and call.options.get("above") is None:
        return call.is_one_of("score compare report buckets")
    if call.command in ("measure", "pivot") and not _of_labels(call):
        # Of right and wrong alone there are ratios only where these ask for some.
        return any(call.options.get(name) for name in ("minimal_pairs", "rank", "scores"))
    return call.is_one_of(
        "bins buckets changes compare errors measure oracle pivot report score sql"
    )


def _of_difficulty(call: Call) -> bool:
    if call.corpus.task_kind.numeric and call.options.get("above") is None:
        # What the means of items are of.
        means = str(call.options.get("value")).startswith("mean")
        return means or call.is_one_of("bins show sql") or call.mentions(_MEAN)
    return call.is_one_of("bins show examples pivot sql report") or call.mentions(_DIFFICULTY)


def _of_ranks(call: Call) -> bool:
    """Return whether a task has several scores that systems may be ranked by."""
    kind = call.corpus.task_kind
    return bool(kind.metrics) or kind.numeric


def _of_scores(call: Call) -> bool:
    """Return whether answers are numbers, or were before they were cut into right and wrong."""
    return _are_numbers(call) or call.corpus.scoring.above is not None


def _are_numbers(call: Call) -> bool:
    """Return whether answers are numbers, or texts, whose scores are some."""
    kind = call.corpus.task_kind
    return kind.numeric or (kind.texts and not call.is_one_of("score compare"))


# What may be needed, by the name that declarations have for it.
NEEDS: Mapping[str, Need] = {
    "trees": Need(lambda c: c.corpus.task_kind.trees, "is for dependency trees"),
    "metrics": Need(
        lambda c: _of_ranks(c) and not c.corpus.task_kind.mentions,
        "chooses among the metrics of dependency trees, of generated text, or of numbers",
    ),
    "chains": Need(lambda c: c.corpus.task_kind.mentions, "is for chains of coreference"),
    "scored chains": Need(
        lambda c: c.corpus.task_kind.mentions and c.is_one_of("score report sql"),
        "is for the scores of chains, which `score` and `report` have",
    ),
    "ranks": Need(
        lambda c: (
            _of_ranks(c) or (c.is_one_of("score") and c.options.get("metric") not in OF_STRUCTURES)
        ),
        "chooses among the scores of dependency trees, coreference, generated text or numbers",
    ),
    "function words": Need(
        _of_functional, "is for scores of content words: score, or --metric clas, mlas, blex"
    ),
    "labels": Need(_of_labels, "is for answers that have labels, and nothing here counts any"),
    "macro": Need(_of_macro, "is for the macro averages of labels, which `score` has"),
    "units": Need(_of_units, "chooses among units, and this command has the same for all"),
    "ratios": Need(
        _of_ratios,
        "is the value of 0/0 in precision, recall, F1 and accuracy, and there are none here",
    ),
    "difficulty": Need(
        _of_difficulty, "is for the difficulty of items, which nothing here asks for"
    ),
    "cluster": Need(
        lambda c: c.options.get("engine") == "spark", "is for counting on a cluster: --engine spark"
    ),
    "tags": Need(_has_tags, "is for spans that are tags of tokens"),
    "own labels": Need(lambda c: c.corpus.task_kind.own_labels, "is for labels of one's own"),
    "spans": Need(lambda c: c.corpus.task_kind.spans_of_tags, "is for spans"),
    "words": Need(_has_words, "is for texts whose words are read"),
    "numbers": Need(
        lambda c: _of_scores(c) and c.command not in ("show", "sql"),
        "is for scores that are numbers, where they are compared",
    ),
    "only numbers": Need(
        lambda c: _are_numbers(c) and c.options.get("above") is None,
        "is for scores that are numbers",
    ),
    "label sets": Need(lambda c: c.corpus.task_kind.label_sets, "is for instances with labels"),
    "tables": Need(lambda c: c.corpus.task_kind.of_tables, "is for instances with ids or labels"),
    "statuses": Need(lambda c: has_statuses(c.corpus), "is for logs, and for columns of statuses"),
    "names": Need(_of_names, "names labels that are numbers, and systems without a header"),
    "word sets": Need(
        lambda c: any(entry.overlap is not None for entry in c.corpus.entries),
        "is for mentions that are sets of words, as CorefUD has them",
    ),
    "texts": Need(lambda c: c.corpus.task_kind.texts, "is for generated text"),
    "offsets": Need(
        lambda c: CHARACTER in c.corpus.units, "is for spans that files place by characters"
    ),
    "lists": Need(
        lambda c: STRING in c.corpus.units or any(e.places for e in c.corpus.entries),
        "is for lists of entities",
    ),
}


def check_not_of_numbers(call: Call, declared: Mapping[str, Option], names: Iterable[str]) -> None:
    """Raise for the first option given that is for right and wrong, where answers are numbers."""
    for name in names:
        value = call.options.get(name)
        if value and not _is_default(value, declared[name].default):
            reason = "it is for answers that are right or wrong (task score)"
            raise _no_effect(declared[name], reason, "--above X counts scores as right and wrong")


def check_effects(
    call: Call,
    declared: Mapping[str, Option],
    given: Mapping[str, Any],
    free: Collection[str] = (),
) -> None:
    """Raise for the first option given that has no effect; settings in a file are ``free``."""
    for name, value in given.items():
        option = declared.get(name)
        if option is None or name in free or _is_default(value, option.default):
            continue
        for need in option.about.needs:
            if not NEEDS[need].holds(call):
                task = f" (task {call.corpus.task})"
                raise _no_effect(option, f"it {NEEDS[need].reason}{task}", "leave it out")
        others = [declared[other] for other in option.about.only_with if other in declared]
        if others and all(_is_default(call.options.get(o.name), o.default) for o in others):
            flags = " or ".join(other.flag for other in others)
            raise _no_effect(option, f"it goes with {flags}", f"add {flags}, or leave it out")


def _is_default(value: Any, default: Any) -> bool:
    return value is None or value is default or (type(value) is type(default) and value == default)


def _no_effect(option: Option, reason: str, remedy: str) -> UsageError:
    return UsageError(f"has no effect: {reason}", where=option.flag, remedy=remedy)
