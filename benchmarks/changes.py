"""Changes between all pairs of systems: coleval against plain numpy loops, in one run.

    python benchmarks/changes.py                                # 2M tokens × 24 systems: 276 pairs
    python benchmarks/changes.py --tokens 20000 --systems 50    # 1,225 pairs: does it run?

Answers are compared before a time is told. Both sides begin with the same code arrays in memory.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loaded import anew, generated
from measure import Target, faster, in_turn, least, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SAMPLE = 12

Pairs = list[tuple[int, int]]


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures, measured in this process once all counts are the same."""
    corpus = generated(asked, task=asked.task)
    pairs = list(combinations(range(len(corpus.systems)), 2))
    sample = pairs[:: max(1, len(pairs) // SAMPLE)][:SAMPLE]
    sides = _sides(corpus, pairs, sample)
    seconds = in_turn(asked.rounds, sides)
    return [
        *_figures(seconds, len(pairs), len(sample), large=asked.tokens >= 1_000_000),
        *_memory(corpus, sides, asked.tokens * asked.systems),
    ]


def loop_counts(gold: Any, answers: list[Any]) -> dict[tuple[int, int], tuple[int, int, int, int]]:
    """Return different, corrections, new errors, changed errors of all pairs: the plain loop."""
    right = [own == gold for own in answers]
    n = [int(np.count_nonzero(own)) for own in right]
    found = {}
    for a, b in combinations(range(len(answers)), 2):
        different = int(np.count_nonzero(answers[a] != answers[b]))
        both = int(np.count_nonzero(right[a] & right[b]))
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


def _sides(corpus: Any, pairs: Pairs, sample: Pairs) -> dict[str, Callable[[], object]]:
    """Return what is timed, once the answers are known to be the same."""
    from coleval.counts.pairs import pair_counts
    from coleval.counts.patterns import patterns

    items = corpus.at("token")
    gold, answers = items.gold, list(items.answers.values())
    _same_counts(pair_counts(patterns(items)), loop_counts(gold, answers))
    _same_cells(_cells(items, sample), items, answers, sample)
    cubes = [(gold, answers[a], answers[b], len(items.labels) + 1) for a, b in sample]
    return {
        "counts": lambda: pair_counts(patterns(replace(items))),
        "loop": lambda: loop_counts(gold, answers),
        "cells": lambda: _cells(replace(items), pairs),
        "direct": lambda: [direct_cube(*cube) for cube in cubes],
        "filtered": lambda: [filtered_cube(*cube) for cube in cubes],
        "report": lambda: anew(corpus).changes(unit="token"),
    }


def _cells(items: Any, pairs: Pairs) -> list[Any]:
    """Return the cells of all pairs; what differs and what is shown are the same items."""
    from coleval.counts.pairs import transitions
    from coleval.counts.patterns import patterns

    return list(transitions(patterns(items), len(items.labels), pairs))


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


def _memory(corpus: Any, sides: dict[str, Callable[[], object]], cells: int) -> list[Target]:
    """Return the bytes that counting holds beyond the codes, and those of a whole process."""
    peaks = {f"memory of {name}": _traced(sides[name]) for name in ("counts", "cells")}
    with tempfile.TemporaryDirectory() as folder:
        store = corpus.save(Path(folder, "store"))
        command = [sys.executable, "-c", _REPORT, str(store)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    peaks["memory, store to all tables"] = int(done.stdout) * 1024
    return [Target(name, n, cells, n / cells, unit="B") for name, n in peaks.items()]


_REPORT = """
import sys, resource, coleval
coleval.open(sys.argv[1]).changes(unit="token")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _figures(
    seconds: dict[str, list[float]], pairs: int, sample: int, *, large: bool
) -> list[Target]:
    scale = pairs / sample
    how = f"np.bincount on {sample} of {pairs} pairs, × {scale:.3g}"
    cells = "ours are the cells off the diagonal, all that changes"
    return [
        faster(f"numpy loop ÷ {pairs} pair counts", seconds, "counts", "loop", 2, row=11,
               how="the search for active rows included"),
        faster(f"direct cubes ÷ {pairs} label changes", seconds, "cells", "direct",
               8 if large else None, scale=scale, row=11, how=f"{how}; {cells}"),
        faster(f"filtered cubes ÷ {pairs} label changes", seconds, "cells", "filtered",
               scale=scale, how=f"{how}, only where the two differ"),
        least("the whole report of changes ÷ numpy loop", seconds, "report", "loop",
              how="corpus.changes(): counts, transitions, labels, sentences, flips"),
    ]  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", choices=("span", "tag"), default="span")


if __name__ == "__main__":
    main(__doc__, targets, _options)
