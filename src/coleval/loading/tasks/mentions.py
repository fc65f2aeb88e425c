"""What mention files agree on, and the mentions of each: documents, places, one chain a mention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import Problem
from coleval.errors import DataError
from coleval.kernels.coref_classes import first_seen
from coleval.loading.tasks.mention_keys import (
    KeysApart,
    SingleKeys,
    keys_apart,
    single_keys,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile

    Numbers = NDArray[np.int64]

# The bits that a key may have.
_WIDEST = 63


@dataclass(frozen=True, slots=True)
class Places:
    """Gold's documents in their order: the place of each by name, and where its units begin.

    A key is the corpus-wide number of the first unit above so many ``bits`` of length.
    """

    path: str
    place: Mapping[str, int]
    units: Numbers
    offset: Numbers
    bits: int

    def taken_apart(self, key: Numbers) -> KeysApart:
        """Return where the mentions of some rising keys are."""
        return keys_apart(key, self.offset, self.bits)

    def single(self, key: Numbers) -> SingleKeys:
        """Return the documents of the mentions of some rising keys, and those of one unit."""
        return single_keys(key, self.offset, self.bits)


@dataclass(frozen=True, slots=True)
class MentionLayer:
    """The mentions of one file, sorted by key: their chain, numbered from 1 in each document."""

    key: Numbers
    chain: Numbers
    notes: tuple[Problem, ...]


def places_of(files: Mapping[str, MentionFile]) -> Places:
    """Return where gold's documents lie; raise for a system that has other documents or units."""
    gold = files[""]
    place = {name: at for at, name in enumerate(gold.documents)}
    # Where gold does not count the units of a document, it ends with the last mention of anybody.
    span, longest = np.maximum(gold.units, 0), 0
    for name, file in files.items():
        own = _own_places(file, place, gold, name)
        _same_units(gold, file, own)
        _inside(gold, file, own)
        end = file.end.astype(np.int64) + 1
        np.maximum.at(span, own[file.document], end)
        longest = max(longest, int((end - file.start).max(initial=0)))
    bits = longest.bit_length()
    if int(span.sum()).bit_length() + bits > _WIDEST:
        raise DataError(
            f"{int(span.sum()):,} tokens with mentions of up to {longest:,} are too many to number",
            where=gold.path,
            remedy="evaluate some of the documents at a time",
        )
    return Places(gold.path, place, gold.units, np.cumsum(span) - span, bits)


def _own_places(
    file: MentionFile, place: Mapping[str, int], gold: MentionFile, name: str
) -> NDArray[np.int64]:
    """Return the place in gold of each document of a file."""
    extra = [d for d in file.documents if d not in place]
    there = set(file.documents)
    missing = [d for d in gold.documents if d not in there]
    for what, found in (("documents that are not in gold", extra), ("documents missing", missing)):
        if found:
            raise DataError(
                f"has {what} ({len(found):,}): {', '.join(found[:5])}",
                where=file.path,
                remedy=(
                    f"name documents and parts as gold does ({gold.path}); a document without "
                    f"mentions keeps its lines (system `{name}`)"
                ),
            )
    return np.array([place[d] for d in file.documents], np.int64)


def _same_units(gold: MentionFile, file: MentionFile, own: Numbers) -> None:
    theirs = gold.units[own]
    for at in np.flatnonzero((file.units >= 0) & (theirs >= 0) & (file.units != theirs))[:1]:
        raise DataError(
            f"the document `{file.documents[at]}` has {file.units[at]:,} tokens, "
            f"gold has {theirs[at]:,} ({gold.path})",
            where=file.path,
            remedy="write one line for each token of gold, in the same order",
        )


def _inside(gold: MentionFile, file: MentionFile, own: Numbers) -> None:
    """Raise for a mention that ends behind its document."""
    known = gold.units[own][file.document]
    for at in np.flatnonzero((known >= 0) & (file.end >= known))[:1]:
        raise DataError(
            f"the mention {file.start[at]}–{file.end[at]} ends after the {known[at]:,} "
            f"tokens of `{file.documents[file.document[at]]}`",
            where=file.at(int(at)),
            remedy="offsets count from 0, and the last token is inside",
        )


