"""What mention files agree on, and the mentions of each: documents, places, one chain a mention."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.counts.coref_classes import first_seen
from coleval.errors import DataError
from coleval.loading.readers.steps import flat
from coleval.loading.tasks.tag import joined_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile

    Numbers = NDArray[np.int64]
    Whole = NDArray[np.integer]
    Texts = Callable[[Whole, Sequence[int]], list[pl.Series]]

# The bits that a key may have.
_WIDEST = 63


class KeysApart(NamedTuple):
    """Where mentions are: document, first unit and the one behind the last, how many units.

    ``first`` is the number of the first unit in the corpus.
    """

    document: NDArray[np.uint32]
    start: NDArray[np.uint32]
    end: NDArray[np.uint32]
    words: NDArray[np.uint32]
    first: Numbers


@dataclass(frozen=True, slots=True)
class Places:
    """Gold's documents in their order: the place of each by name, and where its units begin.

    A key is the corpus-wide number of the first unit above so many ``bits`` of length.
    """

    place: Mapping[str, int]
    offset: Numbers
    bits: int

    def taken_apart(self, key: Numbers) -> KeysApart:
        """Return where the mentions of some rising keys are."""
        first, words = key >> self.bits, key & ((1 << self.bits) - 1)
        # Keys rise: there are fewer documents to look up than mentions.
        begins = np.searchsorted(first, self.offset)
        document = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(key)))
        start = first - self.offset[document]
        home, low, high, size = (
            array.astype(np.uint32) for array in (document, start, start + words, words)
        )
        return KeysApart(home, low, high, size, first)


@dataclass(frozen=True, slots=True)
class MentionLayer:
    """The mentions of one file, sorted by key: their chain, numbered from 1 in each document."""

    key: Numbers
    chain: Numbers
    notes: tuple[Problem, ...]


def union(keys: Sequence[Numbers]) -> Numbers:
    """Return the distinct keys of several layers, rising."""
    # Keys of a layer rise: a stable sort merges them.
    every = np.sort(np.concatenate(keys), kind="stable")
    return every[np.append(np.ones(min(len(every), 1), np.bool_), every[1:] != every[:-1])]


def places_of(files: Mapping[str, MentionFile]) -> Places:
    """Return where gold's documents lie; raise for a system that has other documents or units."""
    gold = files[""]
    place = {name: at for at, name in enumerate(gold.documents)}
    # Where gold does not count the units of a document, it ends with the last mention of anybody.
    span, longest = np.maximum(gold.units, 0), 0
    for name, file in files.items():
        _same_documents(gold, file, name)
        own = np.array([place[d] for d in file.documents], np.int64)
        theirs = gold.units[own]
        for at in np.flatnonzero((file.units >= 0) & (theirs >= 0) & (file.units != theirs))[:1]:
            raise DataError(
                f"the document `{file.documents[at]}` has {file.units[at]:,} tokens, "
                f"gold has {theirs[at]:,} ({gold.path})",
                where=file.path,
                remedy="write one line for each token of gold, in the same order",
            )
        known = theirs[file.document]
        for at in np.flatnonzero((known >= 0) & (file.end >= known))[:1]:
            raise DataError(
                f"the mention {file.start[at]}–{file.end[at]} ends after the {known[at]:,} "
                f"tokens of `{file.documents[file.document[at]]}`",
                where=file.at(int(at)),
                remedy="offsets count from 0, and the last token is inside",
            )
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
    return Places(place, np.cumsum(span) - span, bits)


def _same_documents(gold: MentionFile, file: MentionFile, name: str) -> None:
    """Raise for a system that has other documents than gold."""
    ours, theirs = set(gold.documents), set(file.documents)
    extra = [d for d in file.documents if d not in ours]
    missing = [d for d in gold.documents if d not in theirs]
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
    # Chains are numbered from 1 in each document, in the order of their first mention.
    chain = file.chain[kept]
    fresh = first_seen(chain)
    home = document[kept][fresh]
    within = np.zeros(int(chain.max(initial=-1)) + 1, np.int64)
    within[chain[fresh]] = np.arange(len(home)) - np.searchsorted(home, home) + 1
    return kept, MentionLayer(key[kept], within[chain], notes)


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


