"""``coleval.score``: answers in memory, as labels, tags or spans."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import coleval
from coleval.errors import DataError, UsageError

TRUE = [["O", "B-PER", "I-PER"], ["B-LOC", "O"]]
PRED = [["O", "B-PER", "O"], ["B-LOC", "O"]]


def overall(report) -> dict:
    return report["overall"].row(0, named=True)


def test_tags_of_one_system():
    row = overall(coleval.score(TRUE, PRED))
    assert (row["system"], row["tp"], row["fp"], row["fn"]) == ("predicted", 1, 1, 1)


def test_several_systems_by_name():
    report = coleval.score(TRUE, {"crf": PRED, "gold-like": TRUE})
    assert report["overall"]["system"].to_list() == ["gold-like", "crf"]
    assert report["overall"]["f1"].to_list() == [1.0, 0.5]


@pytest.mark.parametrize("make", [list, np.array, pl.Series, pd.Series, tuple])
@pytest.mark.parametrize("labels", [["a", "b", "a"], [0, 1, 0]])
def test_labels_of_any_kind(make, labels):
    row = overall(coleval.score(make(labels), make([labels[0]] * 3)))
    assert (row["items"], row["correct"]) == (3, 2)


def test_scores_of_classes_and_ignored_places():
    names = ["O", "B-PER", "I-PER"]
    true = np.array([[-100, 1, 2, -100], [-100, 0, 1, 0]])
    logits = np.full((2, 4, 3), -1.0)
    for sentence, tags in enumerate([[0, 1, 2, 2], [1, 0, 0, 1]]):
        logits[sentence, range(4), tags] = 1.0
    row = overall(coleval.score(true, logits, names=names))
    # Right: the first span. The second is missed, and what is said of an ignored place is not read.
    assert (row["tp"], row["fp"], row["fn"]) == (1, 1, 1)
    again = coleval.score(true, logits, names=dict(enumerate(names)))
    assert overall(again) == row


def test_labels_from_scores_of_classes():
    row = overall(coleval.score([0, 1], np.array([[0.9, 0.1], [0.8, 0.2]]), names=["no", "yes"]))
    assert (row["items"], row["correct"]) == (2, 1)


def test_spans_with_holes():
    gold = [[("PER", 0, 2), ("LOC", [3, 5])], []]
    row = overall(coleval.score(gold, [[("PER", 0, 2), ("LOC", 3, 6)], [("PER", 0, 1)]]))
    assert (row["tp"], row["fp"], row["fn"]) == (1, 2, 1)
    assert overall(coleval.score(gold, gold))["f1"] == 1


@pytest.mark.parametrize("seed", range(60))
def test_spans_as_sets_count_them(seed):
    draw = random.Random(seed)

    def side() -> list[list[tuple[str, int, int]]]:
        spans = [
            (draw.choice("AB"), begin := draw.randint(0, 6), begin + draw.randint(1, 3))
            for _ in range(12)
        ]
        return [sorted(set(spans[:4])), sorted(set(spans[4:9])), sorted(set(spans[9:]))]

    gold, system = side(), side()
    row = overall(coleval.score(gold, system))
    shared = sum(len(set(a) & set(b)) for a, b in zip(gold, system, strict=True))
    assert row["tp"] == shared
    assert row["fp"] == sum(map(len, system)) - shared
    assert row["fn"] == sum(map(len, gold)) - shared


def test_options_of_reading_and_of_scoring():
    strict = coleval.score([["B-A", "I-A"]], [["I-A", "I-A"]], repair="discard")
    assert overall(strict)["tp"] == 0
    tokens = coleval.score(TRUE, PRED, unit="token")
    assert (overall(tokens)["items"], overall(tokens)["correct"]) == (5, 4)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: coleval.score(TRUE, PRED[:1]), DataError, "length of 1"),
        (lambda: coleval.score(TRUE, [["O"], ["O", "O"]]), DataError, "sentence 0"),
        (lambda: coleval.score(TRUE, {"gold": PRED}), UsageError, "cannot be called `gold`"),
        (lambda: coleval.score([0, 1], [0, 1], names=["no"]), DataError, "has no name"),
        (lambda: coleval.score([[("A", 2, 1)]], [[]]), DataError, "gold, sentence 0"),
        (lambda: coleval.score(TRUE, PRED, avrage="macro"), UsageError, "avrage"),
        (lambda: coleval.score([], []), DataError, "no rows"),
    ],
)
def test_mistakes_say_where_they_are(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_repairs_are_warned_of_where_score_is_called():
    with pytest.warns(coleval.ColevalWarning, match="invalid tag sequence") as caught:
        coleval.score([["B-A", "I-A"]], [["I-A", "I-A"]])
    assert caught[0].filename == __file__


def test_neither_door_costs_an_import_before_it_is_used():
    code = "import sys, coleval; print(sorted(m for m in sys.modules if m.startswith('coleval.')))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "coleval.seqeval" not in loaded.stdout
    assert "coleval.answers" not in loaded.stdout
