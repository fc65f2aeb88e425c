"""The second stage of ``tests.fuzz.mutate`` alone: what survived once meets slower tests.

``python -m tests.fuzz.again --hits HITS.json SAID.txt …`` reads the diffs that runs of
``tests.fuzz.mutate`` printed and runs, for each change, the tests of the module's own files, then
all others that call the function, until one fails or so many seconds are over. With ``--tests`` it
is all tests of those files instead: do new tests notice what old ones did not?
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings
from tests.fuzz.mutate import ROOT, TESTS, _about, _difference, _key, fate_of, mutants

if TYPE_CHECKING:
    from tests.fuzz.mutate import Hits, Mutant


def survivors(texts: list[str]) -> list[Mutant]:
    """Return the changes whose diffs were printed."""
    said = "\n".join(texts)
    names = {line.split()[1].split(":")[0] for line in said.split("\n") if line[:9] == "SURVIVED "}
    every = [one for module in TESTS if module in names for one in mutants(module)]
    return [one for one in every if f"SURVIVED {_difference(one).rstrip()}" in said]


def later(mutant: Mutant, hits: Hits) -> list[str]:
    """Return the tests of a second stage: those about the module first, then the quickest."""
    key = _key(mutant, hits)
    every = [name for _, name in hits[key]] if key else []
    about = _about(mutant, hits)
    known = set(about)
    return about + [name for name in every if name not in known]


class Again:
    """A plugin of pytest that gives each change its slower tests."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        hits = json.loads(self.given.hits.read_text())
        items = {item.nodeid: item for item in session.items}
        for one in survivors([path.read_text() for path in self.given.said]):
            names = items if self.given.tests else later(one, hits)
            tests = [items[name] for name in names if name in items]
            start = time.monotonic()
            fate = fate_of(one, tests, self.given.seconds) if tests else "no tests"
            took = time.monotonic() - start
            print(f"{fate.upper()} ({len(tests)} tests, {took:.0f} s) {_difference(one)}", flush=True)  # fmt: skip
        return True


def main() -> int:
    """Print what became of each change."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.again", description=__doc__)
    parser.add_argument("said", nargs="+", type=Path, help="what `tests.fuzz.mutate` printed")
    parser.add_argument("--hits", type=Path, required=True, help="what `tests.fuzz.tracing` wrote")
    parser.add_argument("--seconds", type=float, default=10, help="of the processor, a change")
    parser.add_argument("--tests", nargs="*", default=[], help="all of these files instead")
    given = parser.parse_args()
    os.chdir(ROOT)
    settings.register_profile(
        "mutate", phases=(Phase.explicit, Phase.generate), database=None, derandomize=True
    )
    settings.load_profile("mutate")
    hits = json.loads(given.hits.read_text())
    files = given.tests or sorted(
        {name.split("::")[0] for found in hits.values() for _, name in found}
    )
    return int(pytest.main([*files, "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
                            "-W", "ignore::pytest.PytestAssertRewriteWarning",
                            f"--basetemp=/tmp/mutate.{os.getpid()}"], plugins=[Again(given)]))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
