"""Relations may hold any character, also the one that parts them from their heads."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coleval
from coleval.corpus.coding import Coder
from coleval.corpus.tree_answers import LabelHead, head_of, parsed_head, relation_of, universal
from coleval.loading.tasks.answers import Answers
from coleval.loading.tasks.trees import ToldHeads, numbered


def conllu(*words):
    """Return one sentence of (head, relation) or (head, relation, DEPS)."""
    return "".join(
        f"{k}\tw{k}\tw{k}\tX\tx\t_\t{head}\t{relation}\t{(*deps, '_')[0]}\t_\n"
        for k, (head, relation, *deps) in enumerate(words, 1)
    )


# Il pleut fort: SUD calls the first word `subj@expl`.
GOLD = ((2, "subj@expl"), (0, "root"), (2, "mod"))
SYSTEM = ((2, "subj"), (0, "root"), (2, "mod"))


@pytest.fixture
def dep(write):
    def dep(gold, *systems, **options):
        paths = [write(f"{name}.conllu", conllu(*words)) for name, words in zip("abc", systems)]  # noqa: B905
        return coleval.load(write("gold.conllu", conllu(*gold)), paths, task="dep", **options)

    return dep


def correct(corpus):
    return dict(corpus.score().table("overall").select("metric", "correct").rows())


def test_heads_and_relations_are_compared_apart_where_relations_hold_an_at(dep):
    found = correct(dep(GOLD, SYSTEM))
    assert {m: found[m] for m in ("UAS", "LS", "LAS")} == {"UAS": 3, "LS": 2, "LAS": 2}


def test_column_files_count_such_relations_in_the_same_way(write):
    paths = [
        write(name, "".join(f"w\t{head}\t{relation}\n" for head, relation in words))
        for name, words in (("gold.tsv", GOLD), ("a.tsv", SYSTEM))
    ]
    options = {"format": "columns", "columns": "form=1,head=2,deprel=3"}
    found = correct(coleval.load(paths[0], paths[1:], task="dep", **options))
    assert {m: found[m] for m in ("UAS", "LS", "LAS")} == {"UAS": 3, "LS": 2, "LAS": 2}


def test_a_relation_that_looks_like_an_answer_is_a_relation(dep):
    gold = ((2, "x@3"), (0, "root"), (2, "x"))
    found = correct(dep(gold, ((3, "x"), (0, "root"), (2, "x@2"))))
    assert (found["UAS"], found["LS"], found["LAS"]) == (2, 1, 1)


def test_such_relations_survive_the_store(dep, tmp_path):
    corpus = dep(GOLD, SYSTEM)
    again = coleval.open(corpus.save(tmp_path / "store"))
    assert correct(again) == correct(corpus)


def test_enhanced_graphs_and_function_words_take_such_relations(dep):
    gold = ((2, "det@x", "2:det@x:y"), (0, "root", "0:root"), (2, "case:a@b", "2:case@3"))
    same = dep(gold, ((2, "mod", "2:det@x:z"), (0, "root", "0:root"), gold[2]))
    assert [correct(same)[metric] for metric in ("ELAS", "EULAS", "MLAS")] == [2, 3, 1]
    # Another function word below the root: `det@x` was none.
    more = dep(gold, ((2, "det", "2:det@y:y"), (0, "root", "0:root"), gold[2]))
    assert [correct(more)[metric] for metric in ("ELAS", "EULAS", "MLAS")] == [2, 2, 0]


@pytest.mark.parametrize("metric", ["las", "ls", "clas", "mlas", "blex"])
def test_the_attribute_label_is_the_whole_relation_whatever_the_metric(dep, metric):
    words = ((2, "obj@x"), (0, "root"), (2, "nmod"))
    corpus = dep((words[0], (0, "root@y"), words[2]), words, metric=metric, functional="")
    relation = corpus.sql("select label from item order by item")["label"].to_list()
    content = metric not in ("clas", "mlas", "blex")
    assert relation == [*(("obj@x", "root@y") if content else (None, None)), "nmod"]


def test_the_attribute_label_of_a_tag_is_the_tag(write):
    text = conllu((0, "root")).replace("\tx\t", "\tA@B\t")
    corpus = coleval.load(
        write("g.conllu", text), [write("a.conllu", text)], task="dep", metric="xpos"
    )
    assert corpus.sql("select label from item")["label"].to_list() == ["A@B"]


def test_the_relation_of_gold_and_its_attributes_are_whole(dep):
    corpus = dep(GOLD, SYSTEM)
    query = "select relation, base_relation, gold, a from item where position = 0"
    assert corpus.sql(query).rows() == [("subj@expl", "subj@expl", "subj@expl@2", "subj@2")]


RELATIONS = st.text(st.sampled_from("ab@:>?+-_ 039\u00a0é|#"), max_size=6)
FORMS = st.text(st.sampled_from("@a?+- 3"), min_size=1, max_size=4)
HEADS = st.tuples(st.sampled_from(["own", "far", "alone"]), st.integers(0, 30), st.integers(-3, 3))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(RELATIONS, HEADS, FORMS), min_size=1, max_size=8))
def test_answers_come_apart_as_they_were_put_together(words):
    kind = np.array([kind for _, (kind, _, _), _ in words])
    away = np.array([away if kind == "far" else 0 for _, (kind, _, away), _ in words])
    number = np.array([number for _, (_, number, _), _ in words])
    heads = ToldHeads(
        number, (kind != "alone") & (away == 0), away, None, kind == "alone",
        lambda at: pl.Series([words[k][2] for k in at], dtype=pl.String),
    )  # fmt: skip
    coder = Coder(exact=True)
    codes = Answers(coder).encode(pl.Series([relation for relation, _, _ in words]), heads)
    for code, (relation, (kind, number, away), form) in zip(codes.tolist(), words, strict=True):
        label = coder.labels[code - 1]
        assert relation_of(label) == relation
        assert universal(label) == relation.split(":")[0]
        if kind == "alone":
            assert head_of(label) == "?" + form.replace("@", "_")
            assert parsed_head(label) == LabelHead(-1)
        else:
            assert parsed_head(label) == LabelHead(number, away if kind == "far" else 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(RELATIONS, st.integers(0, 9)), min_size=1, max_size=12))
def test_answers_are_equal_where_relation_and_head_are(words):
    coder = Coder(exact=True)
    relation, head = (pl.Series(part) for part in zip(*words, strict=True))
    codes = Answers(coder).encode(relation, numbered(head.cast(pl.Int32))).tolist()
    assert [a == b for a in codes for b in codes] == [a == b for a in words for b in words]


def test_tags_with_spaces_are_other_tags_however_they_are_joined(write):
    gold = conllu((0, "root"), (1, "obj")).replace("\tX\tx\t", "\tA B\tC\t")
    system = gold.replace("\tA B\tC\t", "\tA\tB C\t", 1)
    paths = [write("g.conllu", gold), write("a.conllu", system)]
    corpus = coleval.load(paths[0], paths[1:], task="dep", metric="alltags")
    assert corpus.bins().table("systems")["tp"].to_list() == [1]
    told = corpus.sql("select gold, a from item order by item").rows()
    assert [(gold.split("\t"), a.split("\t")) for gold, a in told] == [
        (["A B", "C", "_"], ["A", "B C", "_"]), (["A B", "C", "_"], ["A B", "C", "_"]),
    ]  # fmt: skip
