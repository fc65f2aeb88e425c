"""The table of PERFORMANCE.md §8, row by row: what has to be reached, and what is measured here.

    python benchmarks/limits.py                                  # 2M tokens × 24 systems, ~10 min
    python benchmarks/limits.py --tokens 20000 --systems 3       # does the harness still run?

Each row is measured by a script of its own in a process of its own, one after the other; this one
starts them and puts their figures in order. What stands on no row is in the scripts' own output.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import HERE, LEAST, Target, begin, main, skipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

# The rows of the table, counted from 1.
ROWS = range(1, 20)
# Folders and files of peers that were fetched.
PATHS = ("faireval", "compareval", "coval", "ud")
# What each script is given beside the common options.
SCRIPTS: dict[str, tuple[str, ...]] = {
    "foundation": ("--rounds", "3"),
    "bins": ("--rounds", "7"),
    "changes": (),
    "compare": (),
    "reports": (),
    "memory": ("--rounds", "2"),
    "logs": (),
    "scale": ("--rounds", "3", "--budget", "0"),
    "crowds": ("--rounds", "3"),
    "peers": (),
}


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return every figure that stands on a row, in the order of the rows."""
    found = [target for name in asked.only or SCRIPTS for target in measured(asked, name)]
    return in_order(found, whole=not asked.only)


def in_order(found: Iterable[Target], *, whole: bool = True) -> list[Target]:
    """Return the figures by row; a row that nothing was measured for is skipped, not forgotten."""
    rows = [target for target in found if target.row]
    there = {target.row for target in rows}
    missing = [skipped("nothing was measured", "see its script", row=row)
               for row in ROWS if whole and row not in there]  # fmt: skip
    return sorted([*rows, *missing], key=lambda target: target.row)


def measured(asked: argparse.Namespace, name: str, *more: str) -> list[Target]:
    """Return what a script measured in a process of its own."""
    begin(f"{name}.py")
    words = ["--tokens", str(asked.tokens), "--systems", str(asked.systems)]
    words += ["--rounds", str(asked.rounds)] + (["--data", str(asked.data)] if asked.data else [])
    own = SCRIPTS.get(name, ())
    if getattr(asked, "quick", False):
        own = tuple("1" if before == "--rounds" else word
                    for before, word in zip(("", *own), own, strict=False))  # fmt: skip
    if name == "memory" and asked.tokens < LEAST:
        own = (*own, "--out-of-core", "0x0")
    if name == "peers":
        own = (*own, *(word for path in PATHS if (given := getattr(asked, path))
                       for word in (f"--{path}", str(given))))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [sys.executable, str(HERE / f"{name}.py"), *words, *own, *more, "-o", str(result)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return [target(plain) for plain in json.loads(result.read_text("utf-8"))["targets"]]


def target(plain: dict[str, Any]) -> Target:
    """Return a figure from what JSON says of it."""
    return Target(**{f.name: plain[f.name] for f in fields(Target)})


def _options(parser: argparse.ArgumentParser) -> None:
    for name in PATHS:
        parser.add_argument(f"--{name}", type=Path, help="see peers.py --help")
    parser.add_argument("--only", nargs="+", choices=list(SCRIPTS), help="only these scripts")


if __name__ == "__main__":
    main(__doc__, targets, _options)
