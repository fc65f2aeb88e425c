"""Codes of relation and head: the same answers as when each is spelled out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.loading.tasks.answers import Answers
from coleval.loading.tasks.trees import ToldHeads, numbered


def spelled(answers, codes):
    return [answers.coder.labels[code - 1] if code else None for code in codes.tolist()]


def test_answers_are_relation_and_head_and_nothing_without_a_head():
    answers = Answers(Coder())
    relation = pl.Series(["root", "nsubj", "punct", None, "nsubj"])
    codes = answers.encode(relation, numbered(pl.Series([0, 1, None, 2, 1], dtype=pl.Int32)))
    assert spelled(answers, codes) == ["root@0", "nsubj@1", None, "@2", "nsubj@1"]


def test_heads_elsewhere_and_words_that_gold_has_not_are_spelled():
    head = ToldHeads(
        number=np.array([3, 4, 2, 1]),
        plain=np.array([True, False, False, False]),
        away=np.array([0, 1, -2, 0]),
        none=np.array([False, False, False, False]),
        alone=np.array([False, False, False, True]),
        form=lambda at: pl.Series(["a", "b", "c", "x@y"]).gather(pl.Series(at)),
    )
    answers = Answers(Coder())
    codes = answers.encode(pl.Series(["obj", "obl", "det", "amod"]), head)
    assert spelled(answers, codes) == ["obj@3", "obl@4+1", "det@2-2", "amod@?x_y"]


def test_relations_differ_by_every_character_and_answers_outside_are_nothing():
    answers = Answers(Coder(outside=frozenset({"dep@1"})))
    relation = pl.Series(["a", "a ", " a", "A", "dep"])
    codes = answers.encode(relation, numbered(pl.Series([1] * 5, dtype=pl.Int32)))
    assert spelled(answers, codes) == ["a@1", "a @1", "a@1", "A@1", None]


def test_files_read_at_once_get_the_codes_that_files_read_in_turn_get():
    rng = np.random.default_rng(1)
    files = [
        (pl.Series([f"r{k}" for k in rng.integers(0, top, 500)]),
         pl.Series(rng.integers(0, top, 500).astype(np.int32)))
        for top in range(5, 45)
    ]  # fmt: skip
    answers = Answers(Coder())
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(lambda f: answers.encode(f[0], numbered(f[1])), files))
    for (relation, head), found in zip(files, codes, strict=True):
        assert spelled(answers, found) == [f"{r}@{h}" for r, h in zip(relation, head, strict=True)]


def test_a_text_without_sentences_does_not_make_a_table_as_long_as_itself():
    answers = Answers(Coder())
    codes = answers.encode(pl.Series(["a", "a"]), numbered(pl.Series([7, 10**9], dtype=pl.Int32)))
    assert spelled(answers, codes) == ["a@7", "a@1000000000"]
    assert answers.table.size < 10_000
