"""Lines found by loops in C are those that Python finds."""

import random

import numpy as np
import pytest

from coleval.loading.readers import compared, lines, source
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
    begins = [compared._begins(text, kind).tolist() for kind in (np.int32, np.int64)]
    return begins, lines.emptied(text), source.is_utf8(text)


def test_lines_are_those_that_python_finds(monkeypatch):
    every = list(texts())
    found = [said(text) for text in every]
    for module in (compared, lines, source):
        monkeypatch.setattr(module, "library", lambda: None)
    assert [said(text) for text in every] == found
    assert [text for text, (_, bare, _) in zip(every, found, strict=True) if text != bare]
