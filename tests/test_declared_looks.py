"""What tables say on a screen when they are drawn from their declarations alone."""

from __future__ import annotations

import random

import pytest

import coleval
from coleval.render.console import plain, render

CROWD = 12


@pytest.fixture
def spans(write):
    gold = write("gold.conll", "a B-X\nb O\nc B-Y\n\nd B-X\ne O\n")
    systems = {
        "one": write("one.conll", "a B-X\nb B-Y\nc B-Y\n\nd O\ne O\n"),
        "two": write("two.conll", "a B-Y\nb O\nc O\n\nd B-X\ne B-X\n"),
    }
    return coleval.load(gold, systems, task="span")


def test_spurious_items_name_a_bin_of_true_negatives_where_there_is_one(spans):
    assert "true negatives" not in render(spans.bins(), "spurious")
    assert "(0: true negatives)" in render(spans.bins(unit="token"), "spurious")


def test_columns_of_a_pair_have_the_names_of_its_systems(spans):
    heads = render(spans.errors(pair=("one", "two")), "comparison").splitlines()[1:3]
    assert heads[1].split()[:4] == ["error", "one", "two", "change"]
    heads = render(spans.bins(pair=("one", "two")), "pairs").splitlines()[1:3]
    assert heads[0].split()[:2] == ["one", "two"]


def test_changed_items_of_several_pairs_have_both_names(write):
    texts = {"gold": "a X\nb Y\n", "one": "a X\nb X\n", "two": "a Y\nb Y\n", "six": "a Y\nb X\n"}
    gold, *systems = (write(f"{name}.conll", text) for name, text in texts.items())
    corpus = coleval.load(gold, systems, task="tag")
    heads = render(corpus.changes(baseline="one", items=True), "items").splitlines()[1]
    assert heads.split()[:3] == ["from", "to", "kind"]
    heads = render(corpus.changes(("one", "two"), items=True), "items").splitlines()[1]
    assert heads.split()[0] == "kind"


def test_a_table_of_pairs_with_many_bins_keeps_its_long_names_apart(write):
    texts = {"gold": "a X\nb Y\n", "run-of-a-team-with-seed-1": "a X\nb X\n",
             "run-of-a-team-with-seed-2": "a Y\nb Y\n"}  # fmt: skip
    gold, *systems = (write(f"{name}.conll", text) for name, text in texts.items())
    report = coleval.load(gold, systems, task="tag").bins(pair=tuple(list(texts)[1:]))
    first, second = render(report, "pairs").splitlines()[1].split()[:2]
    assert (first[-1], second[-1]) == ("1", "2")


def test_differences_of_scores_are_in_points_and_not_in_percent(write):
    lines = "".join(f"w{k} B-X\n\n" for k in range(6))
    gold = write("gold.conll", lines)
    systems = {f"{name}{k}": write(f"{name}{k}.conll", lines.replace(f"w{k} B-X", f"w{k} O"))
               for name in "ab" for k in range(2)}  # fmt: skip
    report = coleval.load(gold, systems, task="span").compare(group="(.).", replicates=20)
    assert "points %" not in render(report, "groups")
    assert "%" not in "".join(render(report, "power").splitlines()[1:3])


def test_percent_changes_no_number_and_no_signature(spans):
    assert spans.bins(percent=True).signature == spans.bins().signature


def test_metrics_of_chains_have_two_lines_at_their_head(write):
    chain = "#begin document (d); part 000\nd 0 0 a NN (1)\nd 0 1 b NN (1)\n\n#end document\n"
    gold, system = write("gold.conll", chain), write("crf.conll", chain)
    report = coleval.load(gold, [system], task="coref", columns={"form": 4, "pos": 5}).score()
    text = plain(report, 80)
    assert "arcs_" not in text
    assert "not shown: arcs any %, arcs nominal %" in text


def test_systems_have_the_same_order_in_every_attribute(write):
    chance = random.Random(7)
    words = [f"w{k}" for k in range(60)]
    tags = [chance.choice(("B-X", "I-X", "O")) for _ in words]

    def tagged(wrong: float) -> str:
        own = [chance.choice(("B-X", "I-X", "O")) if chance.random() < wrong else t for t in tags]
        return "".join(f"{w} {t}\n" + "\n" * (k % 7 == 0)
                       for k, (w, t) in enumerate(zip(words, own, strict=True)))  # fmt: skip

    gold = write("gold.conll", tagged(0))
    systems = {f"s{k:02}": write(f"s{k:02}.conll", tagged(0.3)) for k in range(CROWD)}
    corpus = coleval.load(gold, systems, task="span").trained(gold)
    text = render(corpus.buckets(attributes="sLen,eDen,tFre,label"), "buckets")
    rows = [line.split()[0] for line in text.splitlines() if line.startswith("s")]
    orders = [rows[at + 1 : at + 1 + CROWD] for at, row in enumerate(rows) if row == "system"]
    assert len(orders) == 4
    assert all(order == orders[0] for order in orders)


def test_the_ranges_of_many_buckets_are_not_cut(write):
    chance = random.Random(3)
    sentences = [[chance.choice(("B-X", "O", "O")) for _ in range(chance.randint(3, 30))]
                 for _ in range(80)]  # fmt: skip
    text = "\n".join("".join(f"w {tag}\n" for tag in tags) for tags in sentences)
    gold = write("gold.conll", text)
    corpus = coleval.load(gold, [write("crf.conll", text)], task="span")
    report = corpus.buckets(attributes="eDen", buckets="eDen=quantile 9")
    shown = plain(report, 200)
    assert all(bucket in shown for bucket in report["buckets"]["bucket"])


def test_a_score_beyond_the_interval_of_few_replicates_is_drawn(write):
    lines = [f"w{k} {tag}\n\n" for k, tag in enumerate("ABABABABAB")]
    gold = write("gold.conll", "".join(lines))
    systems = {
        name: write(f"{name}.conll", "".join(lines[:k]) + "".join(
            line.replace(" A", " C") for line in lines[k:]))
        for name, k in (("one", 2), ("two", 6), ("three", 9))
    }  # fmt: skip
    corpus = coleval.load(gold, systems, task="tag")
    assert all(render(corpus.compare(replicates=1, seed=seed), "ranks") for seed in range(12))
