"""Everything in one run, at a size of your choice: the table of limits and what stands beside it.

    python benchmarks/suite.py --size small      # under two minutes
    python benchmarks/suite.py --size medium     # a quarter of an hour
    python benchmarks/suite.py --size full       # an hour or so, 40 GB of disk
    python benchmarks/suite.py --size full --faireval DIR --compareval DIR --coval DIR --ud FILE

Writes results-SIZE.json (versions, machine, date, every sample) and RESULTS.md beside it, and
prints the summary. Answers are compared before any time is told; where they differ there are no
figures of that script, and the run leaves with 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from limits import PATHS, SCRIPTS, in_order, measured
from measure import HERE, Target, machine, skipped
from results import written
from showing import machine_line, table

FAILED = "it ended with an error: see what it printed"


@dataclass(frozen=True, slots=True)
class Size:
    """How large a run is; ``budget`` is what growth may take, in seconds."""

    tokens: int
    systems: int
    rounds: int
    budget: int
    out_of_core: str
    sample: int
    quick: bool = False


SIZES = {
    "tiny": Size(1_000, 3, 1, 0, "0x0", 500, quick=True),
    "small": Size(20_000, 4, 1, 5, "40000x6", 10_000, quick=True),
    "medium": Size(500_000, 12, 3, 120, "2000000x24", 100_000),
    "full": Size(2_000_000, 24, 5, 900, "20000000x50", 200_000),
}


def main() -> None:
    """Run all parts, write the results, and show them."""
    asked = _arguments()
    size, start = SIZES[asked.size], perf_counter()
    size = size if asked.budget is None else replace(size, budget=asked.budget)
    common = argparse.Namespace(**vars(asked), **{n: getattr(size, n) for n in _COMMON})
    rows = [t for name in SCRIPTS for t in _of(common, name, *_more(name, size))]
    parts = {
        "limits": in_order(rows),
        "beside them": [target for target in rows if not target.row],
    }
    result = _result(asked.size, size, parts, perf_counter() - start)
    asked.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    (asked.output / f"results-{asked.size}.json").write_text(text, encoding="utf-8")
    (asked.output / "RESULTS.md").write_text(written(result), encoding="utf-8")
    _show(result)
    if any(target.skipped == FAILED for targets in parts.values() for target in targets):
        sys.exit(1)


def _named(words: list[str]) -> list[str]:
    """Return the words of a command with a name where a path of this machine stands."""
    paths = {f"--{name}": name.upper() for name in (*PATHS, "data", "output")}
    return [paths.get(before, word) for before, word in zip(["", *words], words, strict=False)]


def _of(common: argparse.Namespace, name: str, *more: str) -> list[Target]:
    """Return what a script measured; one that fails is named, and the others go on."""
    try:
        return measured(common, name, *more)
    except subprocess.CalledProcessError:
        return [skipped(f"{name}.py", FAILED)]


_COMMON = ("tokens", "systems", "rounds", "quick")


def _more(name: str, size: Size) -> tuple[str, ...]:
    """Return the options in which sizes differ; the last of two equal options holds."""
    return {
        "memory": ("--out-of-core", size.out_of_core),
        "scale": ("--budget", str(size.budget)),
        "peers": ("--sample", str(size.sample)),
    }.get(name, ())


def _result(
    name: str, size: Size, parts: dict[str, list[Target]], seconds: float
) -> dict[str, Any]:
    return {
        "size": name,
        "tokens": size.tokens,
        "systems": size.systems,
        "rounds": size.rounds,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds),
        "command": " ".join(["python", "benchmarks/suite.py", *_named(sys.argv[1:])]),
        "machine": machine(),
        "parts": {part: [t.plain(size.tokens) for t in targets] for part, targets in parts.items()},
    }


def _show(result: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    for part, targets in result["parts"].items():
        console.print(table(part, targets))
    console.print(machine_line(result["machine"]), highlight=False, markup=False)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--size", choices=list(SIZES), default="small")
    add("--data", type=Path, help="where the corpora are or go (default benchmarks/data)")
    add("-o", "--output", type=Path, default=HERE, help="the folder of the results")
    add("--budget", type=int, metavar="SECONDS", help="what growth may take (default: by size)")
    for name in PATHS:
        add(f"--{name}", type=Path, help="see peers.py --help")
    return parser.parse_args()


if __name__ == "__main__":
    main()
