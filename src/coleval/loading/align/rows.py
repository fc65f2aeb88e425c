"""One table for words that not everybody has: gold's, and behind those of each sentence the others.

A word that only systems have is one row for all that have it in the same place. Gold's words
keep their places in their sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import NOT_IN_GOLD
from coleval.late_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.loading.align.model import Alignment
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
    order: Numbers
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
    gold: TokenFile, systems: Mapping[str, tuple[TokenFile, Alignment]]
) -> JoinedRows | None:
    """Return the rows, None if all systems have just gold's words."""
    own = {n: (f, a) for n, (f, a) in systems.items() if a.match is not None}
    if not own:
        return None
    # Systems of one tool have the same words, and share what was found of them.
    first: dict[int, str] = {}
    for name, (_, found) in own.items():
        first.setdefault(id(found.match), name)
    every = pl.concat(_alone(name, *own[name]) for name in first.values())
    extra = every.unique(_SAME, keep="first", maintain_order=True).sort(_SAME)
    numbered = extra.with_columns(extra=pl.int_range(pl.len()))
    row_of_gold, row_of_extra, order = _interleaved(gold.sentence, extra["sentence"].to_numpy())
    known = every.join(
        numbered.select(*_SAME, "extra"), on=_SAME, how="left", maintain_order="left"
    )
    words: dict[str, tuple[NDArray[np.integer], ...]] = {}
    kind = np.int32 if len(order) < np.iinfo(np.int32).max else np.int64
    for name, (_, found) in own.items():
        assert found.match is not None  # noqa: S101  - own has no others
        if first[id(found.match)] != name:
            words[name] = words[first[id(found.match)]]
            continue
        here = known.filter(pl.col("system") == name)
        row = row_of_extra[here["extra"].to_numpy()].astype(kind)
        words[name] = found.match, here["word"].to_numpy(), row
    return JoinedRows(row_of_gold.astype(kind), words, order, extra.select("form", "sentence"))


def _alone(name: str, file: TokenFile, found: Alignment) -> pl.DataFrame:
    told = found.alone if found.alone is not None else alone(file, found)
    return told.with_columns(pl.lit(name).alias("system"))


def alone(file: TokenFile, found: Alignment) -> pl.DataFrame:
    """Return the words of a system that gold does not have, and where they stand."""
    assert found.match is not None  # noqa: S101  - callers have looked
    assert found.home is not None  # noqa: S101
    assert found.characters is not None  # noqa: S101
    word = np.flatnonzero(found.match < 0)
    place = {
        "sentence": found.home[word].astype(np.int64),
        "start": found.characters.start[word].astype(np.int64),
        "end": found.characters.end[word].astype(np.int64),
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
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the rows of gold's words and of the others, and who stands in each row."""
    gold = np.arange(len(sentence)) + np.searchsorted(extra, sentence)
    others = np.arange(len(extra)) + np.searchsorted(sentence, extra, side="right")
    order = np.empty(len(gold) + len(others), np.int64)
    order[gold] = np.arange(len(gold))
    order[others] = len(gold) + np.arange(len(others))
    return gold, others, order
