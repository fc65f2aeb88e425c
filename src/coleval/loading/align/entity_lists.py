"""A system's lists of entities put on gold's texts: spans with places, and what became of all.

Lists name the text they are about, a record of gold's or a sentence, by id, by the number of the
sentence, or have no ids and come in gold's order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.lazy import Memo
from coleval.corpus.problems import MISSING, Problem
from coleval.errors import DataError
from coleval.loading.align.ids import not_in_gold, places_in
from coleval.loading.align.placing import (
    ABSENT,
    ALL,
    EMPTY,
    EXACT,
    INSIDE,
    STATUSES,
    Listed,
    Occurrences,
    SearchedText,
    occurrences,
    placed,
)
from coleval.loading.readers.ids import listed
from coleval.loading.readers.json_records import no_garbage
from coleval.loading.readers.model import OffsetFile
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
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


_SHOWN = 30


@dataclass(frozen=True)
class TextStretches:
    """Stretches of gold's texts that lists are about: record, first code point and end of each.

    They are the sentences of gold's text, or its records as they are.
    """

    gold: OffsetFile
    document: NDArray[np.int32]
    first: NDArray[np.integer[Any]]
    end: NDArray[np.integer[Any]]
    of_sentences: bool = False

    def __len__(self) -> int:
        """Return the number of stretches."""
        return len(self.first)

    @classmethod
    def records(cls, gold: OffsetFile) -> TextStretches:
        """Return gold's records as they are."""
        size = gold.texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
        return cls(gold, np.arange(len(size), dtype=np.int32), np.zeros(len(size), np.int64), size)

    @classmethod
    def sentences(cls, gold: OffsetFile) -> TextStretches | None:
        """Return the sentences of gold's texts, None where they are not known."""
        words = gold.words
        if words is None or words.sentence is None:
            return None
        opens = np.flatnonzero(steps(words.sentence))
        closes = np.append(opens[1:], len(words.start)) - 1
        return cls(gold, words.document[opens], words.start[opens], words.end[closes],
                   of_sentences=True)  # fmt: skip

    @cached_property
    def texts(self) -> list[SearchedText]:
        """Return the text of each stretch, and where its tokens begin and end, if it has any."""
        whole = self.gold.texts.fill_null("").to_list()
        places = zip(self.document.tolist(), self.first.tolist(), self.end.tolist(), strict=True)
        marks = self._marks()
        if marks is None:
            return [SearchedText(whole[d][a:b]) for d, a, b in places]
        base, starts, ends = marks
        return [
            SearchedText(
                whole[d][a:b], starts[base[d] + a : base[d] + b + 1],
                ends[base[d] + a : base[d] + b + 1],
            )
            for d, a, b in places
        ]  # fmt: skip

    def _marks(self) -> tuple[list[int], bytes, bytes] | None:
        """Return where records begin, and a byte for each place that says what tokens do there."""
        words = self.gold.words
        if words is None:
            return None
        size = self.gold.texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64) + 1
        base = np.cumsum(size) - size
        starts, ends = (np.zeros(int(size.sum()) + 1, np.uint8) for _ in range(2))
        starts[base[words.document] + words.start] = 1
        ends[base[words.document] + words.end] = 1
        return base.tolist(), starts.tobytes(), ends.tobytes()

    def spans(self, labels: list[str]) -> list[set[tuple[int, int, str]]]:
        """Return gold's spans in each stretch, by their places in it; labels as they are given."""
        found: list[set[tuple[int, int, str]]] = [set() for _ in range(len(self))]
        gold, key = self.gold, self.document.astype(np.int64) << 40
        at = np.searchsorted(key + self.first, (gold.document.astype(np.int64) << 40) + gold.start,
                             side="right") - 1  # fmt: skip
        whole = np.ones(len(gold), np.bool_)
        if gold.fragments is not None:
            whole = gold.fragments.is_null().to_numpy()
        for row in np.flatnonzero(whole & (at >= 0)).tolist():
            unit, by = int(at[row]), int(self.first[at[row]])
            found[unit].add((int(gold.start[row]) - by, int(gold.end[row]) - by, labels[row]))
        return found


@dataclass(frozen=True, slots=True)
class Paired:
    """The stretch of gold's texts that each record is about, and what is missing."""

    units: TextStretches
    unit: Numbers
    absent: Problem | None


