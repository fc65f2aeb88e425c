"""The targets of the foundation in one run: reading, reopening, start-up, the store.

    python benchmarks/foundation.py                                  # 2M tokens × 24 systems
    python benchmarks/foundation.py --tokens 20000 --systems 3       # does the harness still run?

Answers are compared before a time is told; every figure is a ratio of two sides of this run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Target, begin, command, corpus, in_turn, least, main, work

if TYPE_CHECKING:
    import argparse

GROWTH = 5


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of reading, reopening and start-up."""
    directory = corpus(asked)
    reading = _reading(directory, asked.rounds)
    return [*reading, *_reopening(directory, asked), *_keeping(directory, asked), _start_up()]


def _reading(directory: Path, rounds: int) -> list[Target]:
    begin("reading: coleval, wc -l, a plain loop")
    found = work("reading", directory, rounds)
    seconds, n, looped = found["seconds"], found["systems"], found["looped"]
    every, one = min(seconds["all"]), min(seconds["first"])
    told = n > 1 and every > one
    ours = (every - one) * n / (n - 1) if told else every
    how = found["how"] if told else "load(gold, all): the files are too small for a difference"
    count, loop = min(seconds["wc"]), min(seconds["loop"]) * n / looped
    loop_how = f"{how}; the loop reads {looped} of {n} files, × {n}/{looped}, and checks nothing"
    name = f"reading {n} files"
    return [
        Target(f"{name} ÷ wc -l", ours, count, ours / count, 20, how=how, samples=seconds,
               row=6),
        Target(f"plain loop ÷ {name}", ours, loop, loop / ours, 14, at_least=True, how=loop_how,
               samples=seconds, row=6),
    ]  # fmt: skip


def _reopening(directory: Path, asked: argparse.Namespace) -> list[Target]:
    begin("first run, reopened run")
    with tempfile.TemporaryDirectory(dir=directory) as parent:
        store = Path(parent) / "store"
        size = work("save", directory, store)["bytes"]
        runs = [(work("first", directory), work("again", store)) for _ in range(asked.rounds)]
    firsts, agains = ([pair[side] for pair in runs] for side in (0, 1))
    if any(run["tables"] != firsts[0]["tables"] for run in (*firsts, *agains)):
        sys.exit("benchmarks: the reopened corpus scores otherwise than the files do")
    cells = asked.tokens * asked.systems
    return [
        _ratio("reopened ÷ first run", agains, firsts, "seconds", bound=0.15,
               how="open + score ÷ load + score, after imports, a process each"),
        _ratio("the same, whole processes", agains, firsts, "wall",
               how="with the start of Python and all imports; told only"),
        Target("store on disk", size, cells, size / cells, 0.5, "B",
               row=16, how="bytes per token × system: Parquet, texts and all"),
    ]  # fmt: skip


def _keeping(directory: Path, asked: argparse.Namespace) -> list[Target]:
    """Return what a store costs beyond reading: for this corpus and a larger one."""
    large = corpus(asked, tokens=GROWTH * asked.tokens)
    begin("reading alone, and to a store")
    seconds = [work("kept", where, asked.rounds)["seconds"] for where in (directory, large)]
    name = "load to a store ÷ reading alone"
    how = "`coleval load` ÷ load with all items made, one process, after imports"
    return [
        least(name, seconds[0], "load", "read", how=how),
        least(f"{name}, {GROWTH} × the tokens", seconds[1], "load", "read", how=how),
    ]  # fmt: skip


def _ratio(
    name: str, ours: list[dict[str, Any]], other: list[dict[str, Any]], key: str, **more: Any
) -> Target:
    seconds = {"ours": [run[key] for run in ours], "other": [run[key] for run in other]}
    return least(name, seconds, "ours", "other", **more)


def _start_up() -> Target:
    begin("start-up")
    compiled()
    help_, bare = command("--help"), [sys.executable, "-c", "pass"]
    if "score" not in _said(help_):
        sys.exit("benchmarks: `coleval --help` does not tell of `score`")
    seconds = in_turn(15, {"help": lambda: _said(help_), "bare": lambda: _said(bare)})
    how = "coleval --help ÷ python -c pass, 15 turns each, bytecode compiled"
    return least("coleval --help ÷ bare Python", seconds, "help", "bare", 6, row=19, how=how)


def compiled() -> None:
    """Compile the package, for some installers do not."""
    import compileall

    place = [sys.executable, "-c", "import coleval; print(*coleval.__path__)"]
    package = subprocess.run(place, check=True, capture_output=True, text=True).stdout.strip()
    compileall.compile_dir(package, quiet=2)


def _said(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(__doc__, targets, rounds=3)
