"""``items`` on shared tasks: against plain formulas, bins and what is known of the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import coleval

SPLIT = ("437684", "437952")


@pytest.fixture(scope="module")
def reasoning(data):
    """Return the 23 final submissions of SemEval-2018 task 12."""
    folder = data("semeval2018-t12")
    return coleval.load(f"{folder}/truth.txt", f"{folder}/submissions/*.txt", task="label")


@pytest.fixture(scope="module")
def found(reasoning):
    return reasoning.item_statistics()


def right_of(corpus):
    items = corpus.at()
    return np.array([codes == items.gold for codes in items.answers.values()]).T


def test_all_444_arguments_have_the_correlation_of_scipy(reasoning, found):
    right = right_of(reasoning)
    totals = right.sum(axis=0)
    table = found["items"].sort("item")
    for x, value in zip(right, table["discrimination"], strict=True):
        if x.all() or not x.any():
            assert value is None
        else:
            assert value == pytest.approx(stats.pointbiserialr(x, totals - x)[0])


def test_reliability_of_the_arguments_is_that_of_the_formula(reasoning, found):
    right = right_of(reasoning).astype(float)
    within = right.var(axis=1).sum()
    wanted = 444 / 443 * (1 - within / right.sum(axis=0).var())
    assert found["overall"]["alpha"][0] == pytest.approx(wanted)


def test_the_random_baseline_solves_what_few_others_do(found):
    systems = {row["system"]: row for row in found["systems"].to_dicts()}
    first = max(systems.values(), key=lambda row: row["above"])
    assert (first["system"], first["above_bin"]) == (SPLIT[0], 1)
    assert next(iter(systems)) == SPLIT[1]


@pytest.mark.parametrize("source", [
    ("compareval-en_gum/gold.conllu", "compareval-en_gum/systems/*.gz", "tag"),
    ("conll18-ud/fr_spoken/gold.conllu", "conll18-ud/fr_spoken/systems/*", "dep"),
    ("wnut17/gold/emerging.test.annotated", "wnut17/submissions/*", "span"),
])  # fmt: skip
def test_bins_of_the_fit_are_those_of_bins_on_every_task(data, source):
    gold, systems, task = source
    corpus = coleval.load(str(data(gold)), str(data(gold.split("/")[0])) + "/" + systems.split(
        "/", 1)[1], task=task)  # fmt: skip
    bins, report = corpus.bins(), corpus.item_statistics()
    tps = {(b, s): tp for b, s, tp in bins["tps"].select("bin", "system", "tp").iter_rows()}
    fit = {(b, s): tp for b, s, tp in report["fit"].select("bin", "system", "tp").iter_rows()}
    assert fit == tps
    overall = report["overall"].row(0, named=True)
    assert overall["solved_by_none"] == bins["bins"]["items"][0]
    assert overall["solved_by_all"] == bins["bins"]["items"][-1]


def test_half_of_the_questions_give_models_the_order_of_the_other_half(data):
    folder = data("mmlu-pro")
    corpus = coleval.load(f"{folder}/gold.tsv", f"{folder}/runs/*.tsv.gz", missing="wrong")
    report = corpus.item_statistics(subset=500)
    row = report["overall"].row(0, named=True)
    assert (row["items"], row["systems"]) == (12_032, 24)
    assert row["split_half"] > 0.99
    errors = dict(report["subset"].select("method", "mean_error").iter_rows())
    # 500 questions drawn at random: a standard error of about 2.2 points at most, 1.8 its mean.
    assert 0.01 < errors["random"] < 0.025
    assert errors["random + regression"] < errors["random"]
