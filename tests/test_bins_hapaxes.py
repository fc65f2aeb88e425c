"""Hapaxes in the profile of bins: forms that occur once, and forms that gold labels once."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given

import coleval
import oracle_bins
from test_bins_properties import corpus, flat, tagged

NAME = "hapax_labelled"


def shares(report):
    """Return the properties of all bins together."""
    every = report.table("profile").filter(pl.col("bin").is_null())
    return dict(every.select("property", "value").iter_rows())


def loaded(write, text, **options):
    gold = write("gold.conll", text)
    return coleval.load(gold, {"s": write("s.conll", text)}, **options)


def test_a_form_that_is_labelled_once_is_a_hapax_among_labelled_forms(write):
    text = "A\tX\nb\tO\nA\tO\nc\tX\nc\tX\nd\tX\n"
    found = shares(loaded(write, text, task="tag", outside="O").bins(profile_bins=True))
    assert (found["hapax"], found[NAME]) == (1 / 4, 2 / 4)


@pytest.mark.parametrize("task", ["tag", "span"])
def test_where_only_labelled_forms_count_there_is_one_kind_of_hapax(write, task):
    text = "a\tB-X\nb\tB-X\n" if task == "tag" else "a\tB-X\nb\tO\n"
    found = shares(loaded(write, text, task=task).bins(profile_bins=True))
    assert found["hapax"] == 1.0
    assert NAME not in found


def test_both_kinds_look_at_the_whole_text_whatever_is_selected(write):
    text = "A\tX\nb\tO\nA\tX\n\nd\tX\nd\tO\n"
    made = loaded(write, text, task="tag", outside="O")
    found = shares(made.bins(profile_bins=True, where="sentence = 0 and position = 0"))
    assert (found["hapax"], found[NAME]) == (0.0, 0.0)


@given(tagged())
def test_labelled_hapaxes_are_those_of_plain_loops(made):
    sentences, systems = made
    tokens = flat(sentences)
    gold = [form for form, label, _ in tokens if label is not None]
    if not gold or len(gold) == len(tokens):
        return
    found = shares(corpus(sentences, systems).bins(profile_bins=True))
    known = oracle_bins.labelled_hapaxes(tokens)
    assert found[NAME] == pytest.approx(sum(form in known for form in gold) / len(gold))
    assert found[NAME] >= found["hapax"]


def test_adrenergic_and_agents_are_hapaxes_among_the_labelled_chemicals(data):
    files = sorted(map(str, data("differential-evaluation/bc5-chemical").glob("*.gz")))
    made = coleval.load(files[0], merged=True)
    for form in ("adrenergic", "agents"):
        report = made.bins(unit="token", profile_bins=True, where=f"form = '{form}'")
        assert report.table("bins")["items"].sum() == 1
        found = shares(report)
        assert (found["hapax"], found[NAME]) == (0.0, 1.0)
