"""What gold's lines say of mentions: their words, their part of speech, their lemma, their kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.model import MentionFile
    from coleval.loading.tasks.mentions import KeysApart

    Numbers = NDArray[np.int64]
    Whole = NDArray[np.integer]
    Texts = Callable[[Whole, Sequence[int]], list[pl.Series]]

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


def _numbers(column: pl.Series) -> Numbers:
    return column.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()


def _units(first: Numbers, words: Whole) -> tuple[Numbers, Numbers]:
    """Return every unit of some mentions, and the number of the mention it is in."""
    mention = np.repeat(np.arange(len(words)), words)
    begin = np.cumsum(words, dtype=np.int64) - words
    return np.arange(len(mention)) - begin[mention] + first[mention], mention


def spelled(texts: Texts, form: int, apart: KeysApart) -> pl.Series:
    """Return the words of each mention, with spaces, from the column of forms."""
    unit, mention = _units(apart.first, apart.words)
    forms = texts(unit, [form])[0]
    frame = pl.DataFrame({"mention": mention, "form": forms.fill_null("")})
    grouped = frame.group_by("mention", maintain_order=True).agg(pl.col("form").str.join(" "))
    return grouped["form"]
