"""Coreference by the loops in C and without them: the same mentions, columns, errors and scores."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError
from coleval.kernels import assignment, chains, class_counts
from coleval.loading.readers import coref, coref_native, source, text_blocks
from coleval.loading.readers.source import Source
from coleval.loading.tasks import mention_keys
from coleval.native import library as native

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    native.library() is None, reason="coleval was built without its loops in C"
)
USERS = (assignment, chains, class_counts, coref_native, mention_keys)
NAMES = ("1", "22", "e-7", "12345678", "123456789", "long_name_of_a_chain_7", "é", "字字")
PIECES = (
    *(b"(", b")", b"|", b"-", b"#", b"\n", b"\r", b"\t", b" ", b'"', b"(1", b"1)", b"\t-\n"),
    *(b"#begin document (q); part 1\n", b"#end document\n", b"a\r-\n"),
    *(b"\0", b"\xff", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xed\xa0\x80"),
)


@pytest.fixture
def in_python(monkeypatch):
    """Return what calls a function without the loops in C."""

    def called(function, *values):
        with monkeypatch.context() as patch:
            for module in USERS:
                patch.setattr(module, "library", lambda: None)
            return function(*values)

    return called


def said(mixed: random.Random, open_: list[str]) -> str:
    """Return a last column; what it opens is added to ``open_``, what it closes taken away."""
    kind, name = mixed.random(), mixed.choice(NAMES)
    if kind < 0.5:
        return mixed.choice(["-", "-", "_", "*"])
    if kind < 0.7:
        return f"({name})"
    if kind < 0.85 or not open_:
        open_.append(name)
        return f"({name}" + mixed.choice(["", "|(5)", "(5)"])
    closed = [open_.pop(mixed.randrange(len(open_))) for _ in range(mixed.randint(1, len(open_)))]
    return "|".join(f"{name})" for name in closed)


def made(mixed: random.Random, documents: int) -> bytes:
    """Return a file that may be read."""
    gap, end = mixed.choice(["\t", "\t", " ", "  ", " \t"]), mixed.choice(["\n", "\n", "\r\n"])
    lines = []
    for number in range(documents):
        part = mixed.choice(["); part 000", ");", "); part 007  \t"])
        lines.append(f"#begin document (d{number}{part}")
        open_: list[str] = []
        for token in range(mixed.randrange(20)):
            word = mixed.choice(["é字", "w" * 70, "#x", "#begin", "-"])
            cells = ["doc", str(token), word][: mixed.randint(1, 3)]
            blank = mixed.choice([""] * 9 + [" ", "\t"])
            lines.append(gap.join([*cells, said(mixed, open_)]) + blank)
            lines += [mixed.choice(["", " ", "\t"])] * (mixed.random() < 0.1)
        lines += [gap.join(["doc", f"{name})"]) for name in open_[::-1]]
        lines.append(mixed.choice(["#end document", "#end documents "]))
    return (end.join(lines) + mixed.choice(["", end])).encode()


def damaged(mixed: random.Random, data: bytes) -> bytes:
    for _ in range(mixed.choice([0, 0, 1, 2])):
        at = mixed.randrange(len(data))
        piece = mixed.choice([*PIECES, b""])
        data = data[:at] + piece + data[at + mixed.choice([0, 0, 1, 9]) :]
    return data


def outcome(path, units, columns):
    """Return all that is read of a file, or why not; chains by their first mentions."""
    try:
        file = coref.read_coref(Source(str(path)), Selection())
    except ColevalError as error:
        return str(error)
    numbers: dict[int, int] = {}
    chain = [numbers.setdefault(own, len(numbers)) for own in file.chain.tolist()]
    names = [file.names[own] for own in file.chain.tolist()]
    places = [x.tolist() for x in (file.document, file.start, file.end, file.line, file.units)]
    count = int(file.units.sum())
    some = [] if not count else file.texts(units % count, columns)
    texts = [column.series.to_list() for column in some]
    return file.documents, places, chain, names, texts, dict(file.columns)


@pytest.mark.parametrize("seed", range(150))
def test_a_file_is_read_as_without_the_loops(seed, tmp_path, in_python, monkeypatch):
    mixed = random.Random(seed)
    path = tmp_path / "a.conll"
    path.write_bytes(damaged(mixed, made(mixed, mixed.randint(1, 4))))
    # Also as large files are: from the open file, not from memory.
    if seed % 3:
        monkeypatch.setattr(source, "_SMALL", 0)
        monkeypatch.setattr(text_blocks, "_SMALL", 0 if seed % 2 else 1 << 20)
    units = np.array([mixed.randrange(1000) for _ in range(5)])
    columns = mixed.choice([[0], [1, -1], [3, 2, 9, -7]])
    assert outcome(path, units, columns) == in_python(outcome, path, units, columns)


def test_lines_are_found_wherever_blocks_end(tmp_path, in_python):
    text = made(random.Random(1), 900).replace(b"\r", b"").rstrip()
    path = tmp_path / "a.conll"
    path.write_bytes(text + b"\n#begin document (w)\ndoc " + b"w" * 300_000 + b" (1)\n")
    assert path.stat().st_size > 2 << 17
    assert coref_native.native_coref(Source(str(path)), keep=False) is not None
    units = np.arange(0, 20_000, 7)
    assert outcome(path, units, [0, 2]) == in_python(outcome, path, units, [0, 2])


def test_lines_that_are_gone_are_missed(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("#begin document (d);\nd 0 word (1)\nd 1 word (1)\n#end document\n")
    lines = coref_native.native_coref(Source(str(path)), keep=True).kept
    path.write_text("#begin document (d);\nd 0 word (1)\n#end document\n")
    gone = replace(lines, text=text_blocks.KeptText(Source(str(path))))
    with pytest.raises(DataError, match=r"a\.conll: the file is being written to"):
        gone.columns(np.array([1]), [1])


@pytest.mark.parametrize(
    "text",
    [
        "#begin document (d)\nx (1\n#end document\n",
        "#begin document (d)\nx 1)\n",
        "#begin document (d)\nx (1\n#end document\n#begin document (e)\nx 1)\n",
        "#begin document (d)\nx (1)\n#begin document (e)\nx -\n",
        "#begin document (d)\nx (1)\n#end document\nx -\n#begin document (e)\nx -\n",
        "x -\n#begin document (d)\nx (1)\n",
        "#begin document (d)\nx ()\n",
        "#begin document (d)\nx (1||(2)\n",
        "#begin document (d)\nx 1\n",
        "#begin document (d)\nx\r-\n",
        "#begin document (d) -\nx (1)\n",
        "#begin document (d)\n",
        "\n",
    ],
)
def test_what_is_in_doubt_is_left_to_python(text, tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(text, newline="")
    assert coref_native.native_coref(Source(str(path)), keep=True) is None


def mentions(mixed: random.Random, words: list[list[tuple[str, str]]]) -> str:
    """Return a layer over documents of words: mentions nest, cross, and may be there twice."""
    lines = []
    for number, document in enumerate(words):
        cells: list[list[str]] = [[] for _ in document]
        for _ in range(mixed.randrange(8)):
            first = mixed.randrange(len(document))
            last = min(first + mixed.choice([0, 0, 1, 3]), len(document) - 1)
            name = str(mixed.randrange(4))
            if first == last:
                cells[first].append(f"({name})")
            else:
                cells[first].insert(0, f"({name}")
                cells[last].append(f"{name})")
        lines.append(f"#begin document (d{number}); part 000")
        lines += [f"x\t0\t0\t{form}\t{tag}\t*\t-\t-\t-\t-\t*\t{'|'.join(own) or '-'}"
                  for (form, tag), own in zip(document, cells, strict=True)]  # fmt: skip
        lines.append("#end document")
    return "\n".join(lines) + "\n"


def written(folder: Path, mixed: random.Random) -> None:
    """Write gold and two systems of the same words, each with mentions of its own."""
    words = [
        [(mixed.choice(["It", "Ä", "-"]), mixed.choice(["NN", "DT", "-"]))
         for _ in range(mixed.randint(1, 9))]
        for _ in range(mixed.randint(1, 3))
    ]  # fmt: skip
    for name in ("gold", "a", "b"):
        (folder / f"{name}.conll").write_text(mentions(mixed, words))


def scored(folder, names, options, scoring):
    try:
        corpus = coleval.load(
            folder / "gold.conll", {name: folder / f"{name}.conll" for name in names},
            task="coref", **options,
        )  # fmt: skip
        result = corpus.score(**scoring)
        items = [corpus.at(unit).frame() for unit in ("cluster", "nominal")]
    except ColevalError as error:
        return str(error)
    frames = [*result.tables.values(), *items]
    return [(f.schema, f.rows()) for f in frames], result.signature, result.warnings


@pytest.mark.parametrize("seed", range(60))
def test_scores_and_mentions_are_those_without_the_loops(seed, tmp_path, in_python):
    mixed = random.Random(seed)
    written(tmp_path, mixed)
    options = {"duplicate_mentions": "first"} if seed % 4 else {}
    options |= {"min_words": 2} if seed % 5 == 1 else {}
    scoring = {"singletons": "drop"} if seed % 3 == 1 else {}
    scoring |= {"key": "all"} if seed % 3 == 2 else {}
    values = (tmp_path, ("a", "b"), options, scoring)
    assert scored(*values) == in_python(scored, *values)


def test_the_command_says_the_same_without_the_loops(tmp_path):
    mixed = random.Random(3)
    words = [[("it", "NN")] * 9] * 5
    for name in ("gold", "run"):
        (tmp_path / f"{name}.conll").write_text(mentions(mixed, words))
    command = [sys.executable, "-m", "coleval", "score", "gold.conll", "run.conll",
               "--duplicate-mentions", "first", "--as", "json"]  # fmt: skip
    said = [
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "COLEVAL_NATIVE": use}, check=True,
                       capture_output=True).stdout
        for use in ("0", "1")
    ]  # fmt: skip
    assert said[0] == said[1]
    assert b"ceafe" in said[0]
