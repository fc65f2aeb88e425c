"""How time and memory grow: the report from text over a grid of tokens and systems.

    python benchmarks/scale.py --budget 600                  # seconds; the grid from its small end
    python benchmarks/scale.py --tokens 20000 --systems 4    # tokens and systems up to these

Each point is a fresh process: reading and the whole report, after imports. The slopes are of
log seconds on log tokens and log systems, over the points above a tenth of a second. The
first two tell the growth; of the others those that do not fit the budget are named and left out.
"""

from __future__ import annotations

import argparse
import tempfile
from math import log
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from measure import HERE, Target, begin, corpus, main, work

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKENS = (100_000, 500_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000)
SYSTEMS = (4, 12, 24, 50, 100)
GROWTH = 5
# Making a corpus takes so many times as long as reporting on it.
_MAKING = 1.5

Point = tuple[int, int, float, int]


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return a figure a point, the growth at the systems asked for, and the slopes."""
    points, left = _measured(asked)
    return [*_growth(asked, points), *_slopes(points, left), *map(_told, points)]


def grid(asked: argparse.Namespace) -> list[tuple[int, int]]:
    """Return the points: first those that tell the growth, then the others by their size."""
    tokens = sorted({t for t in TOKENS if t <= asked.tokens * 10} | {asked.tokens})
    systems = sorted({s for s in SYSTEMS if s <= asked.systems * 5} | {asked.systems})
    first = [(asked.tokens, asked.systems), (GROWTH * asked.tokens, asked.systems)]
    rest = sorted(((t, s) for t in tokens for s in systems), key=lambda p: (p[0] * p[1], p))
    return list(dict.fromkeys([*first, *rest]))


def _measured(asked: argparse.Namespace) -> tuple[list[Point], list[str]]:
    points: list[Point] = []
    left: list[str] = []
    spent = 0.0
    for tokens, systems in grid(asked):
        name = f"{tokens:,} × {systems}"
        if len(points) > 1 and spent + _guess(points, tokens * systems) > asked.budget:
            left.append(name)
            continue
        begin(f"report of {name}")
        point, seconds = _point(asked, tokens, systems)
        points.append(point)
        spent += seconds
    return points, left


def _guess(points: Sequence[Point], cells: int) -> float:
    """Return the seconds a point may take, by the largest one that is known."""
    tokens, systems, seconds, _ = max(points, key=lambda p: p[0] * p[1])
    return (1 + _MAKING) * seconds * cells / (tokens * systems)


def _point(asked: argparse.Namespace, tokens: int, systems: int) -> tuple[Point, float]:
    start = perf_counter()
    place = asked.data or HERE / "data"
    with tempfile.TemporaryDirectory(dir=place if place.is_dir() else None) as folder:
        directory = _made(asked, tokens, systems, Path(folder))
        often = asked.rounds if tokens * systems <= 10**8 else 1
        runs = [work("report_text", directory) for _ in range(often)]
    least = min(run["seconds"] for run in runs)
    return (tokens, systems, least, max(r["peak"] for r in runs)), perf_counter() - start


def _made(asked: argparse.Namespace, tokens: int, systems: int, folder: Path) -> Path:
    """Return a corpus; those that only this grid has use are in a folder that is taken away."""
    kept = systems == asked.systems and tokens in {asked.tokens, GROWTH * asked.tokens}
    where = asked if kept else argparse.Namespace(**{**vars(asked), "data": folder})
    return corpus(where, tokens=tokens, systems=systems)


def _growth(asked: argparse.Namespace, points: Sequence[Point]) -> list[Target]:
    known = {(tokens, systems): seconds for tokens, systems, seconds, _ in points}
    large = known.get((GROWTH * asked.tokens, asked.systems))
    small = known[asked.tokens, asked.systems]
    if large is None:
        return []
    return [Target(f"report from text, {GROWTH} × the tokens", large, small, large / small, 6,
                   row=17, how=f"{asked.tokens:,} and {GROWTH} × as many tokens × "
                   f"{asked.systems}, fresh processes, after imports")]  # fmt: skip


def _slopes(points: Sequence[Point], left: Sequence[str]) -> list[Target]:
    rows = [p for p in points if p[2] > 0.1]
    if len({p[0] for p in rows}) < 2 or len({p[1] for p in rows}) < 2:
        return []
    tokens, systems = fitted(rows)
    how = f"least squares over {len(rows)} points" + (
        f"; left out: {', '.join(left)}" if left else "; none left out"
    )
    return [Target(f"slope over {name}", value, 1, value, unit="", how=how)
            for name, value in (("tokens", tokens), ("systems", systems))]  # fmt: skip


def fitted(points: Sequence[Point]) -> tuple[float, float]:
    """Return the slopes of log seconds on log tokens and log systems."""
    x, y = _centred([log(p[0]) for p in points]), _centred([log(p[1]) for p in points])
    z = _centred([log(p[2]) for p in points])
    xx, yy, xy, xz, yz = (_product(a, b) for a, b in ((x, x), (y, y), (x, y), (x, z), (y, z)))
    whole = xx * yy - xy * xy
    return (xz * yy - yz * xy) / whole, (yz * xx - xz * xy) / whole


def _centred(values: list[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def _product(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _told(point: Point) -> Target:
    """Return a point: millions of answers, seconds, millions a second."""
    tokens, systems, seconds, peak = point
    cells = tokens * systems
    return Target(f"{tokens:,} × {systems}", cells / 1e6, seconds, cells / 1e6 / seconds, unit="",
                  how=f"M answers, seconds, M answers/s; peak {peak / 2**20:,.0f} MiB, "
                  f"{peak / cells:.1f} bytes per token × system")  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=float, default=900, help="seconds for all (default 900)")


if __name__ == "__main__":
    main(__doc__, targets, _options, rounds=2)
