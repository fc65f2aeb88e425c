"""Write a made-up task of labels by very many systems: gold.txt and runs/*.txt, id and label.

    python benchmarks/many_files.py --systems 1000 --items 12000 -o /tmp/many
    coleval load /tmp/many/gold.txt /tmp/many/runs/*.txt --task label -o /tmp/many/store

Errors go together (hard items, families of systems that share answers), every twentieth system
gives the answers of one before it, and a few score the same with other answers.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = ("none", "neutral", "joy", "anger", "fear")
SHARES = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
Codes = NDArray[Any]


def main() -> None:
    """Write what the command line asks for."""
    asked = _arguments()
    write(asked.output, *answers(asked.systems, asked.items, asked.labels, asked.seed))


def answers(systems: int, items: int, labels: int = 5, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return gold and a row of codes for every system."""
    rng = np.random.default_rng([seed, systems, items, labels])
    share = SHARES if labels == len(SHARES) else 1 / np.arange(1, labels + 1)
    gold = rng.choice(labels, items, p=share / share.sum())
    hard = rng.beta(1.2, 3.0, items)
    lure = rng.integers(labels, size=items)
    families = [_guess(gold, hard, lure, 0.0, rng) for _ in range(1 + systems // 25)]
    given = [_system(k, gold, hard, lure, families, rng) for k in range(systems)]
    for k in range(20, systems, 20):
        given[k] = given[int(rng.integers(k))]
    for k in range(7, systems - 1, 50):
        given[k + 1] = _as_good(given[k], gold, rng)
    return gold, np.stack(given)


def write(directory: Path, gold: np.ndarray, given: np.ndarray) -> None:
    """Write gold.txt and runs/sys0000.txt and so on."""
    (directory / "runs").mkdir(parents=True, exist_ok=True)
    names = np.array([NAMES[k] if k < len(NAMES) else f"label{k}" for k in range(gold.max() + 1)])
    keys = [f"i{k:06d}\t" for k in range(len(gold))]
    systems = {f"runs/sys{k:04d}.txt": codes for k, codes in enumerate(given)}
    for path, codes in {"gold.txt": gold, **systems}.items():
        lines = "\n".join(key + name for key, name in zip(keys, names[codes], strict=True))
        (directory / path).write_text(lines + "\n", encoding="utf-8")


def _system(
    k: int, gold: Codes, hard: Codes, lure: Codes, families: list[Codes], rng: np.random.Generator
) -> Codes:
    own = _guess(gold, hard, lure, rng.normal(0, 0.08), rng)
    shared = families[k % len(families)]
    return np.where(rng.random(len(gold)) < rng.uniform(0.3, 0.9), shared, own)


def _guess(gold: Codes, hard: Codes, lure: Codes, worse: float, rng: np.random.Generator) -> Codes:
    wrong = rng.random(len(gold)) < np.clip(hard * 0.8 + worse, 0.005, 0.95)
    any_ = rng.integers(gold.max() + 1, size=len(gold))
    other = np.where(rng.random(len(gold)) < 0.7, lure, any_)
    return np.where(wrong, other, gold)


def _as_good(codes: Codes, gold: Codes, rng: np.random.Generator) -> Codes:
    """Return as many right answers in other places: some become right, as many wrong."""
    same = codes == gold
    right, wrong = (rng.permutation(np.flatnonzero(same == is_)) for is_ in (True, False))
    swapped = min(50, len(right), len(wrong))
    other = codes.copy()
    other[right[:swapped]] = (gold[right[:swapped]] + 1) % (gold.max() + 1)
    other[wrong[:swapped]] = gold[wrong[:swapped]]
    return other


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=1000)
    parser.add_argument("--items", type=int, default=12000)
    parser.add_argument("--labels", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
