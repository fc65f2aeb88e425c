"""Reading CoNLL-U, and columns apart by runs of spaces with the label last, beside plain loops.

    python benchmarks/formats.py                            # 2M tokens, gold and three systems
    python benchmarks/formats.py --tokens 20000             # does the harness still run?

A file's time is (load(gold, three) − load(gold, one)) ÷ 2. Labels are compared with the loop's.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import coleval
import plain
from generate import files
from measure import Target, corpus, in_turn, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

SYSTEMS = 3


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of both formats."""
    universal = corpus(asked, systems=SYSTEMS, task="dep")
    spaced = _spaced(corpus(asked, systems=SYSTEMS))
    return [
        *_figures("CoNLL-U", files(universal), plain.read_universal, asked.rounds, (30, 15, 3, 6),
                  row=3, task="tag"),
        *_figures("label last, runs of spaces", spaced, plain.read_spaced, asked.rounds,
                  (None, None, 2.5, 6), row=4, task="span"),
    ]  # fmt: skip


def _figures(
    name: str, paths: tuple[Path, dict[str, Path]], loop: Callable[[Path], list[str]],
    rounds: int, bounds: tuple[float | None, ...], *, row: int, task: str,
) -> list[Target]:  # fmt: skip
    gold, systems = paths
    first = dict(list(systems.items())[:1])
    load = partial(_load, gold, task=task)
    _compare(load(systems), gold, systems, loop)
    path = next(iter(first.values()))
    sides = {"all": lambda: load(systems), "first": lambda: load(first), "wc": lambda: _wc(path),
             "loop": lambda: loop(path)}  # fmt: skip
    seconds = in_turn(rounds, sides)
    every, one = min(seconds["all"]), min(seconds["first"])
    ours = (every - one) / (len(systems) - 1) if every > one else every / (1 + len(systems))
    wc, theirs = min(seconds["wc"]), min(seconds["loop"])
    must, stretch, least, most = bounds
    how = "(load(gold, 3) − load(gold, 1)) ÷ 2, tokens and sentences checked, items made"
    return [
        Target(f"{name} ÷ wc -l", ours, wc, ours / wc, must, how=how, samples=seconds,
               stretch=stretch, row=row),
        Target(f"plain loop ÷ {name}", ours, theirs, theirs / ours, least, at_least=True,
               how=f"{how}; the loop checks nothing", samples=seconds, stretch=most, row=row),
    ]  # fmt: skip


def _load(gold: Path, systems: dict[str, Path], *, task: str) -> Any:
    return coleval.load(str(gold), {n: str(p) for n, p in systems.items()}, task=task)


def _wc(path: Path) -> None:
    subprocess.run(["wc", "-l", str(path)], check=True, stdout=subprocess.DEVNULL)


def _compare(
    found: Any, gold: Path, systems: dict[str, Path], loop: Callable[[Path], list[str]]
) -> None:
    """Leave if a label is not the loop's."""
    frame = found.at("token").frame([])
    for name, path in {"gold": gold, **systems}.items():
        ours = frame[name].cast(str).fill_null("O").to_list()
        if ours != loop(path):
            sys.exit(f"benchmarks: coleval and the loop read {path.name} differently")


def _spaced(directory: Path) -> tuple[Path, dict[str, Path]]:
    """Return the files with two columns more and runs of spaces between, made if need be."""
    gold, systems = files(directory)
    place = directory / "spaced"
    place.mkdir(exist_ok=True)
    for path in (gold, *systems.values()):
        target = place / path.name
        if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
            text = path.read_text(encoding="utf-8").replace("\t", "  XX   I-NP ")
            target.write_text(text, encoding="utf-8", newline="\n")
    return place / gold.name, {name: place / path.name for name, path in systems.items()}


if __name__ == "__main__":
    main(__doc__, targets, systems=SYSTEMS)
