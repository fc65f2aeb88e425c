"""What gold's lines say of mentions: their words, their part of speech, their lemma, their kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.loading.readers.coded_texts import CodedTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.model import MentionFile
    from coleval.loading.tasks.mention_keys import KeysApart, SingleKeys

    Numbers = NDArray[np.int64]
    Whole = NDArray[np.integer]
    Texts = Callable[[Whole, Sequence[int]], list[CodedTexts]]

NOUN = "noun"
_NOTHING = ("-", "_", "")


class Described(NamedTuple):
    """What gold's lines say of mentions: which are nominal, and columns that take longer to make.

    These are ``mention_type``, ``pos`` and ``lemma`` where gold has parts of speech, else none.
    """

    nominal: pl.Series
    named: tuple[str, ...] = ()
    columns: Callable[[], list[pl.Series]] = list


def described(
    gold: MentionFile, one: SingleKeys, apart: Callable[[], KeysApart], tags: Sequence[str]
) -> Described:
    """Return what gold says of mentions, by those of ``one`` unit, and by where all are.

    Several words are nominal, and one word with a nominal tag (DEFINITIONS 2.3). ``mention_type``
    is noun for those, else the tag; the others are those of the head or the only word.
    """
    noun = np.ones(len(one.document), np.bool_)
    noun[one.rows] = False
    if "pos" not in gold.columns or gold.texts is None:
        return Described(pl.Series("nominal", noun))
    rows, heads = _heads(gold, apart) if "head" in gold.columns else (one.rows, one.units)
    parts = [part for part in ("pos", "form", "lemma") if part in gold.columns]
    cut = gold.texts(heads, [gold.columns[part] for part in parts])
    texts = dict(zip(parts, cut, strict=True))
    pos = texts["pos"]
    nominal = pos.values.is_in([tag for tag in tags if tag not in _NOTHING]).fill_null(value=False)
    noun[rows] |= nominal.to_numpy()[pos.code]
    named = ("mention_type", "pos", "lemma")
    return Described(pl.Series("nominal", noun), named, partial(_columns, texts, rows, noun))


def _columns(
    texts: Mapping[str, CodedTexts], rows: Numbers, noun: NDArray[np.bool_]
) -> list[pl.Series]:
    """Return kind, part of speech and lemma of mentions; of some rows texts are known."""
    known = {part: _said(column) for part, column in texts.items()}
    pos, lemma = (_spread(x, rows, len(noun)) for x in (known["pos"], _lemma(known, len(rows))))
    kinds = pl.concat([pos.values, pl.Series([NOUN])])
    kind = CodedTexts(np.where(noun, len(pos.values), pos.code), kinds)
    named = {"mention_type": kind, "pos": pos, "lemma": lemma}
    return [own.series.alias(name) for name, own in named.items()]


def _said(column: CodedTexts) -> CodedTexts:
    """Return a column with null where a cell is empty."""
    frame = pl.DataFrame({"value": column.values})
    said = pl.when(~pl.col("value").is_in(_NOTHING)).then("value")
    return CodedTexts(column.code, frame.select(said).to_series())


def _lemma(known: Mapping[str, CodedTexts], size: int) -> CodedTexts:
    """Return the lemma where it is said, else the form."""
    nothing = CodedTexts(np.zeros(size, np.int64), pl.Series([None], dtype=pl.String))
    form = known.get("form", nothing)
    lowered = CodedTexts(form.code, form.values.str.to_lowercase())
    lemma = known.get("lemma", nothing)
    unsaid = lemma.values.is_null().to_numpy()
    if unsaid.all():
        return lowered
    code = np.where(unsaid[lemma.code], lowered.code + len(unsaid), lemma.code)
    return CodedTexts(code, pl.concat([lemma.values, lowered.values]))


def _spread(some: CodedTexts, rows: Numbers, size: int) -> CodedTexts:
    """Return some rows of a column as all rows of it, null where there is none."""
    if len(rows) == size:
        return some
    code = np.full(size, len(some.values), np.int32)
    code[rows] = some.code
    return CodedTexts(code, pl.concat([some.values, pl.Series([None], dtype=pl.String)]))


def _heads(gold: MentionFile, apart: Callable[[], KeysApart]) -> tuple[Numbers, Numbers]:
    """Return which mentions have a head, the only word or by the column of heads, and its unit."""
    assert gold.texts is not None  # noqa: S101  - the caller has made sure
    _, _, _, words, first = apart()
    head = np.where(words == 1, first, -1)
    long = np.flatnonzero(words > 1)
    unit, mention = _units(first[long], words[long])
    own, above = map(_numbers, gold.texts(unit, [1, gold.columns["head"]]))
    target = unit + above - own
    low, high = first[long][mention], (first + words)[long][mention]
    known = (above >= 0) & (own >= 0)
    outside = known & ((above == 0) | (target < low) | (target >= high))
    at = np.flatnonzero(outside)
    where, place = np.unique(mention[at], return_index=True)
    head[long[where]] = unit[at[place]]
    rows = np.flatnonzero(head >= 0)
    return rows, head[rows]


def _numbers(column: CodedTexts) -> Numbers:
    return column.series.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()


def _units(first: Numbers, words: Whole) -> tuple[Numbers, Numbers]:
    """Return every unit of some mentions, and the number of the mention it is in."""
    mention = np.repeat(np.arange(len(words)), words)
    begin = np.cumsum(words, dtype=np.int64) - words
    return np.arange(len(mention)) - begin[mention] + first[mention], mention


def spelled(texts: Texts, form: int, apart: Callable[[], KeysApart]) -> pl.Series:
    """Return the words of each mention, with spaces, from the column of forms."""
    where = apart()
    unit, mention = _units(where.first, where.words)
    forms = texts(unit, [form])[0].series
    frame = pl.DataFrame({"mention": mention, "form": forms.fill_null("")})
    grouped = frame.group_by("mention", maintain_order=True).agg(pl.col("form").str.join(" "))
    return grouped["form"]
