"""Rows 25 and 26: all pairs of 1,000 systems, and a bootstrap that decides all of 1,770 pairs.

    python benchmarks/many_pairs.py                                   # two minutes
    python benchmarks/many_pairs.py --tokens 20000                    # does the harness still run?

Row 25 opens a store of made-up label files (`many_files.py`) in a process for each analysis, and
tells the processor seconds of the analysis alone and the peak of the process. Row 26 has sentences
with F1 of 60 systems: p, intervals and Holm, beside the bare product of as many replicates; no pair
is to be left undecided. (`tests/test_saddlepoint.py` compares such p with far more replicates.)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from math import log
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from measure import HERE, LEAST, Target, begin, command, in_turn, least, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SECONDS, MEMORY, GROWTH = 10.0, 1.0, 2.1
ANALYSES = ("changes", "compare", "agree")
# Systems and items of row 25, units of row 26; and where a tiny corpus says that time is short.
FULL, TINY = (1000, 12_000, 20_000), (12, 300, 200)
SYSTEMS, AT_ONCE = 60, 1000
RUN = """
import json, resource, sys
from time import process_time
import coleval
corpus = coleval.open(sys.argv[1])
before = process_time()
report = getattr(corpus, sys.argv[2])()
seconds = process_time() - before
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps([seconds, peak, sum("undecided" in w for w in report.warnings)]))
"""


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of both rows."""
    usual = FULL if asked.tokens >= LEAST else TINY
    sizes = (asked.many, asked.items, asked.units)
    asked.many, asked.items, asked.units = (a or b for a, b in zip(sizes, usual, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        found = _many(asked, Path(folder))
    return [*found, *_decided(asked)]


def _many(asked: argparse.Namespace, folder: Path) -> list[Target]:
    """Return seconds, peaks and growth of each analysis of pairs; a quarter of the systems too."""
    sizes = (max(3, asked.many // 4), asked.many)
    stores = {n: _store(folder, n, asked.items) for n in sizes}
    found = []
    for name in ANALYSES:
        begin(name)
        runs = {n: [_run(store, name) for _ in range(asked.rounds)] for n, store in stores.items()}
        (low, _, _), (high, peak, open_) = (min(runs[n]) for n in sizes)
        slope = log(max(high, 1e-3) / max(low, 1e-3)) / log(sizes[1] / sizes[0])
        what = f"{name} of {asked.many:,} systems × {asked.items:,}"
        how = "processor seconds" + (", pairs left undecided" if open_ else "")
        found += [
            Target(what, high, 1.0, high, SECONDS, stretch=SECONDS / 2, row=25, how=how),
            Target(f"{what}, peak", peak, 1.0, peak, MEMORY, unit="GB", stretch=MEMORY / 2, row=25),
            Target(f"growth of {name} in systems", high, low, slope, GROWTH, row=25),
        ]
    return found


def _store(folder: Path, systems: int, items: int) -> Path:
    begin(f"{systems:,} systems × {items:,} labels")
    place = folder / str(systems)
    size = ["--systems", systems, "--items", items, "-o", place]
    _quietly([sys.executable, HERE / "many_files.py", *size])
    runs = sorted((place / "runs").glob("*.txt"))
    store = place / "store"
    _quietly(command("load", place / "gold.txt", *runs, "--task", "label", "-o", store))
    return store


def _quietly(words: list[object]) -> None:
    subprocess.run([*map(str, words)], check=True, stdout=subprocess.DEVNULL)


def _run(store: Path, name: str) -> list[float]:
    words = [sys.executable, "-c", RUN, str(store), name]
    found: list[float] = json.loads(subprocess.run(words, check=True, stdout=-1, text=True).stdout)
    return found


def _decided(asked: argparse.Namespace) -> list[Target]:
    """Return the bootstrap that decides all pairs ÷ the product of its replicates."""
    import numpy as np

    from many_systems import setting, tested_pairs

    begin(f"{SYSTEMS} systems × {asked.units:,} sentences")
    wanted = SimpleNamespace(systems=SYSTEMS, test="bootstrap")
    how = setting(wanted, asked.units, 0, 0.02)
    counts = how.measure.classes[0]()
    table = np.concatenate(counts.rows).astype(np.float32)
    rng = np.random.default_rng(0)
    weights = rng.poisson(1, (asked.units, AT_ONCE)).astype(np.float32)
    blocks = range(how.plan.replicates // AT_ONCE)
    sides: dict[str, Callable[[], Any]] = {
        "decided": lambda: tested_pairs(how),
        "product": lambda: [table @ weights for _ in blocks],
    }
    still = int(tested_pairs(how)[0].undecided.sum())
    seconds = in_turn(asked.rounds, sides)
    what = f"bootstrap of {SYSTEMS} systems × {asked.units:,}, all p decided ÷ its product"
    tests = SYSTEMS * (SYSTEMS - 1) // 2
    told = f"{tests:,} pairs, {how.plan.replicates:,} replicates, {still} undecided"
    decided = least(what, seconds, "decided", "product", 8, stretch=4, row=26, how=told)
    return [decided, Target("pairs left undecided", still, tests, still, 0, unit="")]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--many", type=int, help="systems of row 25 (1000)")
    parser.add_argument("--items", type=int, help="items of row 25 (12,000)")
    parser.add_argument("--units", type=int, help="sentences of row 26 (20,000)")


if __name__ == "__main__":
    main(__doc__, targets, _options, rounds=3)
