"""Changes between all pairs of systems: coleval against plain numpy loops, in one run.

    python benchmarks/changes.py                                # 2M tokens × 24 systems: 276 pairs
    python benchmarks/changes.py --tokens 20000 --systems 50    # 1,225 pairs: does it run?

Answers are compared before a time is told. Both sides begin with the same code arrays in memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from generate import ensure, files
from measure import Target, in_turn, machine

if TYPE_CHECKING:
    from collections.abc import Callable


HERE = Path(__file__).parent
SAMPLE = 12

Pairs = list[tuple[int, int]]


def main() -> None:
    """Measure in a process of its own and show; ``--gate`` leaves with 1 if a target is missed."""
    asked = _arguments()
    if asked.inside:
        print(json.dumps(_measured(asked.inside, asked.rounds)))
        return
    ensure(_directory(asked), tokens=asked.tokens, systems=asked.systems, seed=0, task=asked.task)
    command = [
        sys.executable,
        __file__,
        "--inside",
        str(_directory(asked)),
        "--rounds",
        str(asked.rounds),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    targets = _targets(found)
    _show(asked, found, targets)
    if asked.output:
        result = {"tokens": asked.tokens, "systems": asked.systems, "machine": machine(),
                  "targets": [t.plain() for t in targets], "memory": found["memory"]}  # fmt: skip
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if asked.gate and not all(target.met for target in targets):
        sys.exit(1)


def loop_counts(gold: Any, answers: list[Any]) -> dict[tuple[int, int], tuple[int, int, int, int]]:
    """Return different, corrections, new errors, changed errors of all pairs: the plain loop."""
    right = [own == gold for own in answers]
    n = [np.count_nonzero(own) for own in right]
    found = {}
    for a, b in combinations(range(len(answers)), 2):
        different = np.count_nonzero(answers[a] != answers[b])
        both = np.count_nonzero(right[a] & right[b])
        found[a, b] = (different, n[b] - both, n[a] - both, different - n[a] - n[b] + 2 * both)
    return found


def direct_cube(gold: Any, before: Any, after: Any, size: int) -> Any:
    """Return gold × before × after of one pair by np.bincount over all tokens."""
    key = (gold.astype(np.int64) * size + before) * size + after
    return np.bincount(key, minlength=size**3)


def filtered_cube(gold: Any, before: Any, after: Any, size: int) -> Any:
    """Return the same where the two differ, counting only there: what a careful loop would do."""
    at = np.flatnonzero(before != after)
    key = (gold[at].astype(np.int64) * size + before[at]) * size + after[at]
    return np.bincount(key, minlength=size**3)


def _measured(directory: Path, rounds: int) -> dict[str, Any]:
    """Return the seconds of every side, after their answers were found equal, and the memory."""
    import coleval

    gold, systems = files(directory)
    corpus = coleval.load(str(gold), {n: str(p) for n, p in systems.items()})
    items = corpus.at("token")
    pairs = list(combinations(range(len(systems)), 2))
    sample = pairs[:: max(1, len(pairs) // SAMPLE)][:SAMPLE]
    sides = _sides(corpus, pairs, sample)
    seconds = in_turn(rounds, sides)
    memory = {name: _traced(sides[name]) for name in ("counts", "cells")}
    memory["whole process, store to all tables"] = _of_process(corpus)
    return {
        "tokens": len(items), "seconds": seconds, "pairs": len(pairs), "sample": len(sample),
        "memory": memory, "held": items.gold.nbytes * (1 + len(systems)),
    }  # fmt: skip


def _sides(corpus: Any, pairs: Pairs, sample: Pairs) -> dict[str, Callable[[], object]]:
    """Return what is timed, once the answers are known to be the same."""
    from coleval.engines.pairs import pair_counts
    from coleval.engines.transitions import transitions

    items = corpus.at("token")
    gold, answers = items.gold, list(items.answers.values())
    _same_counts(pair_counts(items), loop_counts(gold, answers))
    _same_cells(list(transitions(items, items, sample)), items, answers, sample)
    cubes = [(gold, answers[a], answers[b], len(items.labels) + 1) for a, b in sample]
    return {
        "counts": lambda: pair_counts(items),
        "loop": lambda: loop_counts(gold, answers),
        "cells": lambda: list(transitions(items, items, pairs)),
        "direct": lambda: [direct_cube(*cube) for cube in cubes],
        "filtered": lambda: [filtered_cube(*cube) for cube in cubes],
        "report": lambda: corpus.changes(unit="token"),
    }


def _same_counts(ours: Any, theirs: dict[tuple[int, int], tuple[int, int, int, int]]) -> None:
    for (a, b), expected in theirs.items():
        both = ours.both[a, b]
        corrections, new = ours.right[b] - both, ours.right[a] - both
        different = ours.different[a, b]
        if (different, corrections, new, different - corrections - new) != expected:
            sys.exit(f"pair {a}, {b}: coleval {different, corrections, new}, the loop {expected}")


def _same_cells(
    ours: list[Any], items: Any, answers: list[Any], sample: list[tuple[int, int]]
) -> None:
    """Leave if a cell of the changes is not what the whole cube has there."""
    size = len(items.labels) + 1
    for cells, (a, b) in zip(ours, sample, strict=True):
        cube = direct_cube(items.gold, answers[a], answers[b], size).reshape(size, size, size)
        cube[:, np.arange(size), np.arange(size)] = 0
        gold = np.choose(cells.kind, [cells.after, cells.before, cells.gold])
        found = np.zeros_like(cube)
        found[gold, cells.before, cells.after] = cells.n
        if not np.array_equal(found, cube):
            sys.exit(f"pair {a}, {b}: the cells of changes differ from the cube")


def _traced(run: Callable[[], object]) -> int:
    """Return how many bytes numpy held at most while it ran, beyond what was there before."""
    import tracemalloc

    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def _of_process(corpus: Any) -> int:
    """Return the peak of a fresh process that opens the corpus as a store and has all tables."""
    with tempfile.TemporaryDirectory() as folder:
        store = corpus.save(Path(folder, "store"))
        command = [sys.executable, "-c", _REPORT, str(store)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout) * 1024


_REPORT = """
import sys, resource, coleval
coleval.open(sys.argv[1]).changes(unit="token")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _targets(found: dict[str, Any]) -> list[Target]:
    seconds, pairs = found["seconds"], found["pairs"]
    scale = pairs / found["sample"]
    low = {name: min(times) for name, times in seconds.items()}
    direct, filtered = low["direct"] * scale, low["filtered"] * scale
    how = f"np.bincount on {found['sample']} of {pairs} pairs, × {scale:.3g}"
    ours = "ours are the cells off the diagonal, all that changes"
    return [
        Target(f"{pairs} pair counts ÷ plain loop", low["counts"], low["loop"],
               low["counts"] / low["loop"], 0.6, how="the search for active rows included",
               samples={name: seconds[name] for name in ("counts", "loop")}),
        Target(f"direct cubes ÷ {pairs} label changes", low["cells"], direct,
               direct / low["cells"], _bound(found), at_least=True, how=f"{how}; {ours}",
               samples={name: seconds[name] for name in ("cells", "direct")}),
        Target(f"filtered cubes ÷ {pairs} label changes", low["cells"], filtered,
               filtered / low["cells"], how=f"{how}, only where the two differ",
               samples={name: seconds[name] for name in ("cells", "filtered")}),
        Target("the whole report ÷ plain loop", low["report"], low["loop"],
               low["report"] / low["loop"],
               how="corpus.changes(): counts, transitions, labels, sentences, flips",
               samples={"report": seconds["report"]}),
    ]  # fmt: skip


