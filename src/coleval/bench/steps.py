"""The registry of what is timed: each step with what it is given and what it does with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus

REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: how the corpus is opened, and how it is read, None where no text is."""

    opened: Callable[[], Corpus]
    read: Callable[[], Corpus] | None = None

    def items(self) -> Corpus:
        """Return the corpus as nobody has worked on it yet, but with all its columns read."""
        return touched(self.opened())


@dataclass(frozen=True, slots=True)
class Step:
    """A step: ``run`` is timed on what ``prepare`` gives; ``text`` steps begin with files."""

    name: str
    about: str
    run: Callable[[Any], object]
    prepare: Callable[[Subject], Any] = Subject.items
    text: bool = False


def touched(corpus: Corpus) -> Corpus:
    """Return a corpus whose items of every unit are there, gold and all answers."""
    for unit in corpus.units:
        items = corpus.at(unit)
        for codes in (items.gold, *items.answers.values()):
            codes.any()
    return corpus


def _itself(subject: Subject) -> Subject:
    return subject


def _reading(subject: Subject) -> object:
    return touched(subject.read()) if subject.read else None


def _told(subject: Subject) -> object:
    return subject.read().report() if subject.read else None


STEPS = {
    step.name: step
    for step in (
        Step("reading", "files to items, tokens and sentences checked", _reading, _itself, True),
        Step("score", "precision, recall, F1 of all systems and labels", lambda c: c.score()),
        Step("bins", "difficulty of every item", lambda c: c.bins()),
        Step("confusion", "confusion of labels, all systems", lambda c: c.confusion()),
        Step("all pairs", "every change between any two systems", lambda c: c.changes()),
        Step("oracle", "upper bounds, ladder, votes", lambda c: c.oracle()),
        Step("errors", "fair span errors", lambda c: c.errors()),
        Step("buckets", "scores by attributes", lambda c: c.buckets()),
        Step("bootstrap", f"{REPLICATES:,} replicates, all pairs",
             lambda c: c.compare(replicates=REPLICATES)),
        Step("report from text", "all of it, files to tables", _told, _itself, True),
        Step("report from store", "all of it, store to tables",
             lambda s: s.opened().report(), _itself),
    )
}  # fmt: skip
