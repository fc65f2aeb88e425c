"""``--fold`` compares labels without case, whatever the task and the unit."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus.coding import fold_tag
from coleval.errors import UsageError

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
    assert "|fold:yes|" in load(["A"], ["a"], fold=True, task="tag").score().signature
    assert "|fold:" not in load(["A"], ["a"], task="tag").score().signature
    with pytest.raises(UsageError, match="fold=True: has no effect"):
        coleval.load(pl.DataFrame({"s": [1, 0]}), task="matrix", fold=True)


def of_labels(load, task, unit, **scoring):
    """Return the counts of one kind among others, as an option names it."""
    gold, system = (["B-Per", "B-Loc", "O"], ["B-PER", "B-LOC", "B-LOC"])
    if task == "tag":
        gold, system = (["Per", "Loc", "Per"], ["PER", "LOC", "LOC"])
    corpus = load(gold, system, task=task, fold=True)
    row = corpus.score(unit=unit, **scoring).table().row(0, named=True)
    return row["tp"], row["fp"], row["fn"]


@pytest.mark.parametrize(
    ("task", "unit", "name", "expected"),
    [
        ("span", "span", "Per", (1, 0, 0)),
        ("span", "token", "B-PER", (1, 0, 0)),
        ("tag", "token", "pER", (1, 0, 1)),
    ],
)
def test_labels_that_options_name_are_folded_as_labels_are(load, task, unit, name, expected):
    assert of_labels(load, task, unit, labels=(name,)) == expected
    other = name[:-3] + "loc"
    assert of_labels(load, task, unit, exclude=(other,)) == expected


def test_tokens_of_spans_are_chosen_by_types_without_case(load):
    corpus = load(["B-Per", "B-Loc"], ["B-PER", "O"], task="span", fold=True, labels=("PER",))
    assert corpus.units["token"].labels == ("B-loc", "B-per")
    assert corpus.score().table()["tp"][0] == 1


def test_instances_are_chosen_by_labels_without_case():
    frame = pl.DataFrame({"gold": ["A", "B|C"], "pred": ["a", "b"]})
    for separator, expected in {"": (1, 0, 0), "|": (2, 0, 1)}.items():
        corpus = coleval.load(frame, fold=True, separator=separator)
        row = corpus.score(labels=("A", "B", "c") if separator else ("A",)).table().to_dicts()[0]
        assert (row["tp"], row["fp"], row["fn"]) == expected


def test_a_label_that_no_case_makes_known_is_misspelt(load):
    corpus = load(["B-Per"], ["B-PER"], task="span", fold=True)
    with pytest.raises(coleval.ColevalError, match="no label is called `Pre`"):
        corpus.score(labels=("Pre",))
    with pytest.raises(coleval.ColevalError, match="no label is called `PER`"):
        load(["B-Per"], ["B-Per"], task="span").score(labels=("PER",))


@pytest.mark.parametrize(("unit", "prefix"), [("span", ""), ("token", "B-")])
def test_changes_are_filtered_by_labels_without_case(tmp_path, unit, prefix):
    for name, tag in {"g": "B-Per", "a": "B-LOC", "b": "B-PER"}.items():
        (tmp_path / f"{name}.conll").write_text(f"w {tag}\n")
    paths = [str(tmp_path / f"{name}.conll") for name in "gab"]
    corpus = coleval.load(paths[0], paths[1:], task="span", fold=True)
    report = corpus.changes(
        ("a", "b"), unit=unit, items=True, label_before=f"{prefix}Loc", label_after=f"{prefix}PER"
    )
    assert len(report.table("items")) == 1


@pytest.mark.parametrize("kind", ["spans", "tags"])
def test_labels_that_mean_no_span_are_left_out_without_case(tmp_path, kind):
    none, line = ("None", "{}\t1\t1\t1\n") if kind == "spans" else ("NONE", "w B-{}\n")
    for name, label in {"g": "X", "s": none}.items():
        (tmp_path / f"{name}.tsv").write_text(line.format("X") + line.format(label))
    paths = (str(tmp_path / "g.tsv"), {"s": str(tmp_path / "s.tsv")})
    form = {"spans": "spans", "tags": "columns"}[kind]
    corpus = coleval.load(*paths, format=form, task="span", fold=True)
    assert corpus.errors().table()["fp"].to_list() == [0, 0]
