"""What Spark costs beside one machine, and what a cluster would take: a model and its misses.

    python benchmarks/spark.py                           # a few minutes on two cores
    python benchmarks/spark.py --tokens 2000000 20000000 --systems 24 50

A standalone master and two workers of one core on 127.0.0.1 count ``bins`` and ``confusion`` of a
store, cut into more and more parts; this process counts the same with two threads.
Tables are compared before a time is told. Core seconds are those of all processes of the cluster
and of this one: other programs on the machine change them less than the time that passes.

The model is core seconds = a + b × parts + c × tokens × systems, without negative costs. One size
in four is held out of it, and what it says of these is compared with what was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import numpy as np
import polars as pl

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import coleval
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items
from coleval.corpus.options import Reading
from coleval.corpus.spread import spread_over
from coleval.counts import spark
from coleval.counts.spark import SparkRunner, session_of
from coleval.counts.spark_tasks import unpacked
from coleval.store import tables as stored_tables
from spark_cluster import Cluster, children, cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LABELS = tuple("ABCDEFGHIJ")
ASKED = ("bins", "confusion")
# Items of a row group: the smallest part there can be.
_ROWS = 1 << 16
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Point:
    """One size in so many parts: seconds, core seconds, bytes shuffled or brought to the driver."""

    tokens: int
    systems: int
    parts: int
    seconds: float
    core: float
    moved: int

    @property
    def cells(self) -> int:
        """Return how many answers there are, and gold's are not among them."""
        return self.tokens * self.systems


