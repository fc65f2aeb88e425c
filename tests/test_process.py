"""The process: it leaves at once, with its exit code, its output and nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from coleval.corpus.coding import spelled

TEXT = "a B-X\nb O\n\n"


def run(*arguments, **options):
    command = [sys.executable, "-m", "coleval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_all_that_was_said_arrives_before_it_leaves(write):
    gold, system = write("g.conll", TEXT), write("s.conll", TEXT)
    done = run("score", gold, system, "--as", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip().endswith("}")


@pytest.mark.parametrize(("arguments", "code"), [(["score", "nowhere", "x"], 1), (["sing"], 2)])
def test_the_exit_code_says_what_went_wrong(arguments, code):
    done = run(*arguments)
    assert done.returncode == code
    assert done.stderr.startswith("error: ")


def test_what_lay_on_disk_for_the_memory_limit_is_gone(write, tmp_path):
    gold, system = write("g.conll", TEXT), write("s.conll", TEXT)
    room = tmp_path / "room"
    room.mkdir()
    done = run("score", gold, system, "--memory", "2GB", env={**os.environ, "TMPDIR": str(room)})
    assert done.returncode == 0
    assert list(room.iterdir()) == []


def test_a_label_that_comes_late_is_coded_like_one_that_comes_early():
    column = pl.Series(["b"] * 30_000 + ["a", None, "c"])
    found = spelled(column)
    assert found.labels == ["a", "b", "c"]
    assert np.unique(found.place[:30_000]).tolist() == [1]
    assert found.place[30_000:].tolist() == [0, 3, 2]
