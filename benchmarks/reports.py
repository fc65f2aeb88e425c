"""The whole report, end to end: from text, from the store, and of a small corpus.

    python benchmarks/reports.py                                 # 2M tokens × 24 systems
    python benchmarks/reports.py --tokens 20000 --systems 3      # does the harness still run?

Every run is a process of its own; the tables of text and store must be the same, to the last
whole number. The other side is reading the same system files with the readers of PERFORMANCE.md §1.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from foundation import compiled
from generate import files
from measure import Target, begin, command, corpus, in_turn, least, main, whole, work

if TYPE_CHECKING:
    import argparse

SMALL = 50_000
FASTEST = ("polars, tokens checked", "polars collect_all, no check")


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of the report at the full and at a small size."""
    directory = corpus(asked)
    return [*_whole(directory, asked.rounds), *_small(asked)]


def _whole(directory: Path, rounds: int) -> list[Target]:
    begin("report from text and from the store, in turn")
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        store = Path(folder, "store")
        work("save", directory, store)
        pairs = [(work("report_text", directory), work("report_store", store))
                 for _ in range(rounds)]  # fmt: skip
    if any(run["tables"] != pairs[0][0]["tables"] for pair in pairs for run in pair):
        sys.exit("benchmarks: the store's report is not the files'")
    seconds = {
        "text": [text["seconds"] for text, _ in pairs],
        "store": [store["seconds"] for _, store in pairs],
        **work("fastest", directory, rounds)["seconds"],
    }
    how = "after imports; every chapter, 1,000 replicates; the reader reads the system files alone"
    return [
        least("report from store ÷ report from text", seconds, "store", "text", 0.5, row=8,
              how="each in fresh processes, after imports"),
        *(least(f"report from text ÷ {name}", seconds, "text", name,
                2.4 if name == FASTEST[0] else None,
                row=7 * (name == FASTEST[0]), how=how) for name in FASTEST),
    ]  # fmt: skip


def _small(asked: argparse.Namespace) -> list[Target]:
    tokens = min(SMALL, asked.tokens)
    begin(f"report of {tokens:,} tokens, whole processes")
    compiled()
    gold, systems = files(corpus(asked, tokens=tokens))
    with tempfile.TemporaryDirectory() as folder:
        store, out = Path(folder, "store"), ["--quiet", "-o", Path(folder, "report.json")]
        whole(command("load", gold, *systems.values(), "--quiet", "-o", store))
        sides = {
            "text": lambda: whole(command("report", gold, *systems.values(), *out)),
            "store": lambda: whole(command("report", store, *out)),
            "bare": lambda: whole([sys.executable, "-c", "pass"]),
        }
        seconds = in_turn(asked.rounds, sides)
    name = f"report of {tokens // 1000}k × {asked.systems}"
    return [
        least(f"{name} from files ÷ bare Python", seconds, "text", "bare", 60, row=9,
              how="coleval report, whole processes, bytecode compiled, JSON written"),
        least(f"{name} from store ÷ bare Python", seconds, "store", "bare", 30, row=9,
              how="the same"),
    ]  # fmt: skip


if __name__ == "__main__":
    main(__doc__, targets)
