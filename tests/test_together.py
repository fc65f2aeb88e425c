"""Many small files read as one text: what comes of it is what comes of each read by itself."""

from __future__ import annotations

import gzip
from random import Random
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest
from polars.testing import assert_frame_equal

import coleval
from coleval.errors import ColevalError
from coleval.loading import grid
from conftest import seeds

if TYPE_CHECKING:
    from pathlib import Path

CASES = seeds(12, 60)
LABELS = (
    *[["O", "B-P", "I-P", "B-L", "I-L"]] * 4, *[["N", "V", "X"]] * 2, ["O"], ["O", "_", "B-P"],
    ["B", "M", "E", "S"], ["O", "B-P", "I-P|B-L"], ["O", "P", "B-P"], ["b-p", "I-P", "O"],
)  # fmt: skip
ODD = (
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.replace(b"a", b"\x00", 1),
    lambda data: data.replace(b"a", b"\xff", 1),
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: data.replace(b"\n", b" \n", 1),
    lambda data: data.replace(b"\t", b" "),
    lambda data: data.replace(b"\n\n", b"\n \n"),
    lambda data: data.replace(b"a", b"z", 1),
    lambda data: data.replace(b"\n\n", b"\n", 1),
    lambda data: b"\n" + data,
    lambda data: b"token\tgold\n" + data,
    lambda data: b"-DOCSTART-\n\n" + data,
    lambda data: data + b"\n-DOCSTART-\tO\n",
    lambda data: data.rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n",
    lambda _: b"",
    lambda _: b"\n\n",
    gzip.compress,
)


def read_both(monkeypatch, gold: str, runs: str, **options):
    """Return what is read as one text (None if it was left to the other way), and one by one."""
    together, found, used = grid.read_together, [], []

    def noted(*given):
        used.append(together(*given))
        return used[-1]

    for how in (noted, lambda *_: None):
        monkeypatch.setattr(grid, "read_together", how)
        try:
            found.append(coleval.load(gold, [runs], **options))
        except ColevalError as error:
            found.append(f"{type(error).__name__}: {error}")
    monkeypatch.setattr(grid, "read_together", together)
    return found, any(one is not None for one in used)


def looked_at(found):
    return [(cell.dataset, cell.part, dict(cell.entries)) for cell in found.cells]


