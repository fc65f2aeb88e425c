"""The targets of `coleval compare` in one run: bootstrap and approximate randomisation.

    python benchmarks/compare.py                                 # 2M tokens × 24 systems
    python benchmarks/compare.py --tokens 20000 --systems 3      # does the harness still run?

Every figure is a ratio of two sides of this run. The numpy loop per pair is timed on a sample of
pairs and replicates and scaled up linearly, which the table says. Answers are compared first: the
loop is given the weights that coleval draws, and must come to the same differences.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.analyses.compare.plan import setting, settled
from coleval.analyses.compare.tables import compared, stand
from coleval.metrics.registry import measure
from coleval.statistics import draws
from coleval.statistics.measure import Measure
from coleval.statistics.paired import spread
from coleval.statistics.resampling import Replicates, bootstrap, randomised
from loaded import generated
from measure import Target, faster, in_turn, least, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    import coleval

REPLICATES = 1000


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures, once a loop per pair came to the same differences."""
    return measured(generated(asked), asked.rounds)


def measured(corpus: coleval.Corpus, rounds: int) -> list[Target]:
    """Return the figures; a loop per pair comes to the same differences first."""
    options = {"metric": "f1", "replicates": REPLICATES, "unit_of_resampling": "sentence"}
    chosen, plan = settled(corpus, **options)
    how = setting(chosen, plan)
    value = stand(how).value
    pairs = np.array([(a, b) for a in range(len(value)) for b in range(a)], np.intp)
    units = how.counting.units
    counts = measure(plan.metric, how.counting).classes[0]()
    _same(counts, Replicates(units.key, how.resampling.seed, REPLICATES), pairs)
    seconds = in_turn(rounds, _sides(how, pairs, value[pairs[:, 0]] - value[pairs[:, 1]], counts))
    seconds |= in_turn(1, {"compare": lambda: compared(chosen, plan)})
    rows = f"{len(how.resampling.key):,} rows of {len(units):,} sentences"
    size = f"{rows} × {len(value)} × {len(pairs)} pairs"
    loops = {swap: _loop(counts, len(pairs), swap) for swap in (False, True)}
    print(f"{size}, {REPLICATES} replicates")
    return _figures(seconds, loops)


def _sides(how: Any, pairs: Any, delta: Any, counts: Any) -> dict[str, Callable[[], object]]:
    """Return what takes turns: both tests from the counts on, and the product over units."""
    rows, draws_ = how.measure, how.resampling
    return {
        "bootstrap": lambda: spread(bootstrap(rows, draws_), pairs, delta, how.plan.alpha),
        "randomisation": lambda: randomised(rows, draws_, pairs, delta),
        "product": _product(counts),
    }


def _figures(seconds: dict[str, list[float]], loops: dict[bool, float]) -> list[Target]:
    seconds |= {"loop": [loops[False]], "swap": [loops[True]]}
    scaled = "the loop on 20 replicates of one pair, × all"
    return [
        least("bootstrap ÷ its matrix product", seconds, "bootstrap", "product", 2, row=12),
        faster("numpy loop per pair ÷ bootstrap", seconds, "bootstrap", "loop", how=scaled),
        least("randomisation ÷ its matrix product", seconds, "randomisation", "product", 2, row=12),
        faster("numpy loop per pair ÷ randomisation", seconds, "randomisation", "swap", how=scaled),
        least("whole compare ÷ product", seconds, "compare", "product"),
    ]  # fmt: skip


def _product(counts: Any) -> Callable[[], object]:
    """Return the product alone: all weights are there, one call of the library."""
    table = np.concatenate(counts.rows).astype(np.float32)
    weights = np.random.default_rng(0).poisson(1, (table.shape[1], REPLICATES)).astype(np.float32)
    return lambda: table @ weights


def _same(counts: Any, how: Replicates, pairs: Any) -> None:
    """Leave if a plain loop over the first replicates comes to other differences."""
    start = draws.streams(how.key, how.seed, purpose=0)
    weights = draws.poisson(start, 0)[:, :3].astype(np.int64)
    ours = bootstrap(_measure(counts), Replicates(how.key, how.seed, 3))
    for replicate in range(3):
        for a, b in pairs[:: max(1, len(pairs) // 10)]:
            f1 = [
                (counts.above[k] * weights[:, replicate]).sum()
                / (counts.below[k] * weights[:, replicate]).sum()
                for k in (a, b)
            ]
            if abs(f1[0] - f1[1] - (ours[a, replicate] - ours[b, replicate])) > 1e-12:
                sys.exit("benchmarks: the loop comes to another difference")


def _measure(counts: Any) -> Measure:
    return Measure("f1", [lambda: counts])


def _loop(counts: Any, pairs: int, swap: bool, sample: int = 20) -> float:
    """Return the seconds of a careful numpy loop per pair, scaled from some replicates of one."""
    rng = np.random.default_rng(1)
    tables = [counts.above[0], counts.below[0], counts.above[-1], counts.below[-1]]
    ours = [table.astype(np.int64) for table in tables]
    n = len(ours[0])
    began = perf_counter()
    for _ in range(sample):
        if swap:
            heads = rng.random(n) < 0.5
            a, b, c, d = (
                np.where(heads, ours[x], ours[y]).sum() for x, y in ((0, 2), (1, 3), (2, 0), (3, 1))
            )
        else:
            drawn = rng.integers(0, n, n)
            a, b, c, d = (table[drawn].sum() for table in ours)
        _ = a / b - c / d
    return (perf_counter() - began) / sample * REPLICATES * pairs


if __name__ == "__main__":
    main(__doc__, targets)
