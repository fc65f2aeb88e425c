"""Kappa in words, and weighted kappa: by hand, in plain loops, by scikit-learn, what is refused."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import UsageError
from coleval.render import show
from coleval.statistics.agreement import band

SCALE = ("low", "mid", "high")
POWER = {"linear": 1, "quadratic": 2}


def load(**columns):
    systems = [name for name in columns if name != "gold"]
    picks = ",".join(["gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(columns), task="label", columns=picks)


def first(report):
    return report.table("pairs").row(0, named=True)


def hand():
    """Return the eight items of the docs; a second system only makes two."""
    cells = [[2, 1, 0], [0, 2, 1], [0, 0, 2]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(cells[i][j])]
    gold, s = ([SCALE[at] for at in column] for column in zip(*pairs, strict=True))
    return load(gold=gold, s=s, t=gold)


def weighted_in_loops(one, other, place, power, pooled):
    """Return 1 - distance / expected distance over the items both answer."""
    both = [(place[a], place[b]) for a, b in zip(one, other, strict=True) if a and b]
    ones, others = ([pair[side] for pair in both] for side in (0, 1))
    if pooled:
        ones = others = ones + others
    found = sum(abs(a - b) ** power for a, b in both) / len(both)
    chance = sum(abs(a - b) ** power for a in ones for b in others) / (len(ones) * len(others))
    return 1 - found / chance


@pytest.mark.parametrize(
    ("weights", "kappa", "word"),
    [("linear", 1 - 16 / 56, "tentative"), ("quadratic", 1 - 16 / 82, "reliable")],
)
def test_eight_items_by_hand(weights, kappa, word):
    found = first(hand().agree(weights=weights, label_order=SCALE))
    assert found["weighted_kappa"] == pytest.approx(kappa)
    assert (found["band"], found["weighted_band"]) == ("unreliable", word)
    assert found["kappa"] == pytest.approx((6 / 8 - 21 / 64) / (1 - 21 / 64))


@given(
    st.lists(st.tuples(*[st.sampled_from((*"1245", None))] * 3), min_size=2, max_size=25),
    st.sampled_from(("linear", "quadratic")),
    st.sampled_from(("separate", "pooled")),
)
def test_weighted_kappa_is_as_in_plain_loops_with_answers_missing(rows, weights, chance):
    rows = [(gold or "1", a, b) for gold, a, b in rows]
    names = ("gold", "a", "b")
    texts = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if not any(texts["a"]) or not any(texts["b"]):
        return
    report = load(**texts).agree(weights=weights, chance=chance)
    for found in report.table("pairs").iter_rows(named=True):
        one, other = texts[found["a"]], texts[found["b"]]
        if found["kappa"] is None:
            assert found["weighted_kappa"] is None
            continue
        place = {label: int(label) for label in "1245"}
        expected = weighted_in_loops(one, other, place, POWER[weights], chance == "pooled")
        assert found["weighted_kappa"] == pytest.approx(expected)


@given(st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=2, max_size=30))
def test_weighted_kappa_is_that_of_scikit_learn(rows):
    metrics = pytest.importorskip("sklearn.metrics")
    gold, s = (list(column) for column in zip(*rows, strict=True))
    if len({*gold, *s}) == 1:
        return
    for weights in POWER:
        found = first(load(gold=gold, s=s, t=gold).agree(weights=weights, label_order=SCALE))
        theirs = metrics.cohen_kappa_score(gold, s, labels=SCALE, weights=weights)
        assert found["weighted_kappa"] == pytest.approx(theirs)


def test_a_scale_may_be_turned_round_but_not_mixed():
    def kappa(order):
        return first(hand().agree(weights="linear", label_order=order))["weighted_kappa"]

    assert kappa("low,mid,high") == pytest.approx(kappa("high,mid,low"))
    assert kappa("low,mid,high") != pytest.approx(kappa("mid,low,high"))
    assert kappa("low,mid,high,top") == pytest.approx(kappa("low,mid,high"))


def test_bands_begin_at_their_values_and_nothing_is_in_none():
    words = [band(value) for value in (1.0, 0.8, 0.7999, 0.67, 0.6699, -1.0, None)]
    assert words == ["reliable", "reliable", "tentative", "tentative", "unreliable",
                     "unreliable", None]  # fmt: skip


def test_bands_are_at_the_end_of_both_tables_and_counted_on_the_screen():
    report = hand().agree()
    assert [report.table(name).columns[-1] for name in ("pairs", "overall")] == ["band", "band"]
    assert set(report.table("pairs")["band"]) == {"unreliable", "reliable"}
    stream = io.StringIO()
    show(report, stream=stream, width=100, color=False)
    assert "reliable (κ ≥ 0.8) 1 · tentative (κ ≥ 0.67) 0 · unreliable 2" in stream.getvalue()
    stream = io.StringIO()
    show(hand().agree(weights="linear", label_order=SCALE), stream=stream, width=100, color=False)
    assert "Weighted kappa of each pair" in stream.getvalue()
    assert "tentative (κ ≥ 0.67) 2" in stream.getvalue()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": "cubic"}, "cubic"),
        ({"weights": "linear"}, "is not a number"),
        ({"weights": "linear", "label_order": "low,high"}, "`mid` is not there"),
        ({"weights": "linear", "label_order": "low,mid,mid,high"}, "`mid` is named twice"),
        ({"label_order": SCALE}, "linear or quadratic"),
    ],
)
def test_scales_that_are_none_are_refused(options, said):
    with pytest.raises(UsageError) as error:
        hand().agree(**options)
    assert said in str(error.value)


def test_labels_that_need_not_be_there_have_no_scale(write):
    paths = [write(name, f"w {tag}\nv O\n") for name, tag in (("gold", "B-A"), ("a", "B-A"),
                                                              ("b", "O"))]  # fmt: skip
    corpus = coleval.load(paths[0], {"a": paths[1], "b": paths[2]}, task="span")
    for unit in ("span", "token"):
        with pytest.raises(UsageError, match="no place on a scale"):
            corpus.agree(unit=unit, weights="linear", label_order="A")
