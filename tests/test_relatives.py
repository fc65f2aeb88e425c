"""Trees read against other systems' files: the same corpus as from whole files."""

from __future__ import annotations

import pytest

import coleval
from coleval.errors import ColevalError
from coleval.loading.tasks.relatives import Relative, Relatives
from random_trees import files


def tables(folder, text):
    for name, one in text.items():
        (folder / f"{name}.conllu").write_text(one, encoding="utf-8")
    systems = {name: folder / f"{name}.conllu" for name in text if name != "gold"}
    try:
        corpus = coleval.load(folder / "gold.conllu", systems, task="dep")
    except ColevalError as error:
        return str(error)
    layers = {n: corpus.layer(n).frame([]).rows() for n in corpus.layers}
    notes = [entry.notes for entry in corpus.entries]
    scores = {n: t.rows() for n, t in corpus.score().tables.items()}
    return corpus.items.rows(), layers, notes, scores


@pytest.fixture(autouse=True)
def without_library(monkeypatch):
    """Files are compared where the loop in C is not there to read them."""
    monkeypatch.setattr("coleval.loading.readers.conllu_numbers.library", lambda: None)


@pytest.fixture
def as_read_in_full(tmp_path, monkeypatch):
    def tables_in_full(text):
        with monkeypatch.context() as patch:
            patch.setattr(Relative, "read", lambda *_: None)
            return tables(tmp_path, text)

    return tables_in_full


@pytest.mark.parametrize("seed", range(60))
def test_a_corpus_is_the_same_whether_files_are_compared_or_read(tmp_path, as_read_in_full, seed):
    text = files(seed)
    assert tables(tmp_path, text) == as_read_in_full(text)


def test_files_of_the_same_words_are_compared_with_each_other(tmp_path, monkeypatch):
    """One of three is read in full: gold has other words, their comments and heads differ."""
    word = "{}\t{}\t_\tN\t_\t_\t{}\tdep\t_\t_\n"
    theirs = "".join(word.format(k, c, 0) for k, c in enumerate("abcdef", 1)) + "\n"
    gold = word.format(1, "ab", 0) + word.format(2, "cdef", 1) + "\n"
    other = "# newdoc\n" + theirs.replace("2\tb\t_\tN\t_\t_\t0", "2\tb\t_\tV\t_\t_\t1")
    read = []
    add = Relatives.add
    monkeypatch.setattr(Relatives, "add", lambda self, *a: read.append(a[1].path) or add(self, *a))
    text = {"gold": gold, "a": theirs}
    assert not isinstance(tables(tmp_path, text), str)
    assert len(read) == 1
    read.clear()
    monkeypatch.setattr("coleval.loading.tasks.layers.AT_ONCE", 1)
    tables(tmp_path, {**text, "b": other, "c": "# text\n" + theirs})
    assert [path.rpartition("/")[2] for path in read] == ["a.conllu"]
