"""Lines found by loops in C are those that Python finds."""

import random

import pytest

from coleval.corpus.selection import Selection
from coleval.errors import ColevalError
from coleval.loading.readers import compared, lines, source
from coleval.loading.readers.columns import read_columns
from coleval.loading.readers.source import Source
from coleval.loading.tasks import guide as guide_module
from coleval.loading.tasks.guide import Guide
from coleval.native.library import library

pytestmark = pytest.mark.skipif(library() is None, reason="there is no compiled library")
PIECES = (b"\n", b"\n", b"\x0b", b"\x8a", b"\xc3\xa9", b"\xed\xa0\x80", b"\xff", b"a", b" ", b"\t")


def texts():
    """Yield short texts of what lines end and begin with, and some of several blocks."""
    rng = random.Random(7)
    for _ in range(3_000):
        yield b"".join(rng.choices(PIECES, k=rng.randint(0, 30)))
    for size in (4095, 4096, 4097, 9000):
        yield b"a" * size + b"\n\t"
        yield b"a\n" * size


def said(text):
    begins = compared.Lines(text, "").begins.tolist()
    return begins, lines.emptied(text), source.is_utf8(text)


def test_lines_are_those_that_python_finds(monkeypatch):
    every = list(texts())
    found = [said(text) for text in every]
    for module in (compared, lines, source):
        monkeypatch.setattr(module, "library", lambda: None)
    assert [said(text) for text in every] == found
    assert [text for text, (_, bare, _) in zip(every, found, strict=True) if text != bare]


WORDS = ("a", "the", "é", "b c", "#", "x" * 20, '"')
BETWEEN = ("NN", "é", "-", "")
LABELS = ("O", "B-A", "B-" + "L" * 40, "É", "", "x y", "O\r", "\t")


def columns(rng, width):
    """Return a column file and another that is nearly the same; two columns, or ``width``."""
    separator, end = rng.choice("\t\t "), rng.choice(("\n", "\n", "\r\n"))
    tokens = [(rng.choice(WORDS[: rng.choice((3, 7))]), rng.choice(LABELS[:4])) for _ in range(20)]
    other = [(rng.choice(WORDS) if rng.random() < 0.005 else word,
              rng.choice(LABELS[: rng.choice((4, 8))]) if rng.random() < 0.2 else label)
             for word, label in tokens]  # fmt: skip
    both = []
    for rows, odd in ((tokens, 0.0), (other, 0.03)):
        lines_ = [
            separator.join([word, *(rng.choice(BETWEEN) if rng.random() < odd else "x"
                                    for _ in range(width - 2)), label])
            for word, label in rows
        ]  # fmt: skip
        lines_[7] = ""
        both.append(end.join(lines_).encode() + b"\n" * (rng.random() < 0.8))
    if rng.random() < 0.1:
        both[1] = both[1].replace("É".encode(), b"\xff") + b"a\tO\n" * (rng.random() < 0.5)
    return both


def test_labels_on_lines_that_differ_are_those_that_python_finds(monkeypatch, tmp_path):
    rng, gold, system = random.Random(11), tmp_path / "gold", tmp_path / "system"

    def unlike():
        known = read_columns(Source(str(gold)), Selection(), "gold")
        guide = Guide.of(Source(str(gold)), Selection(), known)
        found = guide.unlike(Source(str(system)))
        return None if found is None else (found[0].tolist(), found[1].to_list())

    def said():
        try:
            return unlike()
        except ColevalError as error:
            return str(error)

    answers = []
    for _ in range(500):
        gold_text, system_text = columns(rng, rng.choice((2, 2, 3, 4)))
        gold.write_bytes(gold_text)
        system.write_bytes(system_text)
        for few in (0, 100):
            monkeypatch.setattr(compared, "_FEW", few)
            answers.append(said())
            with monkeypatch.context() as without:
                for module in (compared, guide_module):
                    without.setattr(module, "library", lambda: None)
                without.setattr(compared, "_SMALL", few)
                assert said() == answers[-1]
    kinds = [type(answer) for answer in answers]
    assert min(kinds.count(kind) for kind in (tuple, str, type(None))) > 20
