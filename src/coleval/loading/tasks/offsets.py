"""Spans that are placed by characters as items: by their words, their characters, their tags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast
from unicodedata import category, name

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder, width
from coleval.corpus.corpus import Corpus, Entry
from coleval.corpus.items import CHARACTER, Items
from coleval.corpus.lazy import LazyColumn, LazyMapping
from coleval.corpus.problems import Problem, raise_first
from coleval.counts.span_slots import proposed, slots
from coleval.errors import DataError
from coleval.loading.align.ids import absent_records
from coleval.loading.align.offsets import GoldTexts, place
from coleval.loading.readers.code_points import NEWLINE, texts_at
from coleval.loading.readers.model import TokenFile, WordPlaces
from coleval.loading.readers.steps import dense, flat, steps
from coleval.loading.tasks.own_tokens import SIDES
from coleval.loading.tasks.span_files import duplicates, extents_of
from coleval.loading.tasks.tag import token_items
from coleval.loading.tasks.tokens import span_place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Origin
    from coleval.corpus.options import Reading
    from coleval.counts.span_slots import Proposed
    from coleval.loading.align.offsets import PlacedSpans
    from coleval.loading.readers.code_points import CodePoints
    from coleval.loading.readers.model import OffsetFile
    from coleval.loading.tasks.span_files import SpanExtents

    Numbers = NDArray[np.integer]


def offset_corpus(
    reading: Reading,
    files: Mapping[str, OffsetFile],
    origins: Mapping[str, Origin],
    *,
    tokens: TokenFile | None = None,
    repairs: Mapping[str, int | None] | None = None,
) -> Corpus:
    """Return the corpus of gold, which has the empty name, and of systems on the same texts.

    ``tokens`` are gold's where it came as tokens, ``repairs`` those of files that did.
    """
    gold = GoldTexts(files[""])
    near = reading.differing_text == "align"
    placed = {n: place(gold, f, near=near) if n else gold.spans for n, f in files.items()}
    for layer in placed.values():
        raise_first(layer.problems)
    items = _items(gold, files, placed, reading, tokens)
    entries = {
        name: Entry(
            name,
            origins[name],
            (repairs or {}).get(name),
            (
                *file.notes,
                *placed[name].problems,
                *duplicates(file.path, items.layers[name], reading),
                *_cut(file, placed[name], gold.file, items.words),
            ),
            absent_records(gold.file, file, placed[name].absent),
        )
        for name, file in files.items()
    }
    units: dict[str, Callable[[], Items]] = {
        "span": items.spans,
        "token": partial(_token_items, items),
    }
    units |= {} if gold.file.joined else {CHARACTER: items.characters}
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("span", reading, entries[""], systems, LazyMapping(units))


def _items(
    gold: GoldTexts,
    files: Mapping[str, OffsetFile],
    placed: Mapping[str, PlacedSpans],
    reading: Reading,
    tokens: TokenFile | None,
) -> OffsetItems:
    words = words_of(gold.file, gold.points)
    if not len(words):
        raise DataError("has no words", where=gold.file.path, remedy="is it the right file?")
    extents = extents_of(placed)
    coder = Coder(fold=str.casefold if reading.fold else None)
    layers = {
        name: proposed(
            extents.rank[name],
            coder.encode(file.label).astype(np.int32),
            multiset=reading.multiset,
        )
        for name, file in files.items()
    }
    text = tokens if tokens is not None else _tokens(gold, words)
    return OffsetItems(gold, text, words, extents, layers, coder.labels)


def _tokens(gold: GoldTexts, words: WordPlaces) -> TokenFile:
    """Return the words of gold's texts with the documents that they are in, if these have names."""
    file, record = gold.file, words.document
    named = file.ids is not None or len(file.texts) > 1
    number = pl.int_range(1, len(file.texts) + 1, eager=True).cast(pl.String)
    names = tuple((number if file.ids is None else file.ids).to_list()) if named else ()
    return TokenFile(
        path=file.path,
        form=texts_at(gold.points.points, words.start, words.end),
        sentence=cast("NDArray[np.int32]", words.sentence),
        line=file.line[record],
        columns={},
        document=record if named else None,
        documents=names,
        context={n: c.gather(pl.Series(record)) for n, c in file.context.items()},
    )


