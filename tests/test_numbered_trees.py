"""Trees read as numbers by the loop in C: the same as from text, and only what is beyond doubt."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError
from coleval.loading.readers import conllu_numbers
from coleval.loading.tasks import number_coder
from coleval.loading.tasks.numbered_trees import NumberedTrees
from coleval.native import building
from coleval.native import library as native
from coleval.native.dictionary import Dictionary
from random_trees import as_bytes, damaged, files

pytestmark = pytest.mark.skipif(
    native.library() is None, reason="coleval was built without its loops in C"
)


def tables(folder, names):
    systems = {name: folder / f"{name}.conllu" for name in names if name != "gold"}
    try:
        corpus = coleval.load(folder / "gold.conllu", systems, task="dep")
        layers = {n: corpus.layer(n).frame([]).rows() for n in corpus.layers}
        result = corpus.score()
    except ColevalError as error:
        return str(error)
    notes = [entry.notes for entry in corpus.entries]
    scores = {n: t.rows() for n, t in result.tables.items()}
    return corpus.items.rows(), layers, notes, scores, result.warnings


@pytest.fixture
def as_text(tmp_path, monkeypatch):
    def tables_as_text(names):
        with monkeypatch.context() as patch:
            patch.setattr(conllu_numbers, "library", lambda: None)
            return tables(tmp_path, names)

    return tables_as_text


@pytest.fixture
def small_pieces(monkeypatch):
    """Files are read and words are coded a few at a time, as large ones are."""
    monkeypatch.setattr("coleval.loading.readers.source._SMALL", 10)
    monkeypatch.setattr(conllu_numbers, "_BLOCK", 50)
    monkeypatch.setattr(number_coder, "_BLOCK", 3)


def written(folder, seed):
    rng = random.Random(seed)
    text = files(seed)
    spaced, space = rng.choice("abcä中"), rng.choice((" ", "\u00a0", "\u3000x"))
    for name, one in text.items():
        if seed % 3 == 0:
            one = one.replace(f"\t{spaced}", f"\t{spaced}{space}")  # noqa: PLW2901
        if seed % 2:
            one = damaged(rng, one)  # noqa: PLW2901
        (folder / f"{name}.conllu").write_bytes(as_bytes(rng, one))
    return list(text)


@pytest.mark.parametrize("seed", range(60))
def test_numbers_say_what_text_says(tmp_path, as_text, seed):
    names = written(tmp_path, seed)
    assert tables(tmp_path, names) == as_text(names)


@pytest.mark.parametrize("seed", range(100, 130))
def test_and_in_small_pieces(tmp_path, as_text, small_pieces, seed):
    names = written(tmp_path, seed)
    assert tables(tmp_path, names) == as_text(names)


def test_what_is_beyond_doubt_is_read_as_numbers(tmp_path, monkeypatch, write):
    found = []
    read = NumberedTrees.read

    def noted(self, source):
        found.append(read(self, source) is not None)
        return read(self, source)

    monkeypatch.setattr(NumberedTrees, "read", noted)
    word = "{}\t{}\t_\tN\t_\t\t{}\tdep\t{}\t_\n"
    gold = write("gold.conllu", word.format(1, "ab", 0, "_") + word.format(2, "cdef", 1, "_"))
    systems = {
        "own": word.format(1, "abc", 0, "_") + "\n# newdoc\n" + word.format(1, "def", 0, "0:root"),
        "several": "1-2\tab" + "\t_" * 8 + "\n" + word.format(1, "a", 0, "")
        + word.format(2, "b", 1, "_") + word.format(3, "cd ef", 1, "_"),
        "nodes": word.format(1, "ab", 0, "_") + "1.1\tx" + "\t_" * 8 + "\n"
        + word.format(2, "cdef", 1, "_"),
        "plus": "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
        + word.format(1, "ab", 0, "_") + word.format(2, "cdef", 1, "_"),
    }  # fmt: skip
    paths = {name: write(f"{name}.conllu", text) for name, text in systems.items()}
    monkeypatch.setattr("coleval.loading.tasks.layers.AT_ONCE", 1)
    coleval.load(gold, paths, task="dep")
    assert found == [True, True, False, False]


def test_there_is_room_for_whatever_a_file_has(write, as_text, tmp_path):
    word = "1\ta\t\t\t\t\t0\t\t\t\n\n"
    write("gold.conllu", "#newdoc\n" * 3000 + word)
    write("a.conllu", "#newdoc\n" * 3000 + "1-1\ta\t\t\t\t\t\t\t\t\n" + word)
    assert tables(tmp_path, ["gold", "a"]) == as_text(["gold", "a"])


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_number_the_same_texts_alike(threads):
    library = native.library()
    assert library is not None
    words = [f"w{k}" * (1 + k % 40) for k in range(30_000)] + ["", "ä", "中文"]
    known = Dictionary(library)

    def numbers(seed):
        mine = words * 2
        random.Random(seed).shuffle(mine)
        found = known.numbers(pl.Series(mine))
        assert found is not None
        return dict(zip(mine, found.tolist(), strict=True))

    with ThreadPoolExecutor(threads) as pool:
        every = list(pool.map(numbers, range(threads)))
    assert all(one == every[0] for one in every)
    assert sorted(every[0].values()) == list(range(len(words)))
    assert [every[0][text] for text in known.texts] == list(range(len(words)))
    places = np.array([every[0]["ä"], every[0][""]])
    assert known.column(places).to_list() == ["ä", ""]


def test_texts_that_are_no_lines_have_no_numbers():
    library = native.library()
    assert library is not None
    assert Dictionary(library).numbers(pl.Series(["a", "b\nc"])) is None
    assert Dictionary(library).numbers(pl.Series(["a", None])) is None


def test_a_variable_does_without(tmp_path, write):
    word = "{}\t{}\t_\tN\t_\t_\t{}\tdep\t_\t_\n"
    gold = write("gold.conllu", word.format(1, "ab", 0) + word.format(2, "c", 1))
    own = write("own.conllu", word.format(1, "a", 0) + word.format(2, "bc", 1))
    code = "from coleval.native.library import library; assert library() is None; import sys; "
    code += "from coleval.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "score", gold, own, "--task", "dep", "--as", "json"]
    environment = {**os.environ, "COLEVAL_NATIVE": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found = json.loads(done.stdout)
    assert found["tables"]["overall"] == json.loads(json.dumps(
        coleval.load(gold, {"own": own}, task="dep").score().table("overall").to_dicts()
    ))  # fmt: skip


def test_a_library_of_another_version_is_not_used(monkeypatch):
    monkeypatch.setattr(native, "VERSION", native.VERSION + 1)
    assert native.library.__wrapped__() is None


def test_without_a_compiler_a_wheel_is_for_all(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    assert "none" in building._compiled([], tmp_path / "x.so")
    (tmp_path / "broken.c").write_text("int f(void) { return }\n")
    monkeypatch.delenv("CC")
    assert building._compiled([tmp_path / "broken.c"], tmp_path / "x.so")
    assert not (tmp_path / "x.so").exists()
    monkeypatch.setenv("COLEVAL_NATIVE", "0")
    assert building._compiled([], tmp_path / "x.so") == "COLEVAL_NATIVE is 0"
