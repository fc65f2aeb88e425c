"""Overlap of test and training sentences: by hand, in plain loops, from a store, refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import coleval
from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.attributes.facts import Facts

FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
SENTENCES = st.lists(st.lists(st.sampled_from(("a", "A", "b", "c")), min_size=1, max_size=5),
                     min_size=1, max_size=6)  # fmt: skip


def frame(sentences):
    rows = [(word, "B-X", at) for at, words in enumerate(sentences) for word in words]
    return pl.DataFrame(rows, schema=["form", "label", "sentence"], orient="row")


def load(sentences):
    gold = frame(sentences)
    return coleval.load(gold, {"s": gold, "t": gold}, task="span")


def values(corpus, name):
    """Return the attribute of each token of the text, in order."""
    items = corpus.at("token")
    return ATTRIBUTES[name].values(Facts(corpus, items, items)).column(items.gold).to_list()


def trigrams(words):
    edged = ["", *(word.lower() for word in words), ""]
    return [tuple(edged[at : at + 3]) for at in range(len(words))]


@FEW
@given(SENTENCES, SENTENCES)
def test_overlap_is_as_in_plain_loops(test, train):
    corpus = load(test).trained(frame(train))
    known = {gram for words in train for gram in trigrams(words)}
    same = {tuple(word.lower() for word in words) for words in train}
    shares = [sum(gram in known for gram in trigrams(words)) / len(words) for words in test]
    yes = ["yes" if tuple(w.lower() for w in words) in same else "no" for words in test]
    sizes = [len(words) for words in test]
    assert values(corpus, "train_overlap") == pytest.approx(np.repeat(shares, sizes).tolist())
    assert values(corpus, "in_train") == np.repeat(yes, sizes).tolist()


def test_words_do_not_meet_over_the_end_of_a_sentence():
    corpus = load([["a", "b", "c"]])
    assert values(corpus.trained(frame([["a", "b"], ["c"]])), "train_overlap") == pytest.approx(
        [1 / 3] * 3
    )
    assert values(corpus.trained(frame([["x", "a", "b", "c", "x"]])), "in_train") == ["no"] * 3


def test_scores_inside_and_outside_of_the_overlap(write):
    """The system is right in the sentence of the training data and wrong in the other."""
    gold = write("gold", "Ann B-PER\nruns O\n\nBob B-PER\nsits O\n")
    system = write("s", "Ann B-PER\nruns O\n\nBob B-LOC\nsits O\n")
    train = write("train", "ann B-PER\nruns O\n")
    corpus = coleval.load(gold, {"s": system, "t": gold}, task="span")
    table = corpus.buckets(train=train, attributes="in_train,train_overlap").table("buckets")
    one = table.filter(pl.col("system") == "s")
    rows = one.select("attribute", "bucket", "gold", "f1").rows()
    assert set(rows) >= {
        ("in_train", "yes", 1, 1.0), ("in_train", "no", 1, 0.0),
        ("train_overlap", "1", 1, 1.0), ("train_overlap", "0", 1, 0.0),
    }  # fmt: skip


def test_a_store_keeps_the_sentences_of_training_data(write, tmp_path):
    corpus = load([["a", "b"], ["c"]]).trained(write("train.conll", "a O\nb O\n\nd O\n"))
    store = tmp_path / "store"
    corpus.save(store)
    found = coleval.open(store)
    assert values(found, "in_train") == ["yes", "yes", "no"]
    assert found.score(where="in_train = 'no'").table("overall")["tp"][0] == 1


def test_words_known_by_a_list_alone_are_no_sentences(write):
    words = write("words.txt", "a\nb\n")
    report = load([["a", "b"]]).buckets(attributes="oDen,eLen", vocabulary=words)
    assert set(report.table("attributes")["attribute"]) == {"oDen", "eLen"}
    every = load([["a", "b"]]).buckets(attributes="all", vocabulary=words)
    assert not {"in_train", "train_overlap"} & set(every.table("attributes")["attribute"])