def layer_of(file: MentionFile, places: Places, reading: Reading) -> MentionLayer:
    """Return the mentions that are long enough, each once; raise for one in two chains."""
    own = np.array([places.place[d] for d in file.documents], np.int64)
    words = file.end.astype(np.int64) - file.start + 1
    document = own[file.document]
    key = ((places.offset[document] + file.start) << places.bits) | words
    _, layer = once(file, key, words, document, reading)
    return layer


def once(
    file: MentionFile, key: Numbers, words: Numbers, document: Numbers, reading: Reading
) -> tuple[NDArray[np.intp], MentionLayer]:
    """Return which mentions count, by key, and them as a layer; equal keys are one mention."""
    rows = np.flatnonzero(words >= reading.min_words)
    order = np.argsort(key[rows], kind="stable")
    rows = rows[order]
    again = np.zeros(len(rows), np.bool_)
    again[1:] = key[rows[1:]] == key[rows[:-1]]
    if again.any() and reading.duplicate_mentions == "first":
        rows = rows[np.lexsort((_precedence(file.chain[rows], key[rows], again), key[rows]))]
    notes = _repeated(file, rows, again, reading) if again.any() else ()
    kept = rows[~again]
    if reading.min_mentions > 1:
        size = np.bincount(file.chain[kept])
        kept = kept[size[file.chain[kept]] >= reading.min_mentions]
    chain = _numbers(file.chain[kept], document[kept])
    return kept, MentionLayer(key[kept], chain, notes)


def _precedence(chain: Numbers, key: Numbers, again: NDArray[np.bool_]) -> Numbers:
    """Return a rank for each mention, lowest where its chain appears first in the document.

    Of two chains that begin with the same mentions one that ends there precedes, else the one whose
    next mention comes first. The order of brackets on a line has no part in it.
    """
    shared = again | np.append(again[1:], np.False_)
    rival = np.flatnonzero(np.isin(chain, chain[shared]))
    rival = rival[np.lexsort((key[rival], chain[rival]))]
    chains, start = np.unique(chain[rival], return_index=True)
    mentions = [list(dict.fromkeys(own)) for own in np.split(key[rival], start[1:])]
    order = sorted(range(len(chains)), key=mentions.__getitem__)
    rank = np.zeros(int(chain.max()) + 1, np.int64)
    rank[chains[order]] = np.arange(len(chains))
    found: Numbers = rank[chain]
    return found


def _numbers(chain: Numbers, document: Numbers) -> Numbers:
    """Return chains numbered from 1 in each document, in the order of their first mention."""
    fresh = first_seen(chain)
    home = document[fresh]
    within = np.zeros(int(chain.max(initial=-1)) + 1, np.int64)
    within[chain[fresh]] = np.arange(len(home)) - np.searchsorted(home, home) + 1
    return within[chain]


def _repeated(
    file: MentionFile, rows: NDArray[np.intp], again: NDArray[np.bool_], reading: Reading
) -> tuple[Problem, ...]:  # fmt: skip
    """Return what repeated mentions bring up; raise unless the first of several chains counts."""
    place = np.arange(len(rows))
    first = np.maximum.accumulate(np.where(again, 0, place))
    split = np.flatnonzero(again & (file.chain[rows] != file.chain[rows[first]]))
    if len(split) and reading.duplicate_mentions != "first":
        found = min(split, key=lambda at: int(rows[at]))
        raise _two_chains(file, int(rows[first[found]]), int(rows[found]), len(split))
    same = np.flatnonzero(again)
    at = int(same[np.argmin(rows[same])])
    text = "a mention is given twice" + (", also in two chains" if len(split) else "")
    return (
        Problem(
            file.path, int(file.line[rows[at]]), "duplicates", text,
            "the first counts", len(same), fatal=False,
        ),
    )  # fmt: skip


def _two_chains(file: MentionFile, first: int, second: int, n: int) -> DataError:
    names = [file.names[int(file.chain[at])] for at in (first, second)]
    where = f"{file.start[second]}–{file.end[second]} of `{file.documents[file.document[second]]}`"
    more = f" ({n:,} such mentions)" if n > 1 else ""
    return DataError(
        f"the mention {where} is in two chains, `{names[0]}` and `{names[1]}`{more}",
        where=file.at(second),
        remedy="a mention is in one chain; --duplicate-mentions first keeps the one that "
        "appears first in the document",
    )
