"""Difficulty bins on an opened store, against one numpy sweep ``(answers == gold)``.

    python benchmarks/bins.py                                # 2M and 10M tokens × 24 systems
    python benchmarks/bins.py --tokens 20000 --systems 3     # does the harness still run?

Answers are checked against numpy's first. ``store open`` means that the columns have been read.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate import ensure, files
from measure import Target, in_turn, machine

if TYPE_CHECKING:
    import numpy as np

    from coleval.corpus import Corpus

HERE = Path(__file__).parent
GROWTH = 5


def main() -> None:
    """Measure, show, and leave with 1 if a target is missed and ``--gate`` was given."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        small = _opened(asked.tokens, asked, Path(folder, "small"))
        large = _opened(GROWTH * asked.tokens, asked, Path(folder, "large"))
        targets = _targets(small, large, asked)
    told = {"tokens": asked.tokens, "systems": asked.systems, "rounds": asked.rounds}
    result = told | {"machine": machine(), "targets": [target.plain() for target in targets]}
    if asked.output:
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    _show(targets, result)
    if asked.gate and not all(target.met for target in targets):
        sys.exit(1)


def _opened(tokens: int, asked: argparse.Namespace, store: Path) -> Corpus:
    """Return the opened store of a generated corpus, its columns read, its answers checked."""
    import coleval

    name = f"span-{tokens}x{asked.systems}"
    directory = (asked.data or HERE / "data") / name
    ensure(directory, tokens=tokens, systems=asked.systems, seed=0, task="span")
    gold, systems = files(directory)
    paths = {system: str(path) for system, path in systems.items()}
    coleval.load(str(gold), paths, task="span").save(store)
    corpus = coleval.open(store)
    for unit in ("token", "span"):
        _compare(corpus, unit)
    return corpus


def _compare(corpus: Corpus, unit: str) -> None:
    """Count with the plainest numpy there is and leave if a single number differs."""
    import numpy as np

    items = corpus.at(unit)
    right = np.array([codes == items.gold for codes in items.answers.values()])
    there = items.gold != 0
    bin_ = right.sum(axis=0)
    last = len(right)
    bins = np.bincount(bin_[there], minlength=last + 1).tolist()
    solved = {
        system: np.bincount(bin_[there & row], minlength=last + 1).tolist()
        for system, row in zip(items.systems, right, strict=True)
    }
    tables = corpus.bins(unit=unit).tables
    ours: dict[str, list[int]] = {}
    for row in tables["tps"].to_dicts():
        ours.setdefault(row["system"], []).append(row["tp"])
    if (tables["bins"]["items"].to_list(), ours) != (bins, solved):
        sys.exit(f"benchmarks: bins of {unit}s differ from numpy's")


def _targets(small: Corpus, large: Corpus, asked: argparse.Namespace) -> list[Target]:
    answers, gold = _matrix(small)
    seconds = in_turn(
        asked.rounds,
        {
            "bins": lambda: small.bins(unit="token"),
            "sweep": lambda: answers == gold,
            "columns": lambda: [(row == gold).size for row in answers],
            "spans": lambda: small.bins(unit="span"),
            "large": lambda: large.bins(unit="token"),
        },
    )
    best = {name: min(times) for name, times in seconds.items()}

    def target(name: str, one: str, other: str, bound: float | None, how: str) -> Target:
        samples = {one: seconds[one], other: seconds[other]}
        ratio = best[one] / best[other]
        return Target(name, best[one], best[other], ratio, bound, how=how, samples=samples)

    size = f"{asked.systems} systems"
    return [
        target(f"bins × {size} ÷ one sweep", "bins", "sweep", 6,
               "corpus.bins(unit='token') ÷ (answers == gold), answers a systems × tokens array"),
        target("the same ÷ column by column", "bins", "columns", None,
               "the sweep a system at a time, its result thrown away; told only"),
        target("bins of spans ÷ one sweep over tokens", "spans", "sweep", None, "told only"),
        target(f"{GROWTH} × the tokens", "large", "bins", 6, "whole calls on both sides"),
    ]  # fmt: skip


def _matrix(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    items = corpus.at("token")
    return np.array(list(items.answers.values())), items.gold


def _show(targets: list[Target], result: dict[str, Any]) -> None:
    for target in targets:
        bound = (
            f"≤ {target.bound:g}, {'met' if target.met else 'MISSED'}" if target.bound else "told"
        )
        print(
            f"{target.name:<40} {1000 * target.ours:8.1f} ms  {1000 * target.other:8.1f} ms"
            f"  {target.ratio:6.2f}  {bound}  (noise {target.noise:.0%})"
        )
    print(f"{result['tokens']:,} tokens × {result['systems']}", end=" · ")
    print(" · ".join(f"{name} {value}" for name, value in result["machine"].items()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, help="where the corpora are or go")
    parser.add_argument("-o", "--output", type=Path, help="write all samples as JSON")
    parser.add_argument("--gate", action="store_true", help="leave with 1 if a target is missed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
