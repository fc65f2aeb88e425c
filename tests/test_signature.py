"""One signature, the same numbers: what is read, from where and how, has to be in it."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import polars as pl
import pytest

import coleval
from coleval.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

GOLD = "ann NNP B-PER\nsees VB O\n\nbob NNP B-PER\nruns NN I-PER\n\n"
A = "ann NNP B-PER\nsees NN B-LOC\n\nbob NNP O\nruns NN I-PER\n\n"
B = "ann NN B-LOC\nsees VB O\n\nbob VB B-PER\nruns VB I-PER\n\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Return gold and two systems, with a tag and a span tag a token."""
    paths = [tmp_path / name for name in ("gold.txt", "A.txt", "B.txt")]
    for path, text in zip(paths, (GOLD, A, B), strict=True):
        path.write_text(text)
    return paths


def parts(corpus: coleval.Corpus) -> dict[str, str]:
    """Return the parts of a signature by their names."""
    return dict(part.split(":", 1) for part in corpus.score().signature.split("|"))


def read(paths: list[Path], **options: object) -> dict[str, str]:
    return parts(coleval.load(paths[0], paths[1:], **options))


def grid(folder: Path, name: str, *texts: str) -> None:
    for system, text in zip(("gold", "A", "B"), texts, strict=False):
        (folder / system).mkdir(exist_ok=True)
        (folder / system / f"{name}.txt").write_text(text)


def test_the_columns_that_were_read_are_in_it(files):
    two, three = (read(files, columns=f"form=1,label={k}", task="tag") for k in (2, 3))
    assert (two["columns"], three["columns"]) == ("form=1,label=2", "form=1,label=3")
    assert two["answers"] != three["answers"]
    # What is in the file and was not read says nothing.
    files[1].write_text(A.replace("B-LOC", "O"))
    again = read(files, columns="form=1,label=2", task="tag")
    assert again == two


@pytest.mark.parametrize(("at", "change"), [(1, ("sees NN", "sees JJ")), (2, ("bob VB", "bob DT"))])
def test_another_answer_of_any_system_is_another_signature(files, at, change):
    before = read(files, columns="form=1,label=2", task="tag")
    files[at].write_text(files[at].read_text().replace(*change))
    after = read(files, columns="form=1,label=2", task="tag")
    assert {name for name in before if before[name] != after[name]} == {"answers"}


def test_the_judges_of_difficulty_are_in_it_though_they_are_not_scored(files):
    def judged() -> str:
        corpus = coleval.load(files[0], files[1:], columns="form=1,label=2", task="tag")
        return corpus.bins(systems="A", bins_from="B").signature

    before = judged()
    files[2].write_text(B.replace("sees VB", "sees NN"))
    assert judged() != before


def test_names_of_systems_are_in_it(files):
    renamed = files[1].rename(files[1].with_name("C.txt"))
    swapped = read([files[0], files[2], renamed])
    assert swapped["answers"] != read([files[0], renamed, files[2]])["answers"]


@pytest.mark.parametrize("task", ["tag", "span"])
def test_text_store_memory_and_packed_files_have_one_signature(tmp_path, files, task):
    corpus = coleval.load(files[0], files[1:], task=task)
    expected = corpus.score().signature
    assert coleval.open(corpus.save(tmp_path / "store")).score().signature == expected
    limited = coleval.load(files[0], files[1:], task=task, memory="1GB")
    assert limited.score().signature == expected
    packed = [tmp_path / f"{path.name}.gz" for path in files[1:]]
    for path, old in zip(packed, files[1:], strict=True):
        path.write_bytes(gzip.compress(old.read_bytes()))
    systems = {"A": packed[0], "B": packed[1]}
    assert coleval.load(files[0], systems, task=task).score().signature == expected