def _cut(
    file: OffsetFile, placed: PlacedSpans, gold: OffsetFile, words: WordPlaces
) -> tuple[Problem, ...]:
    """Return the note that spans cover a part of a token: of those that gold brings along."""
    if gold.words is None or not len(placed.start):
        return ()
    alone = extents_of({"": placed})
    late, early = Cover.of(alone, words).cut()
    cut = np.flatnonzero((late | early)[alone.rank[""]])
    if not len(cut):
        return ()
    at = int(cut[0])
    where = "" if file.fields is None else f" ({file.fields(at)})"
    label = f"`{file.label[at]}`{where}"
    return (
        Problem(
            file.path,
            int(file.span_line[at]),
            "cut",
            f"a span with label {label} begins or ends inside a token of gold",
            "it equals no span of whole tokens, and is not moved: column `cut_at`",
            len(cut),
            fatal=False,
        ),
    )


def _token_items(items: OffsetItems) -> Items:
    """Return the words as items whose labels are the tags that spans would be written with."""
    coder, codes = Coder(), {}
    for system, layer in items.layers.items():
        tags = items.tags(layer)
        codes[system] = np.zeros(len(items.words), np.uint32)
        codes[system][tags["word"].to_numpy()] = coder.encode(tags["tag"])
    kind = width(len(coder.labels))
    codes = {name: found.astype(kind) for name, found in codes.items()}
    tokens = items.tokens
    gold = codes.pop("")
    return token_items(tokens, gold, codes, coder.labels, tokens.context)


# Spans that a word may be in on the average, of so many words at least.
_DEEP, _MANY = 64, 1 << 17


@dataclass(frozen=True)
class OffsetItems:
    """The spans of all layers over gold's text, whose words are ``tokens`` at ``words``."""

    gold: GoldTexts
    tokens: TokenFile
    words: WordPlaces
    extents: SpanExtents
    layers: Mapping[str, Proposed]
    labels: list[str]

    @cached_property
    def _slots(self) -> tuple[SpanExtents, Codes, dict[str, Codes]]:
        """Return the extent of every item, and the codes of gold and of the systems."""
        others = {name: layer for name, layer in self.layers.items() if name}
        found = slots(self.layers[""], others, self.labels, bits=0)
        codes = dict(found.codes)
        return self.extents.at(found.key), codes.pop(""), codes

    def spans(self) -> Items:
        """Return the spans by the words that they cover; ``cut_at`` where they cover parts."""
        extents, gold, answers = self._slots
        cover = Cover.of(extents, self.words)
        columns = span_place(self.tokens, cover.first, cover.end - cover.first)
        place = [column for column in columns if column.name in _PLACE]
        others = [column for column in columns if column.name not in _PLACE]
        holes = cover.holes(self.tokens.sentence)
        exact = [] if self.gold.file.joined else self._characters(extents)
        context = pl.DataFrame([*place, *holes, *exact, cover.sides(), *others])
        groups = int(self.tokens.sentence[-1]) + 1
        form = LazyColumn(partial(_forms, self.gold, extents))
        items = Items("span", context, (), gold, answers, group_count=groups, lazy_form=form)
        return items.sorted_labels(self.labels)

    def characters(self) -> Items:
        """Return the same spans to be compared by their characters, whatever words these are."""
        items = self.spans()
        return replace(items, unit=CHARACTER, context=items.context.drop(*_OF_WORDS, strict=False))

    def _characters(self, extents: SpanExtents) -> list[pl.Series]:
        """Return the offsets of extents in their records, and any fragments."""
        first = self.gold.points.first
        record = np.searchsorted(first, extents.start, side="right") - 1
        by = first[np.minimum(record, len(self.gold.points.size) - 1)]
        columns = [
            pl.Series(f"char_{name}", (place - by).astype(np.uint32))
            for name, place in (("start", extents.start), ("end", extents.end))
        ]
        if not len(extents.pieces):
            return columns
        pieces = extents.pieces.moved(-by)
        return [*columns, pl.Series("fragments", _spread(pieces.texts(), len(by)), pl.String)]

    def tags(self, layer: Proposed) -> pl.DataFrame:
        """Return the tag of every word that a layer has in some span: word, tag.

        Words in several spans have them all, as in ``I-LOC|B-PER``.
        """
        extents = self.extents.at(layer.key)
        cover = Cover.of(extents, self.words)
        _check_depth(cover, self.gold.file.path)
        span, word = cover.every_word()
        label = pl.Series(["", *self.labels], dtype=pl.String).gather(pl.Series(layer.kind))
        first = pl.Series(steps(span)).replace_strict(
            {True: "B-", False: "I-"}, return_dtype=pl.String
        )
        rows = pl.DataFrame({"word": word, "label": label.gather(pl.Series(span)), "first": first})
        tags = rows.sort("word", "label", "first", maintain_order=True)
        tag = (pl.col("first") + pl.col("label")).str.join("|").alias("tag")
        return tags.group_by("word", maintain_order=True).agg(tag)


