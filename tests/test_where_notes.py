"""A filter that cannot keep false positives says how many it drops, wherever precision is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coleval

Write = Callable[[str, str], Path]
GOLD = "a\tB-PER\nb\tO\nc\tO\n\nd\tB-LOC\ne\tO\n"
ONE = "a\tB-PER\nb\tB-LOC\nc\tO\n\nd\tO\ne\tB-PER\n"
TWO = "a\tO\nb\tB-LOC\nc\tB-LOC\n\nd\tB-LOC\ne\tO\n"


@pytest.fixture
def corpus(write: Write) -> coleval.Corpus:
    # Four spurious answers: LOC at b by both, PER at e by one, LOC at c by two.
    files = {"one": write("one.conll", ONE), "two": write("two.conll", TWO)}
    return coleval.load(write("gold.conll", GOLD), files, task="span")


def about_where(report: coleval.Report) -> list[str]:
    return [line for line in report.warnings if "where=" in line]


@pytest.mark.parametrize(
    ("where", "dropped"),
    [
        ("difficulty <= 2", 4),
        ("gold = 'PER'", 4),
        ("gold is not null", 4),
        ("difficulty <= 2 or spurious >= 2", 2),
        # Conditions that are true or false of every item.
        ("one is not null", 1),
        ("two is not distinct from gold", 3),
        ("coalesce(gold, one, two) = 'PER'", 3),
        ("outcome_one = 'correct'", 4),
        ("spurious = 1", 2),
        ("sentence = 0 and spurious = 1", 3),
    ],
)
def test_a_filter_that_drops_spurious_answers_says_how_many(
    corpus: coleval.Corpus, where: str, dropped: int
) -> None:
    (line,) = about_where(corpus.score(where=where))
    assert f"leaves out {dropped} of 4 spurious answers" in line


@pytest.mark.parametrize(
    "where",
    [
        "",
        "sentence = 0",
        "sentence = 1",
        "difficulty <= 2 or gold is null",
        '"end" - start = 1',
        "form = 'a'",
        "form in ('a', 'd')",
        "position = 0",
        "form = 'gold'",
        "form = 'it''s one' or sentence = 0",
        "spurious is not null or gold is not null",
        "one is not null or two is not null or gold is not null",
    ],
)
def test_a_filter_that_keeps_them_or_chooses_sentences_says_nothing(
    corpus: coleval.Corpus, where: str
) -> None:
    assert about_where(corpus.score(where=where)) == []


def test_every_command_that_prints_precision_says_so(corpus: coleval.Corpus) -> None:
    where = "difficulty <= 1"
    reports = (
        corpus.errors(where=where),
        corpus.measure(where=where),
        corpus.changes(where=where),
        corpus.buckets(where=where),
        corpus.score(where=where, intervals=True, replicates=20),
        corpus.compare(where=where, replicates=20),
        corpus.pivot(rows="gold", cols="sentence", value="f1:one", where=where),
        corpus.report(where=where, replicates=20),
    )
    assert [len(about_where(report)) for report in reports] == [1] * len(reports)


def test_what_prints_no_precision_does_not(corpus: coleval.Corpus) -> None:
    where = "difficulty <= 1"
    reports = (
        corpus.bins(where=where),
        corpus.oracle(where=where),
        corpus.compare(where=where, metric="recall", replicates=20),
        corpus.pivot(rows="gold", cols="sentence", where=where),
    )
    assert [about_where(report) for report in reports] == [[]] * len(reports)
