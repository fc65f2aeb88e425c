"""Texts that differ: by white space, by characters that one side lacks, against plain loops."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import ColevalError
from coleval.loading.align.near import common
from coleval.loading.readers.code_points import CodePoints
from coleval.loading.readers.model import OffsetFile
from coleval.loading.tasks.offsets import words_of
from conftest import seeds
from offset_files import Span, noisy, random_spans, random_text, write_records

if TYPE_CHECKING:
    from pathlib import Path

MARK = "§"
LETTERS = st.lists(st.integers(97, 100), max_size=12)


def rewritten(draw: random.Random, text: str) -> tuple[str, list[int]]:
    """Return a text with other white space and no marks, and where each character is in it."""
    found, place = "", []
    for character in text:
        place.append(len(found))
        if character.isspace():
            found += draw.choice([character, character + " ", "\n" if character != "\n" else " "])
        elif character != MARK:
            found += character
    return found, [*place, len(found)]


def shared(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the first and last of the characters that both texts have, None if there are none."""
    both = [k for k, c in enumerate(text) if not c.isspace() and c != MARK]
    inside = [n for n, k in enumerate(both) if start <= k < end]
    return (inside[0], inside[-1]) if inside else None


def distinct(text: str, spans: list[Span]) -> list[Span]:
    """Return spans of which no two are the same where only shared characters count."""
    found = {shared(text, a, b): (a, b, label, ()) for a, b, label, _ in reversed(spans)}
    return [span for key, span in found.items() if key is not None]


def keyed(text: str, spans: list[Span]) -> set[object]:
    return {(shared(text, a, b), label) for a, b, label, _ in spans}


@pytest.mark.parametrize("seed", seeds(8, 30))
def test_spans_meet_by_the_characters_that_both_texts_have(seed: int, tmp_path: Path) -> None:
    draw, near = random.Random(seed), bool(seed % 2)
    text = random_text(draw) * 6
    if near:
        text = "".join(c + MARK * (draw.random() < 0.03) for c in text).strip(MARK)
    gold = distinct(text, [*random_spans(draw, text, holes=False), (0, 1, "PER", ())])
    other, place = rewritten(draw, text)
    system = [(place[a], place[b], label, ()) for a, b, label, _ in
              distinct(text, noisy(draw, text, gold, holes=False))]  # fmt: skip
    ours = write_records(tmp_path / "g.jsonl", "doccano", [text], [gold])
    theirs = write_records(tmp_path / "s.jsonl", "doccano", [other], [system])
    corpus = coleval.load(ours, {"s": theirs}, format="offsets",
                          differing_text="align" if near else "error")  # fmt: skip
    one, two = (keyed(text, gold), keyed(other, system)) if text != other else (
        {span[:3] for span in gold}, {span[:3] for span in system}
    )  # fmt: skip
    expected = (len(one & two), len(two - one), len(one - two))
    for unit in ("span", "character"):
        assert corpus.score(unit=unit)["overall"].select("tp", "fp", "fn").row(0) == expected


def longest_in_common(a: list[int], b: list[int]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            longer = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else longer
    return table[-1][-1]


@given(a=LETTERS, b=LETTERS)
def test_what_texts_have_in_common_is_as_long_as_can_be(a: list[int], b: list[int]) -> None:
    found = common(np.array(a, np.uint32), np.array(b, np.uint32))
    most = longest_in_common(a, b)
    if found is None:
        assert 2 * most < 0.8 * (len(a) + len(b))
        return
    one, other = (side.tolist() for side in found)
    assert one == sorted(set(one))
    assert other == sorted(set(other))
    assert sum(a[i] == b[j] for i, j in zip(one, other, strict=True)) == most


def words_by_loop(text: str) -> list[str]:
    """Return runs of letters and digits with their marks, and single signs and letters of CJK."""
    found: list[str] = []
    before = ""
    for character in text:
        group = unicodedata.category(character)
        marks = group[0] == "M" or group == "Cf"
        kind = " " if character.isspace() else "m" if marks else "."
        if group[0] in "LN" and not unicodedata.name(character).startswith(("CJK", "THAI")):
            kind = "a"
        if kind != " " and (before + kind in ("am", ".m", "aa")):
            found[-1] += character
        elif kind != " ":
            found.append(character)
        before = {"m": before if before in ("a", ".") else "a"}.get(kind, kind)
    return found


@given(text=st.text("ab1.-'é\u0301日กี😀𝒳\u200d \n", max_size=12))
def test_words_are_runs_of_letters_and_single_signs(text: str) -> None:
    points = CodePoints(pl.Series([text], dtype=pl.String))
    file = OffsetFile("", points.texts, None, *[np.zeros(0, np.uint32)] * 4, pl.Series([]), None)
    words = words_of(file, points)
    found = [text[a:b] for a, b in zip(words.start.tolist(), words.end.tolist(), strict=True)]
    assert found == words_by_loop(text)


def test_long_texts_that_differ_a_lot_are_aligned_stretch_by_stretch() -> None:
    draw = random.Random(1)
    a = np.array([draw.randrange(97, 123) for _ in range(30_000)], np.uint32)
    b = np.delete(a, draw.sample(range(30_000), 1_500))
    found = common(a, b)
    assert found is not None
    assert np.array_equal(a[found[0]], b[found[1]])
    assert len(found[0]) > 0.98 * len(b)


def test_another_text_is_refused_though_texts_may_differ(tmp_path: Path) -> None:
    span = [(0, 3, "X", ())]
    ours = write_records(tmp_path / "g.jsonl", "doccano", ["Ann went home."], [span])
    theirs = write_records(tmp_path / "s.jsonl", "doccano", ["Bob is a dog!!"], [span])
    with pytest.raises(ColevalError, match="too little in common"):
        coleval.load(ours, {"s": theirs}, differing_text="align")


def test_characters_that_one_side_lacks_are_counted(tmp_path: Path) -> None:
    ours = write_records(
        tmp_path / "g.jsonl", "doccano", ["Heat to 37°C for 2 h."], [[(8, 12, "TEMP", ())]]
    )
    theirs = write_records(
        tmp_path / "s.jsonl", "doccano", ["Heat to 37C for 2 h!"], [[(8, 11, "TEMP", ())]]
    )
    corpus = coleval.load(ours, {"s": theirs}, differing_text="align")
    assert corpus.score()["overall"]["tp"].to_list() == [1]
    (note,) = corpus.entries[0].notes
    assert note.problem.startswith("characters only in gold's text: 1, only in this one: 0")
    assert "differing-text:align" in corpus.score().signature
