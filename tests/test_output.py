"""Places that cannot be written end in a message, and what was there before is still there."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus import disk
from coleval.errors import DataError
from coleval.store import files, views, writing
from coleval.store import tables as stored_tables

LINES = "Peter B-PER\nsees O\n\nMary B-PER\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "g": LINES,
        "a": LINES,
        "b": LINES.replace("B-PER\nsees", "O\nsees"),
    }.items():
        (tmp_path / f"{name}.conll").write_text(text)
    (tmp_path / "file").write_text("text")
    return tmp_path


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def tree(path):
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


@pytest.mark.parametrize("command", [
    "load g.conll a.conll -o file/store", "load g.conll a.conll -o file",
    "score g.conll a.conll -o file/x.csv", "score g.conll a.conll -o file/x.parquet",
    "score g.conll a.conll -o file/ --as csv", "score g.conll a.conll -o no/x.json",
    "report g.conll a.conll -o file/x.html", "demo --keep file --tokens 500",
    "demo --keep file/x --tokens 500", "demo --keep file/x --tokens 500 --task tag",
    "buckets g.conll a.conll --save-edges file/x.json",
    "buckets g.conll a.conll --save-edges .", "buckets g.conll a.conll --edges .",
])  # fmt: skip
def test_a_place_that_cannot_be_written_is_a_message(here, capsys, command):
    before = tree(here)
    assert main([*command.split(), "--quiet"]) == 1
    assert capsys.readouterr().err.startswith("error: ")
    assert tree(here) == before


@pytest.mark.parametrize("command", ["score g.conll a.conll --as csv", "score g.conll a.conll",
                                     "--help", "--version"])  # fmt: skip
def test_a_full_standard_output_is_a_message(here, command):
    run = [sys.executable, "-m", "coleval", *command.split()]
    with Path("/dev/full").open("wb") as stdout:
        done = subprocess.run(run, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        1, "error: standard output: cannot be written: No space left on device",
    )  # fmt: skip


def test_a_query_writes_into_a_pipe_and_does_not_replace_it(here):
    assert main(["load", "g.conll", "a.conll", "-o", "store", "--quiet"]) == 0
    os.mkfifo(here / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_text()))
    reader.start()
    query = "select count(*) n from item"
    assert main(["sql", "store", query, "-o", "pipe", "--as", "csv", "--quiet"]) == 0
    if not (here / "pipe").is_fifo():  # then nobody writes into it, and the reader waits for ever
        os.mkfifo(here / "other")
        (here / "pipe").unlink()
        pytest.fail("the pipe was replaced by a file")
    reader.join(timeout=20)
    assert read == ["n\n2\n"]


def test_a_store_that_cannot_be_written_leaves_nothing(here, monkeypatch):
    corpus = coleval.load("g.conll", {"a": "a.conll"})
    before = tree(here)
    monkeypatch.setattr(files, "manifest_bytes", full)
    with pytest.raises(DataError, match="store: cannot be written: No space left"):
        corpus.save("store")
    assert tree(here) == before


def test_training_data_that_have_no_room_leave_nothing(here):
    corpus = coleval.load("g.conll", {"a": "a.conll"}).trained("g.conll")
    before = tree(here)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
    try:
        with pytest.raises(DataError, match="store: cannot be written: File too large"):
            corpus.save("store")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert tree(here) == before


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (writing, "write_items"), (writing, "write_parts"),
        (views, "write_database"), (files, "manifest_bytes"),
    ],
)  # fmt: skip
def test_an_old_store_is_whole_where_a_new_one_fails(here, monkeypatch, module, step):
    assert main(["load", "g.conll", "a.conll", "-o", "store", "--quiet"]) == 0
    before = tree(here)
    monkeypatch.setattr(module, step, full)
    assert main(["load", "g.conll", "b.conll", "-o", "store", "--fresh", "--quiet"]) == 1
    assert tree(here) == before


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_store_that_cannot_grow_stays_as_it_is(here, monkeypatch, capsys, after):
    """Tables of tokens and spans are written, and who has run; the manifest comes last."""
    assert main(["load", "g.conll", "b.conll", "-o", "store", "--quiet"]) == 0
    before, calls = tree(here / "store"), []

    def later_full(write, *given):
        calls.append(given[0])
        write(*given)
        return full() if len(calls) > after else None

    for module in (stored_tables, writing):
        monkeypatch.setattr(module, "write_parts", partial(later_full, module.write_parts))
    if after == 3:
        monkeypatch.setattr(Path, "replace", full)
    (here / "c.conll").write_text(LINES.replace("sees O", "sees B-X"))
    assert main(["load", "g.conll", "c.conll", "-o", "store", "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "store: cannot be written: No space left on device\n  make room there" in said
    assert tree(here / "store") == before
    assert coleval.open("store").systems == ("b",)


@pytest.mark.parametrize(
    ("gold", "problem"), [("no.conll", "no such file"), ("a.conll", "not the gold")]
)
def test_a_store_that_should_grow_by_another_gold_is_a_message(here, capsys, gold, problem):
    (here / "g2.conll").write_text(LINES.replace("B-PER", "O", 1))
    assert main(["load", "g2.conll", "b.conll", "-o", "store", "--quiet"]) == 0
    assert main(["load", gold, "b.conll", "-o", "store", "--quiet"]) in (1, 2)
    assert problem in capsys.readouterr().err


def test_a_failed_file_leaves_the_old_one(here, monkeypatch):
    (here / "x.csv").write_text("old")
    report = coleval.load("g.conll", {"a": "a.conll"}).score()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DataError, match=r"x\.csv: cannot be written: No space left"):
        report.save("x.csv")
    assert sorted(p.name for p in here.glob("*x.csv*")) == ["x.csv"]
    assert (here / "x.csv").read_text() == "old"


def test_a_full_directory_for_temporary_files_is_a_message(here, monkeypatch):
    monkeypatch.setattr(disk.tempfile, "NamedTemporaryFile", full)
    with pytest.raises(DataError, match="No space left") as caught:
        coleval.load("g.conll", {"a": "a.conll"}, memory="2GB")
    assert "TMPDIR" in caught.value.remedy


def test_what_polars_cannot_write_is_a_message(here, monkeypatch):
    def refused(*_, **__):
        raise OSError("No space left on device (os error 28): x/gold.conll")

    monkeypatch.setattr(pl.DataFrame, "write_csv", refused)
    assert main(["demo", "--keep", "x", "--tokens", "500", "--quiet"]) == 1


@pytest.mark.parametrize(("output", "said"), [
    ("-o x.html", r"written: x\.html \(\d+ kB\)\n"),
    ("-o out/ --as csv", r"written: out/ \(\d+ files\)\n"), ("-o x.html --quiet", ""),
])  # fmt: skip
def test_what_was_written_is_said_on_standard_error(here, capsys, output, said):
    assert main(["report", "g.conll", "a.conll", *output.split()]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(f"{said}$", err)
