"""Which nominal antecedent has to be right: the closest as in the paper, or the program's first."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import coleval
import oracle_coref as plain
from coleval.counts.coref_classes import coref_units
from coleval.errors import UsageError
from test_coref_properties import MENTIONS, corpora, lines

FILES = {"corea": "coreawebservice", "dutch": "dutchcoref"}
BY_HAND = {"id": "d", "tokens": list("abcdef")}
A, B, C = [0, 1], [2, 3], [4, 5]


def document(*clusters):
    return json.dumps(BY_HAND | {"clusters": clusters}) + "\n"


def loaded(write, gold, **systems):
    paths = {name: write(f"{name}.jsonl", text) for name, text in systems.items()}
    return coleval.load(write("gold.jsonl", gold), paths, task="coref")


def transitions(report):
    rows = report.table("changes").select("label_before", "label_after", "n").rows()
    return {f"{before} → {after}": n for before, after, n in rows}


def test_a_chain_that_begins_right_and_goes_astray_is_wrong_by_the_closest_alone(write):
    # Gold joins A and C. "both" puts B between them, "other" does not.
    corpus = loaded(write, document([A, C], [B]), both=document([A, B, C]), other=document([A, C]))
    closest = corpus.changes(("both", "other"), unit="nominal")
    first = corpus.changes(("both", "other"), unit="nominal", antecedent="first")
    assert transitions(closest) == {"fp → tn": 1, "wl → tp": 1}
    assert transitions(first) == {"fp → tn": 1}


def test_a_chain_that_begins_astray_is_wrong_by_the_first_alone(write):
    # Gold joins B and C. In "both" the first antecedent of C is A, the closest B.
    corpus = loaded(write, document([A], [B, C]), both=document([A, B, C]), other=document([B, C]))
    closest = corpus.changes(("both", "other"), unit="nominal")
    first = corpus.changes(("both", "other"), unit="nominal", antecedent="first")
    assert transitions(closest) == {"fp → tn": 1}
    assert transitions(first) == {"fp → tn": 1, "wl → tp": 1}


def test_the_signature_names_the_antecedent_that_was_chosen(write):
    corpus = loaded(write, document([A, C]), a=document([A, C]), b=document([A, B]))
    assert "antecedent" not in corpus.changes(unit="nominal").signature
    signed = corpus.changes(unit="nominal", antecedent="first").signature
    assert "antecedent:first" in signed


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    root = tmp_path_factory.mktemp("antecedents")

    def load(gold, system):
        for name, text in (("gold", gold), ("s", system)):
            (root / f"{name}.jsonl").write_text(text)
        return coleval.load(str(root / "gold.jsonl"), {"s": str(root / "s.jsonl")}, task="coref")

    return load


@given(corpora)
def test_classes_by_the_first_nominal_antecedent_are_those_of_plain_loops(load, documents):
    corpus = load(lines(documents, 0), lines(documents, 1))
    nominal = {m for m in MENTIONS if m[1] > m[0]}
    frame = coref_units(lambda: corpus.units["cluster"], first=True)["nominal"].frame()
    for row in frame.to_dicts():
        key, response = documents[int(row["document"][1:])]
        mention = (row["start"], row["end"] - 1)
        wanted = plain.nominal_class(mention, key, response, nominal, which=min)
        assert row["s"] == wanted
        assert (row["gold"] == "tp") == (wanted in ("tp", "wl", "fn"))


def dutch(data, **options):
    root = data("dutch-knack")
    systems = {name: str(root / f"knack_file7.{file}.conll") for name, file in FILES.items()}
    gold = str(root / "knack_file7.gold.conll")
    return coleval.load(gold, systems, task="coref", nominal="N,SPEC", **options)


@pytest.mark.parametrize(
    ("options", "given", "different", "found"),
    [
        ({}, {}, 10, {"fp → tn": 5, "wl → tp": 4, "fn → tp": 1}),
        ({"profile": "compareval"}, {}, 7, {"fp → tn": 5, "wl → tp": 1, "fn → tp": 1}),
        ({}, {"antecedent": "first"}, 7, {"fp → tn": 5, "wl → tp": 1, "fn → tp": 1}),
        ({"profile": "compareval"}, {"antecedent": "closest"}, 10,
         {"fp → tn": 5, "wl → tp": 4, "fn → tp": 1}),
    ],
)  # fmt: skip
def test_the_profile_goes_by_the_first_the_default_by_the_closest(
    data, options, given, different, found
):
    report = dutch(data, **options).changes(("corea", "dutch"), unit="nominal", **given)
    assert report.table("summary")["different"].to_list() == [different]
    assert transitions(report) == found


def test_the_upper_bound_goes_by_the_closest_under_the_profile_too(data):
    default, profile = (
        dutch(data, **options).oracle(unit="nominal").table("systems")
        for options in ({}, {"profile": "compareval"})
    )
    assert default.equals(profile)


@pytest.mark.parametrize("unit", [None, "any"])
def test_an_antecedent_is_refused_where_nominal_ones_do_not_count(write, unit):
    corpus = loaded(write, document([A, C]), a=document([A, C]), b=document([A, B]))
    with pytest.raises(UsageError, match="nominal antecedents") as caught:
        corpus.changes(unit=unit, antecedent="closest")
    assert caught.value.remedy == "add --unit nominal"


def test_an_antecedent_is_refused_for_tags(write):
    tags = {name: write(f"{name}.conll", "a\tX\n") for name in ("a", "b")}
    corpus = coleval.load(write("gold.conll", "a\tX\n"), tags, task="tag")
    with pytest.raises(UsageError, match="nominal antecedents"):
        corpus.changes(antecedent="first")


def test_an_antecedent_that_is_none_is_refused(write):
    corpus = loaded(write, document([A, C]), a=document([A, C]), b=document([A, B]))
    with pytest.raises(UsageError, match="closest"):
        corpus.changes(unit="nominal", antecedent="closset")