def _repeated(
    file: MentionFile, rows: NDArray[np.intp], again: NDArray[np.bool_], reading: Reading
) -> tuple[Problem, ...]:  # fmt: skip
    """Return what repeated mentions bring up; raise unless the first of several chains counts."""
    place = np.arange(len(rows))
    first = np.maximum.accumulate(np.where(again, 0, place))
    split = np.flatnonzero(again & (file.chain[rows] != file.chain[rows[first]]))
    if len(split) and reading.duplicate_mentions != "first":
        later = min(split, key=lambda at: int(rows[at]))
        second = int(rows[later])
        names = [file.names[int(file.chain[k])] for k in (int(rows[first[later]]), second)]
        extent = f"{file.start[second]}–{file.end[second]}"
        more = f" ({len(split):,} such mentions)" if len(split) > 1 else ""
        raise DataError(
            f"the mention {extent} of `{file.documents[file.document[second]]}` is in two chains, "
            f"`{names[0]}` and `{names[1]}`{more}",
            where=file.at(second),
            remedy="a mention is in one chain; --duplicate-mentions first keeps the one that "
            "appears first in the document",
        )
    same = np.flatnonzero(again)
    at = int(same[np.argmin(rows[same])])
    text = "a mention is given twice" + (", also in two chains" if len(split) else "")
    return (
        Problem(
            file.path, int(file.line[rows[at]]), "duplicates", text,
            "the first counts", len(same), fatal=False,
        ),
    )  # fmt: skip


NOUN = "noun"
_NOTHING = ("-", "_", "")


class Described(NamedTuple):
    """What gold's lines say of mentions: which are nominal, and columns that take longer to make.

    These are ``mention_type``, ``pos`` and ``lemma`` where gold has parts of speech, else none.
    """

    nominal: pl.Series
    named: tuple[str, ...] = ()
    columns: Callable[[], list[pl.Series]] = list


def described(gold: MentionFile, apart: KeysApart, tags: Sequence[str]) -> Described:
    """Return what gold says of mentions, by where they are.

    Several words are nominal, and one word with a nominal tag (DEFINITIONS 2.3). ``mention_type``
    is noun for those, else the tag; the others are those of the head or the only word.
    """
    noun = apart.words > 1
    if "pos" not in gold.columns or gold.texts is None:
        return Described(pl.Series("nominal", noun))
    rows = np.flatnonzero(~noun)
    heads = apart.first[rows]
    if "head" in gold.columns:
        rows, heads = _heads(gold, apart)
    parts = [part for part in ("pos", "form", "lemma") if part in gold.columns]
    cut = gold.texts(heads, [gold.columns[part] for part in parts])
    texts = pl.DataFrame(dict(zip(parts, cut, strict=True)))
    said = texts.select(pl.when(~pl.all().is_in(_NOTHING)).then(pl.all()))
    noun[rows] |= said["pos"].is_in(list(tags)).fill_null(value=False).to_numpy()
    named = ("mention_type", "pos", "lemma")
    return Described(pl.Series("nominal", noun), named, partial(_columns, said, rows, noun))


def _columns(said: pl.DataFrame, rows: Numbers, noun: NDArray[np.bool_]) -> list[pl.Series]:
    """Return kind, part of speech and lemma of mentions, of which some rows have a head."""
    forms = [pl.col("form").str.to_lowercase()] if "form" in said.columns else []
    lemmas = [pl.col("lemma")] if "lemma" in said.columns else []
    lemma = pl.coalesce(*lemmas, *forms, pl.lit(None, pl.String))
    place = np.full(len(noun), len(said), np.int64)
    place[rows] = np.arange(len(rows))
    # Behind the rows with a head there is one without, for all others.
    heads = said.select("pos", lemma=lemma).clear(1)
    heads = pl.concat([said.select("pos", lemma=lemma), heads], rechunk=True)[place]
    kind = pl.when(pl.lit(pl.Series(noun))).then(pl.lit(NOUN)).otherwise("pos")
    return heads.select(kind.alias("mention_type"), "pos", "lemma").get_columns()


def _heads(gold: MentionFile, apart: KeysApart) -> tuple[Numbers, Numbers]:
    """Return which mentions have a head, the only word or by the column of heads, and its unit."""
    assert gold.texts is not None  # noqa: S101  - the caller has made sure
    words, first = apart.words, apart.first
    head = np.where(words == 1, first, -1)
    long = np.flatnonzero(words > 1)
    unit, mention = _units(first[long], words[long])
    own, above = (
        column.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
        for column in gold.texts(unit, [1, gold.columns["head"]])
    )
    target = unit + above - own
    low, high = first[long][mention], (first + words)[long][mention]
    known = (above >= 0) & (own >= 0)
    outside = known & ((above == 0) | (target < low) | (target >= high))
    at = np.flatnonzero(outside)
    where, place = np.unique(mention[at], return_index=True)
    head[long[where]] = unit[at[place]]
    rows = np.flatnonzero(head >= 0)
    return rows, head[rows]


def _units(first: Numbers, words: Whole) -> tuple[Numbers, Numbers]:
    """Return every unit of some mentions, and the number of the mention it is in."""
    return flat(first, first + words), np.repeat(np.arange(len(words)), words)


def spelled(texts: Texts, form: int, apart: KeysApart) -> pl.Series:
    """Return the words of each mention, with spaces, from the column of forms."""
    unit, mention = _units(apart.first, apart.words)
    forms = texts(unit, [form])[0].fill_null("")
    return joined_words(forms, np.arange(len(unit)), mention)
