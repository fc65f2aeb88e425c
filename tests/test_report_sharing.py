"""What a report counts once, what it leaves unread, and that neither changes a figure."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.analyses.counted import scored_items
from coleval.analyses.judging import judged
from coleval.annotate.traits import frequency_traits, single_forms
from coleval.counts.active_rows import error_rows
from coleval.loading.tasks.tokens import surface
from coleval.store.reading import UnitReader


@pytest.fixture
def store(tmp_path):
    from coleval.demo import generate, write

    folder = tmp_path / "files"
    gold, *systems = write(generate(tokens=3000, systems=4, seed=1, task="span"), folder)
    return coleval.load(str(gold), [str(path) for path in systems]).save(tmp_path / "store")


def test_all_who_ask_a_corpus_get_the_very_same_items(store):
    corpus = coleval.open(store)
    assert scored_items(corpus) is judged(corpus).items is corpus.at("span")
    fewer = corpus.with_options(labels="PER")
    assert scored_items(fewer) is scored_items(fewer)
    assert scored_items(fewer) is not scored_items(corpus)


def test_a_report_of_spans_does_not_read_what_systems_say_of_tokens(store, monkeypatch):
    before = coleval.open(store).report(replicates=100)
    read = UnitReader._codes

    def of_spans(self, columns):
        assert self.name == "span" or columns == ["gold"]
        return read(self, columns)

    monkeypatch.setattr(UnitReader, "_codes", of_spans)
    after = coleval.open(store).report(replicates=100)
    assert all(after.table(name).equals(frame) for name, frame in before.tables.items())
    with pytest.raises(AssertionError):
        coleval.open(store).compare(unit="token")


def test_texts_of_spans_are_their_words_joined_whatever_their_length():
    words = [f"w{k}" for k in range(40)]
    start, length = np.array([0, 3, 3, 9, 20, 21]), np.array([1, 2, 12, 8, 7, 1])
    plain = [" ".join(words[s : s + n]) for s, n in zip(start, length, strict=True)]
    assert surface(pl.Series(words), start, length).to_list() == plain
    some = surface(pl.Series(words), start, length, np.array([4, 2]))
    assert some.to_list() == [plain[4], plain[2]]


@pytest.mark.parametrize("unit", ["span", "token"])
def test_forms_that_stand_once_are_those_that_the_traits_tell(store, unit):
    whole = coleval.open(store).at(unit)
    some = whole.where(np.arange(0, len(whole), 3))
    for items in (whole, some):
        assert single_forms(whole, items).to_list() == frequency_traits(whole, items)[0].to_list()


def test_mistakes_are_where_a_system_is_not_gold(store):
    items = coleval.open(store).at("span")
    for name, codes in items.answers.items():
        pairs = zip(items.gold.tolist(), codes.tolist(), strict=True)
        assert error_rows(items, name).tolist() == [k for k, (a, b) in enumerate(pairs) if a != b]


def test_the_report_tells_all_pairs_as_changes_does(store):
    corpus = coleval.open(store)
    report = corpus.report(replicates=100)
    assert report.table("changes.pairs").equals(corpus.changes().table("summary"))
    assert len(report.table("changes.summary")) == 1


def test_five_attributes_are_told_without_training_data(store):
    told = coleval.open(store).report(replicates=100).table("buckets.attributes")
    assert told["attribute"].to_list() == ["eLen", "sLen", "eDen", "label", "position"]
