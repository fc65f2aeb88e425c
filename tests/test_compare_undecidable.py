"""Units too few to decide anything: said in the notes, the warnings and the report's finding."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import coleval


def documents(units, *shares):
    """Return the corpus of documents of ten words, with systems right as often as shares say."""
    rng = np.random.default_rng(0)
    n = 10 * units
    systems = {f"s{k:02d}": np.where(rng.random(n) < share, "X", "Z")
               for k, share in enumerate(shares)}  # fmt: skip
    frame = {"document": [f"d{k // 10:03d}" for k in range(n)], "gold": ["X"] * n, **systems}
    picks = ",".join(["document=document", "gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(frame), task="label", columns=picks)


def test_12_documents_cannot_decide_any_of_780_tests_and_notes_and_finding_say_so():
    corpus = documents(12, *np.linspace(0.95, 0.2, 40))
    notes = set(corpus.compare().table("pairs")["note"])
    assert notes == {"12 documents cannot decide any of 780 tests"}
    story = corpus.report().table("story")
    finding = story.filter(pl.col("chapter") == "compare")["finding"][0]
    assert finding.endswith("; 12 documents cannot decide any of 780 tests.")
    assert "not significantly different" not in finding


def test_what_enough_documents_find_equal_is_still_called_not_significantly_different():
    story = documents(30, 0.9, 0.9, 0.9, 0.9).report().table("story")
    finding = story.filter(pl.col("chapter") == "compare")["finding"][0]
    assert "not significantly different from s0" in finding


def test_a_pair_that_differs_in_a_few_documents_only_says_so():
    gold, few, bad = ["X"] * 40, ["X"] * 37 + ["Z"] * 3, ["Z"] * 40
    frame = pl.DataFrame({"gold": gold, "a": gold, "b": few, "c": bad})
    corpus = coleval.load(frame, task="label", columns="gold=gold,system=a,system=b,system=c")
    rows = {r["a"] + r["b"]: r["note"] for r in corpus.compare().table("pairs").to_dicts()}
    assert rows["ab"] == "3 instances in which they differ cannot decide the test"
    assert rows["ac"] is None


@pytest.mark.parametrize(("correct", "warned"), [("holm", True), ("bh", False), ("none", False)])
def test_benjamini_and_hochbergs_smallest_p_is_that_of_one_test(correct, warned):
    report = documents(8, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1).compare(correct=correct)
    assert any("no p of 15 tests" in w for w in report.warnings) == warned


def test_one_test_and_one_replicate_are_in_the_singular():
    warnings = documents(4, 0.9, 0.5).compare(test="randomisation").warnings
    assert any("no p of 1 test can" in warning for warning in warnings)


# ------------------------------------------------------------------- equal, and where it is said


def spans(tmp_path, text):
    files = []
    for name, tags in text.items():
        rows = "\n\n".join(f"w{k} {tag}" for k, tag in enumerate(tags))
        files.append(tmp_path / name)
        files[-1].write_text(rows + "\n")
    return coleval.load(files[0], files[1:], task="span")


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "wilcoxon"])
def test_systems_fifty_points_apart_are_not_called_equal_in_every_sentence(tmp_path, test):
    tags = ["B-X", "O", "B-X", "O"]
    corpus = spans(tmp_path, {"gold": tags, "pa": tags, "pb": ["B-X"] * 4})
    row = corpus.compare(metric="precision", test=test).table("pairs").row(0, named=True)
    assert row["delta"] == 0.5
    assert "equal" not in (row["note"] or "")


def test_ranks_over_sentences_in_which_one_has_no_score_say_so(tmp_path):
    tags = ["B-X", "O", "B-X", "O"]
    corpus = spans(tmp_path, {"gold": tags, "pa": tags, "pb": ["B-X"] * 4})
    row = corpus.compare(metric="precision", test="wilcoxon").table("pairs").row(0, named=True)
    assert row["note"].startswith("no sentence in which both have a precision")


def test_systems_that_are_the_same_everywhere_are_equal_in_every_sentence(tmp_path):
    tags = ["B-X", "O", "B-X", "O"]
    corpus = spans(tmp_path, {"gold": tags, "pa": ["B-X"] * 4, "pb": ["B-X"] * 4})
    assert corpus.compare().table("pairs")["note"].to_list() == ["equal in every sentence"]
