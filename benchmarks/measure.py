"""How we measure: sides take turns, the smallest time counts, and we say on which machine.

Standard library only: a process that starts others must be small, for a child's peak memory
counts from its parent's.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LIBRARIES = ("coleval", "polars", "duckdb", "pyarrow", "numpy", "scipy", "rich", "seqeval")
_WORK = Path(__file__).with_name("work.py")


@dataclass(frozen=True, slots=True)
class Target:
    """One figure: ``ratio`` is to be at most, or at least, ``bound``; else it is only told."""

    name: str
    ours: float
    other: float
    ratio: float
    bound: float | None = None
    unit: str = "s"
    at_least: bool = False
    how: str = ""
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Return whether the figure keeps its bound, if it has one."""
        if self.bound is None:
            return True
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound

    @property
    def noise(self) -> float:
        """Return how far the two smallest samples of a side lie apart, at worst."""
        pairs = [sorted(side)[:2] for side in self.samples.values() if len(side) > 1]
        return max((high / low - 1 for low, high in pairs if low), default=0.0)

    def plain(self) -> dict[str, Any]:
        """Return all of it as JSON can say it."""
        return {**asdict(self), "met": self.met, "noise": self.noise}


def in_turn(rounds: int, sides: Mapping[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the seconds each side took in each round; every round runs every side once."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            gc.collect()
            start = perf_counter()
            run()
            seconds[name].append(perf_counter() - start)
    return seconds


def work(name: str, *arguments: object) -> dict[str, Any]:
    """Return what a fresh process says it measured, and ``wall``: the seconds of all of it."""
    command = [sys.executable, str(_WORK), name, *map(str, arguments)]
    start = perf_counter()
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    wall = perf_counter() - start
    if done.returncode:
        sys.exit(f"benchmarks: `{' '.join(command[1:])}` failed")
    return {**json.loads(done.stdout), "wall": wall}


def machine() -> dict[str, str]:
    """Return what the figures depend on beside the code."""
    from importlib.metadata import PackageNotFoundError, version

    known = {"cpu": _cpu(), "cores": str(len(os.sched_getaffinity(0))), "memory": _memory()}
    known |= {"system": platform.platform(), "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            known[library] = version(library)
        except PackageNotFoundError:
            known[library] = "not installed"
    return known


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
