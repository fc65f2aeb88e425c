"""``python -m tests.fuzz --minutes 60 --seed 7 [--only NAME …] [--case N] [--keep DIR]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# The oracles lie beside this folder, and the harnesses are one package under pytest and here.
sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.model import Finding, Harness
from fuzz.registry import harnesses
from fuzz.running import finding_of, findings_for, shortened


def main(argv: list[str] | None = None) -> int:
    """Run harnesses for so many minutes altogether; return 1 if something was found."""
    given = _parser().parse_args(argv)
    every = harnesses()
    chosen = [every[name] for name in given.only or every]
    if given.list:
        print("\n".join(f"{one.name:24} {one.about}" for one in chosen))
        return 0
    if given.case is not None:
        return _again(chosen[0], given.seed, given.case, given.keep)
    seconds = 60 * given.minutes / len(chosen)
    found = [_run(one, given.seed, seconds, given.keep) for one in chosen]
    return 1 if any(found) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="for all harnesses together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", metavar="NAME", choices=harnesses())
    parser.add_argument("--case", type=int, help="run this case alone, and show its traceback")
    parser.add_argument("--keep", type=Path, help="where the files of failing cases are kept")
    parser.add_argument("--list", action="store_true", help="list the harnesses")
    return parser


def _again(harness: Harness, seed: int, number: int, keep: Path | None) -> int:
    found = finding_of(harness, seed, number, keep)
    print("holds" if found is None else found.trace)
    return 0 if found is None else 1


def _run(harness: Harness, seed: int, seconds: float, keep: Path | None) -> int:
    """Run a harness, print each kind of finding once, and return how many there were."""
    kinds: dict[str, int] = {}
    cases = 0
    for found in findings_for(harness, seed, seconds, keep):
        if isinstance(found, Finding):
            kind = found.error.splitlines()[0][:60]
            if kind not in kinds:
                print(f"  {found.again}\n    {shortened(found).error}", flush=True)
            kinds[kind] = kinds.get(kind, 0) + 1
        else:
            cases = found
    print(f"{harness.name:24} {cases:8,} cases  {sum(kinds.values()):6,} found", flush=True)
    return sum(kinds.values())


if __name__ == "__main__":
    sys.exit(main())
