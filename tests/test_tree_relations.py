"""Relations may hold any character, also the one that parts them from their heads."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus.coding import Coder
from coleval.corpus.tree_answers import (
    LabelHead,
    answers,
    head_of,
    relation_of,
    told_head,
    universal,
)


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
FORMS = st.text(st.sampled_from("_a?+- 3"), min_size=1, max_size=4).map("?{}".format)
NUMBERS = st.integers(0, 30).map(str)
FAR = st.tuples(NUMBERS, st.integers(-3, 3).filter(bool)).map(lambda head: f"{head[0]}{head[1]:+d}")
PAIRS = st.tuples(RELATIONS, NUMBERS | FAR | FORMS)


@given(st.lists(PAIRS, min_size=1, max_size=12))
def test_answers_come_apart_as_they_were_put_together(words):
    relation, head = (pl.Series(part) for part in zip(*words, strict=True))
    coder = Coder(exact=True)
    codes = coder.encode(answers(relation, head)).tolist()
    labels = [coder.labels[code - 1] for code in codes]
    assert [(relation_of(label), head_of(label)) for label in labels] == words
    assert [universal(label) for label in labels] == [name.split(":")[0] for name, _ in words]
    assert [a == b for a in codes for b in codes] == [a == b for a in words for b in words]


def test_heads_of_labels_are_numbers_and_sentences_or_no_word_of_gold():
    heads = [told_head(head) for head in ("4", "0", "4+1", "12-2", "?", "?4+1")]
    nowhere = LabelHead(-1)
    assert heads == [LabelHead(4), LabelHead(0), LabelHead(4, 1), LabelHead(12, -2), *[nowhere] * 2]


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
