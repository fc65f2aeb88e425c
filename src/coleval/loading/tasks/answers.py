"""Codes for answers of trees without a text for each word: most are a relation and a number.

There are a few thousand pairs of the two, however long the corpus. Only answers whose head is in
another sentence, or is no word of gold, are spelled one by one.
"""

from __future__ import annotations

from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.tree_answers import answer, answers
from coleval.late_classes import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Coder, Codes
    from coleval.loading.tasks.trees import ToldHeads

# A text without sentence breaks would make the table as long as itself.
_LONG = 1 << 12
_FEW = 1 << 12
_UNKNOWN = np.iinfo(np.uint32).max


@dataclass(slots=True)
class Answers:
    """What codes relations with heads; like ``coder``, which it fills, it only grows.

    ``table`` has a row a relation and a column a head, ``relations`` are spelled as in the files.
    """

    coder: Coder
    relations: list[str] = field(default_factory=list)
    table: NDArray[np.uint32] = field(default_factory=lambda: np.empty((0, 0), np.uint32))
    _lock: Lock = field(default_factory=Lock)

    def encode(self, relation: pl.Series, head: ToldHeads) -> Codes:
        """Return the codes of some words' answers, 0 for those without a head."""
        spelled = relation.fill_null("") if relation.null_count() else relation
        return self.coded(self._rows(spelled), head)

    def coded(self, row: NDArray[np.intp], head: ToldHeads) -> Codes:
        """Return the codes of answers whose relations are known by their places."""
        plain = head.plain & (head.number < _LONG)
        column = np.where(plain, head.number, 0)
        codes = self._looked_up(row, column)
        odd = np.flatnonzero(~plain)
        if len(odd):
            codes[odd] = self._by_text(row[odd], head, odd)
        if head.none is not None:
            codes[head.none] = 0
        return codes.astype(width(len(self.coder.labels)), copy=False)

    def _by_text(
        self, row: NDArray[np.intp], head: ToldHeads, at: NDArray[np.intp]
    ) -> Codes | list[int]:
        """Return the codes of some answers by their texts, of a few without a column of them."""
        relations = self.relations
        if len(at) > _FEW:
            column = pl.Series(relations, dtype=pl.String).gather(row)
            return self.coder.encode(answers(column, head.spelled(at)))
        told = zip(row.tolist(), head.texts(at), strict=True)
        return self.coder.codes_of([answer(relations[k], text) for k, text in told])

    def _rows(self, relation: pl.Series) -> NDArray[np.intp]:
        """Return the place of each relation among those known, which it is by now."""
        place = _places(relation, self.relations)
        if place is None or place.null_count():
            self._meet(relation.unique().sort().to_list())
            place = _places(relation, self.relations)
            assert place is not None  # noqa: S101  - there is one relation at least
        return place.to_numpy().astype(np.intp)

    def rows_of(self, relations: list[str]) -> list[int]:
        """Return the places of some relations among those known, which they are by now."""
        self._meet(relations)
        place = {relation: k for k, relation in enumerate(self.relations)}
        return [place[relation] for relation in relations]

    def _meet(self, relations: list[str]) -> None:
        with self._lock:
            known = set(self.relations)
            self.relations = [*self.relations, *(r for r in relations if r not in known)]

    def _looked_up(self, row: NDArray[np.intp], column: NDArray[np.integer]) -> Codes:
        size = len(self.relations), int(column.max(initial=0)) + 1
        table = self._grown(size)
        codes = table[row, column]
        if (unknown := np.flatnonzero(codes == _UNKNOWN)).size:
            self._learn(np.unique(row[unknown] * size[1] + column[unknown]), size[1])
            codes = self.table[row, column]
        return codes

    def _grown(self, size: tuple[int, int]) -> NDArray[np.uint32]:
        """Return the table with room for so many relations and heads at least."""
        with self._lock:
            old = self.table
            if old.shape[0] < size[0] or old.shape[1] < size[1]:
                shape = max(old.shape[0], size[0]), max(old.shape[1], size[1])
                table = np.full(shape, _UNKNOWN, np.uint32)
                table[: old.shape[0], : old.shape[1]] = old
                self.table = table
            return self.table

    def _learn(self, pairs: NDArray[np.integer], heads: int) -> None:
        """Fill in the codes of some pairs, a relation times ``heads`` plus a head."""
        relations = self.relations
        relation, head = np.divmod(pairs, heads)
        told = zip(relation.tolist(), head.tolist(), strict=True)
        with self._lock:
            codes = self.coder.codes_of([answer(relations[k], str(n)) for k, n in told])
            self.table[relation, head] = codes


def _places(relation: pl.Series, known: list[str]) -> pl.Series | None:
    """Return where each relation stands among others, null for new ones."""
    if not known:
        return None
    return relation.cast(pl.Enum(known), strict=False).to_physical()