def check_same(ours, theirs) -> None:
    """Check that two corpora are the same in all that anybody can see."""
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    for name in ("task", "reading", "gold", "entries", "scoring", "systems", "warnings"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert looked_at(ours.grid) == looked_at(theirs.grid)
    assert list(ours.units) == list(theirs.units)
    assert list(ours.layers) == list(theirs.layers) == []
    for unit in ours.units:
        a, b = ours.units[unit], theirs.units[unit]
        for name in ("labels", "group", "group_count", "empty_is_answer", "systems"):
            assert getattr(a, name) == getattr(b, name), name
        assert_frame_equal(a.frame(), b.frame())
        for name in a.systems:
            assert a.answers[name].dtype == b.answers[name].dtype
            np.testing.assert_array_equal(a.answers[name], b.answers[name])
        assert tuple(ours.grid.sizes[unit]) == tuple(theirs.grid.sizes[unit])


def made(rng: Random, folder: Path) -> tuple[str, str, dict[str, object]]:
    """Write a random task of column files; return its templates, and options to read it with."""
    name = rng.choice(["{dataset}", "{part}", "{dataset}/{part}"])
    labels, names, odd = rng.choice(LABELS), ["s1", "s2", "s10"], rng.random() < 0.3
    documents, wide, holes = rng.random() < 0.4, rng.random() < 0.2, rng.random() < 0.3
    for at in range(rng.randint(2, 5)):
        place = name.format(dataset=f"d{at // 2 if '/' in name else at}", part=f"p{at % 12}")
        own = ["O"] if rng.random() < 0.1 and "O" in labels else [*labels, *labels[:1], f"B-X{at}"]
        own = own if "B-P" in labels else labels
        tokens = [[rng.choice("abcdeé") for _ in range(rng.randint(1, 5))]
                  for _ in range(rng.randint(1, 4))]  # fmt: skip
        gold = [[rng.choice(own) for _ in one] for one in tokens]
        marks = [documents and rng.random() < 0.5 for _ in tokens]
        write(rng, folder / "gold" / f"{place}.conll", text(tokens, gold, marks, wide=wide), odd)
        for system in names:
            if not holes or rng.random() < 0.7:
                near = [[t if rng.random() < 0.8 else rng.choice(own) for t in s] for s in gold]
                run = text(tokens, near, marks, wide=wide and system != "s2")
                write(rng, folder / "runs" / system / f"{place}.conll", run, odd)
    options = {
        "task": rng.choice([None, None, "tag", "span"]),
        "repair": rng.choice([None, "begin", "discard", "extend", "error"]),
        "within": rng.choice([None, "document", "corpus"]),
        "fold": rng.choice([None, None, True]),
        "columns": rng.choice([*[None] * 5, "gold=-1,system=-1"]),
    }
    return (f"{folder}/gold/{name}.conll", f"{folder}/runs/{{system}}/{name}.conll",
            {key: value for key, value in options.items() if value is not None})  # fmt: skip


def text(tokens, labels, marks, *, wide: bool) -> str:
    middle = "x\t" * wide
    sentences = [
        f"-DOCSTART-\t{middle}O\n\n" * mark
        + "".join(f"{f}\t{middle}{t}\n" for f, t in zip(forms, tags, strict=True))
        for mark, forms, tags in zip(marks, tokens, labels, strict=True)
    ]
    return "\n".join(sentences)


def write(rng: Random, path: Path, lines: str, odd: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = lines.encode() + rng.choice([b"", b"", b"\n"])
    path.write_bytes(rng.choice(ODD)(data) if odd and rng.random() < 0.15 else data)


@pytest.mark.parametrize("seed", CASES)
def test_random_files_are_read_alike_both_ways(seed, monkeypatch, tmp_path):
    gold, runs, options = made(Random(seed), tmp_path)
    (ours, theirs), _ = read_both(monkeypatch, gold, runs, **options)
    check_same(ours, theirs)
    if seed % 6 or isinstance(ours, str):
        return
    by = "dataset" if "{dataset}" in gold else "part"
    for policy in ("wrong", "leave-out"):
        one, other = (c.score(by=by, missing=policy) for c in (ours, theirs))
        assert {name: one[name].rows() for name in one.tables} == {
            name: other[name].rows() for name in other.tables
        }


def test_stores_of_both_ways_are_the_same_byte_for_byte(monkeypatch, tmp_path):
    compared = 0
    for seed in range(16):
        folder = tmp_path / str(seed)
        gold, runs, options = made(Random(seed), folder)
        (ours, theirs), used = read_both(monkeypatch, gold, runs, **options)
        if not used or isinstance(ours, str):
            continue
        one, other = ours.save(folder / "one"), theirs.save(folder / "other")
        assert written_files(one) == written_files(other)
        # DuckDB writes blocks of its file in the order in which its threads are ready.
        for table in ("item", "run", "outcome", "standing"):
            rows = []
            for store in (one, other):
                with duckdb.connect(str(store / "corpus.duckdb"), read_only=True) as con:
                    rows.append(con.sql(f"from {table} order by all").fetchall())
            assert rows[0] == rows[1]
        compared += 1
    assert compared > 2


def written_files(store: Path) -> dict[str, bytes]:
    files = [p for p in store.rglob("*") if p.is_file() and p.suffix != ".duckdb"]
    return {str(p.relative_to(store)): p.read_bytes() for p in files}


TAGS = "Ann\tB-P\nLee\tI-P\n\nin\tO\nRome\tB-L\n"


@pytest.mark.parametrize(
    ("second", "run", "together"),
    [
        (TAGS, TAGS, True),
        (TAGS, TAGS.replace("B-L", "I-L"), True),
        (TAGS.replace("B-L", "O").replace("B-P", "O").replace("I-P", "O"), TAGS, True),
        ("-DOCSTART-\tO\n\n" + TAGS, "-DOCSTART-\tO\n\n" + TAGS, True),
        (TAGS, TAGS + "\n", True),
        (TAGS, TAGS.replace("\t", " "), True),
        ("token\tgold\n" + TAGS, TAGS, False),
        (TAGS, TAGS.replace("Ann", "Anne"), False),
        (TAGS, "\n" + TAGS, False),
        (TAGS.replace("B-L", "LOC"), TAGS, False),
    ],
)
def test_what_is_unusual_is_left_to_reading_one_by_one(
    monkeypatch, tmp_path, second, run, together
):
    for name, text_ in (
        ("gold/a", TAGS),
        ("runs/s/a", TAGS),
        ("gold/b", second),
        ("runs/s/b", run),
    ):
        write(Random(0), tmp_path / f"{name}.conll", text_, odd=False)
    templates = (
        f"{tmp_path}/gold/{{dataset}}.conll",
        f"{tmp_path}/runs/{{system}}/{{dataset}}.conll",
    )
    found, used = read_both(monkeypatch, *templates)
    check_same(*found)
    assert used is together


def test_a_sentence_that_moved_to_the_next_file_is_not_taken_for_gold(monkeypatch, tmp_path):
    files = {
        "gold/a": "a\tN\n\nb\tN\n", "gold/b": "c\tN\n",
        "runs/s/a": "a\tN\n", "runs/s/b": "b\tN\n\nc\tN\n",
    }  # fmt: skip
    for name, lines in files.items():
        write(Random(1), tmp_path / f"{name}.conll", lines, odd=False)
    templates = (
        f"{tmp_path}/gold/{{dataset}}.conll",
        f"{tmp_path}/runs/{{system}}/{{dataset}}.conll",
    )
    (ours, theirs), used = read_both(monkeypatch, *templates)
    assert not used
    assert ours == theirs
    assert "sentence" in ours
