"""``report --train``: the chapter on attributes uses what systems were trained on."""

from __future__ import annotations

import json

import pytest

import coleval
from coleval.analyses.buckets.spec import BUCKETS
from coleval.analyses.report.spec import REPORT
from coleval.cli.main import main
from coleval.errors import ColevalError

GOLD = "a B-X\n\nb B-X\nc I-X\n\nd B-Y\ne I-Y\nf I-Y\n\ng O\nh B-X\n"
SHORT = "a B-X\n\nb O\nc O\n\nd O\ne O\nf O\n\ng B-Y\nh B-X\n"
TRAINING = "a B-X\nb O\n\na B-X\nd B-Y\n"
FROM_TRAINING = {"eCon", "tCon", "eFre", "tFre", "oDen"}


@pytest.fixture
def files(write):
    texts = {"gold": GOLD, "short": SHORT, "train": TRAINING}
    return {name: str(write(f"{name}.conll", text)) for name, text in texts.items()}


def test_the_report_has_the_attributes_of_training(files, capsys):
    words = ["report", files["gold"], files["short"], "--train", files["train"], "--quiet"]
    assert main([*words, "--as", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = data["tables"]["buckets.attributes"]
    assert {row["attribute"] for row in rows} >= FROM_TRAINING
    # Of the four gold spans, "a" alone is among the training spans, twice.
    assert next(row["zeta"] for row in rows if row["attribute"] == "eFre") == 2 / 4
    assert "|train:" in data["signature"]
    assert not any("left out: it needs training" in line for line in data["warnings"])


def test_in_python_it_is_what_buckets_and_a_trained_corpus_give(files):
    corpus = coleval.load(files["gold"], {"short": files["short"]})
    report = corpus.report(train=files["train"])
    trained = corpus.trained(files["train"]).report()
    assert list(report.tables) == list(trained.tables)
    assert all(report.table(name).equals(trained.table(name)) for name in report.tables)
    assert report.signature == trained.signature
    ours = report.table("buckets.attributes")
    theirs = corpus.buckets(train=files["train"]).table("attributes")
    assert ours.equals(theirs)
    without = corpus.report()
    assert not FROM_TRAINING & set(without.table("buckets.attributes")["attribute"])
    assert "train:" not in without.signature
    same = [name for name in without.tables if not name.startswith(("story", "buckets."))]
    assert all(report.table(name).equals(without.table(name)) for name in same)


def test_labels_of_training_may_be_in_another_column(files, write):
    text = "".join(f"{line} x\n" if line else "\n" for line in TRAINING.split("\n"))
    other = str(write("other.conll", text))
    corpus = coleval.load(files["gold"], {"short": files["short"]})
    report = corpus.report(train=other, train_columns="form=1,gold=2")
    expected = corpus.report(train=files["train"]).table("buckets.attributes")
    assert report.table("buckets.attributes").equals(expected)


def test_training_data_that_cannot_be_read_are_an_error(files):
    corpus = coleval.load(files["gold"], {"short": files["short"]})
    with pytest.raises(ColevalError, match="nowhere"):
        corpus.report(train="nowhere.conll")


@pytest.mark.parametrize("command", ["report", "buckets"])
def test_columns_of_no_training_file_are_an_error(files, capsys, command):
    words = [command, files["gold"], files["short"], "--train-columns", "form=1,gold=2"]
    assert main(words) == 2
    assert "--train-columns: there is no training file" in capsys.readouterr().err
    assert main([*words, "--train", files["train"], "--quiet", "--as", "json"]) == 0
    corpus = coleval.load(files["gold"], {"short": files["short"]})
    with pytest.raises(ColevalError, match="add train="):
        getattr(corpus, command)(train_columns="gold=2")


def test_the_options_are_declared_once():
    for name in ("train", "train_columns"):
        assert REPORT.declared[name].about is BUCKETS.declared[name].about
