"""What is given to a method by place, by name, or not at all."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import coleval
from coleval.errors import UsageError


@pytest.fixture
def corpus(write):
    systems = {name: write(name, text) for name, text in
               (("a", "x A\ny B\n"), ("b", "x A\ny C\n"), ("c", "x B\ny B\n"))}  # fmt: skip
    return coleval.load(write("gold", "x A\ny B\n"), systems, task="tag")


def pairs_of(report):
    return report["summary"].select("before", "after").rows()


def test_a_list_of_pairs_is_given_by_its_place(corpus):
    assert pairs_of(corpus.changes([("a", "b"), ("a", "c")])) == [("a", "b"), ("a", "c")]


def test_pairs_by_place_and_by_name_are_all_there(corpus):
    report = corpus.changes(("a", "b"), pair=("a", "c"), pairs=[("b", "c")])
    assert pairs_of(report) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_two_names_by_place_are_no_pair(corpus):
    with pytest.raises(UsageError, match="`a` is not a pair of names"):
        corpus.changes("a", "b")


def test_a_query_is_demanded(corpus):
    with pytest.raises(UsageError, match=r"corpus\.sql: `query` is missing"):
        corpus.sql()
    assert inspect.signature(corpus.sql).parameters["query"].default is inspect.Parameter.empty


def test_a_query_is_given_once(corpus):
    with pytest.raises(UsageError, match="`query` is given twice"):
        corpus.sql("select 1", query="select 2")


def test_the_first_of_two_wrong_names_is_named(corpus):
    for names in (("zebra", "yak"), ("yak", "zebra"), ("gnu", "zebra")):
        with pytest.raises(UsageError, match=f"unknown option '{names[0]}'"):
            corpus.bins(**dict.fromkeys(names, 1))
        with pytest.raises(UsageError, match=f"unknown option '{names[0]}'"):
            corpus.with_options(**dict.fromkeys(names, 1))


def test_what_only_load_takes_is_sent_to_load(corpus):
    with pytest.raises(UsageError, match=r"load\(gold, systems, profile=…\)"):
        corpus.oracle(profile="conlleval")


def test_the_help_of_load_says_what_each_keyword_does():
    names = list(inspect.signature(coleval.load).parameters)[2:]
    text = coleval.load.__doc__ or ""
    assert [name for name in names if f"\n  {name}: " not in text] == []
    assert "\n  systems: " not in text


def test_the_signature_of_load_has_the_defaults_of_a_new_corpus(corpus):
    shown = inspect.signature(coleval.load).parameters
    usual = {name: shown[name].default for name in vars(type(corpus.scoring)) if name in shown}
    assert len(usual) == len(fields(corpus.scoring))
    assert usual == {name: getattr(corpus.scoring, name) for name in usual}
    assert shown["columns"].default is None
    assert "Progress" not in str(shown["progress"])


def test_every_default_of_none_is_among_the_types_shown():
    for method in (coleval.load, coleval.Corpus.with_options, coleval.Corpus.score):
        for name, each in list(inspect.signature(method).parameters.items())[1:]:
            anything = each.annotation == "Any"
            assert each.default is not None or anything or "None" in str(each.annotation), name


def test_self_has_no_type_in_a_signature():
    assert "_empty" not in str(inspect.signature(coleval.Corpus.with_options))
