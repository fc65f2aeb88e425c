"""Best against worst bucket: by hand, as all deals have it, and at the level that is promised."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import coleval
from coleval.statistics.blocks import DealtUnits, gap_p


def load(write, rows):
    """Return words with their label, group and whether the system has it right."""
    gold = "".join(f"{w}\tX\t{g}\n\n" for w, g, _ in rows)
    system = "".join(f"{w}\t{'X' if right else 'Y'}\t{g}\n\n" for w, g, right in rows)
    columns = {"form": 1, "gold": 2, "system": 2, "group": 3}
    return coleval.load(write("gold", gold), {"s": write("s", system)}, task="tag", columns=columns)


def gap_of(corpus, attribute="group", **more):
    report = corpus.buckets(attributes=attribute, by="recall", gaps=True, **more)
    return report.table("gap_tests").row(0, named=True)


def test_three_right_against_three_wrong_by_hand(write):
    """Of the 20 ways to deal six items into two threes, two have a gap as large: p = 2/20."""
    rows = [(f"w{k}", "A" if k < 3 else "B", k < 3) for k in range(6)]
    found = gap_of(load(write, rows), replicates=2000)
    assert (found["best_bucket"], found["best_recall"], found["best_n"]) == ("A", 1.0, 3)
    assert (found["worst_bucket"], found["worst_recall"], found["gap"]) == ("B", 0.0, 1.0)
    assert found["p"] == pytest.approx(0.1, abs=0.025)


def test_words_that_come_again_are_dealt_out_together(write):
    """Three times one word that is right and three times one that is wrong are two units: p = 1."""
    rows = [("red" if k < 3 else "blue", "A" if k < 3 else "B", k < 3) for k in range(6)]
    found = gap_of(load(write, rows))
    assert (found["dealt"], found["units"], found["p"]) == ("string", 2, 1.0)


def test_sentences_are_dealt_out_where_all_of_a_sentence_is_in_one_bucket(write):
    text = [("a b c", "X X X"), ("d e", "X Y"), ("f g h", "Y Y Y"), ("i j", "X X")]
    gold = "\n".join("".join(f"{w}\tX\n" for w in words.split()) for words, _ in text)
    tagged = [zip(words.split(), tags.split(), strict=True) for words, tags in text]
    system = "\n".join("".join(f"{w}\t{t}\n" for w, t in sentence) for sentence in tagged)
    corpus = coleval.load(write("gold", gold), {"s": write("s", system)}, task="tag")
    found = gap_of(corpus, "sLen")
    assert (found["dealt"], found["units"]) == ("sentence", 4)


@pytest.mark.parametrize("seed", range(5))
def test_p_is_near_that_of_all_deals(seed):
    rng = np.random.default_rng(seed)
    items = rng.integers(1, 5, size=7)
    right = rng.integers(0, items + 1)
    bucket = np.array([0, 0, 0, 1, 1, 2, 2])
    units = DealtUnits(bucket, items, right[None, :])

    def gap(order):
        shares = [sum(right[u] for u, b in zip(order, bucket, strict=True) if b == k)
                  / sum(items[u] for u, b in zip(order, bucket, strict=True) if b == k)
                  for k in range(3)]  # fmt: skip
        return max(shares) - min(shares)

    every = [gap(order) >= gap(range(7)) - 1e-12 for order in permutations(range(7))]
    assert units.gaps()[0] == pytest.approx(gap(range(7)))
    assert gap_p(units, 2000, seed)[0] == pytest.approx(np.mean(every), abs=0.04)


def test_recall_of_each_bucket_is_that_of_the_table_of_buckets(write):
    rng = np.random.default_rng(0)
    rows = [(f"w{k % 9}", "ABC"[k % 3], bool(rng.integers(2))) for k in range(40)]
    corpus = load(write, rows)
    report = corpus.buckets(attributes="group", by="recall", gaps=True)
    found = report.table("gap_tests").row(0, named=True)
    own = {r["bucket"]: (r["recall"], r["gold"]) for r in report.table("buckets").to_dicts()}
    assert own[found["best_bucket"]] == (found["best_recall"], found["best_n"])
    assert own[found["worst_bucket"]] == (found["worst_recall"], found["worst_n"])
    assert found["best_recall"] == max(recall for recall, _ in own.values())


def test_where_all_is_chance_one_test_in_twenty_is_significant():
    """Units of up to 20 items that are right together; the smallest bucket has three of them."""
    rng = np.random.default_rng(1)
    items, units = [], []
    for k in range(200):
        size = rng.integers(1, 21, size=60)
        right = rng.binomial(size, rng.beta(0.5, 0.5, size=60))
        bucket = np.repeat([0, 1, 2, 3], [36, 15, 6, 3])
        units.append(gap_p(DealtUnits(bucket, size, right[None, :]), 99, k)[0])
        each = np.repeat(np.arange(60), size)
        single = np.concatenate([np.arange(s) < r for s, r in zip(size, right, strict=True)])
        alone = DealtUnits(bucket[each], np.ones_like(each), single[None, :].astype(np.int64))
        items.append(gap_p(alone, 99, k)[0])
    assert 0.015 < np.mean(np.array(units) <= 0.05) < 0.09
    # Single items, dealt out as if they did not go together, find far too much.
    assert np.mean(np.array(items) <= 0.05) > 0.3


def test_p_is_adjusted_over_all_systems_and_attributes(write):
    rows = [(f"w{k}", "A" if k < 3 else "B", k < 3) for k in range(6)]
    corpus = load(write, rows)
    report = corpus.buckets(attributes=["group", "capitalisation", "characters"], by="recall",
                            gaps=True, correct="holm")  # fmt: skip
    table = report.table("gap_tests")
    assert table["p"].null_count() == 2
    assert table["note"].to_list()[1:] == ["fewer than two buckets have gold items"] * 2
    assert table["p_adjusted"][0] == table["p"][0]


def test_without_the_option_there_is_no_such_table(write):
    corpus = load(write, [("a", "A", True), ("b", "B", False)])
    assert "gap_tests" not in corpus.buckets(attributes="group").tables
