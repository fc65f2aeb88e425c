"""The protocols of WNUT 2020 as columns and as brat: one system scores alike in both."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError

GOLD = {"columns": "gold/conll/{part}.conll", "brat": "gold/brat/{part}.ann"}
SYSTEM = {
    "columns": "systems/baseline_crf/conll/{part}.conll",
    "brat": "systems/baseline_crf/brat/{part}.ann",
}


@cache
def loaded(data, gold: str, system: str):
    folder = data("wnut2020-protocols")
    return coleval.load(
        f"{folder}/{gold}", {"s": f"{folder}/{system}"}, task="span", differing_text="align"
    )


def counts(corpus) -> tuple[int, int, int]:
    return corpus.score()["overall"].select("tp", "fp", "fn").row(0)


def test_the_system_has_the_same_spans_in_both_formats(data):
    assert counts(loaded(data, SYSTEM["columns"], SYSTEM["brat"])) == (15927, 0, 0)


def test_the_system_scores_alike_in_both_formats_whatever_gold_is(data):
    for gold in GOLD.values():
        columns, brat = (loaded(data, gold, system) for system in SYSTEM.values())
        assert counts(columns) == counts(brat)
        same = ("tp", "fp", "fn", "label")
        ours, theirs = (c.score()["labels"].select(same).sort("label") for c in (columns, brat))
        assert ours.equals(theirs)
        assert columns.bins()["bins"].equals(brat.bins()["bins"])
    assert counts(brat) == (11846, 4081, 4480)


def test_scores_of_the_two_golds_differ_by_the_spans_that_do(data):
    golds = loaded(data, GOLD["columns"], GOLD["brat"])
    assert counts(golds) == (15437, 889, 926)
    items = golds.at("span").frame()
    unlike = items.filter(pl.col("gold").cast(pl.String).ne_missing(pl.col("s").cast(pl.String)))
    broken = set(unlike["part"].cast(pl.String))
    by_gold = [loaded(data, gold, SYSTEM["brat"]).score(by="part")["by"] for gold in GOLD.values()]
    columns, brat = ({r["by"]: (r["tp"], r["fp"], r["fn"]) for r in table.iter_rows(named=True)}
                     for table in by_gold)  # fmt: skip
    assert {part for part in columns if columns[part] != brat[part]} <= broken


def test_another_text_is_an_error_that_shows_where(data):
    folder = data("wnut2020-protocols")
    with pytest.raises(ColevalError, match=r"protocol_2\.ann:1.* differs from gold's at char"):
        coleval.load(f"{folder}/{GOLD['brat']}", {"s": f"{folder}/{SYSTEM['brat']}"})
