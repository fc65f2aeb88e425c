"""Gold files that processes read: all is as if they had been read one after the other here."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

import coleval
from coleval.corpus.grid import added
from coleval.loading import processes
from coleval.loading.loading import inputs_of, load_inputs, reading_of
from coleval.store import counting_apart, opening
from coleval.store.counting_apart import StoreCounters
from coleval.store.opening import open_store
from conftest import seeds
from grids import made, save
from parts_compared import CALLS, differences, outcome

CASES = seeds(1, 8)
DEP = {"task": "dep", "missing": "wrong"}


@pytest.fixture(autouse=True)
def _small_files_are_worth_it(monkeypatch):
    monkeypatch.setattr(processes, "_WORTH", 0)
    monkeypatch.setattr(processes, "cores", lambda: 2)


def read(gold, runs, number, **options):
    settings = {**DEP, **options}
    inputs = inputs_of(gold, [runs], reading_of(settings))
    return load_inputs(inputs, settings, processes=number)


def running(corpus):
    """Return the processes that hold a corpus."""
    part = corpus.grid.apart.args[0][0]
    return [one.running for one in part.elsewhere.readers.processes]


@pytest.mark.parametrize("case", CASES)
def test_every_analysis_says_the_same_whoever_has_read_the_files(tmp_path, case):
    gold, runs = made(Random(case), "dep").write(tmp_path)
    here, there = read(gold, runs, 1), read(gold, runs, 2)
    assert running(there)
    found = {
        f"{call} {options}": differences(
            outcome(here, call, options), outcome(there, call, options)
        )
        for call, options in CALLS
    }
    assert {call: wrong for call, wrong in found.items() if wrong} == {}
    assert here.items.equals(there.items)
    for corpus, name in ((here, "here"), (there, "there")):
        corpus.save(tmp_path / name)
    for file in sorted((tmp_path / "here").rglob("*.parquet")):
        assert (
            file.read_bytes()
            == (tmp_path / "there" / file.relative_to(tmp_path / "here")).read_bytes()
        )


@pytest.mark.parametrize("case", CASES)
def test_a_store_says_the_same_whoever_counts_it(tmp_path, monkeypatch, case):
    monkeypatch.setattr(opening, "_APART", 1)
    monkeypatch.setattr(counting_apart, "_WORTH", 0)
    gold, runs = made(Random(case + 1000), "dep").write(tmp_path)
    read(gold, runs, 1).save(tmp_path / "store")
    here = open_store(tmp_path / "store").scored_by({"missing": "wrong"})
    there = open_store(tmp_path / "store", processes=2).scored_by({"missing": "wrong"})
    assert there.grid is not None
    assert isinstance(there.grid.ask, StoreCounters)
    assert sorted(at for share in there.grid.ask.shares for at in share) == [
        *range(len(there.grid.cells))
    ]
    found = {
        f"{call} {options}": differences(
            outcome(here, call, options), outcome(there, call, options)
        )
        for call, options in CALLS
    }
    assert {call: wrong for call, wrong in found.items() if wrong} == {}
    assert there.grid.ask._readers is not None


def test_gold_files_are_shared_out_fairly():
    assert counting_apart._shares([1, 1, 5, 4], 2) == [[2, 1], [3, 0]]
    assert counting_apart._shares([3, 2, 2], 2) == [[0], [1, 2]]
    assert counting_apart._shares([3], 4) == [[0]]


def test_the_first_file_that_cannot_be_read_is_named_whoever_met_another_first(tmp_path):
    gold, runs = made(Random(3), "dep", missing=0).write(tmp_path)
    every = sorted(Path(tmp_path / "runs").rglob("*.conllu"))
    for file in every[1::2]:
        save(file, file.read_text(encoding="utf-8") + "1\tcut\n")
    said = []
    for number in (1, 2):
        with pytest.raises(coleval.ColevalError) as caught:
            read(gold, runs, number)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_processes_end_with_the_corpus_they_hold(tmp_path):
    corpus = read(*made(Random(5), "dep").write(tmp_path), 2)
    corpus.score()
    held = running(corpus)
    assert [one.poll() for one in held] == [None, None]
    del corpus
    gc.collect()
    assert None not in [one.poll() for one in held]


def test_a_process_that_was_killed_is_an_error_that_says_what_to_do(tmp_path):
    corpus = read(*made(Random(5), "dep").write(tmp_path), 2)
    for one in running(corpus):
        one.kill()
    with pytest.raises(coleval.ColevalError, match=r"has ended \(signal 9\)\n.*threads"):
        corpus.score()


def test_what_cannot_be_passed_on_is_counted_here(tmp_path):
    gold, runs = made(Random(7), "dep").write(tmp_path)
    here, there = read(gold, runs, 1), read(gold, runs, 2)
    counts = [added(corpus, "words", lambda part: len(part.at("word"))) for corpus in (here, there)]
    assert counts[0] == counts[1]
    assert sum(counts[0]) > len(counts[0]) > 1


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_processes_give_memory_back_unless_somebody_says_otherwise(tmp_path, monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "7")
    gold, runs = made(Random(5), "dep").write(tmp_path)
    corpus = read(gold, runs, 2)
    for process in running(corpus):
        told = Path(f"/proc/{process.pid}/environ").read_text().split("\0")
        assert {"MALLOC_ARENA_MAX=1", "MALLOC_TRIM_THRESHOLD_=7"} <= set(told)


def test_without_gain_no_process_is_started(tmp_path, monkeypatch):
    gold, runs = made(Random(5), "dep").write(tmp_path)
    monkeypatch.setattr(processes, "_WORTH", 1 << 25)
    assert read(gold, runs, None).grid.ask is None
    monkeypatch.setattr(processes, "_WORTH", 0)
    assert read(gold, runs, 1).grid.ask is None
    assert read(gold, runs, None).grid.ask is not None


SLOW = """
from coleval.corpus.grid import added
from coleval.loading import processes
processes._WORTH, processes._cores = 0, lambda: 2
wait = "import coleval.loading.loading as l, time; l.read_inputs = lambda *_: time.sleep(60); "
processes._CODE = processes._CODE.replace("serve()", wait + "serve()")
from coleval.__main__ import run
run()
"""


def test_an_interruption_ends_the_processes_at_once(tmp_path):
    gold, runs = made(Random(5), "dep").write(tmp_path)
    command = [sys.executable, "-c", SLOW, "score", gold, runs, "--task", "dep"]
    began = time.monotonic()
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        while len(children := _children(run.pid)) < 2 and time.monotonic() < began + 20:
            time.sleep(0.05)
        assert len(children) == 2
        time.sleep(0.3)
        os.killpg(run.pid, 2)
        assert run.wait(timeout=20) in (130, -2)
    assert time.monotonic() - began < 40
    assert not [one for one in children if Path(f"/proc/{one}/cmdline").exists()]


def _children(process):
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def test_a_pipe_is_left_to_the_process_that_has_it(tmp_path):
    gold, runs = made(Random(5), "dep", missing=0).write(tmp_path)
    cells = inputs_of(gold, [runs], reading_of(DEP))
    assert processes.processes_for(cells, reading_of(DEP), 2) == 2
    file = next(Path(tmp_path / "runs").rglob("*.conllu"))
    file.unlink()
    os.mkfifo(file)
    assert processes.processes_for(cells, reading_of(DEP), 2) == 1
