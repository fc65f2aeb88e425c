"""The rows of PERFORMANCE.md §8, and 21 to 30: must, stretch, measured here, reached.

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

from measure import HERE, Target, begin, main, skipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

# Rows 1 to 20 are of PERFORMANCE.md, the others of what users still waited for.
ROWS = range(1, 31)
# So many times the tokens have the documents of coreference: 10,000 of 1,000.
COREF = 5
# What each script is beside the common options; {reference} is the folder of FairEval.
SCRIPTS: dict[str, tuple[str, ...]] = {
    "foundation": ("--rounds", "3"),
    "formats": (),
    "sequences": (),
    "bins": ("--rounds", "7"),
    "changes": (),
    "spans": (),
    "errors": ("--measured", "3"),
    "buckets": (),
    "compare": (),
    "reports": (),
    "queries": ("--rounds", "3"),
    "grids": ("--rounds", "2"),
    "memory": ("--rounds", "2", "--out-of-core", "0x0"),
    "logs": (),
    "scale": ("--rounds", "3", "--budget", "0"),
    "crowds": ("--rounds", "3"),
    "many_pairs": ("--rounds", "3"),
    "dep": ("--rounds", "5"),
    "coref": (),
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
    if name == "errors" and asked.faireval:
        own = (*own, "--reference", str(asked.faireval))
    if name in ("dep", "grids"):
        own = (*own, "--ud", str(asked.ud)) if getattr(asked, "ud", None) else own
    if name == "grids":
        own = (*own, "--conll18", str(asked.conll18)) if getattr(asked, "conll18", None) else own
    if name == "coref":
        own = (*own, "--tokens", str(COREF * asked.tokens), "--rounds", "3")
        own = (*own, "--coval", str(asked.coval)) if asked.coval else own
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [sys.executable, str(HERE / f"{name}.py"), *words, *own, *more, "-o", str(result)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return [target(plain) for plain in json.loads(result.read_text("utf-8"))["targets"]]


def target(plain: dict[str, Any]) -> Target:
    """Return a figure from what JSON says of it."""
    return Target(**{f.name: plain[f.name] for f in fields(Target)})


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--faireval", type=Path, help="the folder of FairEval.py, for row 13")
    parser.add_argument("--coval", type=Path, help="the folder of CoVal, for row 24")
    parser.add_argument("--ud", type=Path, help="conll18_ud_eval.py, for rows 21 and 22")
    parser.add_argument("--conll18", type=Path, help="gold/ and systems/TEAM/, for row 22")
    parser.add_argument("--only", nargs="+", choices=list(SCRIPTS), help="only these scripts")


if __name__ == "__main__":
    main(__doc__, targets, _options)
