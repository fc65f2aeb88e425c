"""Who says what of an item; of spans, what each system has in their place, label and extent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.analyses.judging import Judged
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

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
