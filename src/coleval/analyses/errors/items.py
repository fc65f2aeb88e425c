"""The errors themselves: both spans of each, where they stand, and the words around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import CHARACTER
from coleval.statistics.fair import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.errors.counts import Fates
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

_AROUND = 4
_CHARACTERS = ("char_start", "char_end", "fragments")


def error_items(corpus: Corpus, fates: Fates) -> pl.DataFrame:
    """Return a row an error, in reading order for each system.

    ``item`` and ``partner`` are numbers of the item table. In ``context``, which is there if
    there are words, gold's span stands in brackets and the system's in braces.
    """
    text = _ErrorText.of(corpus, fates.items) if "token" in corpus.units else None
    return pl.concat([_listed(fates, system, text) for system in fates.found])


def _listed(fates: Fates, system: str, text: _ErrorText | None) -> pl.DataFrame:
    items, found = fates.items, fates.found[system]
    row = np.flatnonzero(found.counts & fates.counted(found))
    row = row[np.lexsort((found.kind[row], found.item[row]))]
    item, side, partner = found.item[row], found.gold[row], found.partner[row]
    ours, theirs = np.where(side, item, partner), np.where(side, partner, item)
    place = [c for c in ("document", "sentence") if c in items.context.columns]
    return pl.DataFrame(
        [
            pl.Series("system", [system] * len(row), dtype=pl.String),
            pl.Series(KINDS).gather(pl.Series(found.kind[row] - 1)).rename("error"),
            *items.context[pl.Series(item)].select(place).get_columns(),
            *_side(items, items.gold, ours, "gold"),
            *_side(items, items.answers[system], theirs, "answer"),
            *([] if text is None else [text.around(ours, theirs)]),
            pl.Series("item", items.numbers[item].astype(np.int64)),
            _known(pl.Series(items.numbers.astype(np.int64)), partner, "partner"),
        ]
    )


def _side(
    items: Items, codes: NDArray[np.unsignedinteger], at: NDArray[np.int64], side: str
) -> list[pl.Series]:
    """Return the labels of one side's spans, where they begin and end, and any tokens."""
    label = pl.Series([None, *items.labels], dtype=pl.String)
    code = pl.Series(np.where(at >= 0, codes[at], 0).astype(np.int64))
    names = _CHARACTERS if items.unit == CHARACTER else ("start", "end", "tokens")
    place = [c for c in names if c in items.context.columns]
    columns = [_known(items.context[name], at, f"{side}_{name}") for name in place]
    return [label.gather(code).rename(side), *columns]


def _known(column: pl.Series, at: NDArray[np.int64], name: str) -> pl.Series:
    """Return the values of a column at some rows, null at -1."""
    if not len(column):
        return column.rename(name)
    values = column.gather(pl.Series(np.maximum(at, 0)))
    return pl.select(pl.when(pl.Series(at >= 0)).then(values)).to_series().rename(name)


@dataclass(frozen=True, slots=True)
class _ErrorText:
    """The words of the text and where each item's begin and end among them."""

    words: list[str]
    sentence: NDArray[np.integer]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, items: Items) -> _ErrorText:
        """Return the text of a corpus, with the place of items that are among its spans."""
        tokens, context = corpus.at("token"), items.context
        form, sentence = tokens.form(), tokens.context["sentence"].to_numpy()
        first = np.flatnonzero(np.diff(sentence.astype(np.int64), prepend=-1))
        here = first[context["sentence"].to_numpy()]
        start, end = (here + context[c].to_numpy().astype(np.int64) for c in ("start", "end"))
        words = [] if form is None else form.to_list()
        return cls(words, sentence, start, end)

    def around(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> pl.Series:
        """Return the words of each pair of spans, and some before and behind."""
        pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
        return pl.Series("context", [self._around(*pair) for pair in pairs], dtype=pl.String)

    def _around(self, gold: int, answer: int) -> str:
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        for at, (left, right) in ((gold, "[]"), (answer, "{}")):
            if at >= 0:
                begin, end = int(self.begin[at]), int(self.end[at])
                opened[begin] = opened.get(begin, "") + left
                closed[end - 1] = right + closed.get(end - 1, "")
        low, high = self._window(min(opened), max(closed))
        return " ".join(
            f"{opened.get(at, '')}{self.words[at]}{closed.get(at, '')}" for at in range(low, high)
        )

    def _window(self, first: int, last: int) -> tuple[int, int]:
        """Return the words to show: a few on both sides, all of the same sentences."""
        low, high = first, last + 1
        while low > max(0, first - _AROUND) and self.sentence[low - 1] == self.sentence[first]:
            low -= 1
        while high < min(len(self.words), last + 1 + _AROUND):
            if self.sentence[high] != self.sentence[last]:
                break
            high += 1
        return low, high