def test_frames_have_the_answers_of_their_text_and_a_gold_of_their_own(files):
    rows = [[line.split() for line in text.split("\n") if line] for text in (GOLD, A, B)]
    columns = {name: [row[1] for row in own] for name, own in zip(("gold", "A", "B"), rows,
                                                                   strict=True)}  # fmt: skip
    form, sentence = [row[0] for row in rows[0]], [0, 0, 1, 1]
    frame = pl.DataFrame({"form": form, "sentence": sentence, **columns})
    named = {"form": "form", "sentence": "sentence", "gold": "gold", "system": ["A", "B"]}
    of_frame = parts(coleval.load(frame, columns=named, task="tag"))
    other = frame.with_columns(form=pl.col("form").str.to_uppercase())
    of_other = parts(coleval.load(other, columns=named, task="tag"))
    assert of_frame["gold"] != of_other["gold"]
    twice = parts(coleval.load(frame.clone(), columns=named, task="tag"))
    assert twice == of_frame


def test_labels_that_others_have_or_that_come_in_another_order_change_no_hash(files):
    alone = coleval.load(files[0], {"B": files[2]}, columns="form=1,label=2", task="tag")
    both = coleval.load(files[0], files[1:], columns="form=1,label=2", task="tag")
    assert parts(both.chosen("B"))["answers"] == parts(alone)["answers"]


def test_a_store_that_grew_has_the_signature_of_one_that_did_not(tmp_path, files):
    store = tmp_path / "store"
    first, rest = [str(path) for path in files[:2]], [str(files[0]), str(files[2])]
    assert main(["load", *first, "-o", str(store), "--quiet"]) == 0
    assert main(["load", *rest, "-o", str(store), "--quiet"]) == 0
    assert parts(coleval.open(store)) == read(files)


def test_datasets_one_by_one_together_and_in_a_store_have_one_signature(tmp_path):
    names = ("d1", "d2", "d10")
    for name, text in zip(names, (A, B, A), strict=True):
        grid(tmp_path, name, GOLD, text, B)
    paths = [str(tmp_path / f"{who}/{{dataset}}.txt") for who in ("gold", "A", "B")]
    systems = {"A": paths[1], "B": paths[2]}
    together = coleval.load(paths[0], systems, task="tag")
    one_by_one = coleval.load(paths[0], systems, task="tag", memory="1GB")
    assert parts(one_by_one) == parts(together)
    stored = coleval.open(together.save(tmp_path / "store"))
    assert parts(stored) == parts(together)
    as_parts = coleval.load(
        paths[0].replace("{dataset}", "{part}"),
        {name: path.replace("{dataset}", "{part}") for name, path in systems.items()},
        task="tag",
    )
    assert parts(as_parts)["answers"] != parts(together)["answers"]


def test_a_dataset_that_was_not_run_is_not_one_without_answers(tmp_path):
    for name in ("d1", "d2"):
        grid(tmp_path, name, GOLD, A)
    paths = [str(tmp_path / f"{who}/{{dataset}}.txt") for who in ("gold", "A")]
    load = {"task": "span", "missing": "wrong"}
    silent = "".join(f"{line.split()[0]} X O\n" if line else "\n" for line in A.split("\n")[:-1])
    (tmp_path / "A" / "d2.txt").write_text(silent)
    empty = parts(coleval.load(paths[0], {"A": paths[1]}, **load))
    (tmp_path / "A" / "d2.txt").unlink()
    assert parts(coleval.load(paths[0], {"A": paths[1]}, **load))["answers"] != empty["answers"]


def test_a_condition_and_labels_keep_what_sets_them_apart(files):
    corpus = coleval.load(files[0], files[1:], columns="form=1,label=2", task="tag")
    one, other = (corpus.score(where=w).signature for w in ("form > 'a|b'", "form > 'a/b'"))
    assert one != other


def test_the_signature_of_logs_says_whose_answers_they_are(tmp_path):
    rows = "id,system,answer,gold\n1,A,x,x\n2,A,y,x\n1,B,{},x\n2,B,x,x\n"
    found = []
    for answer in ("y", "x"):
        path = tmp_path / "log.csv"
        path.write_text(rows.format(answer))
        found.append(parts(coleval.load(path, format="long")))
    assert found[0]["gold"] == found[1]["gold"]
    assert found[0]["answers"] != found[1]["answers"]
