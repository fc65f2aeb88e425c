"""Answers of trees: relation and head, the head as a word of gold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.corpus.coding import Coder


def conllu(*sentences):
    """Return sentences of (form, head, relation)."""
    return "\n".join(
        "".join(
            f"{k}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
            for k, (form, head, relation) in enumerate(words, 1)
        )
        for words in sentences
    )


@pytest.fixture
def answers(write):
    """What a system answers on each row of the word table."""

    def answers(gold, system):
        paths = [write("gold.conllu", conllu(*gold)), write("a.conllu", conllu(*system))]
        return coleval.load(paths[0], [paths[1]], task="dep").items["a"].to_list()

    return answers


GOLD = [("a", 0, "root"), ("b", 1, "obj")], [("c", 0, "root"), ("d", 1, "obl"), ("x@y", 2, "x")]


def test_answers_are_relation_and_head_and_nothing_without_a_head(answers):
    system = [("a", 0, "root"), ("b", "_", "obj")], [("c", 2, ""), ("d", 0, "a "), ("x@y", 0, "A")]
    assert answers(GOLD, system) == ["root@0", None, "@2", "a @0", "A@0"]


def test_a_head_in_another_sentence_of_gold_says_how_far_that_is(answers):
    one = [("a", 4, "obj"), ("b", 1, "obj"), ("c", 2, "dep"), ("d", 3, "obl"), ("x@y", 0, "root")]
    assert answers(GOLD, [one]) == ["obj@2+1", "obj@1", "dep@2-1", "obl@1", "root@0"]


def test_a_head_that_is_no_word_of_gold_is_its_form_without_an_at(answers):
    own = [("a", 0, "root"), ("b", 1, "obj")], [("c", 2, "root"), ("dx@y", 1, "obl")]
    assert answers(GOLD, own) == ["root@0", "obj@1", "root@?dx_y", None, None, "obl@1"]


def test_a_root_stays_a_root_among_words_of_its_own(answers):
    own = [("ab", 0, "root")], [("c", 0, "x"), ("d", 1, "y"), ("x@", 2, "z"), ("y", 0, "root")]
    assert answers(GOLD, own) == [None, None, "root@0", "x@0", "y@1", None, "z@2", "root@0"]


def test_a_text_without_sentences_has_heads_as_far_away_as_it_is_long(answers):
    words = [(f"w{k}", k - 1, "dep") for k in range(1, 5_001)]
    assert answers([words], [words]) == [f"dep@{k}" for k in range(5_000)]


def test_files_read_at_once_get_the_codes_of_what_they_say():
    rng = np.random.default_rng(1)
    columns = [pl.Series([f"r{k}" for k in rng.integers(0, top, 500)]) for top in range(5, 400, 10)]
    coder = Coder(exact=True)
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(coder.encode, columns))
    for column, numbers in zip(columns, codes, strict=True):
        assert [coder.labels[code - 1] for code in numbers.tolist()] == column.to_list()
