"""Row 25: 1,000 systems × 12,000 labels, every analysis that a person reads, and how it grows.

    python benchmarks/crowds.py                                   # 10, 50, 200, 1,000 systems
    python benchmarks/crowds.py --sizes 10 50 --items 1000        # does the harness still run?

Each run is a process of its own; figures are processor time, user and system together, which other
programs on the machine disturb least. Growth is the slope of log time by log systems between the
largest sizes, without what opening the store takes: 1 is a time in proportion.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Target, begin, command, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

ROW = 25
# The most that report may take: seconds of processor, and GB of memory at its peak.
SECONDS, MEMORY, GROWTH, PAIRS = 15.0, 1.0, 1.1, 2.1
ANALYSES = ("score", "bins", "oracle", "item_statistics", "examples", "audit", "confusion",
            "buckets", "errors", "report")  # fmt: skip
# Tables with a row for each pair of systems may grow with their square.
OF_PAIRS = ("oracle", "report")
BARE = "pass"
RUN = """
import json, sys
from time import process_time
import coleval
corpus = coleval.open(sys.argv[1])
before = process_time()
try:
    getattr(corpus, sys.argv[2])()
except coleval.ColevalError:
    print("null")
else:
    print(process_time() - before)
"""


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of the report of the most systems, and how each analysis grows."""
    with tempfile.TemporaryDirectory() as folder:
        stores = {n: Path(folder, f"store{n}") for n in asked.sizes}
        for systems, store in stores.items():
            begin(f"{systems:,} systems × {asked.items:,} labels")
            subprocess.run([sys.executable, __file__, "--make", str(store), "--sizes",
                            str(systems), "--items", str(asked.items)], check=True)  # fmt: skip
        return [*_report(stores[max(stores)], asked), *_growth(stores, asked.rounds)]


def _report(store: Path, asked: argparse.Namespace) -> list[Target]:
    """Return what the report takes to each form."""
    found = []
    for form in ("json", "html", "txt"):
        begin(f"report to {form}")
        path = store.with_suffix(f".{form}")
        runs = [_used(command("report", store, "--quiet", "-o", path)) for _ in range(asked.rounds)]
        bare = [_used([sys.executable, "-c", BARE])[0] for _ in range(asked.rounds)]
        seconds, peak = min(cpu for cpu, _ in runs), min(memory for _, memory in runs)
        name = f"report of {max(asked.sizes):,} systems to {form}"
        size = path.stat().st_size / 1e6
        how = f"processor seconds; {seconds / min(bare):,.0f} × bare Python; {size:.2f} MB"
        found += [
            Target(name, seconds, 1.0, seconds, SECONDS, stretch=SECONDS / 2, row=ROW,
                   how=how),
            Target(f"{name}, peak", peak / 1e9, 1.0, peak / 1e9, MEMORY, unit="GB", row=ROW,
                   stretch=MEMORY / 2),
        ]  # fmt: skip
    return found


def _growth(stores: dict[int, Path], rounds: int) -> list[Target]:
    """Return the slope of every analysis between the two largest sizes; the times are told."""
    found = []
    for name in ANALYSES:
        begin(f"growth of {name}")
        times = {n: _analysis(store, name, rounds) for n, store in stores.items()}
        (small, low), (large, high) = sorted(times.items())[-2:]
        if low is None or high is None:
            continue
        slope = log(max(high, 1e-3) / max(low, 1e-3)) / log(large / small)
        told = ", ".join(f"{n:,}: {t:.2f} s" for n, t in times.items() if t is not None)
        bound = PAIRS if name in OF_PAIRS else GROWTH
        found.append(
            Target(f"growth of {name} in systems", high, low, slope, bound, row=ROW, how=told)
        )
    return found


def _analysis(store: Path, name: str, rounds: int) -> float | None:
    words = [sys.executable, "-c", RUN, str(store), name]
    texts = [subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
             for _ in range(rounds)]  # fmt: skip
    seconds: list[float | None] = [json.loads(text) for text in texts]
    return None if None in seconds else min(s for s in seconds if s is not None)


def _used(words: Sequence[object]) -> tuple[float, int]:
    """Return the processor seconds and the peak memory, in bytes, of a process."""
    with Path(os.devnull).open("wb") as nowhere:
        child = subprocess.Popen([str(word) for word in words], stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, [str(word) for word in words])
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def made(store: Path, systems: int, items: int) -> None:
    """Write a store of systems that err together on hard items, better and worse ones."""
    import numpy as np
    import polars as pl

    import coleval

    rng = np.random.default_rng(7)
    labels = np.array(["none", "neutral", "joy", "anger", "fear"])
    gold = rng.choice(5, items, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    hard, lure = rng.beta(1.2, 3.0, items), rng.integers(0, 5, items)
    columns = {"gold": labels[gold]}
    for k in range(systems):
        wrong = rng.random(items) < np.clip(hard * rng.uniform(0.3, 1.2), 0.005, 0.95)
        other = np.where(rng.random(items) < 0.6, lure, rng.integers(0, 5, items))
        columns[f"sys{k:04d}"] = labels[np.where(wrong, other, gold)]
    coleval.load(pl.DataFrame(columns), task="label").save(store)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 50, 200, 1000])
    parser.add_argument("--items", type=int, default=12_000)
    parser.add_argument(
        "--make", type=Path, help="write the store of the first size, and nothing else"
    )


if __name__ == "__main__":
    if "--make" in sys.argv:
        from argparse import ArgumentParser

        parser = ArgumentParser()
        _options(parser)
        given = parser.parse_args()
        made(given.make, given.sizes[0], given.items)
    else:
        main(__doc__, targets, _options, rounds=3)
