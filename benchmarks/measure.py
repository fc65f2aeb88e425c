"""The harness of all benchmarks: what a figure is, taking turns, the corpora, what is written.

Standard library only (and the two modules of coleval that need no more): a process that starts
others must be small, for a child's peak memory counts from its parent's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from coleval.bench import machine as machines
from coleval.bench.timing import in_turn as in_turn  # noqa: PLC0414  - scripts find it here
from coleval.bench.timing import noise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from resource import struct_rusage

HERE = Path(__file__).parent
LIBRARIES = (*machines.LIBRARIES, "rich", "seqeval", "nervaluate", "scikit-learn", "seqscore")
# Bounds are meant for 2 million tokens × 24 systems; below this, start-up is most of any time.
LEAST = 1_000_000
Samples = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Target:
    """One figure: ``ratio`` is to be at most, or at least, ``bound``; else it is only told.

    ``row`` is the row of PERFORMANCE.md §8 it belongs to, counted from 1; ``skipped`` says why
    there is no figure.
    """

    name: str
    ours: float
    other: float
    ratio: float
    bound: float | None = None
    unit: str = "s"
    at_least: bool = False
    how: str = ""
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)
    row: int = 0
    skipped: str = ""

    @property
    def met(self) -> bool:
        """Return whether the figure keeps its bound, if it has one."""
        return self.bound is None or bool(self.skipped) or self._keeps(self.bound)

    @property
    def noise(self) -> float | None:
        """Return how far the two smallest samples of a side lie apart, at worst; None for one."""
        known = [found for side in self.samples.values() if (found := noise(side)) is not None]
        return max(known, default=None)

    @property
    def reached(self) -> str:
        """Return ``must``, ``MISSED``, ``told`` or ``skipped``."""
        if self.skipped:
            return "skipped"
        if self.bound is None:
            return "told"
        return "must" if self._keeps(self.bound) else "MISSED"

    def plain(self, tokens: int) -> dict[str, Any]:
        """Return all of it as JSON can say it; a bound missed by a tiny corpus is not missed."""
        reached = "too small" if self.reached == "MISSED" and tokens < LEAST else self.reached
        return {**asdict(self), "met": self.met, "reached": reached, "noise": self.noise}

    def _keeps(self, bound: float) -> bool:
        return self.ratio >= bound if self.at_least else self.ratio <= bound


def least(
    name: str, seconds: Samples, ours: str, other: str, bound: float | None = None, **more: Any
) -> Target:
    """Return ours ÷ other, each the least of its samples: the smaller, the better."""
    low, high = min(seconds[ours]), min(seconds[other])
    samples = {side: seconds[side] for side in (ours, other)}
    return Target(name, low, high, low / high, bound, samples=samples, **more)


def faster(
    name: str, seconds: Samples, ours: str, other: str, bound: float | None = None,
    *, scale: float = 1.0, **more: Any,
) -> Target:  # fmt: skip
    """Return how many times as long the other, scaled, takes: the larger, the better."""
    low, high = min(seconds[ours]), min(seconds[other]) * scale
    samples = {side: seconds[side] for side in (ours, other)}
    return Target(name, low, high, high / low, bound, at_least=True, samples=samples, **more)


def skipped(name: str, why: str, **more: Any) -> Target:
    """Return a figure that could not be measured, and why."""
    return Target(name, 0, 0, 0, skipped=why, **more)


def main(
    doc: str,
    targets: Callable[[argparse.Namespace], Sequence[Target]],
    options: Callable[[argparse.ArgumentParser], None] = lambda _: None,
    **defaults: Any,
) -> None:
    """Run a benchmark: measure, show, write, and leave with 1 if ``--gate`` and a target missed."""
    # Notes on generated data are no news, here and in the processes that are started.
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    asked = _arguments(doc, options, defaults)
    found = targets(asked)
    told = {"tokens": asked.tokens, "systems": asked.systems, "rounds": asked.rounds}
    result = told | {
        "machine": machine(),
        "targets": [target.plain(asked.tokens) for target in found],
    }
    if asked.output:
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    from showing import show

    show(f"{asked.tokens:,} tokens × {asked.systems}", result["targets"], machine())
    if asked.gate and not all(target.met for target in found):
        sys.exit(1)


def corpus(
    asked: argparse.Namespace, *, tokens: int = 0, systems: int = 0, seed: int = 0,
    task: str = "span",
) -> Path:  # fmt: skip
    """Return the directory of a generated corpus, made by another process if it is not there."""
    tokens, systems = tokens or asked.tokens, systems or asked.systems
    name = f"{task}-{tokens}x{systems}" + (f"-seed{seed}" if seed else "")
    directory = (asked.data or HERE / "data") / name
    options = {"tokens": tokens, "systems": systems, "seed": seed, "task": task}
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    command = [sys.executable, str(HERE / "generate.py"), *words, "-o", str(directory)]
    subprocess.run(command, check=True)
    return directory


def work(name: str, *arguments: object) -> dict[str, Any]:
    """Return what a fresh process says it measured, and ``wall``: the seconds of all of it."""
    command = [sys.executable, str(HERE / "work.py"), name, *map(str, arguments)]
    start = perf_counter()
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    wall = perf_counter() - start
    if done.returncode:
        sys.exit(f"benchmarks: `{' '.join(command[1:])}` failed")
    return {**json.loads(done.stdout), "wall": wall}


def whole(command: Sequence[object]) -> tuple[float, int]:
    """Return the seconds and the peak memory, in bytes, of a process and all it starts.

    The peak counts from this process's own, which is why it must be small.
    """
    start = perf_counter()
    usage = _ended(command)
    return perf_counter() - start, usage.ru_maxrss * 1024


def processor(command: Sequence[object]) -> tuple[float, int]:
    """Return the processor seconds and the peak memory, in bytes, of a process.

    Other programs on the machine disturb them least.
    """
    usage = _ended(command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def _ended(command: Sequence[object]) -> struct_rusage:
    words = [str(word) for word in command]
    with Path(os.devnull).open("wb") as nowhere:
        child = subprocess.Popen(words, stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)
    return usage


def command(*words: object) -> list[str]:
    """Return the command line of coleval."""
    script = Path(sys.executable).with_name("coleval")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "coleval"]
    return [*start, *map(str, words)]


def begin(what: str) -> None:
    """Say what begins."""
    print(f"… {what}", file=sys.stderr, flush=True)


def machine() -> dict[str, str]:
    """Return what the figures depend on beside the code."""
    return machines.machine(LIBRARIES)


def _arguments(
    doc: str, options: Callable[[argparse.ArgumentParser], None], defaults: dict[str, Any]
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    add = parser.add_argument
    add("--tokens", type=int, default=defaults.get("tokens", 2_000_000))
    add("--systems", type=int, default=defaults.get("systems", 24))
    add("--rounds", type=int, default=defaults.get("rounds", 5))
    add("--data", type=Path, help="where the corpora are or go (default benchmarks/data)")
    add("-o", "--output", type=Path, help="write all figures and samples as JSON")
    add("--gate", action="store_true", help="leave with 1 if a target is missed")
    options(parser)
    return parser.parse_args()
