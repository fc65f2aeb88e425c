"""Very many small files, read by a loop in C, are the text that reading each of them gives."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from coleval.errors import ColevalError
from coleval.loading.readers import several, small_files
from coleval.loading.readers.several import ApartError, Together
from coleval.loading.readers.source import Source
from coleval.native.library import library

LINES = (b"a B-PER", b"b O", b"", b"-DOCSTART- -X- O", b"-DOCSTART-", b"a\tB-X", b"token label",
         b"  ", b"\t", b"\xc3\xa9 O", b"x -DOCSTART- y", b"-DOCSTART-x", b"# id 3")  # fmt: skip
ODD = (b"\r\n", b"\x00", b"\xef\xbb\xbf", b"\x1f\x8b", b'{"a":1}', b"[1]", b"\xff\xfe", b" ",
       b"BZh", b"\xff")  # fmt: skip
ENDS = (b"\n", b"\n", b"\n", b"", b"\n\n", b"\n\n\n")


def text_of(random: Random) -> bytes:
    usual = LINES[:2] if random.random() < 0.9 else LINES
    text = b"\n".join(random.choice(usual) for _ in range(random.randint(0, 30)))
    if random.random() < 0.03:
        at = random.choice([0, random.randint(0, len(text))])
        text = text[:at] + random.choice(ODD) + text[at:]
    return text + random.choice(ENDS if random.random() < 0.2 else ENDS[:1])


def found(paths: list[str], marked: bool) -> object:
    """Return the text of files, where each begins, and the state that each was in."""
    files = tuple(Source(path) for path in paths)
    whole = Together(paths[0], "s", files=files)
    try:
        told = [whole.text, whole.begins, whole.lines]
        if marked:
            told.append(whole.marked().tolist())
    except (ApartError, ColevalError) as error:
        return str(error)
    states = [(*file.state[:7], *file.state[8:], file.state.st_mtime_ns) for file in files]
    return [*told, states]


@pytest.mark.skipif(library() is None, reason="without the library there is one way")
@pytest.mark.parametrize("marked", [False, True])
def test_both_ways_give_one_text(tmp_path, monkeypatch, marked):
    at_once = 0
    for seed in range(250):
        random = Random(seed)
        paths = [str(tmp_path / f"{k}é") for k in range(random.randint(2, 9))]
        for path in paths:
            Path(path).write_bytes(text_of(random))
        at_once += small_files.read_small_files([Source(path) for path in paths]) is not None
        ours = found(paths, marked)
        with monkeypatch.context() as context:
            context.setattr(several, "read_small_files", lambda _: None)
            assert found(paths, marked) == ours, seed
    assert 50 < at_once < 250


@pytest.mark.skipif(library() is None, reason="without the library there is one way")
def test_what_is_no_plain_file_is_left_to_python(tmp_path):
    good = tmp_path / "good"
    good.write_bytes(b"a O\n")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for odd in ("missing", "folder", "nul\0", "x" * 5000):
        sources = [Source(str(good)), Source(str(tmp_path / odd))]
        assert small_files.read_small_files(sources) is None
    assert small_files.read_small_files([Source(str(good)), Source(str(tmp_path / "pipe"))]) is None
    whole = small_files.read_small_files([Source(str(good))] * 2)
    assert whole is not None
    assert whole.text == b"a O\n\na O\n"
    latin = replace(Source(str(good)), encoding="latin-1")
    assert small_files.read_small_files([Source(str(good)), latin]) is None
