"""Columns that are cut out while a text is read: those that are cut out of it later."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError
from coleval.loading.readers import coref, coref_native, source, text_blocks
from coleval.loading.readers.asked_columns import AskedColumns
from coleval.loading.readers.source import Source
from coleval.native import library as native
from test_coref_native import USERS, damaged, made, mentions, scored, written

pytestmark = pytest.mark.skipif(
    native.library() is None, reason="coleval was built without its loops in C"
)


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Take any file for a large one."""
    monkeypatch.setattr(source, "_SMALL", 0)
    monkeypatch.setattr(text_blocks, "_SMALL", 0)


def asked(path, columns, hint):
    """Return the lines of a file of which columns were asked for, None if it is in doubt."""
    found = coref_native.native_coref(
        Source(str(path)), keep=True, ask=lambda loops: AskedColumns(loops, columns, hint)
    )
    return found and found.kept


@pytest.mark.parametrize("seed", range(200))
def test_columns_are_those_that_are_cut_out_later(seed, tmp_path):
    mixed = random.Random(seed)
    path = tmp_path / "a.conll"
    path.write_bytes(damaged(mixed, made(mixed, mixed.randint(1, 6))))
    hint = np.array(sorted(mixed.randrange(-3, 90) for _ in range(mixed.randrange(30))), np.int64)
    columns = mixed.choice([[1], [2, 1, 3], [4, 20]])
    lines = asked(path, columns, hint)
    if lines is None or lines.known is None:
        return
    known = lines.known.units
    assert {*hint[(hint >= 0) & (hint < len(lines))].tolist()} <= {*known.tolist()}
    later = replace(lines, known=None)
    for units in (known, known[::2], known[::-1]):
        pairs = zip(lines.columns(units, columns), later.columns(units, columns), strict=True)
        for own, other in pairs:
            assert own.series.to_list() == other.series.to_list()


def test_units_of_one_word_and_hints_are_known_and_no_others(tmp_path):
    path = tmp_path / "a.conll"
    words = "".join(
        f"d\t{k}\tw{k}\t{said}\n" for k, said in enumerate(["(1)", "-", "(2", "-", "2)"])
    )
    path.write_text(f"#begin document (d);\n{words}\n#end document\n")
    lines = asked(path, [3], np.array([3, 9]))
    assert lines.known.units.tolist() == [0, 3]
    assert lines.known.of(np.array([3]), [3])[0].series.to_list() == ["w3"]
    assert lines.known.of(np.array([1]), [3]) is None
    assert lines.known.of(np.array([4]), [3]) is None
    assert lines.known.of(np.array([3]), [2]) is None


def test_nothing_is_known_where_some_lines_have_tabs_and_others_none(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("#begin document (d);\nd\t0\tw\t(1)\nd 0 w (1)\n#end document\n")
    lines = asked(path, [3], np.array([], np.int64))
    assert lines.known is None
    assert lines.columns(np.array([1]), [3])[0].series.to_list() == ["w"]


def test_a_file_that_is_written_to_is_not_what_was_read(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("#begin document (d);\nd\t0\tw\t(1)\n#end document\n")
    lines = asked(path, [3], np.array([0]))
    with path.open("a") as more:
        more.write("\n")
    with pytest.raises(DataError, match=r"a\.conll: the file is being written to"):
        lines.columns(np.array([0]), [3])


@pytest.mark.parametrize("seed", range(60))
def test_scores_are_those_without_the_loops(seed, tmp_path, monkeypatch):
    mixed = random.Random(seed)
    written(tmp_path, mixed)
    if seed % 3 == 0:
        # A system may have its documents in another order: what it hints at is of no use then.
        text = (tmp_path / "a.conll").read_text().split("#end document\n")[:-1]
        mixed.shuffle(text)
        (tmp_path / "a.conll").write_text("".join(part + "#end document\n" for part in text))
    options = {"duplicate_mentions": "first"} | ({"min_words": 2} if seed % 5 == 1 else {})
    values = (tmp_path, ("a", "b"), options, {"key": "all"} if seed % 2 else {})
    found = scored(*values)
    for module in USERS:
        monkeypatch.setattr(module, "library", lambda: None)
    assert found == scored(*values)


def test_gold_is_read_once_where_systems_hint_at_what_is_asked(tmp_path, monkeypatch):
    words = [[("It", "NN"), ("is", "DT"), ("so", "NN")] * 5] * 3
    for seed, name in enumerate(("gold", "a", "b")):
        (tmp_path / f"{name}.conll").write_text(mentions(random.Random(seed), words))
    cut = []
    lines_cut = coref_native.NativeLines._cut
    monkeypatch.setattr(
        coref_native.NativeLines,
        "_cut",
        lambda self, units, *rest: cut.append(len(units)) or lines_cut(self, units, *rest),
    )
    others = {name: tmp_path / f"{name}.conll" for name in ("a", "b")}
    corpus = coleval.load(
        tmp_path / "gold.conll", others, task="coref", duplicate_mentions="first"
    )  # fmt: skip
    corpus.score()
    # The first line tells which columns there are.
    assert cut == [1]
    assert corpus.at("any").context.columns[-3:] == ["mention_type", "pos", "lemma"]
    assert cut == [1]


def test_a_system_that_cannot_be_read_does_not_hide_what_is_wrong_with_gold(tmp_path):
    for name in ("gold", "a"):
        (tmp_path / f"{name}.conll").write_text("#begin document (d);\nd\t0\tw\t(1\n")
    with pytest.raises(ColevalError, match=r"gold\.conll"):
        coref.read_coref(Source(str(tmp_path / "gold.conll")), Selection(), others=lambda: None)
    assert "gold.conll" in scored(tmp_path, ("a",), {}, {})
