"""``--fold`` compares labels without case, whatever the task and the unit."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coleval
from coleval.folding import fold_tag

KINDS = ["PER", "Per", "per", "Loc", "LOC"]
TAG = st.one_of(
    st.just("O"), st.builds("{}-{}".format, st.sampled_from("BI"), st.sampled_from(KINDS))
)
ROWS = st.lists(st.tuples(TAG, TAG), min_size=1, max_size=8)


@pytest.fixture
def load(tmp_path):
    def load(gold, system, *, separator=" ", **options):
        for name, labels in {"g": gold, "s": system}.items():
            lines = [f"w{k}{separator}{label}" for k, label in enumerate(labels)]
            (tmp_path / f"{name}.conll").write_text("\n".join(lines) + "\n")
        paths = (str(tmp_path / "g.conll"), {"s": str(tmp_path / "s.conll")})
        return coleval.load(*paths, **options)

    return load


def counts(corpus, unit):
    row = corpus.score(unit=unit).table().row(0, named=True)
    return row["tp"], row["fp"], row["fn"]


@pytest.mark.parametrize("memory", [None, "2GB"])
@pytest.mark.parametrize("unit", ["token", "span"])
def test_types_of_tags_are_folded_for_tokens_and_for_spans(load, unit, memory):
    corpus = load(["B-PER", "O"], ["B-per", "O"], fold=True, task="span", memory=memory)
    assert counts(corpus, unit) == (1, 0, 0)
    assert counts(load(["B-PER", "O"], ["B-per", "O"], task="span"), unit) == (0, 1, 1)


def test_a_letter_that_comes_last_stays_as_it_is(load):
    corpus = load(["PER-B", "O"], ["per-B", "O"], fold=True, task="span", suffix=True)
    assert counts(corpus, "token") == counts(corpus, "span") == (1, 0, 0)


def test_labels_that_mean_outside_are_folded_too(load):
    tags = load(["B-PER", "NONE"], ["B-PER", "none"], fold=True, task="span", outside="NONE")
    assert counts(tags, "token") == counts(tags, "span") == (1, 0, 0)


def test_tags_and_instances_are_folded(load):
    assert counts(load(["NOUN"], ["noun"], fold=True, task="tag"), "token") == (1, 0, 0)
    frame = pl.DataFrame({"gold": ["A", "b|C"], "pred": ["a", "B|c"]})
    for separator in ("", "|"):
        row = coleval.load(frame, fold=True, separator=separator).score().table().to_dicts()[0]
        assert row["correct"] == 2


@pytest.mark.parametrize(
    ("tag", "folded"),
    [("B-PER", "B-per"), ("B", "B"), ("NOUN", "noun"), ("B-A|I-X-Y", "B-a|I-x-y"), ("b-X", "b-x")],
)
def test_only_types_are_in_lower_case(tag, folded):
    assert fold_tag(tag) == folded


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_folding_is_the_same_as_writing_all_types_alike(tmp_path_factory, rows):
    root = tmp_path_factory.getbasetemp()
    found = []
    for change, fold in ((str, True), (lambda tag: tag[:2] + tag[2:].lower(), None)):
        for name, at in {"g": 0, "s": 1}.items():
            lines = [f"w{k} {change(row[at])}\n" for k, row in enumerate(rows)]
            (root / f"fold-{name}.conll").write_text("".join(lines))
        corpus = coleval.load(
            str(root / "fold-g.conll"), {"s": str(root / "fold-s.conll")}, task="span", fold=fold
        )
        found.append([counts(corpus, unit) for unit in ("token", "span")])
    assert found[0] == found[1]


def test_the_signature_says_so_only_where_labels_are_folded(load):
    assert "labels-folded" in load(["A"], ["a"], fold=True, task="tag").score().signature
    matrix = coleval.load(pl.DataFrame({"s": [1, 0]}), task="matrix", fold=True)
    assert "labels-folded" not in matrix.score().signature
