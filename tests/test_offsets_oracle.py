"""Spans by characters against plain loops over sets of (text, offsets, label)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import coleval
from conftest import seeds
from offset_files import (
    DIALECTS,
    Layer,
    difficulty,
    noisy,
    outcomes,
    random_spans,
    random_text,
    write_brat,
    write_records,
)

if TYPE_CHECKING:
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

UNITS = ("codepoints", "utf16", "bytes")


def case(seed: int, *, holes: bool) -> tuple[list[str], Layer, list[Layer]]:
    draw = random.Random(seed)
    texts = [random_text(draw) for _ in range(draw.randint(1, 4))]
    gold = [random_spans(draw, text, holes=holes) for text in texts]
    systems = [
        [noisy(draw, t, g, holes=holes) for t, g in zip(texts, gold, strict=True)]
        for _ in range(draw.randint(1, 3))
    ]
    return texts, gold, systems


def check(corpus: Corpus, gold: Layer, systems: list[Layer]) -> None:
    for unit in ("span", "character"):
        report = corpus.score(unit=unit)
        overall = {row["system"]: row for row in report["overall"].iter_rows(named=True)}
        for k, system in enumerate(systems):
            expected = outcomes(gold, system)
            row = overall[f"s{k}"]
            assert (row["tp"], row["fp"], row["fn"]) == expected.pop("")
            labels = {
                row["label"]: (row["tp"], row["fp"], row["fn"])
                for row in report["labels"].iter_rows(named=True)
                if row["system"] == f"s{k}" and row["tp"] + row["fp"] + row["fn"]
            }
            assert labels == expected
        bins = {r["bin"]: r["items"] for r in corpus.bins(unit=unit)["bins"].iter_rows(named=True)}
        assert {k: n for k, n in bins.items() if n} == difficulty(gold, systems)


def check_records(folder: Path, seed: int) -> None:
    texts, gold, systems = case(seed, holes=False)
    if not any(gold) or not all(map(any, systems)):
        return
    draw = random.Random(seed)
    unit = draw.choice(UNITS)
    paths = {
        f"s{k}": write_records(folder / f"{seed}s{k}.json", draw.choice(DIALECTS), texts, s, unit)
        for k, s in enumerate(systems)
    }
    first = write_records(folder / f"{seed}g.json", draw.choice(DIALECTS), texts, gold, unit)
    check(coleval.load(first, paths, offsets=unit, format="offsets"), gold, systems)


def check_brat(folder: Path, seed: int) -> None:
    texts, gold, systems = case(seed, holes=True)
    draw = random.Random(seed)
    unit = draw.choice(UNITS)
    first = write_brat(folder / f"{seed}g", texts, gold, unit)
    paths = {
        f"s{k}": write_brat(folder / f"{seed}s{k}", texts, system, unit)
        for k, system in enumerate(systems)
    }
    under = [[[(a, b, label.replace(" ", "_"), p) for a, b, label, p in spans] for spans in layer]
             for layer in (gold, *systems)]  # fmt: skip
    if any(map(any, under)):
        check(coleval.load(first, paths, offsets=unit), under[0], under[1:])


@pytest.mark.parametrize("seed", seeds(6, 25))
def test_records_are_scored_as_sets_of_offsets_are(seed: int, tmp_path: Path) -> None:
    check_records(tmp_path, seed)


@pytest.mark.parametrize("seed", seeds(5, 15))
def test_fragments_of_brat_are_scored_as_sets_of_offsets_are(seed: int, tmp_path: Path) -> None:
    check_brat(tmp_path, seed)
