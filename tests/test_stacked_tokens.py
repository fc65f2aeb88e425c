"""Stacked tags are a set of tags for tokens too; messages quote what the file has."""

from __future__ import annotations

import random

import pytest

import coleval
from coleval.corpus.coding import compared_tag
from coleval.corpus.schemes import REPAIRS, SCHEMES

POLICIES = sorted(set(REPAIRS) - {"error"})
FIRST = ["B-A|B-B", "I-A|B-B", "O"]
SECOND = ["B-B|B-A", "B-B|I-A", "O"]


@pytest.fixture
def load(tmp_path):
    def load(gold, *systems, **options):
        paths = []
        for number, labels in enumerate((gold, *systems)):
            path = tmp_path / f"s{number}.conll"
            path.write_text("".join(f"w{k} {label}\n" for k, label in enumerate(labels)))
            paths.append(str(path))
        return coleval.load(paths[0], paths[1:], task="span", **options)

    return load


def counts(corpus, unit="token"):
    row = corpus.score(unit=unit).table().row(0, named=True)
    return row["correct"], row["tp"], row["fp"], row["fn"]


@pytest.mark.parametrize("memory", [None, "2GB"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("repair", POLICIES)
def test_the_order_in_a_stack_does_not_matter(load, scheme, repair, memory):
    corpus = load(FIRST, SECOND, scheme=scheme, repair=repair, memory=memory)
    assert counts(corpus) == (3, 2, 0, 0)


def test_labels_of_tokens_are_named_by_type_in_alphabetical_order(load):
    corpus = load(SECOND, ["I-B|B-A", "O", "O"])
    table = corpus.confusion(unit="token").table()
    cells = {(row["gold"], row["answer"]): row["n"] for row in table.to_dicts()}
    cells.pop((None, None))
    assert cells == {("B-A|B-B", "B-A|I-B"): 1, ("I-A|B-B", None): 1}


def test_one_type_stacked_on_itself_keeps_its_order(load):
    assert counts(load(["B-A|B-A", "I-A|B-A"], ["B-A|B-A", "B-A|I-A"]))[1:] == (1, 1, 1)


def test_merged_files_may_stack_gold_in_another_order(tmp_path):
    paths = []
    for name, stack in {"a": "B-A|B-B", "b": "B-B|B-A"}.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(f"w {stack} B-B|B-A\n")
        paths.append(str(path))
    corpus = coleval.load(paths[0], paths[1:], merged=True)
    assert [row["tp"] for row in corpus.score(unit="token").table().to_dicts()] == [1, 1]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("B-B|B-A", "B-A|B-B"),
        ("B-B|I-B|I-A", "I-A|B-B|I-B"),
        ("O|B-A", "B-A"),
        ("O|O", "O|O"),
        ("B-A", "B-A"),
        ("B-b|B-A|x", "B-A|B-b|x"),
    ],
)
def test_a_stack_in_its_one_order(tag, expected):
    assert compared_tag(tag) == expected
    assert compared_tag(expected) == expected


def test_case_and_order_together():
    assert compared_tag("B-b|B-A", fold=True) == compared_tag("B-a|B-B", fold=True) == "B-a|B-b"
    assert compared_tag("B-B|A-B", suffix=True) == "A-B|B-B"


def test_shuffled_stacks_of_different_types_change_no_count(load):
    draw = random.Random(3)
    types = ["A", "B", "C"]
    gold, system = (
        [
            "|".join(
                f"{draw.choice('BI')}-{kind}" for kind in draw.sample(types, draw.randint(1, 3))
            )
            for _ in range(300)
        ]
        for _ in range(2)
    )
    shuffled = ["|".join(draw.sample(tags := cell.split("|"), len(tags))) for cell in system]
    corpus = load(gold, system, shuffled)
    for unit in ("token", "span"):
        one, other = corpus.score(unit=unit).table().drop("system").rows()
        assert one == other
    expected = sum(
        set(a.split("|")) == set(b.split("|")) for a, b in zip(gold, system, strict=True)
    )
    assert counts(corpus)[0] == expected


def test_messages_quote_the_file_where_case_and_order_make_no_difference(load):
    corpus = load(["B-PER", "O", "O"], ["b-PER", "I-Per|I-LOC", "O"], fold=True)
    notes = " ".join(note.problem for entry in corpus.entries for note in entry.notes)
    assert "`b-PER`" in notes
    assert "`I-Per|I-LOC` on `w1` after `b-PER`" in notes


def test_validate_quotes_the_file_and_knows_labels_without_case(tmp_path):
    from coleval.cli.main import main

    for name, label in {"g": "B-PER", "s": "I-Per"}.items():
        (tmp_path / name).write_text(f"w {label}\n")
    out = tmp_path / "out.json"
    main(["validate", str(tmp_path / "g"), str(tmp_path / "s"), "--fold", "-o", str(out)])
    assert "`I-Per` on `w`" in out.read_text()
    assert "gold never has" not in out.read_text()
