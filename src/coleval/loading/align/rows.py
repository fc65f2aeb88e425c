"""One table for words that not everybody has: gold's, and behind those of each sentence the others.

A word that only systems have is one row for all that have it in the same place. Gold's words
keep their places in their sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import NOT_IN_GOLD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.loading.align.position import Alignment
    from coleval.loading.readers.model import TokenFile

    Numbers = NDArray[np.int64]

_SAME = ("sentence", "start", "end", "again")


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The row of each gold word, and of each word of the systems that have tokens of their own.

    ``order`` has, for every row, its place among gold's words followed by the others, which are
    ``extra``: form and sentence. ``own`` has the gold word of each word of a layer, and those that
    gold has not with their rows.
    """

    gold: NDArray[np.integer]
    own: Mapping[str, tuple[NDArray[np.integer], ...]]
    order: NDArray[np.integer]
    extra: pl.DataFrame

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.order)

    def of(self, name: str) -> NDArray[np.integer]:
        """Return the row of each word of a layer; gold's, for those that have just those."""
        if name not in self.own:
            return self.gold
        match, alone, row = self.own[name]
        rows = self.gold[match]
        rows[alone] = row
        return rows

    def spread(
        self, codes: NDArray[np.unsignedinteger], at: NDArray[np.integer]
    ) -> NDArray[np.unsignedinteger]:
        """Return the codes of words that are in some rows by row, 0 for no word."""
        found = np.zeros(len(self), codes.dtype)
        found[at] = codes
        return found

    def table(self, gold: TokenFile) -> TokenFile:
        """Return gold with the other words in it, which have a form, a sentence and no more.

        Context column ``not_in_gold`` tells them.
        """
        sentence = np.concatenate([gold.sentence, self.extra["sentence"].to_numpy()])[self.order]
        document = gold.document
        if document is not None:
            first = np.searchsorted(gold.sentence, sentence)
            document = document[first]
        line = np.append(gold.line, np.zeros(len(self.extra), np.uint32))[self.order]
        return replace(
            gold,
            form=self._padded(gold.form, self.extra["form"]),
            sentence=sentence.astype(np.int32),
            line=line,
            columns={n: self._padded(c) for n, c in gold.columns.items()},
            document=document,
            context={n: self._padded(c) for n, c in gold.context.items()}
            | {NOT_IN_GOLD: pl.Series(NOT_IN_GOLD, self.order >= len(gold))},
            multiwords=None,
        )

    def _padded(self, column: pl.Series, more: pl.Series | None = None) -> pl.Series:
        none = pl.Series([None] * len(self.extra), dtype=column.dtype)
        rest = none if more is None else more.cast(column.dtype)
        return pl.concat([column, rest.rename(column.name)]).gather(pl.Series(self.order))


def rows_of(
    gold: TokenFile, systems: Mapping[str, tuple[NDArray[np.integer], pl.DataFrame]]
) -> JoinedRows | None:
    """Return the rows, None if all systems have just gold's words.

    Of those that have not there are the gold word of each of their words, -1 for none, and their
    ``words_beside``.
    """
    if not systems:
        return None
    tables = [beside for _, beside in systems.values()]
    numbers, chosen = _numbered([table.select(_SAME) for table in tables])
    extra = pl.concat(table.select("form", "sentence") for table in tables)[chosen]
    row_of_gold, row_of_extra, order = _interleaved(gold.sentence, extra["sentence"].to_numpy())
    own: dict[str, tuple[NDArray[np.integer], ...]] = {
        name: (match, beside["word"].to_numpy(), row_of_extra[number])
        for (name, (match, beside)), number in zip(systems.items(), numbers, strict=True)
    }
    return JoinedRows(row_of_gold, own, order, extra)


def _numbered(places: list[pl.DataFrame]) -> tuple[list[Numbers], Numbers]:
    """Return the number of each place among all that differ, in their order, and one of each."""
    columns = [np.concatenate([table[name].to_numpy() for table in places]) for name in _SAME]
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        sorted_ = column[order]
        fresh[1:] |= sorted_[1:] != sorted_[:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return np.split(number, np.cumsum([len(table) for table in places])[:-1]), order[fresh]


def words_beside(file: TokenFile, found: Alignment) -> pl.DataFrame:
    """Return the words of a system that gold does not have, and where they stand."""
    assert found.match is not None  # noqa: S101  - callers have looked
    assert found.home is not None  # noqa: S101
    assert found.characters is not None  # noqa: S101
    word = np.flatnonzero(found.match < 0)
    place = {
        "sentence": found.home[word],
        "start": found.characters.start[word],
        "end": found.characters.end[word],
    }
    form = file.form.gather(pl.Series(word))
    return pl.DataFrame({"word": word, **place, "form": form, "again": _again(*place.values())})


def _again(*places: NDArray[np.integer]) -> Numbers:
    """Return how many words there are before each in its own place; they follow each other."""
    at = np.arange(len(places[0]))
    other = np.zeros(len(at), np.bool_)
    for place in places:
        other[1:] |= place[1:] != place[:-1]
    return at - np.maximum.accumulate(np.where(other, at, 0))


def _interleaved(
    sentence: NDArray[np.integer], extra: NDArray[np.integer]
) -> tuple[NDArray[np.integer], ...]:
    """Return the rows of gold's words and of the others, and who stands in each row."""
    size = len(sentence) + len(extra)
    kind = np.int32 if size < np.iinfo(np.int32).max else np.int64
    gold: NDArray[np.integer] = np.arange(len(sentence), dtype=kind)
    gold += np.searchsorted(extra, sentence).astype(kind)
    others: NDArray[np.integer] = np.arange(len(extra), dtype=kind)
    others += np.searchsorted(sentence, extra, side="right").astype(kind)
    order: NDArray[np.integer] = np.empty(size, kind)
    order[gold] = np.arange(len(gold), dtype=kind)
    order[others] = np.arange(len(gold), size, dtype=kind)
    return gold, others, order
