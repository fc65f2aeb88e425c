"""docs/methods.md: every test it names exists, every command runs, on files and on a store."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from conftest import sampled

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]
SHELL = sorted(set(re.findall(r"`(coleval [^`]+)`", PAGE)))
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED, ids="::".join)
def test_every_test_that_is_named_exists(file, name):
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


# What a command is about: the first of these that it has, else entities.
WORLDS = {
    "task coref|nominal|splits": "mentions.conll",
    " dep|compareval": "trees.conllu",
    "task tag|NN|^coleval confusion|table labels": "tags.txt",
    "matrix": "matrix.tsv",
    "--merged": "merged.txt",
    "^coleval (measure|agree|behaviour)|mcnemar|fold": "answers.csv",
}
SYSTEMS = ("A", "B", "v1", "v2", "v3", "old", "s-seed1", "s-seed2")
TREE = """\
1\tTime\ttime\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tflies\tfly\tVERB\tVB\t_\t0\troot\t_\t_
3\tfast\tfast\tADV\tRB\t_\t2\tadvmod\t_\t_

"""
DOCUMENT = """\
#begin document (d); part 000
d\t0\t0\tAda\tNNP\t(1)
d\t0\t1\tsaw\tVBD\t-
d\t0\t2\ther\tPRP\t(1)

#end document
"""
SPANS = "Ada\tNNP\tB-PER\nKing\tNNP\tI-PER\n,\t,\tO\ncalcium\tNN\tB-NC\nx\t.\tB-NONE\n\n" * 3
TAGS = "Ada\tNE\nran\tVB\n\n" * 3
# Gold, what A says, what all others say.
FILES = {
    "entities.txt": (SPANS, SPANS.replace("I-PER", "O"), SPANS.replace("B-NC", "B-PC")),
    "tags.txt": (TAGS, TAGS.replace("NE", "NN"), TAGS),
    "trees.conllu": (TREE * 3, TREE.replace("2\tadvmod", "1\tadvmod") * 3, TREE * 3),
    "mentions.conll": (DOCUMENT, DOCUMENT, DOCUMENT.replace("PRP\t(1)", "PRP\t-")),
}
ANSWERS = {
    "id": range(8), "gold": ["low", "mid", "high", "low"] * 2, "x": range(8),
    "y": [0, 2, 1, 3, 5, 4, 7, 6], "prob": [0.5] * 8, "score": range(8),
    "relevant": ["yes", "no"] * 4, "bleu_a": [0.1, 0.2] * 4, "bleu_b": [0.3, 0.2] * 4,
    "topic": ["a", "a", "b", "b"] * 2,
    "template": [1, 1, 2, 2] * 2, "made_from": [None, 0] * 4,
    "fold": [1, 2] * 4, "split": [1, 2] * 4,
    **{name: ["low", "mid", "mid", "low"] * 2 for name in SYSTEMS}, "B": ["high"] * 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Return a folder with gold and systems of each kind, and the files that options name."""
    folder = tmp_path_factory.mktemp("world")
    for name, (gold, a, others) in FILES.items():
        kind, suffix = name.split(".")
        texts = {"gold": gold} | dict.fromkeys(SYSTEMS, others) | {"A": a}
        (folder / kind).mkdir()
        for system, text in texts.items():
            (folder / kind / f"{system}.{suffix}").write_text(text)
    for name in ("gold", "A", "d", "runs/A"):
        (folder / name).mkdir(parents=True)
    for place in ("gold/d.tsv", "A/d.tsv", "d/A.tsv", "runs/A/d.tsv"):
        (folder / place).write_text(SPANS)
    (folder / "words.txt").write_text("Ada\n")
    (folder / "matrix.tsv").write_text("1\t0\n0\t1\n")
    (folder / "merged.txt").write_text("Ada\tB-PER\tB-PER\tO\ncalcium\tO\tO\tO\n")
    pl.DataFrame(ANSWERS, strict=False).write_csv(folder / "answers.csv")
    np.save(folder / "bert.npy", np.eye(8))
    np.savetxt(folder / "glove.tsv", np.eye(8)[::-1], delimiter="\t")
    return folder


def sources(command):
    """Return the files that stand for CORPUS, or for GOLD and A."""
    name = next((name for mark, name in WORLDS.items() if re.search(mark, command)), "entities.txt")
    kind, suffix = name.split(".")
    if name == "answers.csv":
        systems = ",".join(f"system={system}" for system in SYSTEMS)
        gold = "relevant" if "--relevant" in command else "gold"
        return [name, "--task", "label", "--columns", f"id=id,gold={gold},{systems}"]
    if name in ("matrix.tsv", "merged.txt"):
        return [name]
    columns = {"mentions": ["--columns", "pos=5"], "entities": ["--columns", "pos=2"]}
    return [*(f"{kind}/{each}.{suffix}" for each in ("gold", *SYSTEMS)), *columns.get(kind, ())]


# Options that say how files are read: a store that was read so takes them as well.
READING = r"--(?:task|columns|profile|train) \S+|--(?:merged|multiset)"
SOURCES = r"GOLD A\b|CORPUS|MATRIX|RUNS|[\"']?gold/(?:\{dataset\}.tsv[\"'])? \S+"


@pytest.fixture(scope="module")
def stores():
    """Return the stores of some files, by how they are loaded: many commands read the same."""
    return {}


@pytest.mark.parametrize("stored", [False, True], ids=["files", "store"])
@pytest.mark.parametrize("command", sampled([each for each in SHELL if "SYSTEM -o" not in each], 3))
def test_every_command_runs(command, stored, world, stores, monkeypatch, capsys):
    monkeypatch.chdir(world)
    files = sources(command)
    two = "two=STORE" if stored else f"two={' '.join(files[:2])}"
    names = {"TRAIN": files[0], "WORDS": "words.txt", "FILE": "edges.json", "X Y": "x y",
             '"two=GOLD" A': two}  # fmt: skip
    for name, value in names.items():
        command = command.replace(name, value)
    given = re.search(SOURCES, command)[0]
    read = given if "gold/" in given else shlex.join(files)
    if stored:
        options = " ".join(re.findall(READING, command))
        store = stores.setdefault(f"{read} {options}", f"store-{len(stores)}")
        if not Path(store).exists():
            loaded = main(shlex.split(f"load {read} {options} -o {store} -q"))
            assert loaded == 0, capsys.readouterr().err
        command = command.replace("STORE", store)
    code = main(shlex.split(command.replace(given, store if stored else read))[1:])
    assert code == 0, capsys.readouterr().err


def test_every_function_that_is_named_exists():
    names = re.findall(r"`coleval\.(\w+)\(", PAGE)
    assert names
    assert [name for name in names if not callable(getattr(coleval, name, None))] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_is_proven_by_a_test_or_says_that_it_is_not(row):
    what, command, tests = row
    assert what
    if re.search(r"`test_\w+\.py::\w+`", tests):
        assert "`coleval" in command
    else:
        assert tests.startswith("not yet")


def test_the_page_has_the_five_sources_and_the_readme_points_to_it():
    heads = re.findall(r"^## (.*)", PAGE, re.MULTILINE)
    assert [head.split(" (")[0].split(":")[0] for head in heads] == [
        "Differential evaluation", "ComparEval", "FairEval", "InterpretEval", "The slides",
    ]  # fmt: skip
    assert "(docs/methods.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
