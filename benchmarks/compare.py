"""The targets of `coleval compare` in one run: bootstrap and approximate randomisation.

    python benchmarks/compare.py                                 # 2M tokens × 24 systems
    python benchmarks/compare.py --tokens 20000 --systems 3      # does the harness still run?

Every figure is a ratio of two sides of this run. The numpy loop per pair is timed on a sample of
pairs and replicates and scaled up linearly, which the table says. Answers are compared first: the
loop is given the weights that coleval draws, and must come to the same differences.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

import coleval
from coleval import draws
from coleval.analyses.compare import compare, stand
from coleval.analyses.plan import setting, settled
from coleval.scores.paired import spread
from coleval.scores.resampling import Resampling, bootstrap, randomised
from measure import Target, in_turn, machine

HERE = Path(__file__).parent
REPLICATES = 1000


def main() -> None:
    """Measure, show, and leave with 1 if a target is missed and ``--gate`` was given."""
    asked = _arguments()
    corpus = _corpus(asked)
    targets = measured(corpus, asked.rounds)
    for target in targets:
        bound = f"target {target.bound}" if target.bound is not None else ""
        print(f"{target.name:<52} {target.ratio:8.1f}  {bound:<12} {target.how}")
    result = {"machine": machine(), "targets": [target.plain() for target in targets]}
    if asked.output:
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if asked.gate and not all(target.met for target in targets):
        sys.exit(1)


def measured(corpus: coleval.Corpus, rounds: int) -> list[Target]:
    """Return the figures; a loop per pair comes to the same differences first."""
    options = {"metric": "f1", "replicates": REPLICATES, "unit_of_resampling": "sentence"}
    chosen, plan = settled(corpus, **options)
    how = setting(chosen, plan)
    value = stand(how).value
    pairs = np.array([(a, b) for a in range(len(value)) for b in range(a)], np.intp)
    counts = how.measure.classes[0]()
    _same(counts, how.resampling, pairs)
    seconds = in_turn(rounds, _sides(how, pairs, value[pairs[:, 0]] - value[pairs[:, 1]], counts))
    seconds |= in_turn(1, {"compare": lambda: compare(chosen, plan=plan)})
    size = f"{len(how.counting.units):,} sentences × {len(value)} × {len(pairs)} pairs"
    loops = {swap: _loop(counts, len(pairs), swap) for swap in (False, True)}
    print(f"{size}, {REPLICATES} replicates; product {min(seconds['product']) * 1000:.0f} ms")
    return _figures(seconds, loops)


def _sides(how, pairs, delta, counts):  # type: ignore[no-untyped-def]
    """Return what takes turns: both tests from the counts on, and the product alone."""
    measure, draws_ = how.measure, how.resampling
    return {
        "bootstrap": lambda: spread(bootstrap(measure, draws_), pairs, delta, how.plan.alpha),
        "randomisation": lambda: randomised(measure, draws_, pairs, delta),
        "product": _product(counts),
    }


def _figures(seconds: dict[str, list[float]], loops: dict[bool, float]) -> list[Target]:
    best = {name: min(times) for name, times in seconds.items()}
    rows = (
        ("bootstrap ÷ its matrix product", best["bootstrap"], best["product"], 10, False),
        ("randomisation ÷ its matrix product", best["randomisation"], best["product"], 4, False),
        ("numpy loop per pair ÷ bootstrap (scaled)", loops[False], best["bootstrap"], 200, True),
        ("the same ÷ randomisation (scaled)", loops[True], best["randomisation"], 200, True),
        ("whole compare ÷ product (told only)", best["compare"], best["product"], None, False),
    )
    return [_target(*row[:4], seconds, at_least=row[4]) for row in rows]


def _target(name, ours, other, bound, samples, *, at_least=False):  # type: ignore[no-untyped-def]
    how = f"{ours * 1000:,.0f} ms ÷ {other * 1000:,.0f} ms"
    if at_least:
        return Target(name, other, ours, ours / other, bound, how=how, samples=samples,
                      at_least=True)  # fmt: skip
    return Target(name, ours, other, ours / other, bound, how=how, samples=samples)


def _product(counts):  # type: ignore[no-untyped-def]
    """Return the product alone: all weights are there, one call of the library."""
    table = np.concatenate(counts.rows).astype(np.float32)
    weights = np.random.default_rng(0).poisson(1, (table.shape[1], REPLICATES)).astype(np.float32)
    return lambda: table @ weights


def _same(counts, how: Resampling, pairs) -> None:  # type: ignore[no-untyped-def]
    """Leave if a plain loop over the first replicates comes to other differences."""
    start = draws.streams(how.key, how.seed, purpose=0)
    weights = draws.poisson(start, 0)[:, :3].astype(np.int64)
    ours = bootstrap(_measure(counts), Resampling(how.key, how.seed, 3))
    for replicate in range(3):
        for a, b in pairs[:: max(1, len(pairs) // 10)]:
            f1 = [
                (counts.above[k] * weights[:, replicate]).sum()
                / (counts.below[k] * weights[:, replicate]).sum()
                for k in (a, b)
            ]
            if abs(f1[0] - f1[1] - (ours[a, replicate] - ours[b, replicate])) > 1e-12:
                sys.exit("benchmarks: the loop comes to another difference")


def _measure(counts):  # type: ignore[no-untyped-def]
    from coleval.scores.measure import Measure

    return Measure("f1", [lambda: counts])


def _loop(counts, pairs: int, swap: bool, sample: int = 20) -> float:  # type: ignore[no-untyped-def]
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


def _corpus(asked: argparse.Namespace) -> coleval.Corpus:
    from coleval.demo import generate, write

    directory = asked.data or HERE / "data" / f"compare-{asked.tokens}x{asked.systems}"
    store = directory / "store"
    if not store.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        files = write(generate(tokens=asked.tokens, systems=asked.systems), directory)
        gold, *systems = map(Path, files)
        coleval.load(gold, {p.stem: p for p in systems}, task="span").save(store)
    return coleval.open(store)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--tokens", type=int, default=2_000_000)
    add("--systems", type=int, default=24)
    add("--rounds", type=int, default=5)
    add("--data", type=Path)
    add("--gate", action="store_true")
    add("-o", "--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