def _bound(found: dict[str, Any]) -> float | None:
    """Return the target for label changes, which is one for large corpora."""
    return 8 if found["tokens"] >= 1_000_000 else None


def _show(asked: argparse.Namespace, found: dict[str, Any], targets: list[Target]) -> None:
    print(f"{asked.tokens:,} tokens × {asked.systems} systems, {asked.task}")
    for t in targets:
        sign, verdict = "≥" if t.at_least else "≤", "met" if t.met else "MISSED"
        bound = "told" if t.bound is None else f"{sign} {t.bound:g} {verdict}"
        print(f"{t.name:<40} {t.ours:7.3f} s {t.other:7.3f} s {t.ratio:6.3g}  {bound}")
        print(f"    {t.how} (noise {t.noise:.0%})")
    cells = asked.tokens * asked.systems
    for name, peak in found["memory"].items():
        told = (
            "unknown"
            if peak is None
            else f"{peak / 2**20:,.0f} MiB, {peak / cells:.2f} bytes a cell"
        )
        print(f"memory, {name}: {told}")
    print(f"the codes themselves: {found['held'] / 2**20:,.0f} MiB")
    print(" · ".join(f"{name} {value}" for name, value in machine().items()))


def _directory(asked: argparse.Namespace) -> Path:
    return asked.data or HERE / "data" / f"{asked.task}-{asked.tokens}x{asked.systems}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--task", choices=("span", "tag"), default="span")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, help="where the corpus is or goes")
    parser.add_argument("-o", "--output", type=Path, help="write all samples as JSON")
    parser.add_argument("--gate", action="store_true", help="leave with 1 if a target is missed")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
