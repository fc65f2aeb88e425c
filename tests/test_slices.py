"""``pivot --find``: slices that are worse than chance makes any, and none where all is chance."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import UsageError
from coleval.render.console import render
from coleval.statistics import without_replacement
from coleval.statistics.without_replacement import at_most, difference_at_most


def corpus_of(rows):
    gold, one, two, kind = zip(*rows, strict=True)
    table = pl.DataFrame({"id": [str(k) for k in range(len(rows))], "gold": gold, "one": one,
                          "two": two, "kind": kind})  # fmt: skip
    return coleval.load(
        table, task="label", columns="id=id,gold=gold,system=one,system=two,kind=kind"
    )


def slow_chance(s, n, better, worse, whole):
    """Return how likely better less worse ones among n items are at most s, counted out."""
    ways = sum(
        comb(better, a) * comb(worse, b) * comb(whole - better - worse, n - a - b)
        for a in range(min(better, n) + 1)
        for b in range(min(worse, n - a) + 1)
        if a - b <= s
    )
    return Fraction(ways, comb(whole, n))


def slow_findings(rows, worth, least):
    """Return the slices by one attribute and by two that remain significant, with all they say."""
    whole, total = len(worth), sum(worth)
    columns = {"label": [r[0] for r in rows], "kind": [r[3] for r in rows]}
    tried = {}
    for size in (1, 2):
        for names in combinations(columns, size):
            parts = {}
            for k, w in enumerate(worth):
                parts.setdefault(tuple(columns[n][k] for n in names), []).append(w)
            for values, here in parts.items():
                if len(here) >= least:
                    tried[frozenset(zip(names, values, strict=True))] = here
    chances = {}
    for key, here in tried.items():
        worse = sum(here) * whole < total * len(here)
        up, down = worth.count(1), worth.count(-1)
        chances[key] = slow_chance(sum(here), len(here), up, down, whole) if worse else Fraction(1)
    found = {}
    order = sorted(chances, key=lambda key: chances[key])
    for key in order:
        own = [chances[o] * len(order) / (k + 1) for k, o in enumerate(order)]
        p = min(1, *own[order.index(key) :])
        mean = Fraction(sum(tried[key]), len(tried[key]))
        parts = [frozenset([part]) for part in key]
        better = all(mean < Fraction(sum(tried[o]), len(tried[o])) for o in parts)
        if p <= Fraction(1, 20) and (len(key) == 1 or better):
            found[key] = (len(tried[key]), float(mean), float(chances[key]), float(p))
    return found, len(tried)


def keys_of(row):
    """Return what a row says of a slice: attributes with their values."""
    second = {(row["and_attribute"], row["and_value"])} if row["and_attribute"] else set()
    return frozenset({(row["attribute"], row["value"])} | second)


@given(st.integers(0, 10**6), st.booleans(), st.integers(10, 60), st.floats(0, 1))
def test_findings_are_what_exact_fractions_say(seed, two, size, gone):
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(size):
        gold, kind = str(draw.choice(list("AB"))), str(draw.choice(list("xy")))
        bad = kind == "x" and draw.random() < gone
        rows.append((gold, "C" if bad and not two else gold, "C" if bad and two else gold, kind))
    worth = [int(r[2] == r[0]) - int(r[1] == r[0]) for r in rows] if two else [
        int(r[1] == r[0]) for r in rows]  # fmt: skip
    names = ["one", "two"] if two else ["one"]
    report = corpus_of(rows).pivot(find=names, attributes="label,kind", least=2)
    slow, tried = slow_findings(rows, worth, 2)
    got = report.table("slices").to_dicts()
    different = len({r[0] for r in rows}) > 1 and len({r[3] for r in rows}) > 1
    if different and not all((r[0] == "A") == (r[3] == "x") for r in rows):
        assert {keys_of(row) for row in got} == set(slow)
        assert report.table("tried")["slices"].item() == tried
    for row in got:
        n, score, p, p_adjusted = slow[keys_of(row)]
        assert (row["n"], row["score"]) == (n, pytest.approx(score))
        assert row["p"] == pytest.approx(p, rel=1e-9)
        assert row["p_adjusted"] == pytest.approx(p_adjusted, rel=1e-9)
    assert [row["p"] for row in got] == sorted(row["p"] for row in got)


@given(st.data())
def test_chances_are_those_of_exact_fractions(data):
    whole = data.draw(st.integers(1, 60))
    better = data.draw(st.integers(0, whole))
    worse = data.draw(st.integers(0, whole - better))
    n = data.draw(st.integers(0, whole))
    s = data.draw(st.integers(-n - 1, n))
    numbers = np.array([s]), np.array([n])
    two = difference_at_most(*numbers, better, worse, whole).item()
    assert two == pytest.approx(float(slow_chance(s, n, better, worse, whole)), rel=1e-12)
    one = at_most(*numbers, better, whole).item()
    assert one == pytest.approx(float(slow_chance(s, n, better, 0, whole)), rel=1e-12)


def test_chances_among_millions_of_items_have_all_their_digits():
    """Logarithms of factorials leave eight of them."""
    whole, good, n, k = 2_000_000, 1_700_000, 300, 220
    ways = sum(math.comb(good, x) * math.comb(whole - good, n - x) for x in range(k + 1))
    exact = float(Fraction(ways, math.comb(whole, n)))
    assert at_most(np.array([k]), np.array([n]), good, whole).item() == pytest.approx(
        exact, rel=1e-13
    )


@pytest.mark.parametrize(("whole", "better", "worse", "n"), [
    (100_000, 9_000, 8_000, 6_000), (100_000, 12_000, 300, 8_000), (20_000, 9_000, 11_000, 1_500),
])  # fmt: skip
def test_beyond_what_is_counted_out_a_chance_is_never_made_smaller(
    monkeypatch, whole, better, worse, n
):
    spread = math.sqrt(n * (better + worse) / whole * (1 - n / whole))
    s = np.array([int(n * (better - worse) / whole - z * spread) for z in (1, 2, 3, 4, 5)])
    near = difference_at_most(s, np.full(5, n), better, worse, whole)
    monkeypatch.setattr(without_replacement, "LARGEST", 10**9)
    exact = difference_at_most(s, np.full(5, n), better, worse, whole)
    assert np.all(near >= exact * (1 - 1e-9))
    assert np.all(near <= exact * 2)


def by_chance(draw, accuracy, size):
    """Return a corpus in which nothing but chance decides what either system has right."""
    gold = draw.choice(list("ABCDE"), size, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    said = {name: np.where(draw.random(size) < accuracy, gold, "F") for name in ("one", "two")}
    table = pl.DataFrame(
        {"id": [str(k) for k in range(size)], "gold": gold, **said,
         "kind": draw.choice(list("uvwxyz"), size), "number": draw.geometric(0.2, size),
         "rare": draw.choice(["yes", "no"], size, p=[0.1, 0.9])}
    )  # fmt: skip
    columns = "id=id,gold=gold,system=one,system=two,kind=kind,number=number,rare=rare"
    return coleval.load(table, task="label", columns=columns)


@pytest.mark.parametrize("names", [("one",), ("one", "two")])
def test_where_all_is_chance_next_to_nothing_is_found(names):
    # Expected at most 5 % of 100; that more than 11 come of it has a chance below 0.5 %.
    draw = np.random.default_rng(len(names))
    corpora = [by_chance(draw, (0.5, 0.9, 0.98, 0.995)[k % 4], 600) for k in range(100)]
    found = [len(one.pivot(find=names).table("slices")) > 0 for one in corpora]
    assert sum(found) <= 11


def planted(size=600):
    draw = np.random.default_rng(0)
    rows = []
    for _ in range(size):
        gold, kind = str(draw.choice(list("ABC"))), str(draw.choice(list("xyz")))
        bad = gold == "A" and kind == "y"
        one = gold if draw.random() > (0.8 if bad else 0.05) else "C" if gold != "C" else "B"
        rows.append((gold, one, gold, kind))
    return corpus_of(rows)


def test_the_finder_finds_a_planted_slice():
    top = planted().pivot(find="one").table("slices").row(0, named=True)
    assert keys_of(top) == {("label", "A"), ("kind", "y")}
    assert top["p_adjusted"] < 1e-6


def test_a_screen_says_how_many_slices_were_tried_whether_any_was_found():
    report = planted().pivot(find="one")
    text = render(report)
    tried = report.table("tried").row(0, named=True)
    assert "significantly worse slices, lowest p first" in text
    assert f"{tried['found']} of {tried['slices']} slices of 20 or more items" in text
    null = render(by_chance(np.random.default_rng(3), 0.9, 300).pivot(find="one"))
    assert "No slice is significantly worse" in null
    assert "0 of " in null


def test_a_slice_has_an_item_at_least():
    with pytest.raises(UsageError, match="least="):
        planted(60).pivot(find="one", least=0)


def test_attributes_of_nothing_and_of_infinities_are_no_trouble():
    rows = {"id": [str(k) for k in range(40)], "gold": ["A"] * 40, "s": ["A", "B"] * 20,
            "n": [math.inf if k % 3 else float(k) for k in range(40)],
            "i": [math.inf, math.nan] * 20,
            "z": pl.Series([None] * 40, dtype=pl.Float64)}  # fmt: skip
    columns = "id=id,gold=gold,system=s,n=n,i=i,z=z"
    corpus = coleval.load(pl.DataFrame(rows), task="label", columns=columns)
    assert corpus.pivot(find="s", least=1).table("slices").is_empty()
