"""``examples``: items in their sentences, with what gold has and who says what."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.contexts import PLACE
from coleval.analyses.errors.counts import fates
from coleval.analyses.errors.spec import OUTCOMES
from coleval.analyses.judging import judged
from coleval.analyses.registry import ANALYSES
from coleval.annotate.difficulty import difficulty
from coleval.annotate.text import after, before, text_of
from coleval.corpus.coding import decoded
from coleval.errors import ColevalError, unknown
from coleval.statistics.fair import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.examples.spec import Options
    from coleval.analyses.judging import Judged
    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Rows = NDArray[np.intp]

# Words that are shown on either side of an item.
WORDS = 12
_ANSWERS: dict[str, Any] = {
    "rank": pl.Int64, "answer": pl.String, "right": pl.Boolean, "n": pl.Int64,
    "systems": pl.List(pl.String),
}  # fmt: skip


def examples(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return the tables ``examples`` and ``answers``."""
    known = judged(corpus)
    solved = solved_by(known)
    choice = Choice(corpus, known, solved, _pair(known, options), options.limit)
    found = chosen(choice)
    rows, classes = [example.row for example in found], corpus.task_kind.mentions
    answering = Answering(known, rows, beyond=_beyond(corpus), classes=classes)
    return {
        "examples": _placed(corpus, choice, found, answering),
        "answers": pl.DataFrame(
            [
                (rank, answer.text, answer.right, len(answer.systems), answer.systems)
                for rank, _ in enumerate(found, start=1)
                for answer in answering.of(rank - 1)
            ],
            schema=_ANSWERS,
            orient="row",
        ),
    }


def _beyond(corpus: Corpus) -> str:
    """Return what may be wrong where the label is right."""
    return "another head" if corpus.task_kind.trees else ""


def _pair(known: Judged, options: Options) -> tuple[str, ...]:
    """Return the two systems that are compared: those named, else those that solve most."""
    systems = known.systems
    if options.pair:
        for name in options.pair[0]:
            if name not in systems:
                raise unknown("system", name, systems, where="--pair")
        return tuple(options.pair[0])
    gold = known.items.gold
    right = {s: int(((known.items.answers[s] == gold) & (gold != 0)).sum()) for s in systems}
    return tuple(sorted(systems, key=lambda name: -right[name])[:2])


def _placed(
    corpus: Corpus, choice: Choice, found: list[Example], answering: Answering
) -> pl.DataFrame:
    """Return where each item is, the words around it, gold's answer, and how many solve it."""
    rows = np.array([example.row for example in found], np.intp)
    items = choice.known.items.where(rows)
    solved = choice.solved[rows]
    there = [items.context[name] for name in PLACE if name in items.context.columns]
    return pl.DataFrame([
        pl.Series("rank", np.arange(1, len(rows) + 1, dtype=np.int64)),
        pl.Series("kind", [example.kind for example in found], dtype=pl.String),
        pl.Series("about", [example.about for example in found], dtype=pl.String),
        pl.Series("item", items.numbers.astype(np.int64)),
        *there,
        *_sides(corpus, items),
        pl.Series("gold", answering.gold, dtype=pl.String),
        pl.Series("difficulty", [None if n < 0 else int(n) for n in solved], dtype=pl.Int64),
        pl.Series("of", np.full(len(rows), len(choice.known.systems), np.int64)),
    ])  # fmt: skip


def _sides(corpus: Corpus, items: Items) -> list[pl.Series]:
    """Return the words before each item, the item, the words behind it, where there is text."""
    form = items.form() if items.has_form else None
    named = items.context["id"] if form is None and "id" in items.context.columns else form
    if named is None:
        named = pl.Series("form", [None] * len(items), dtype=pl.String)
    own = [named.cast(pl.String).rename("form")]
    placed = {"position", "end"} & set(items.context.columns)
    text = text_of(corpus) if placed and "sentence" in items.context.columns else None
    if text is None or not len(items):
        return own
    left, right = before(items, text, WORDS), after(items, text, WORDS)
    return [left.rename("left"), *own, right.rename("right")]


NO_LABEL = "–"
# Mentions have classes for labels.
_GOLD = {"tp": "an antecedent", "tn": "no antecedent", NO_LABEL: "no mention"}
CLASSES = {"tp": "resolved", "fp": "spurious", "fn": "missed", "wl": "wrong link",
           "tn": "no antecedent"}  # fmt: skip
# What an answer has in the place of a span: so many spans, each on words of so many cells. Whole
# sentences in each other would fill a page with each answer.
_SPANS, _CELLS = 6, 120


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, whether it is gold's, and the systems that give it."""

    text: str
    right: bool
    systems: tuple[str, ...]