def store_of(folder: Path, tokens: int, systems: int) -> Path:
    """Write a store of random tags; a tenth of each system's answers are wrong."""
    rng = np.random.default_rng(1)
    gold = rng.integers(1, len(LABELS) + 1, tokens, dtype=np.uint8)
    answers = {}
    for k in range(systems):
        own = gold.copy()
        rows = rng.integers(0, tokens, tokens // 10)
        own[rows] = rng.integers(1, len(LABELS) + 1, len(rows), dtype=np.uint8)
        answers[f"s{k:03d}"] = own
    sentence = np.arange(tokens, dtype=np.uint32) // 20
    context = pl.DataFrame({"sentence": sentence})
    items = Items("token", context, LABELS, gold, answers, empty_is_answer=True,
                  group="sentence", group_count=int(sentence[-1]) + 1)  # fmt: skip
    entries = tuple(Entry(name, Origin("<made>")) for name in answers)
    corpus = Corpus("tag", Reading(task="tag"), Entry("", Origin("<made>")), entries,
                    {"token": items})  # fmt: skip
    return corpus.save(folder / f"{tokens}-{systems}")


_spent: dict[int, float] = {}


def core_seconds(roots: Sequence[int]) -> float:
    """Return what some processes, and all that they have begun, have spent so far.

    What those that have ended spent is remembered from when they were last looked at.
    """
    for process in roots:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            _spent[process] = sum(map(int, fields[11:13])) / _TICKS
            core_seconds(children(process))
        except OSError:
            continue
    return sum(_spent.values())


_brought: list[int] = []


def _noted(text: bytes) -> Any:
    _brought.append(len(text))
    return unpacked(text)


def moved(session: Any) -> int:
    """Return the bytes that all stages have shuffled so far, and those of counts brought here."""
    context = session.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urlopen(address, timeout=30) as answer:  # noqa: S310  - it is the session's own page
        stages = json.load(answer)
    return sum(_brought) + sum(stage["shuffleWriteBytes"] for stage in stages)


def counted(corpus: Corpus) -> list[pl.DataFrame]:
    """Return the tables that are asked for."""
    return [getattr(corpus, name)()[name] for name in ASKED]


def local(store: Path) -> tuple[list[pl.DataFrame], float, float]:
    """Return the tables that this process counts, its seconds and its core seconds."""
    begun, before = perf_counter(), sum(os.times()[:2])
    tables = counted(coleval.open(store))
    return tables, perf_counter() - begun, sum(os.times()[:2]) - before


def points(
    running: Cluster, session: Any, store: Path, size: tuple[int, int], expected: list[pl.DataFrame]
) -> Iterator[Point]:
    """Yield what the cluster takes for one size in more and more parts."""
    processes = [os.getpid(), *(worker.pid for worker in running.workers)]
    tokens, systems = size
    seen = set()
    for rows in (tokens, tokens // 4, 1):
        corpus = coleval.open(store)
        assert corpus.source is not None  # noqa: S101  - it was opened from a store
        parts = corpus.source.parts(max(rows, 1))
        if len(parts) in seen:
            continue
        seen.add(len(parts))
        far = spread_over(corpus, SparkRunner(session), parts)
        begun, before, bytes_ = perf_counter(), core_seconds(processes), moved(session)
        tables = counted(far)
        seconds, core = perf_counter() - begun, core_seconds(processes) - before
        for one, other in zip(expected, tables, strict=True):
            if not one.equals(other):
                raise SystemExit(f"{tokens:,} × {systems}: the cluster counts otherwise")
        yield Point(tokens, systems, len(parts), seconds, core, moved(session) - bytes_)


def model(found: Sequence[Point]) -> np.ndarray:
    """Return the fixed cost, the cost of a part and that of a token of a system."""
    from scipy.optimize import nnls

    rows = np.array([_row(one) for one in found])
    core = np.array([one.core for one in found])
    # Each point counts by how far off it is in proportion to itself.
    return nnls(rows / core[:, None], np.ones(len(core)))[0]


def _row(one: Point) -> list[float]:
    return [1.0, float(one.parts), float(one.cells)]


def told(found: Sequence[Point], alone: dict[tuple[int, int], tuple[float, float]]) -> None:
    """Print every point beside what one process takes."""
    print(f"{'tokens':>12} {'systems':>8} {'parts':>6} {'seconds':>8} {'core s':>8} "
          f"{'÷ local':>8} {'core ÷':>7} {'bytes':>9}")  # fmt: skip
    for one in found:
        seconds, core = alone[one.tokens, one.systems]
        print(f"{one.tokens:>12,} {one.systems:>8} {one.parts:>6} {one.seconds:>8.2f} "
              f"{one.core:>8.2f} {one.seconds / seconds:>8.1f} {one.core / core:>7.1f} "
              f"{one.moved:>9,}")  # fmt: skip


def checked(found: Sequence[Point]) -> None:
    """Print the model, how far it is off where it was not fitted, and what it says of a task."""
    sizes = sorted({one.cells for one in found})
    out = set(sizes[2::4])
    fitted = [one for one in found if one.cells not in out]
    a, b, c = cost = model(fitted)
    print(f"core seconds = {a:.2f} + {b:.3f} × parts + {c * 1e9:.2f} ns × tokens × systems")
    for one in (one for one in found if one.cells in out):
        said = float(np.dot(_row(one), cost))
        print(f"held out: {one.tokens:,} × {one.systems} in {one.parts} parts: "
              f"{said:.2f} said, {one.core:.2f} measured ({said / one.core - 1:+.0%})")  # fmt: skip
    parts, cells = 10**10 / (1 << 22), 10**12
    core = a + b * parts + c * cells
    hours, minutes = core / 3600, core / 256 / 60
    print(f"10^10 tokens × 100 systems in {parts:,.0f} parts: {hours:.1f} core hours, on 256 cores "
          f"{minutes:.1f} minutes at best (a model, measured on two cores)")  # fmt: skip


def main() -> None:
    """Measure all sizes, and print what they say."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--tokens", type=int, nargs="+", default=[250_000, 1_000_000, 2_000_000])
    asked.add_argument("--systems", type=int, nargs="+", default=[8, 24])
    given = asked.parse_args()
    stored_tables.ROWS, vars(spark)["unpacked"] = _ROWS, _noted
    found: list[Point] = []
    alone: dict[tuple[int, int], tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as running:
        for name in ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"):
            os.environ[name] = running.environment[name]
        session = session_of(running.url)
        counted(coleval.open(store_of(Path(folder), 1_000, 2), engine=session))
        for size in ((t, s) for t in given.tokens for s in given.systems):
            store = store_of(Path(folder), *size)
            tables, *alone[size] = local(store)  # type: ignore[assignment]
            found += points(running, session, store, size, tables)
            told(found[-4:], alone)
        session.stop()
    print()
    told(found, alone)
    checked(found)


if __name__ == "__main__":
    main()
