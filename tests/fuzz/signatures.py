"""Signatures: of two runs of a command, other tables have another one; a run again has its own."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.errors import ColevalError
from fuzz.model import Harness
from test_option_effects import BESIDE, FASTER, KINDS, READING, ROWS, corpora_in, values_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from random import Random

# So many runs of one command are held against each other: 45 pairs.
_RUNS = 10


def _case(random: Random, folder: Path) -> None:
    kind = random.choice(KINDS)
    gold, systems, reading = corpora_in(folder)[kind]
    command = random.choice([name for name in ANALYSES if name != "sql"])
    runs = []
    while len(runs) < _RUNS:
        read = {**reading, **_drawn(random, READING, random.choice((0, 0, 1, 2)))}
        asked = _asked(random, kind, command)
        found = _run(gold, systems, read, command, asked)
        again = _run(gold, systems, read, command, asked)
        assert found == again, f"{command} {read} {asked}: twice, and not the same"
        runs.append((found, read, asked))
    for (one, *first), (other, *second) in combinations(runs, 2):
        if one is not None and other is not None and one[1] != other[1]:
            assert one[0] != other[0], f"{command}: {first} and {second} are {one[0]}"


def _drawn(random: Random, values: Mapping[str, list[Any]], number: int) -> dict[str, Any]:
    names = random.sample([name for name in values if values[name]], number)
    return {name: random.choice(values[name]) for name in names}


def _asked(random: Random, kind: str, command: str) -> dict[str, Any]:
    known = {name: values for name, values in values_for(kind).items()
             if name in ANALYSES[command].declared}  # fmt: skip
    asked = FASTER.get(command, {}) | (ROWS if command == "pivot" else {})
    for name, value in _drawn(random, known, random.choice((0, 1, 1, 2))).items():
        asked |= {**BESIDE.get((command, name), {}), name: value}
    return asked


def _run(
    gold: Any, systems: Any, reading: Mapping[str, Any], command: str, asked: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]] | None:
    """Return the signature and the tables of a run, None if it is refused."""
    try:
        corpus = coleval.load(gold, systems, **reading)
        report = getattr(corpus, ANALYSES[command].called)(**asked)
    except ColevalError:
        return None
    tables = {name: (table.columns, repr(table.rows())) for name, table in report.tables.items()}
    return report.signature, tables


HARNESSES = (Harness("signatures", "one signature, the same tables", _case, in_ci=4, seconds=300),)
