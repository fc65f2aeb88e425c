"""The vocabulary of the made-up language: forms by number, and which forms are drawn where."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.demo import language
from coleval.demo.chance import VOCABULARY, Codes, Flags, Places, pick, stream
from coleval.demo.language import CONTENT, TAGS, TYPES, EntityType

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS, SHARED, NUMBERS, TITLES = 60_000, 600, 4_000, 900


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Forms with what is known about each, and pools of form numbers, the frequent first.

    A form is ambiguous when it stands in several pools or has an other tag it often carries.
    Adding ``capital`` to a number of the pool ``word`` gives the same word capitalised.
    """

    form: pl.Series
    tag: Codes
    other: Codes
    ambiguous: Flags
    capitalised: Flags
    pools: Mapping[str, Places]
    capital: int


@dataclass(frozen=True, slots=True)
class _Section:
    form: pl.Series
    tag: Codes
    other: Codes
    ambiguous: Flags


def vocabulary(seed: int) -> Vocabulary:
    """Return the vocabulary of a seed; a larger corpus meets more of it."""
    rng = stream(seed, VOCABULARY)
    word = _words(rng)
    sections = {"word": word, "capital": _capitalised(word), **_small_sections(rng)}
    sections |= {f"{kind.name}.name": _names(rng, kind) for kind in TYPES}
    ends = np.cumsum([len(section.form) for section in sections.values()])
    pools = {
        name: np.arange(end - len(section.form), end, dtype=np.int32)
        for (name, section), end in zip(sections.items(), ends, strict=True)
    }
    every = _joined(*sections.values())
    return Vocabulary(
        every.form,
        every.tag,
        every.other,
        every.ambiguous,
        every.form.str.contains(r"^\p{Lu}").to_numpy(),
        pools | _mixed(pools),
        len(word.form),
    )


def _words(rng: np.random.Generator) -> _Section:
    common = [entry.split("/") for entry in language.COMMON]
    n = WORDS - len(common) - len(language.ABROAD)
    tag = np.array([TAGS.index(name) for name in CONTENT])[
        pick(list(CONTENT.values()), rng.random(n))
    ]
    made = _pronounceable(rng, n, 1.0 + 2.2 * np.arange(n) ** 0.3 / n**0.3)
    content = _section(made, tag, rng.random(n) < 0.15)
    return _joined(
        _Section(
            pl.Series([entry[0] for entry in common], dtype=pl.String),
            np.array([TAGS.index(entry[1]) for entry in common], np.uint8),
            np.array([TAGS.index((*entry, _rival(entry[1]))[2]) for entry in common], np.uint8),
            np.array([len(entry) > 2 for entry in common]),
        ),
        _spread(content, _listed(language.ABROAD, "X")),
    )


def _small_sections(rng: np.random.Generator) -> dict[str, _Section]:
    number = rng.permutation(NUMBERS)
    numbers = pl.Series([f"{n / 10:.1f}" if n % 4 == 0 else str(n) for n in number])
    titles = _pronounceable(rng, TITLES, np.full(TITLES, 2.2)).str.to_titlecase()
    shared = _pronounceable(rng, SHARED, np.full(SHARED, 2.0)).str.to_titlecase()
    lists = {"end": (language.ENDS, "PUNCT"), "inside": (language.INSIDE, "PUNCT")}
    lists |= {"named": (language.TITLES, "NOUN")}
    for kind in TYPES:
        lists[f"{kind.name}.first"] = (kind.firsts, "PROPN")
        lists[f"{kind.name}.inner"] = (kind.inners, "PROPN")
        lists[f"{kind.name}.last"] = (kind.lasts, "PROPN")
    return {
        "number": _section(numbers, _all("NUM", NUMBERS), np.zeros(NUMBERS, bool)),
        "title": _section(titles, _all("NOUN", TITLES), np.ones(TITLES, bool)),
        "shared": _section(shared, _all("PROPN", SHARED), np.ones(SHARED, bool)),
        **{name: _listed(forms, tag) for name, (forms, tag) in lists.items()},
    }


def _names(rng: np.random.Generator, kind: EntityType) -> _Section:
    stem = _pronounceable(rng, kind.names, rng.choice([1.0, 2.0, 2.0, 3.0], kind.names))
    ending = pl.Series(kind.endings, dtype=pl.String)
    ending = ending.gather(rng.integers(0, len(kind.endings), kind.names))
    form = stem.str.to_titlecase() + ending
    return _section(form, _all("PROPN", kind.names), rng.random(kind.names) < 0.04)


def _mixed(pools: Mapping[str, Places]) -> dict[str, Places]:
    """Return the pools for each place of a span; every ninth name is one that types share."""
    mixed = {"outside": _inlaid(np.append(pools["named"], pools["title"]), pools["shared"], 4)}
    for kind in TYPES:
        name = _inlaid(pools[f"{kind.name}.name"], pools["shared"], 9)
        if kind.name == "DATE":
            name = np.concatenate([pools["DATE.last"][:12], pools["number"][:60]])
        mixed[f"{kind.name}.single"] = name
        for place in ("first", "inner", "last"):
            mixed[f"{kind.name}.{place}"] = np.append(pools[f"{kind.name}.{place}"], name)
    return mixed


def _inlaid(pool: Places, guest: Places, every: int) -> Places:
    answer = pool.copy()
    places = answer[every - 1 :: every]
    places[:] = np.resize(guest, len(places))
    return answer


def _pronounceable(
    rng: np.random.Generator, n: int, syllables: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> pl.Series:
    """Return n made-up words of about so many syllables each."""
    known = pl.Series(["", *map("".join, product(language.ONSETS, language.VOWELS))])
    size = np.floor(syllables + rng.random(n))
    parts = [
        known.gather(np.where(size > place, rng.integers(1, len(known), n), 0))
        for place in range(4)
    ]
    coda = pl.Series(language.CODAS).gather(rng.integers(0, len(language.CODAS), n))
    return pl.select(pl.concat_str([*parts, coda])).to_series()


def _section(
    form: pl.Series, tag: np.ndarray[tuple[int], np.dtype[np.integer]], ambiguous: Flags
) -> _Section:
    rivals = np.array([TAGS.index(_rival(name)) for name in TAGS], np.uint8)
    return _Section(form, tag.astype(np.uint8), rivals[tag], ambiguous)


def _listed(forms: tuple[str, ...], tag: str) -> _Section:
    form = pl.Series(forms, dtype=pl.String)
    return _section(form, _all(tag, len(form)), np.zeros(len(form), bool))


def _capitalised(word: _Section) -> _Section:
    return _Section(word.form.str.to_titlecase(), word.tag, word.other, word.ambiguous)


def _joined(*parts: _Section) -> _Section:
    return _Section(
        pl.concat([part.form for part in parts]),
        np.concatenate([part.tag for part in parts]),
        np.concatenate([part.other for part in parts]),
        np.concatenate([part.ambiguous for part in parts]),
    )


def _spread(words: _Section, guests: _Section) -> _Section:
    """Return the words with the guests among them: from frequent to rare, not all in one place."""
    both = _joined(words, guests)
    at = np.geomspace(150, len(words.form), len(guests.form)).astype(np.int64)
    order = np.insert(np.arange(len(words.form)), at, np.arange(len(words.form), len(both.form)))
    return _Section(
        both.form.gather(order), both.tag[order], both.other[order], both.ambiguous[order]
    )


def _all(tag: str, n: int) -> Codes:
    return np.full(n, TAGS.index(tag), np.uint8)


def _rival(tag: str) -> str:
    return language.TAKEN_FOR[tag][0]
