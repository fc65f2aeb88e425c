"""Which items are shown: hard ones, those on which two systems differ, doubts, kinds of errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.analyses.errors.counts import fates
from coleval.analyses.errors.spec import OUTCOMES
from coleval.analyses.examples.answering import CLASSES
from coleval.analyses.registry import ANALYSES
from coleval.annotate.difficulty import difficulty
from coleval.corpus.coding import decoded
from coleval.errors import ColevalError
from coleval.statistics.fair import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus

    Rows = NDArray[np.intp]

# Of very many items that are equally hard, so many are looked at.
_LOOKED_AT = 20_000
# So many times the items that are shown are looked at for different labels.
_AHEAD = 20
# Confusions of labels that count as kinds of errors.
_CONFUSIONS = 4


@dataclass(frozen=True, slots=True)
class Example:
    """The row of an item, why it is shown, and what of it is."""

    row: int
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What examples are chosen by: the items, how many systems solve each, two systems."""

    corpus: Corpus
    known: Judged
    solved: NDArray[np.int64]
    pair: tuple[str, ...]
    limit: int

    def gold(self) -> NDArray[np.bool_]:
        """Return where gold has an answer."""
        return self.known.items.gold != 0

    def right(self, system: str) -> NDArray[np.bool_]:
        """Return where a system's answer equals gold's."""
        return self.known.items.answers[system] == self.known.items.gold


def solved_by(known: Judged) -> NDArray[np.int64]:
    """Return how many systems solve each item, -1 where gold has no answer."""
    return difficulty(known.items).cast(int).fill_null(-1).to_numpy()


def chosen(choice: Choice) -> list[Example]:
    """Return the examples, each kind's first ones first."""
    parts = (_hardest(choice), _differing(choice), _suspects(choice), _errors(choice))
    return [example for part in parts for example in part]


def _hardest(choice: Choice) -> Iterator[Example]:
    """Yield items that fewest systems solve, first those on whose wrong answer most agree."""
    least = choice.solved[choice.gold()].min(initial=len(choice.known.systems))
    if least == len(choice.known.systems):
        return
    rows = np.flatnonzero(choice.gold() & (choice.solved == least))[:_LOOKED_AT]
    order = np.argsort(-_agreeing(choice, rows), kind="stable")
    about = "no system solves it" if least == 0 else f"{least} of {len(choice.known.systems)} do"
    for row in _varied(choice, rows[order], choice.limit):
        yield Example(row, "hardest", about)


def _agreeing(choice: Choice, rows: Rows) -> NDArray[np.int64]:
    """Return how many systems give the wrong answer that most give, no label left out."""
    items = choice.known.items
    given = np.stack([np.asarray(items.answers[name][rows]) for name in items.systems])
    wrong = (given != items.gold[rows]) & (given != 0)
    same = [((given == own) & wrong).sum(axis=0) for own in given]
    return np.max([np.where(wrong[k], same[k], 0) for k in range(len(given))], axis=0)


def _differing(choice: Choice) -> Iterator[Example]:
    """Yield items that one of two systems solves, first those that most others solve too."""
    if len(choice.pair) < 2:
        return
    for one, other in (choice.pair, choice.pair[::-1]):
        rows = np.flatnonzero(choice.gold() & choice.right(one) & ~choice.right(other))
        order = np.argsort(-choice.solved[rows], kind="stable")
        for row in _varied(choice, rows[order], -(-choice.limit // 2)):
            yield Example(row, "differ", f"{one} is right, {other} is not")


def _suspects(choice: Choice) -> Iterator[Example]:
    """Yield places where systems agree against gold."""
    from coleval.analyses.audit.found import audited
    from coleval.analyses.audit.spec import KINDS as DOUBTS

    if len(choice.known.systems) < 2:
        return
    try:
        listed = audited(choice.corpus, ANALYSES["audit"].chosen({})).listed.frame
    except ColevalError:
        # Of a task whose systems have no labels that they could agree on.
        return
    for row, kind in listed.head(choice.limit).select("item", "kind").iter_rows():
        yield Example(int(row), "suspect", DOUBTS[kind])


def _errors(choice: Choice) -> Iterator[Example]:
    """Yield errors of the first system, some of each kind."""
    few = -(-choice.limit // 2)
    system = choice.pair[0]
    kinds = _kinds_of_spans(choice) if choice.known.items.of_spans else _confusions(choice)
    for name, rows in kinds:
        for row in _varied(choice, rows, few):
            yield Example(row, "error", f"{system}: {name}")


def _kinds_of_spans(choice: Choice) -> Iterator[tuple[str, Rows]]:
    try:
        known = fates(choice.corpus)
        found = known.found[choice.pair[0]]
    except ColevalError:
        # Strings without places have no boundaries.
        return
    numbers = known.items.numbers[found.item].astype(np.int64)
    own = choice.known.items.numbers.astype(np.int64)
    for code, kind in enumerate(KINDS, start=1):
        if kind == "tp":
            continue
        there = numbers[(found.kind == code) & found.counts]
        place = np.searchsorted(own, there)
        inside = place < len(own)
        place, there = place[inside], there[inside]
        yield OUTCOMES[kind], place[own[place] == there]


def _confusions(choice: Choice) -> Iterator[tuple[str, Rows]]:
    """Yield the commonest pairs of gold's label and another answer, as tables show them."""
    shown, system = choice.known.shown, choice.pair[0]
    wrong = np.flatnonzero(~choice.right(system))
    pairs = np.stack([shown.gold[wrong], shown.answers[system][wrong]]).astype(np.int64)
    kinds, place, n = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    for k in np.argsort(-n, kind="stable")[:_CONFUSIONS]:
        labels = decoded(kinds[:, k].astype(shown.gold.dtype), shown.labels, "pair").to_list()
        gold, answer = ("no label" if label is None else str(label) for label in labels)
        if choice.corpus.task_kind.mentions:
            yield CLASSES.get(answer, answer), wrong[place.reshape(-1) == k]
        elif gold != answer:
            yield f"{gold} → {answer}", wrong[place.reshape(-1) == k]


def _varied(choice: Choice, rows: Sequence[int] | Rows, limit: int) -> list[int]:
    """Return the first items, of one label and one form only one before the next label's."""
    items = choice.known.items
    first = np.asarray(rows[: _AHEAD * limit], np.intp)
    form = items.where(first).form() if items.has_form else None
    words = [None] * len(first) if form is None else [str(word).lower() for word in form]
    turns: dict[int, list[int]] = {}
    seen: set[tuple[int, object]] = set()
    for row, word in zip(first.tolist(), words, strict=True):
        label = int(choice.known.shown.gold[row])
        if word is None or (label, word) not in seen:
            seen.add((label, word))
            turns.setdefault(label, []).append(row)
    order = sorted((k, at, row) for at, own in enumerate(turns.values())
                   for k, row in enumerate(own))  # fmt: skip
    return [row for _, _, row in order[:limit]]
