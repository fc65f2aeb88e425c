"""The measurements that need a process of their own; prints one JSON object.

    python benchmarks/work.py first benchmarks/data/span-2000000x24-seed0

Answers are compared before any time is told. What is timed as "reading" stands in one place:
``read_systems``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate import files
from measure import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LOOPED = 3
READING = (
    "(load(gold, all) − load(gold, first)) × n / (n − 1): load builds the items too, "
    "so reading alone is less"
)


def read_systems(gold: Path, systems: Mapping[str, Path]) -> object:
    """Read gold and systems with the token and sentence checks, and whatever load does more."""
    import coleval

    return coleval.load(str(gold), _texts(systems), task="span")


def reading(directory: Path, rounds: int) -> dict[str, Any]:
    """Time reading all system files: coleval, ``wc -l``, and a plain loop over a few of them."""
    import plain

    gold, systems = files(directory)
    _compare_counts(gold, systems)
    first = dict(list(systems.items())[:1])
    looped = list(systems.values())[:LOOPED]
    seconds = in_turn(
        rounds,
        {
            "wc": lambda: _count_lines(systems),
            "all": lambda: read_systems(gold, systems),
            "first": lambda: read_systems(gold, first),
            "loop": lambda: [plain.read_codes(path, {}) for path in looped],
        },
    )
    return {"seconds": seconds, "looped": len(looped), "systems": len(systems), "how": READING}


def first(directory: Path) -> dict[str, Any]:
    """Time load and score from files, as a first run does, and tell the peak memory."""
    _import_all()
    gold, systems = files(directory)
    return _timed(lambda: _score(gold, systems))


def save(directory: Path, store: Path) -> dict[str, Any]:
    """Keep the corpus for ``again``; tells the bytes on disk."""
    _import_all()
    _keep(directory, store)
    return {"bytes": sum(path.stat().st_size for path in store.rglob("*") if path.is_file())}


def kept(directory: Path, rounds: int) -> dict[str, Any]:
    """Time reading with all items made, and what ``coleval load`` does: reading into a store."""
    import tempfile

    _import_all()
    import coleval
    from coleval.bench.running import touched

    gold, systems = files(directory)
    with tempfile.TemporaryDirectory(dir=directory) as parent:
        places = iter(range(rounds))
        seconds = in_turn(
            rounds,
            {
                "read": lambda: touched(coleval.load(str(gold), _texts(systems), task="span")),
                "load": lambda: _keep(directory, Path(parent, f"{next(places)}")),
            },
        )
    return {"seconds": seconds}


def _keep(directory: Path, store: Path) -> object:
    """Load to a store as the command does: sources are hashed while they are read."""
    from dataclasses import replace

    from coleval.loading.loading import inputs_of, load_inputs, reading_of
    from coleval.store.writing import write

    gold, systems = files(directory)
    options = {"task": "span"}
    inputs: Any = inputs_of(str(gold), _texts(systems), reading_of(options))
    return write(load_inputs(replace(inputs, hashed=True), options), store)


def again(store: Path) -> dict[str, Any]:
    """Time opening the store and scoring, as every later run does."""
    _import_all()
    import coleval

    return _timed(lambda: _tables(coleval.open(str(store)).score()))


def report_text(directory: Path) -> dict[str, Any]:
    """Time the whole report from files: reading, then every analysis."""
    _import_all()
    import coleval

    gold, systems = files(directory)
    return _timed(lambda: _whole(coleval.load(str(gold), _texts(systems), task="span").report()))


def report_store(store: Path) -> dict[str, Any]:
    """Time the whole report from a store."""
    _import_all()
    import coleval

    return _timed(lambda: _whole(coleval.open(str(store)).report()))


def fastest(directory: Path, rounds: int) -> dict[str, Any]:
    """Time the readers of PERFORMANCE.md §1 over the system files, and ours."""
    import fast_readers

    gold, systems = files(directory)
    return {"seconds": in_turn(rounds, fast_readers.sides(gold, list(systems.values())))}


def _whole(report: Any) -> dict[str, Any]:
    """Return a digest of every table, for whole numbers and texts exact, and how many rows."""
    from hashlib import sha256

    import polars as pl

    exact = (pl.String, pl.Boolean)
    return {
        name: sha256(
            frame.select(
                pl.col(c) for c, kind in frame.schema.items() if kind.is_integer() or kind in exact
            ).write_json().encode()
        ).hexdigest()[:16]
        for name, frame in report.tables.items()
    }  # fmt: skip


def _timed(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    from resource import RUSAGE_SELF, getrusage

    tables: list[dict[str, Any]] = []
    seconds = in_turn(1, {"run": lambda: tables.append(run())})["run"][0]
    peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "peak": peak, "tables": tables[0]}


def _import_all() -> None:
    """Import what a run needs: start-up is told apart, by the wall time of the process."""
    import duckdb  # noqa: F401
    import numpy as np  # noqa: F401
    import polars as pl  # noqa: F401
    import pyarrow as pa  # noqa: F401

    import coleval

    _ = coleval.load, coleval.open


def _score(gold: Path, systems: Mapping[str, Path]) -> dict[str, Any]:
    import coleval

    return _tables(coleval.load(str(gold), _texts(systems), task="span").score())


def _tables(report: Any) -> dict[str, Any]:
    return {name: report.tables[name].to_dicts() for name in ("overall", "labels")}


def _texts(systems: Mapping[str, Path]) -> dict[str, str]:
    return {name: str(path) for name, path in systems.items()}


def _count_lines(systems: Mapping[str, Path]) -> None:
    subprocess.run(["wc", "-l", *_texts(systems).values()], check=True, stdout=subprocess.DEVNULL)


def _compare_counts(gold: Path, systems: Mapping[str, Path]) -> None:
    import plain

    rows = _score(gold, systems)["overall"]
    ours = {row["system"]: (row["tp"], row["fp"], row["fn"]) for row in rows}
    theirs = plain.span_counts(gold, systems)
    if ours != theirs:
        differ = {name: (ours.get(name), theirs[name]) for name in theirs}
        sys.exit(f"tp, fp, fn differ (coleval, plain loop): {differ}")


def main() -> None:
    """Run the measurement that is named first, with the arguments after it."""
    known: dict[str, Any] = {
        "reading": reading,
        "first": first,
        "save": save,
        "again": again,
        "kept": kept,
    }
    known |= {"report_text": report_text, "report_store": report_store, "fastest": fastest}
    name, *arguments = sys.argv[1:]
    values = [int(text) if text.isdigit() else Path(text) for text in arguments]
    print(json.dumps(known[name](*values)))


if __name__ == "__main__":
    main()