class Answering:
    """The answers to some items, worked out once for all of them.

    ``beyond`` is what of an answer may be wrong where its label is gold's, such as a head; labels
    may be ``classes`` of mentions.
    """

    def __init__(
        self, known: Judged, rows: Sequence[int], *, beyond: str = "", classes: bool = False
    ) -> None:
        """Find what gold and each system have at these items."""
        self.known, self.rows, self.beyond = known, np.asarray(rows, np.intp), beyond
        own, wanted = known.items, known.items.gold[self.rows]
        self._right = {name: codes[self.rows] == wanted for name, codes in own.answers.items()}
        near = _neighbours(known.items, self.rows)
        words = _SlotTexts(known.shown, near, self.rows)
        self.gold = words.of(known.shown.gold)
        self._said = {name: words.of(codes) for name, codes in known.shown.answers.items()}
        self._apart = {name: words.apart(codes) for name, codes in known.shown.answers.items()}
        if classes:
            self._said = {name: [CLASSES.get(text, text) for text in said]
                          for name, said in self._said.items()}  # fmt: skip
            self.gold = [_GOLD.get(text, text) for text in self.gold]

    def of(self, at: int) -> list[Answer]:
        """Return the answers to one item, gold's first, then those of most systems."""
        groups: dict[tuple[str, bool, bytes], list[str]] = {}
        for name, said in self._said.items():
            right = bool(self._right[name][at])
            text = said[at]
            if self.beyond and not right and text == self.gold[at]:
                text = f"{text}, {self.beyond}"
            groups.setdefault((text, right, self._apart[name][at]), []).append(name)
        answers = [Answer(text, right, tuple(who)) for (text, right, _), who in groups.items()]
        return sorted(answers, key=lambda one: (not one.right, -len(one.systems), one.text))


def _neighbours(items: Items, rows: NDArray[np.intp]) -> list[NDArray[np.intp]] | None:
    """Return the spans that overlap each of ``rows``, where items are spans in sentences."""
    if not (items.of_spans and {"sentence", "start", "end"} <= set(items.context.columns)):
        return None
    sentence, start, end = (items.context[c].to_numpy() for c in ("sentence", "start", "end"))
    near = np.flatnonzero(np.isin(sentence, sentence[rows]))
    same, low, high = sentence[near], start[near], end[near]
    return [
        near[(same == sentence[row]) & (low < end[row]) & (high > start[row])]
        for row in rows.tolist()
    ]


class _SlotTexts:
    """Answers as words: a label, or of spans each label with what it is on."""

    def __init__(
        self, shown: Items, near: list[NDArray[np.intp]] | None, rows: NDArray[np.intp]
    ) -> None:
        self.shown, self.near, self.rows = shown, near, rows
        # Texts of those that are named, not of tens of thousands in each other.
        slots = [] if near is None else list(zip(rows.tolist(), near, strict=True))
        layers = chain([shown.gold], shown.answers.values() if slots else ())
        named = {at for codes in layers for slot in slots for at in _named(codes, *slot)[0]}
        every = np.array(sorted(named), np.intp)
        form = shown.where(every).form() if near and shown.has_form else None
        texts = ["…"] * len(every) if form is None else form.cast(str).fill_null("").to_list()
        self.text = dict(zip(every.tolist(), texts, strict=True))

    def of(self, codes: Codes) -> list[str]:
        """Return the answers of a layer to all items."""
        if self.near is None:
            labels = decoded(np.asarray(codes[self.rows]), self.shown.labels, "answer")
            return [NO_LABEL if label is None else str(label) for label in labels]
        return [
            self._spans(codes, row, near)
            for row, near in zip(self.rows.tolist(), self.near, strict=True)
        ]

    def apart(self, codes: Codes) -> list[bytes]:
        """Return what tells answers apart whose words are left out in part; else nothing."""
        if self.near is None:
            return [b""] * len(self.rows)
        return [
            np.asarray(codes[near], np.uint32).tobytes()
            if len(near) > _SPANS or max(map(len, texts), default=0) > _CELLS // 2
            else b""
            for near in self.near
            for texts in [[self.text.get(at, "") for at in near.tolist()]]
        ]

    def _spans(self, codes: Codes, row: int, near: NDArray[np.intp]) -> str:
        """Return the labels on and over a span: only others say what they are on."""
        places, more = _named(codes, row, near)
        named = [
            label if at == row else f"{label} on “{_short(self.text[at])}”"
            for at in places
            for label in [self.shown.labels[int(codes[at]) - 1]]
        ]
        return ", ".join([*named, *([f"and {more:,} more"] if more else [])]) or NO_LABEL


def _short(text: str) -> str:
    if len(text) <= _CELLS // 2:
        return text
    from coleval.render.visible import shortened

    return shortened(text, _CELLS)


def _named(codes: Codes, row: int, near: NDArray[np.intp]) -> tuple[list[int], int]:
    """Return the spans of a layer over ``row`` that are named, and how many more there are.

    Of very many these are the span itself, if the layer has it, and the first.
    """
    there: list[int] = near[np.asarray(codes[near]) != 0].tolist()
    if len(there) <= _SPANS:
        return there, 0
    first = sorted(there, key=lambda at: at != row)[:_SPANS]
    return sorted(first), len(there) - _SPANS


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
    from coleval.analyses.audit.spec import KINDS as DOUBTS
    from coleval.analyses.audit.suspects import audited

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
