"""Very many systems, and very many items: 1,000 × 12,000 labels, 4 × 5 million (rows 13, 14, 17).

    python benchmarks/crowds.py                                   # 10, 50, 200, 1,000 systems
    python benchmarks/crowds.py --sizes 10 50 --items 1000        # does the harness still run?

Each run is a process of its own; figures are processor time, user and system together, which other
programs on the machine disturb least. Growth is the slope of log time by log systems between the
largest sizes, without what opening the store takes: 1 is a time in proportion.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from measure import LEAST, Target, begin, command, main, processor

if TYPE_CHECKING:
    import argparse

# The most that slopes of log time by log systems may be; tables of pairs grow with the square.
GROWTH, PAIRS = 1.1, 2.1
ANALYSES = ("score", "bins", "oracle", "item_statistics", "examples", "audit", "confusion",
            "buckets", "errors", "report")  # fmt: skip
OF_PAIRS = ("oracle", "report")
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
    """Return processor times of many systems and of many items, and how each analysis grows."""
    small = asked.tokens < LEAST  # does the harness still run?
    sizes, items = ([4, 8], 500) if small else (asked.sizes, asked.items)
    with tempfile.TemporaryDirectory() as folder:
        stores = {n: _stored(Path(folder, f"store{n}"), n, items) for n in sizes}
        most, n = stores[max(sizes)], max(sizes)
        long, short = (_stored(Path(folder, f"of{items}"), 4, items // (100 if small else 1))
                       for items in (5_000_000, 100_000))  # fmt: skip
        size = f"{n:,} × {items:,} labels"
        return [
            _figure(f"report of {size}", 20, 14, asked.rounds, "report", most),
            _figure(f"compare of {size}", 10, 14, asked.rounds, "compare", most),
            _figure("report of 4 × 5,000,000 labels", 12, 13, asked.rounds, "report", long),
            _figure("4 × 100,000 labels with intervals", 1, 13, asked.rounds,
                    "score", short, "--intervals"),
            *_growth(stores, asked.rounds),
        ]  # fmt: skip


def _stored(store: Path, systems: int, items: int) -> Path:
    """Return a store, made in a process of its own: this one stays small."""
    begin(f"{systems:,} systems × {items:,} labels")
    words = ["--make", str(store), "--sizes", str(systems), "--items", str(items)]
    subprocess.run([sys.executable, __file__, *words], check=True)
    return store


def _figure(name: str, must: float, row: int, rounds: int, *words: object) -> Target:
    """Return the processor seconds of a command that writes JSON."""
    begin(name)
    with tempfile.TemporaryDirectory() as folder:
        run = command(*words, "--quiet", "-o", Path(folder, "found.json"))
        runs = [processor(run) for _ in range(rounds)]
    seconds, peak = min(cpu for cpu, _ in runs), max(memory for _, memory in runs)
    how = f"processor seconds; peak {peak / 2**20:,.0f} MiB"
    return Target(name, seconds, 1.0, seconds, must, row=row, how=how)


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
            Target(f"growth of {name} in systems", high, low, slope, bound, row=17, how=told)
        )
    return found


def _analysis(store: Path, name: str, rounds: int) -> float | None:
    words = [sys.executable, "-c", RUN, str(store), name]
    texts = [subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
             for _ in range(rounds)]  # fmt: skip
    seconds: list[float | None] = [json.loads(text) for text in texts]
    return None if None in seconds else min(s for s in seconds if s is not None)


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
