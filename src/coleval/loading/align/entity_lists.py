"""A system's lists of entities put on gold's texts: spans with places, and what became of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import Memo
from coleval.loading.align.listed_records import Paired, TextStretches, paired
from coleval.loading.align.placing import (
    ABSENT,
    ALL,
    EMPTY,
    EXACT,
    INSIDE,
    STATUSES,
    Listed,
    Occurrences,
    occurrences,
    placed,
)
from coleval.loading.readers.json_records import no_garbage
from coleval.loading.readers.model import OffsetFile

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from coleval.loading.readers.model import EntityFile

    Numbers = NDArray[np.int64]

UNKNOWN = "unknown label"
# An entity without a label has one all the same, which gold never has.
UNLABELLED = "(no label)"


@dataclass
class ListedGold:
    """Gold as what lists are put on: its texts, its spans, and the labels that it has."""

    file: OffsetFile
    fold_labels: bool = False
    fold_case: bool = False
    units: dict[str, TextStretches] = field(default_factory=dict)
    _spans: Memo = field(default_factory=Memo)

    def compared(self, labels: pl.Series) -> list[str]:
        """Return labels as they are compared."""
        texts: list[str] = labels.str.strip_chars().to_list()
        return [text.casefold() for text in texts] if self.fold_labels else texts

    @cached_property
    def labels(self) -> frozenset[str]:
        """Return gold's labels."""
        return frozenset(self.compared(self.file.label.unique()))

    def spans(self, units: TextStretches) -> list[set[tuple[int, int, str]]]:
        """Return gold's spans by the stretches of its texts; they are the same for all systems."""
        return self._spans.get(id(units), lambda: units.spans(self.compared(self.file.label)))


@dataclass(frozen=True)
class FoundLists:
    """The lists of a system with all occurrences of their strings, to be placed by any policy.

    Strings are looked for without the white space around them.
    """

    gold: ListedGold
    lists: EntityFile
    paired: Paired
    records: list[Listed]
    occurrences: list[Occurrences]

    def placed(self, policy: str) -> OffsetFile:
        """Return the spans of the entries that are in the text, under a policy."""
        with no_garbage():
            found = placed(self.records, self.occurrences, policy)
        lists, gold, units = self.lists, self.gold.file, self.paired.units
        record = lists.record[found.entry]
        unit = self.paired.unit[record]
        return OffsetFile(
            path=lists.path,
            texts=gold.texts,
            ids=gold.ids,
            line=np.ones(len(gold.texts), np.uint32),
            document=units.document[unit],
            start=found.start + units.first[unit],
            end=found.end + units.first[unit],
            label=self.label.gather(found.entry),
            span_line=lists.line[record],
        )

    @property
    def label(self) -> pl.Series:
        """Return the labels of entries, one for those without any too."""
        return labels_of(self.lists)

    @property
    def unit(self) -> Numbers:
        """Return the stretch of gold's texts that each entry is about."""
        return self.paired.unit[self.lists.record]

    def nowhere(self) -> Numbers:
        """Return the entries whose strings are not in the text, or only inside of words."""
        how = np.array([how for found in self.occurrences for how in found.how], np.uint8)
        return np.flatnonzero((how == INSIDE) | (how == ABSENT))

    def places(self) -> dict[str, int]:
        """Return how many entries have each status; no policy changes that.

        How many are placed is there even of a list that has none.
        """
        status = placed(self.records, self.occurrences, ALL).status
        labels = self.gold.compared(self.lists.label)
        new = np.array([label not in self.gold.labels for label in labels], np.bool_)
        new &= status != EMPTY
        n = np.bincount(status[~new], minlength=len(STATUSES)).tolist()
        counts = {**dict(zip(STATUSES, n, strict=True)), UNKNOWN: int(new.sum())}
        return {name: k for name, k in counts.items() if k or name == STATUSES[EXACT]}


def labels_of(lists: EntityFile) -> pl.Series:
    """Return the labels of entries, one for those without any too."""
    return lists.label.str.strip_chars().replace("", UNLABELLED)


def found_lists(gold: ListedGold, lists: EntityFile) -> FoundLists:
    """Return a system's lists with the occurrences of their strings in gold's texts."""
    pairs = paired(gold.file, lists, gold.units)
    with no_garbage():
        records = _records(gold, lists, pairs)
        found = [occurrences(listed, fold=gold.fold_case) for listed in records]
    return FoundLists(gold, lists, pairs, records, found)


def _records(gold: ListedGold, lists: EntityFile, pairs: Paired) -> list[Listed]:
    texts, spans = pairs.units.texts, gold.spans(pairs.units)
    strings = [string.strip() for string in lists.string.to_list()]
    labels = gold.compared(lists.label)
    edges = np.searchsorted(lists.record, np.arange(lists.records + 1)).tolist()
    return [
        Listed(texts[unit], strings[low:high], labels[low:high], spans[unit])
        for unit, low, high in zip(pairs.unit.tolist(), edges, edges[1:], strict=False)
    ]