def paired(gold: OffsetFile, lists: EntityFile, known: dict[str, TextStretches]) -> Paired:
    """Return what each record is about; raise if that is not clear. ``known`` is kept for more."""
    records = known.setdefault("records", TextStretches.records(gold))
    if "sentences" not in known and (found := TextStretches.sentences(gold)) is not None:
        known["sentences"] = found
    sentences = known.get("sentences")
    units, unit = _in_order(lists, records, sentences) if lists.id is None else _by_id(
        lists, gold.ids, records, sentences
    )  # fmt: skip
    for record in lists.text.is_not_null().arg_true().to_list():
        check_text(lists, record, units.texts[int(unit[record])].text)
    return Paired(units, unit, _absent(lists, units, unit))


def _in_order(
    lists: EntityFile, records: TextStretches, sentences: TextStretches | None
) -> tuple[TextStretches, Numbers]:
    for units in (records, sentences):
        if units is not None and len(units) == lists.records:
            return units, np.arange(len(units))
    there = f"{len(records):,} texts"
    there += "" if sentences is None else f" of {len(sentences):,} sentences"
    raise DataError(
        f"has {lists.records:,} records without ids, and gold has {there} ({records.gold.path})",
        where=lists.path,
        remedy='give records ids, "id": 7: the numbers of sentences or the names of texts; or one '
        "record for each",
    )


def _by_id(
    lists: EntityFile,
    ids: pl.Series | None,
    records: TextStretches,
    sentences: TextStretches | None,
) -> tuple[TextStretches, Numbers]:
    """Return records where every id is the name of one, else what their numbers count."""
    assert lists.id is not None  # noqa: S101  - the caller has looked
    names = pl.Series([], dtype=pl.String) if ids is None else ids.cast(pl.String)
    new = (~lists.id.is_in(names.implode())).arg_true()
    if not len(new):
        return records, places_in(names, lists.id).to_numpy()
    units = records if sentences is None else sentences
    number = lists.id.str.to_integer(strict=False)
    if number.null_count() or (sentences is None and len(names)):
        wrong = new if len(names) else number.is_null().arg_true()
        raise _not_in_gold(lists, wrong, units)
    return units, _counted_from(lists, number.to_numpy().astype(np.int64), units)


def _counted_from(lists: EntityFile, number: Numbers, units: TextStretches) -> Numbers:
    """Return numbers as they count from 0; raise where they may as well count from 1."""
    n, low, high = len(units), int(number.min()), int(number.max())
    beyond = np.flatnonzero((number < 0) | (number > (n if low else n - 1)))
    if len(beyond):
        raise _not_in_gold(lists, pl.Series(beyond), units)
    if low == 0 or high == n:
        return number if low == 0 else number - 1
    raise DataError(
        f"the ids {low:,} to {high:,} may count gold's {n:,} texts from 0 or from 1",
        where=lists.path,
        remedy="add records for the first and the last one, if with an empty list",
    )


def _not_in_gold(lists: EntityFile, rows: pl.Series, units: TextStretches) -> DataError:
    assert lists.id is not None  # noqa: S101  - the caller has looked
    names = "names or numbers" if units.gold.ids is not None else "numbers"
    return DataError(
        not_in_gold(lists.id.gather(rows)),
        where=lists.at(int(rows[0])),
        remedy=f"ids are the {names} of gold's {len(units):,} texts; without ids, records come in "
        "their order",
    )


def check_text(lists: EntityFile, record: int, ours: str) -> None:
    """Raise if a record brings along another text than gold's; white space does not matter."""
    theirs = lists.text[record]
    one, other = "".join(theirs.split()), "".join(ours.split())
    if theirs == ours or one == other:
        return
    alike = (a == b for a, b in zip(one, other, strict=False))
    first = next((k for k, same in enumerate(alike) if not same), min(len(one), len(other)))
    at = max(first - 5, 0)
    raise DataError(
        f"the text is not gold's: `{one[at : at + _SHOWN]}` where gold has "
        f"`{other[at : at + _SHOWN]}`",
        where=lists.at(record),
        remedy="is this the list for another text?",
    )


def _absent(lists: EntityFile, units: TextStretches, unit: Numbers) -> Problem | None:
    there = np.zeros(len(units), np.bool_)
    there[unit[lists.answered]] = True
    missing = np.flatnonzero(~there)
    if not len(missing):
        return None
    names = units.gold.ids if len(units) == len(units.gold.texts) else None
    named = pl.Series(missing).cast(pl.String) if names is None else names.gather(missing)
    return Problem(
        lists.path, None, MISSING,
        f"lacks lists for {len(missing):,} of gold's {len(units):,} texts: {listed(named)}",
        "every text needs a list, if an empty one", len(missing),
    )  # fmt: skip
