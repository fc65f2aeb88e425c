"""Extents with several labels: equal labels of two systems meet, whatever others say."""

from __future__ import annotations

import itertools
import random

import polars as pl
import pytest

import coleval
from coleval.counts.crowded import _met
from coleval.counts.span_slots import slot_places


@pytest.fixture
def corpus(write):
    def corpus(gold, **systems):
        paths = {name: write(name, f"w\t{tag}\nx\tB-Q\n") for name, tag in systems.items()}
        return coleval.load(write("gold", f"w\t{gold}\nx\tB-Q\n"), paths, task="span")

    return corpus


def changed(report):
    table = report.table("changes")
    return [
        tuple(row)
        for row in table.select("kind", "gold", "label_before", "label_after", "n").rows()
    ]


def test_an_invented_label_that_stays_is_no_change(corpus):
    report = corpus("O", A="B-Y", B="B-X|B-Y").changes(("A", "B"), items=True)
    assert changed(report) == [("new error", None, None, "X", 1)]
    assert report.table("items").select("kind", "label_before", "label_after").rows() == [
        ("new error", None, "X")
    ]


def test_the_two_agree_on_the_label_that_both_give(corpus):
    pairs = corpus("O", A="B-Y", B="B-X|B-Y").agree().table("pairs")
    assert pairs.select("a", "b", "items", "agreed").rows()[-1] == ("A", "B", 3, 2)


def test_a_third_system_with_both_labels_changes_nothing(corpus):
    alone = corpus("O", A="B-Y", B="B-X").changes(("A", "B"))
    third = corpus("O", A="B-Y", B="B-X", C="B-X|B-Y").changes(("A", "B"))
    assert changed(third) == changed(alone) == [("changed error", None, "Y", "X", 1)]
    assert third.table("summary").drop("sentences").equals(alone.table("summary").drop("sentences"))


def test_labels_left_out_leave_their_slots_to_others(corpus):
    """Gold's X is not asked for, so Z is taken for gold's Y, as in files without X."""
    labels = corpus("B-X|B-Y", A="B-Z").confusion(exclude=["X"]).table("confusion")
    assert [tuple(r) for r in labels.select("gold", "answer", "n").rows() if "Q" not in r] == [
        ("Y", "Z", 1)
    ]


def rows_of(gold, layers, labels):
    """Return gold and the layers by row, as the item table has one extent."""
    found = {}
    for name, own in {"": gold, **layers}.items():
        for place, label in zip(slot_places(own, gold, labels), own, strict=True):
            found.setdefault(place, {})[name] = label
    rows = [found[place] for place in sorted(found)]
    return {name: [row.get(name, 0) for row in rows] for name in ("", *layers)}


def arrangements(gold, labels):
    """Yield all ways to put labels on rows: right ones on gold's, its free slots filled first."""
    slots = [k for k, label in enumerate(gold) if label] or [0]
    right = {k: gold[k] for k in slots if gold[k] and gold[k] in labels}
    rest = [label for label in labels if label not in right.values()]
    free = [k for k in slots if k not in right]
    others = [k for k in range(len(gold)) if k not in slots]
    n = min(len(rest), len(free))
    for order in itertools.permutations(rest):
        for at in itertools.permutations(free, n):
            for beyond in itertools.permutations(others, len(rest) - n):
                row = dict(zip((*at, *beyond), order, strict=True)) | right
                yield tuple(row.get(k, 0) for k in range(len(gold)))


@pytest.mark.parametrize("seed", range(5))
def test_the_fewest_rows_differ_of_all_arrangements(seed):
    rng = random.Random(seed)
    for _ in range(40):
        gold = sorted(rng.sample(range(1, 6), rng.choice([0, 0, 1, 2])))
        layers = {name: sorted(rng.sample(range(1, 6), rng.randint(0, 3))) for name in "abc"}
        if not any((gold, *layers.values())):
            continue
        rows = rows_of(gold, layers, 6)
        found = _met(rows[""], rows["a"], rows["b"])
        ways = [set(arrangements(rows[""], layers[name])) for name in "ab"]
        assert all(tuple(row) in way for row, way in zip(found, ways, strict=True))
        fewest = min(
            sum(x != y for x, y in zip(*pair, strict=True)) for pair in itertools.product(*ways)
        )
        assert sum(x != y for x, y in zip(*found, strict=True)) == fewest


@pytest.mark.parametrize("seen", ["Q", "R"])
def test_which_label_was_read_first_decides_nothing(write, seen):
    """Two gold spans overlap an extent with P, Q, R: they meet P and Q, in alphabetical order."""
    gold = write("gold", f"v\tB-{seen}\n\nw\tB-A|B-B\nx\tI-A|I-B\ny\tO\n")
    system = write("s", f"v\tB-{seen}\n\nw\tO\nx\tB-P|B-Q|B-R\ny\tI-P|I-Q|I-R\n")
    corpus = coleval.load(gold, {"s": system}, task="span")
    assert corpus.items["s"].cast(pl.String).to_list()[-3:] == ["P", "Q", "R"]
    items = corpus.errors(items=True).table("items")
    pairs = items.filter(pl.col("partner").is_not_null()).select("gold", "answer").rows()
    assert sorted(pairs) == [("A", "P"), ("B", "Q")]


def test_two_raters_agree_overall_as_they_do_as_a_pair(corpus):
    report = corpus("O", A="B-Y", B="B-X|B-Y").agree()
    pair, overall = report.table("pairs").to_dicts()[-1], report.table("overall").to_dicts()[0]
    assert (pair["items"], pair["observed"]) == (overall["items"], overall["observed"])
    assert overall["observed"] == pytest.approx(2 / 3)


def test_of_three_raters_each_label_is_an_item(corpus):
    row = corpus("O", A="B-Y", B="B-X|B-Y", C="B-Y").agree().table("overall").to_dicts()[0]
    # On w: X by B alone, Y by all three; on x: Q by all.
    assert (row["items"], row["raters"]) == (3, 3)
    assert row["observed"] == pytest.approx((1 / 3 + 1 + 1) / 3)
