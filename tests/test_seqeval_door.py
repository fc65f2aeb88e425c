"""``coleval.seqeval``: seqeval's functions, compared with plain loops over its definitions.

Written from the definitions, so that nothing needs to be installed or fetched.
"""

from __future__ import annotations

import random
import sys
import types
import warnings

import numpy as np
import polars as pl
import pytest

import coleval
from coleval import seqeval

TRUE = [["O", "O", "B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
PRED = [["O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]


def conll_spans(sentence: list[str]) -> set[tuple[str, int, int]]:
    """Return the spans of one sentence by conlleval's rules, tag by tag."""
    spans, start, kind, before = set(), None, "", "O"
    for at, tag in enumerate([*sentence, "O"]):
        letter, _, new = tag.partition("-")
        if start is not None and (letter in "OBS" or before in ("E", "S") or new != kind):
            spans.add((kind, start, at - 1))
            start = None
        if start is None and letter != "O":
            start, kind = at, new
        before = letter
    return spans


def strict_iob2_spans(sentence: list[str]) -> set[tuple[str, int, int]]:
    """Return the spans of one sentence that begin with B and go on with I of that type."""
    spans = set()
    for at, tag in enumerate(sentence):
        if tag.startswith("B-"):
            end = at
            while end + 1 < len(sentence) and sentence[end + 1] == f"I-{tag[2:]}":
                end += 1
            spans.add((tag[2:], at, end))
    return spans


def expected_counts(true, pred, spans_of):
    """Return tp, predicted and true spans by type."""
    counts: dict[str, list[int]] = {}
    for a, b in zip(true, pred, strict=True):
        ours, theirs = spans_of(a), spans_of(b)
        for place, spans in ((0, ours & theirs), (1, theirs), (2, ours)):
            for kind, _, _ in spans:
                counts.setdefault(kind, [0, 0, 0])[place] += 1
    return counts


def random_tags(seed: int, letters: str) -> tuple[list[list[str]], list[list[str]]]:
    draw = random.Random(seed)

    def tag() -> str:
        if draw.random() < 0.3:
            return "O"
        return f"{draw.choice(letters)}-{draw.choice(['PER', 'LOC', 'A-B'])}"

    true = [[tag() for _ in range(draw.randint(1, 9))] for _ in range(draw.randint(1, 5))]
    pred = [[t if draw.random() < 0.5 else tag() for t in sentence] for sentence in true]
    return true, pred


@pytest.mark.parametrize("mode", [None, "strict"])
@pytest.mark.parametrize("seed", range(150))
def test_report_counts_what_plain_loops_count(seed, mode):
    letters = "BI" if mode else random.Random(seed).choice(["BI", "BIES", "IE", "BIE"])
    true, pred = random_tags(seed, letters)
    counts = expected_counts(true, pred, strict_iob2_spans if mode else conll_spans)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = seqeval.classification_report(
            true, pred, output_dict=True, mode=mode, scheme=seqeval.IOB2
        )
    assert [name for name in report if not name.endswith(" avg")] == sorted(counts)
    for kind, (tp, answered, gold) in counts.items():
        row = report[kind]
        assert row["support"] == gold
        assert row["precision"] == (tp / answered if answered else 0)
        assert row["recall"] == (tp / gold if gold else 0)
    tp, answered, gold = (sum(c[at] for c in counts.values()) for at in range(3))
    assert report["micro avg"]["f1-score"] == pytest.approx(
        2 * tp / (answered + gold) if tp else 0, abs=1e-15
    )
    if gold:
        weighted = sum(c[2] * report[k]["f1-score"] for k, c in counts.items()) / gold
        assert report["weighted avg"]["f1-score"] == pytest.approx(weighted, abs=1e-15)


def test_text_of_the_report():
    assert seqeval.classification_report(TRUE, PRED) == (
        "              precision    recall  f1-score   support\n"
        "\n"
        "        MISC       0.00      0.00      0.00         1\n"
        "         PER       1.00      1.00      1.00         1\n"
        "\n"
        "   micro avg       0.50      0.50      0.50         2\n"
        "   macro avg       0.50      0.50      0.50         2\n"
        "weighted avg       0.50      0.50      0.50         2\n"
    )


def test_scores_and_averages():
    assert seqeval.f1_score(TRUE, PRED) == 0.5
    assert seqeval.precision_score(TRUE, PRED, average=None).tolist() == [0, 1]
    assert seqeval.recall_score(TRUE, PRED, average="macro") == 0.5
    assert seqeval.accuracy_score(TRUE, PRED) == 6 / 8
    assert seqeval.performance_measure(TRUE, PRED) == {"TP": 3, "FP": 2, "FN": 0, "TN": 3}
    assert seqeval.get_entities(TRUE) == [("MISC", 2, 3), ("PER", 6, 7)]
    assert seqeval.get_entities(["MISC-B", "MISC-I", "O"], suffix=True) == [("MISC", 0, 1)]


def test_beta_weighs_recall():
    true, pred = [["B-A", "O", "B-A"]], [["B-A", "B-A", "B-A"]]
    parts = seqeval.precision_recall_fscore_support(true, pred, average="micro", beta=2.0)
    assert parts == (2 / 3, 1.0, pytest.approx(5 * (2 / 3) / (4 * 2 / 3 + 1)), 2)
    infinite = seqeval.precision_recall_fscore_support(true, pred, average="micro", beta=np.inf)
    assert infinite[2] == infinite[1]


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["B-A", "I-A", "O"], "IOB2"),
        (["I-A", "E-A", "O"], "IOE2"),
        (["S-A"], "IOBES"),
        (["B-A", "E-A"], "IOBES"),
        (["U-A"], "BILOU"),
        (["B-A", "L-A", "O"], "BILOU"),
    ],
)
def test_schemes_are_detected(tags, scheme):
    assert seqeval.auto_detect([tags]).name == scheme


def test_mixed_letters_are_no_scheme():
    with pytest.raises(ValueError, match="not supported"):
        seqeval.auto_detect([["B-A", "S-A", "U-A"]])


@pytest.mark.parametrize(
    ("scheme", "tags", "spans"),
    [
        ("IOB1", ["I-A", "B-A", "I-A"], [("A", 0, 0), ("A", 1, 2)]),
        # B opens nothing where none goes before it, I behind it does.
        ("IOB1", ["B-A", "I-A"], [("A", 1, 1)]),
        ("IOE2", ["I-A", "E-A", "E-A"], [("A", 0, 1), ("A", 2, 2)]),
        ("IOBES", ["B-A", "I-A", "E-A", "S-B", "B-A"], [("A", 0, 2), ("B", 3, 3)]),
        ("BILOU", ["B-A", "L-B", "U-A"], [("A", 2, 2)]),
    ],
)
def test_strict_spans_by_scheme(scheme, tags, spans):
    whole = seqeval.classification_report(
        [tags], [tags], mode="strict", scheme=scheme, output_dict=True
    )
    kinds = [kind for kind, _, _ in spans]
    assert {k: v["support"] for k, v in whole.items() if k in set(kinds)} == {
        kind: kinds.count(kind) for kind in set(kinds)
    }
    assert whole["micro avg"]["support"] == len(spans)


def test_a_letter_that_a_scheme_lacks():
    with pytest.raises(ValueError, match="Invalid token is found: S-A"):
        seqeval.f1_score([["S-A"]], [["O"]], mode="strict", scheme=seqeval.IOB2)


def test_warnings_and_their_class(monkeypatch):
    # Other tests may have loaded scikit-learn.
    monkeypatch.delitem(sys.modules, "sklearn.exceptions", raising=False)
    with pytest.warns(seqeval.UndefinedMetricWarning, match="Recall .* no true samples"):
        seqeval.classification_report([["O"]], [["B-A"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert seqeval.f1_score([["O"]], [["O"]], zero_division=1, average="micro") == 1

    class Theirs(UserWarning):
        """What scikit-learn would raise."""

    module = types.ModuleType("sklearn.exceptions")
    monkeypatch.setattr(module, "UndefinedMetricWarning", Theirs, raising=False)
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", module)
    with pytest.warns(Theirs):
        seqeval.f1_score([["O"]], [["O"]])


def test_tags_that_are_none_are_named_once():
    with pytest.warns(UserWarning, match="MISC seems not to be NE tag") as caught:
        seqeval.get_entities(["MISC", "MISC", "O"])
    assert len(caught) == 1


@pytest.mark.parametrize(("true", "pred"), [([["O"]], [[]]), ([["O"]], [["O"], ["O"]])])
def test_lengths_must_be_equal(true, pred):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        seqeval.f1_score(true, pred)
    with pytest.raises(TypeError, match="list of list"):
        seqeval.f1_score(["O"], ["O"])


def test_same_counts_as_a_corpus():
    true, pred = random_tags(3, "BI")
    tokens = [["w"] * len(sentence) for sentence in true]
    frame = pl.DataFrame({"tokens": tokens, "gold": true, "sys": pred})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = coleval.load(frame).score()["overall"].row(0, named=True)
        report = seqeval.classification_report(true, pred, output_dict=True)
    assert report["micro avg"]["precision"] == pytest.approx(scores["precision"])
    assert report["micro avg"]["recall"] == pytest.approx(scores["recall"])
