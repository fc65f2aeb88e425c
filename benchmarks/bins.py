"""Difficulty bins, confusions and reopening, against one sweep ``(answers == gold)``.

    python benchmarks/bins.py                                # 2M and 10M tokens × 24 systems
    python benchmarks/bins.py --tokens 20000 --systems 3     # does the harness still run?

Answers are checked against numpy's first. A store is opened anew, its columns read, before each
call is timed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

import coleval
from loaded import anew, fresh, stored
from measure import Target, begin, command, faster, in_turn, least, main, processor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

GROWTH = 5


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures, once all counts are known to be numpy's."""
    large_tokens = GROWTH * asked.tokens
    with stored(asked) as store, stored(asked, tokens=large_tokens) as larger:
        corpus, large = fresh(store), fresh(larger)
        for unit in ("token", "span"):
            compare_bins(corpus, unit)
            compare_bins(large, unit)
        answers, gold = matrix(corpus)
        compare_confusion(corpus)
        compare_reopened(store, answers, gold)
        sides = _sides(corpus, large, store) | _compared(answers, gold, corpus)
        seconds = in_turn(asked.rounds, sides)
        commands = _commands(store, asked)
    return [*_figures(seconds, asked.systems), commands]


def _sides(corpus: Corpus, large: Corpus, store: Path) -> dict[str, Callable[[], object]]:
    return {
        "bins": lambda: anew(corpus).bins(unit="token"),
        "spans": lambda: anew(corpus).bins(unit="span"),
        "large": lambda: anew(large).bins(unit="token"),
        "confusions": lambda: anew(corpus).confusion(unit="token"),
        "reopened": lambda: accuracies(coleval.open(store)),
        "rescored": lambda: coleval.open(store).score(unit="token"),
    }


def _compared(
    answers: np.ndarray, gold: np.ndarray, corpus: Corpus
) -> dict[str, Callable[[], object]]:
    """Return what we are measured against."""
    size = len(corpus.at("token").labels) + 1
    return {
        "sweep": lambda: answers == gold,
        "columns": lambda: [(row == gold).size for row in answers],
        "bincount": lambda: bincounts(gold, answers, size),
    }


def _commands(store: Path, asked: argparse.Namespace) -> Target:
    """Return the processor time of two commands on the store, start-up taken off."""
    begin("bins and confusion of the store, whole processes")
    with stored(asked, tokens=100) as tiny:
        names = ("bins", "confusion")
        runs = [[sum(processor(command(name, where, "--quiet", "--as", "json"))[0]
                     for name in names) for where in (store, tiny)]
                for _ in range(min(3, asked.rounds))]  # fmt: skip
    ours, start = (min(side) for side in zip(*runs, strict=True))
    return Target(
        "bins + confusion of a store",
        ours,
        start,
        ours - start,
        0.2,
        row=10,
        how="processor seconds of both commands, those of 100 tokens taken off",
    )


def _figures(seconds: dict[str, list[float]], n: int) -> list[Target]:
    return [
        least("store opened, accuracies ÷ one sweep", seconds, "reopened", "sweep",
              how="open(store), every column read from Parquet and compared with "
              "gold, ÷ (answers == gold), answers a systems × tokens array in memory"),
        least("store opened, all scores ÷ one sweep", seconds, "rescored", "sweep",
              how="open(store).score(unit='token'): labels, averages, sentences"),
        least(f"bins × {n} systems ÷ one sweep", seconds, "bins", "sweep", 6,
              how="corpus.bins(unit='token') with its tables"),
        least("the same ÷ column by column", seconds, "bins", "columns",
              how="the sweep a system at a time, its result thrown away; told only"),
        least("bins of spans ÷ one sweep over tokens", seconds, "spans", "sweep"),
        least(f"bins of {GROWTH} × the tokens", seconds, "large", "bins", 6,
              how="whole calls on both sides"),
        faster(f"np.bincount ÷ {n} confusions", seconds, "confusions", "bincount", 3, row=11,
               how="corpus.confusion(unit='token') with its table; bincount a system"),
    ]  # fmt: skip


def matrix(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """Return the answers to tokens, systems × tokens, and gold."""
    items = corpus.at("token")
    return np.array(list(items.answers.values())), np.asarray(items.gold)


def bincounts(gold: np.ndarray, answers: np.ndarray, size: int) -> list[np.ndarray]:
    """Return the confusion matrix of each system as one writes it."""
    return [np.bincount(gold.astype(np.intp) * size + row, minlength=size**2) for row in answers]


def accuracies(corpus: Corpus) -> dict[str, int]:
    """Return how many tokens each system has right."""
    items = corpus.at("token")
    return {name: int(np.count_nonzero(row == items.gold)) for name, row in items.answers.items()}


def compare_bins(corpus: Corpus, unit: str) -> None:
    """Count with the plainest numpy there is and leave if a single number differs."""
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


def compare_confusion(corpus: Corpus) -> None:
    """Leave if a cell of a confusion matrix is not bincount's."""
    items = corpus.at("token")
    answers, gold = matrix(corpus)
    code: dict[str | None, int] = {None: 0, **{label: k for k, label in enumerate(items.labels, 1)}}
    plain = bincounts(gold, answers, len(code))
    mine = [np.zeros(len(code) ** 2, np.int64) for _ in plain]
    place = {name: k for k, name in enumerate(items.systems)}
    for row in corpus.confusion(unit="token").table().to_dicts():
        mine[place[row["system"]]][code[row["gold"]] * len(code) + code[row["answer"]]] = row["n"]
    if any(not np.array_equal(a[1:], b[1:]) for a, b in zip(mine, plain, strict=True)):
        sys.exit("benchmarks: a confusion matrix differs from np.bincount's")


def compare_reopened(store: Path, answers: np.ndarray, gold: np.ndarray) -> None:
    """Leave if an opened store counts other right tokens than the sweep."""
    corpus = coleval.open(store)
    told = {r["system"]: r["correct"] for r in corpus.score(unit="token").table().to_dicts()}
    plain = dict(zip(corpus.systems, (answers == gold).sum(axis=1).tolist(), strict=True))
    if not told == accuracies(corpus) == plain:
        sys.exit(f"benchmarks: right tokens differ: {told}, numpy {plain}")


if __name__ == "__main__":
    main(__doc__, targets, rounds=7)
