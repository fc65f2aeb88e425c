"""The process: it leaves at once, with its exit code, its output and nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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


FREED = """
import os, sys
from coleval import __main__ as process

def resident(field):
    for line in open("/proc/self/status"):
        if line.startswith(field):
            return int(line.split()[1]) // 1000

def main():
    import polars as pl
    numbers = [pl.int_range(400_000, eager=True) for _ in range(60)]
    full = resident("VmRSS")
    numbers.clear()
    print(full - resident("VmRSS"))
    return 0

process.main = main
process.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("option", [["--memory", "2GB"], ["--memory=2GB"]])
def test_under_a_limit_memory_goes_back_at_once(option):
    usual = {k: v for k, v in os.environ.items() if k != "_RJEM_MALLOC_CONF"}

    def freed(**own):
        command = [sys.executable, "-c", FREED, "score", "nothing", *option]
        found = usual | own
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=found)
        return int(done.stdout)

    assert freed() > 180
    # What somebody has set stays, and keeps memory for ever here.
    assert freed(_RJEM_MALLOC_CONF="dirty_decay_ms:-1,muzzy_decay_ms:-1") < 100
