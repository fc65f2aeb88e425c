"""Dependency trees: which answers are equal by which metric, and where they are read from."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.statistics.draws import keys_of_numbers, poisson, streams


def rows(report, name, *columns):
    frame = report.table(name)
    return frame.select(columns).rows() if columns else frame.to_dicts()


def conllu(*words):
    return "".join(f"{k}\tw{k}\t_\tX\t_\t_\t{h}\t{r}\t_\t_\n" for k, (h, r) in enumerate(words, 1))


@pytest.fixture
def dep(write):
    paths = [
        write("gold.conllu", conllu((2, "nsubj"), (0, "root"), (2, "obj"), (2, "punct"))),
        write("a.conllu", conllu((2, "Nsubj"), (0, "root"), (1, "obj"), (1, "punct"))),
        write("b.conllu", conllu((3, "nsubj"), (0, "root"), (2, "obj:x"), (2, "punct"))),
    ]
    return coleval.load(paths[0], paths[1:], task="dep")


def test_relations_are_compared_in_lower_case_and_punct_is_left_out(dep):
    (row,) = rows(dep.changes(), "summary")
    assert (row["items"], row["correct_before"], row["correct_after"]) == (3, 2, 1)
    (row,) = rows(dep.changes(punct=True), "summary")
    assert (row["items"], row["corrections"]) == (4, 1)


@pytest.mark.parametrize(
    ("metric", "counts"), [("las", (0, 1, 1)), ("uas", (1, 1, 0)), ("ls", (0, 1, 0))]
)
def test_a_difference_is_one_of_what_the_metric_compares(dep, metric, counts):
    (row,) = rows(dep.changes(metric=metric), "summary")
    assert (row["corrections"], row["new_errors"], row["changed_errors"]) == counts


def test_transitions_show_relations_even_where_only_the_head_changed(dep):
    assert rows(dep.changes(metric="uas"), "changes", "kind", "label_before", "label_after") == [
        ("correction", "obj", "obj:x"),
        ("new error", "nsubj", "nsubj"),
    ]


def test_the_score_of_trees_has_uas_ls_and_las(dep):
    report = dep.score(punct=False, subtypes=True)
    found = rows(report, "overall", "system", "metric", "correct", "gold")
    assert [row for row in found if row[1] in ("UAS", "LS", "LAS")] == [
        ("a", "UAS", 2, 3), ("a", "LS", 3, 3), ("a", "LAS", 2, 3),
        ("b", "UAS", 2, 3), ("b", "LS", 2, 3), ("b", "LAS", 1, 3),
    ]  # fmt: skip


def test_the_leaderboard_counts_punctuation_and_no_subtypes_as_the_ud_evaluation_does(dep):
    found = rows(dep.score(), "overall", "system", "metric", "correct", "gold")
    assert [row for row in found if row[1] in ("UAS", "LAS")] == [
        ("b", "UAS", 3, 4), ("b", "LAS", 3, 4),
        ("a", "UAS", 2, 4), ("a", "LAS", 1, 4),
    ]  # fmt: skip


def test_trees_survive_the_store(dep, tmp_path):
    again = coleval.open(dep.save(tmp_path / "store"))
    for name in ("changes", "oracle", "score", "confusion"):
        before, after = (getattr(c, name)() for c in (dep, again))
        assert before.signature == after.signature
        assert all(before.table(t).equals(after.table(t)) for t in before.tables)


def test_trees_are_read_from_other_columns_too(write):
    gold = write("gold.tsv", "The\t2\tdet\ndog\t0\troot\n")
    system = write("a.tsv", "The\t2\tdet\ndog\t1\troot\n")
    corpus = coleval.load(
        gold, [system], task="dep", format="columns", columns="form=1,head=2,deprel=3"
    )
    found = rows(corpus.score(), "overall", "metric", "correct")
    assert found == [
        ("Tokens", 2), ("Sentences", 1), ("Words", 2),
        ("UAS", 1), ("LS", 2), ("LAS", 1), ("CLAS", 0),
    ]  # fmt: skip


def test_gold_without_trees_is_an_error_that_names_the_line(write):
    path, other = (write(f"{n}.conllu", "1\tw\t_\tX\t_\t_\t_\t_\t_\t_\n") for n in ("gold", "a"))
    with pytest.raises(coleval.ColevalError, match=r"gold.conllu:1: .*no HEAD"):
        coleval.load(path, [other], task="dep")


def test_intervals_are_those_of_sentences_drawn_again_by_a_plain_loop(write):
    mixed = random.Random(5)
    gold = [[(mixed.randint(0, k), mixed.choice(["obj", "det"])) for k in range(1, 5)]
            for _ in range(120)]  # fmt: skip
    said = [[(h, mixed.choice(["obj", "det"]) if mixed.random() < 0.4 else r) for h, r in words]
            for words in gold]  # fmt: skip
    paths = [write(f"{name}.conllu", "\n".join(conllu(*words) for words in sentences) + "\n")
             for name, sentences in (("gold", gold), ("a", said))]  # fmt: skip
    report = coleval.load(paths[0], paths[1:], task="dep").score(
        intervals=True, replicates=200, seed=4
    )
    content = [[r != "det" for _, r in words] for words in gold]
    assert content[0].count(True) < 4
    weights = poisson(streams(keys_of_numbers(np.arange(120)), 4), 0, 4)[:, :200].T.tolist()
    for metric, sums in (("LAS", _las), ("CLAS", _clas)):
        each = [sums(*pair) for pair in zip(gold, said, strict=True)]
        row = report.table("overall").row(by_predicate=pl.col("metric") == metric, named=True)
        assert [row[name] for name in ("correct", "gold", "predicted")] == [
            sum(one[k] for one in each) for k in range(3)
        ]
        for name, value in {
            "f1": lambda c, g, p: 2 * c / (g + p), "recall": lambda c, g, _: c / g,
            "precision": lambda c, _, p: c / p, "aligned_accuracy": lambda c, g, _: c / g,
        }.items():  # fmt: skip
            drawn = [
                value(*(sum(n * one[k] for n, one in zip(ns, each, strict=True)) for k in range(3)))
                for ns in weights
            ]
            ends = [row[f"{name}_low"], row[f"{name}_high"]]
            assert ends == pytest.approx(np.quantile(drawn, [0.025, 0.975]).tolist()), metric


def _las(gold, said):
    return sum(g == s for g, s in zip(gold, said, strict=True)), len(gold), len(said)


def _clas(gold, said):
    pairs = [(g, s) for g, s in zip(gold, said, strict=True) if g[1] == "obj"]
    return sum(g == s for g, s in pairs), len(pairs), sum(r == "obj" for _, r in said)