def _check_depth(cover: Cover, path: str) -> None:
    """Raise before a tag is made of each word for each of very many spans that it is in."""
    n, words = int((cover.end - cover.first).sum()), len(cover.words)
    if n > _DEEP * max(_MANY, words):
        raise DataError(
            f"has spans in each other so deeply that each word is in {n // words:,} of them: "
            "tags of words would be as long",
            where=path,
            remedy="leave out the longest spans; `score` and `bins` of spans need no tags",
        )


_PLACE = ("document", "sentence", "start", "end")
# What words say of spans, not characters.
_OF_WORDS = ("tokens", "cut_at")


@dataclass(frozen=True)
class Cover:
    """The words that extents cover, wholly or in part: the first, and the one behind the last."""

    extents: SpanExtents
    words: WordPlaces
    first: NDArray[np.int64]
    end: NDArray[np.int64]

    @staticmethod
    def of(extents: SpanExtents, words: WordPlaces) -> Cover:
        """Return the words of some extents; one without any has the word behind it."""
        return Cover(extents, words, *_covered(words, extents.start, extents.end))

    def cut(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell which extents begin inside a word, and which end in one; fragments too."""
        late = self.words.start[self.first] < self.extents.start
        early = self.words.end[self.end - 1] > self.extents.end
        pieces = self.extents.pieces
        if len(pieces):
            first, end = _covered(self.words, pieces.start, pieces.end)
            late[pieces.span[self.words.start[first] < pieces.start]] = True
            early[pieces.span[self.words.end[end - 1] > pieces.end]] = True
        return late, early

    def sides(self) -> pl.Series:
        """Return which ends of an extent are inside a word."""
        late, early = self.cut()
        code = late + 2 * early.astype(np.uint8)
        return (
            pl.Series([None, *SIDES], dtype=pl.Enum(SIDES)).gather(pl.Series(code)).alias("cut_at")
        )

    def holes(self, sentence: NDArray[np.int32]) -> list[pl.Series]:
        """Return the words of extents that do not cover all from first to last, by sentence."""
        pieces = self.extents.pieces
        if not len(pieces):
            return []
        first = np.flatnonzero(steps(sentence))[sentence[self.first]]
        span, word = self.every_word(np.unique(pieces.span))
        found: dict[int, list[int]] = {}
        for owner, at in zip(span.tolist(), (word - first[span]).tolist(), strict=True):
            found.setdefault(owner, []).append(at)
        size = self.end - self.first
        texts = {k: ",".join(map(str, at)) for k, at in found.items() if len(at) < size[k]}
        return [pl.Series("tokens", _spread(texts, len(size)), pl.String)] if texts else []

    def every_word(self, rows: NDArray[np.integer] | None = None) -> tuple[Numbers, Numbers]:
        """Return extent and word of every word covered, of all extents or of some."""
        rows = np.arange(len(self.first)) if rows is None else rows
        pieces = self.extents.pieces
        whole = rows[~np.isin(rows, pieces.span)]
        size = self.end[whole] - self.first[whole]
        span = np.repeat(whole, size)
        word = flat(self.first[whole], self.end[whole])
        if len(pieces):
            first, end = _covered(self.words, pieces.start, pieces.end)
            span = np.concatenate([span, np.repeat(pieces.span, end - first)])
            word = np.concatenate([word, flat(first, end)])
            both = np.unique(np.stack([span, word]), axis=1)
            span, word = both[0], both[1]
        return span, word


def _covered(
    words: WordPlaces, start: Numbers, end: Numbers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    last = len(words) - 1
    first = np.minimum(np.searchsorted(words.end, start, side="right"), last)
    return first, np.maximum(np.searchsorted(words.start, end), first + 1)


def _spread(texts: Mapping[int, str], n: int) -> list[str | None]:
    found: list[str | None] = [None] * n
    for row, text in texts.items():
        found[row] = text
    return found


def _forms(
    gold: GoldTexts, extents: SpanExtents, rows: NDArray[np.integer] | None = None
) -> pl.Series:
    """Return the text of extents on one line, that of fragments with spaces between."""
    some = extents if rows is None else extents.at(rows)
    form = texts_at(gold.points.points, some.start, some.end)
    pieces = some.pieces
    if not len(pieces):
        return form
    parts = texts_at(gold.points.points, pieces.start, pieces.end)
    joined = (
        pl.DataFrame({"span": pieces.span, "part": parts})
        .group_by("span")
        .agg(pl.col("part").str.join(" "))
    )
    return form.scatter(joined["span"], joined["part"])


_SPACE, _LETTER, _SIGN, _MARK = range(4)
_UNSPACED = ("CJK", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def words_of(file: OffsetFile, points: CodePoints) -> WordPlaces:
    """Return the words of all texts, as places among all code points; lines are sentences."""
    given = file.words
    if given is None:
        start, end = _runs(points)
    else:
        by = points.first[given.document]
        start, end = given.start + by, given.end + by
    document = np.searchsorted(points.first, start, side="right") - 1
    if given is not None and given.sentence is not None:
        sentence = given.sentence
    else:
        sentence = dense(np.searchsorted(np.flatnonzero(points.points == NEWLINE), start))
    return WordPlaces(document.astype(np.int32), start, end, sentence)


def _runs(points: CodePoints) -> tuple[Numbers, Numbers]:
    kind = _kinds(points.points)
    opens = kind != _SPACE
    mark = np.flatnonzero(kind == _MARK)
    if len(mark):
        # A mark belongs to what it is on; on nothing, it is a letter.
        others = np.append(np.flatnonzero(kind != _MARK), mark[0])
        below = np.searchsorted(others[:-1], mark) - 1
        under = np.where(below < 0, np.uint8(_SPACE), kind[others[below]])
        held = under != _SPACE
        kind[mark] = np.where(held, under, np.uint8(_LETTER))
        # Of marks in a row on nothing, the first is what the others are on.
        opens[mark[held]] = False
    opens[1:] &= (kind[1:] == _SIGN) | (kind[:-1] != _LETTER)
    start = np.flatnonzero(opens)
    closed = np.flatnonzero(kind == _SPACE)
    blank = np.append(closed, len(kind))[np.searchsorted(closed, start)]
    return start, np.minimum(np.append(start[1:], len(kind)), blank)


def _kinds(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return what each code point is: looked up once for every one that occurs."""
    table = np.zeros(0x110000, np.uint8)
    there = np.flatnonzero(np.bincount(points, minlength=1))
    table[there] = [_kind(chr(point)) for point in there.tolist()]
    return table[points]


def _kind(character: str) -> int:
    group = category(character)
    if character.isspace():
        return _SPACE
    if group[0] == "M" or group == "Cf" or "\U0001f3fb" <= character <= "\U0001f3ff":
        return _MARK
    if group[0] in "LN" or group == "Pc":
        return _SIGN if name(character, "").startswith(_UNSPACED) else _LETTER
    return _SIGN
