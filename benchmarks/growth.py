"""How each analysis grows along each axis: fitted slopes of processor time, and cliffs.

    python benchmarks/growth.py --budget 600               # seconds for all; axes in turn
    python benchmarks/growth.py --axes labels,star --only score,bins --small 4

A size of an axis is a process of its own: it writes the files, runs every analysis on a tiny
corpus, so that nothing is imported later, loads the files into a store, and opens that anew for
each analysis. Told are processor seconds, all threads together, and the peak above what was there
before. A slope is that of log seconds on log size over the sizes that take a twentieth of a second;
a cliff is a step from one size to the next whose own slope is above 1.5. ``--small`` divides sizes.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
from functools import partial
from math import log
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from growth_axes import AXES, TINY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ANALYSES: Mapping[str, dict[str, Any]] = {
    "score": {}, "bins": {}, "confusion": {}, "oracle": {}, "errors": {}, "buckets": {},
    "pivot": {"find": "first"}, "examples": {}, "item_statistics": {}, "audit": {}, "show": {},
    "compare": {"replicates": 20}, "changes": {}, "report": {},
}  # fmt: skip
LEAST, CLIFF = 0.05, 1.5
# What takes more addresses than this is told as an error, before the machine has no memory left.
_MOST = 10**10
Measured = dict[str, tuple[float, float]]


def main() -> int:
    """Print a table for each axis; return 1 if there is a cliff."""
    asked = _arguments()
    if asked.worker:
        print(json.dumps(_worked(asked.worker, asked.size, asked.only, asked.patience)))
        return 0
    begun, cliffs = perf_counter(), 0
    for name in asked.axes.split(",") if asked.axes else AXES:
        sizes = [max(1, size // asked.small) for size in AXES[name].sizes]
        found: dict[int, Measured] = {}
        for size in dict.fromkeys(sizes):
            if perf_counter() - begun > asked.budget and len(found) > 1:
                print(f"{name}: {size:,} and more are left out: --budget {asked.budget:g}")
                break
            found[size] = _apart(name, size, asked)
        cliffs += shown(name, AXES[name].what, found)
    return 1 if cliffs else 0


def _apart(name: str, size: int, asked: argparse.Namespace) -> Measured:
    words = [sys.executable, __file__, "--worker", name, "--size", str(size), "--only", asked.only,
             "--patience", str(asked.patience)]  # fmt: skip
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    found: Measured = json.loads(done.stdout)
    return found


def _worked(axis: str, size: int, only: str, patience: float) -> Measured:
    """Return seconds and megabytes of loading and of each analysis, NaN where one gave up."""
    import coleval

    resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
    wanted = {n: o for n, o in ANALYSES.items() if not only or n in only.split(",")}
    made = AXES[axis]
    found: Measured = {}
    with tempfile.TemporaryDirectory() as folder:
        tiny, large = Path(folder, "tiny"), Path(folder, "large")
        for place, n in ((tiny, TINY), (large, size)):
            place.mkdir()
            inputs, options = made.make(place, n)
            store = str(place / "store")
            load = partial(coleval.load, *inputs, **options)
            if made.stored:
                found = {"load": _timed(patience, partial(_saved, load, store))}
            if made.stored and not Path(store).is_dir():
                return found | dict.fromkeys(wanted, (float("nan"), float("nan")))
            for name, given in wanted.items():
                corpus = coleval.open(store) if made.stored else load()
                own = {k: (corpus.systems[0],) if v == "first" else v for k, v in given.items()}
                run = partial(getattr(corpus, name), **own)
                found[name] = _timed(patience, partial(_all, run))
    return found


def _saved(load: Callable[[], Any], store: str) -> None:
    load().save(store)


def _all(run: Callable[[], Any]) -> None:
    """Make all tables, and what a screen shows of them."""
    report = run()
    for name in report.tables:
        report.table(name)
    str(report)


def _timed(patience: float, run: Callable[[], object]) -> tuple[float, float]:
    """Return processor seconds and megabytes above what was there; what is refused takes none."""
    before, begun = _memory("VmRSS"), process_time()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        run()
    except _TooLong:
        return float("nan"), float("nan")
    except MemoryError:
        return float("nan"), float("nan")
    except Exception as error:  # noqa: BLE001  - spans have no … and so on: that is no growth
        print(f"  {type(error).__name__}: {str(error)[:100]!r}", file=sys.stderr)
        return 0.0, 0.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return process_time() - begun, max(0.0, _memory("VmHWM") - before)


class _TooLong(BaseException):
    """An analysis has taken longer than anybody waits; no program takes it for its own error."""


def _late(*_: object) -> None:
    raise _TooLong


def _memory(name: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1e3
    return 0.0


def shown(axis: str, what: str, found: Mapping[int, Measured]) -> int:
    """Print the table of an axis; return how many cliffs it has."""
    sizes = list(found)
    print(f"\n{axis}: {what}\n| analysis | {' | '.join(f'{n:,}' for n in sizes)} | slope | MB |")
    print(f"| --- |{' ---: |' * (len(sizes) + 2)} ---")
    cliffs = 0
    for name in found[sizes[0]]:
        times = [found[n][name][0] for n in sizes]
        steps = local(sizes, times)
        steep = [f"{sizes[k]:,} → {sizes[k + 1]:,}: {s:.1f}" for k, s in steps if s > CLIFF]
        late = any(t != t for t in times)  # noqa: PLR0124  - what gave up is NaN
        cliffs += bool(steep) or late
        slope = slope_of(sizes, times)
        note = f" CLIFF {'; '.join(steep)}" * bool(steep) + " GAVE UP" * late
        cells = " | ".join(f"{t:.2f}" for t in times)
        print(f"| {name} | {cells} | {'' if slope is None else f'{slope:.2f}'} | "
              f"{found[sizes[-1]][name][1]:,.0f} |{note}", flush=True)  # fmt: skip
    return cliffs


def local(sizes: Sequence[int], seconds: Sequence[float]) -> list[tuple[int, float]]:
    """Return the slope of each step that begins with time enough to be measured."""
    return [
        (k, log(seconds[k + 1] / seconds[k]) / log(sizes[k + 1] / sizes[k]))
        for k in range(len(sizes) - 1)
        if seconds[k] >= LEAST and seconds[k + 1] >= LEAST
    ]


def slope_of(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """Return the slope of log seconds on log size, None of fewer than two points."""
    points = [(log(n), log(t)) for n, t in zip(sizes, seconds, strict=True) if t >= LEAST]
    if len(points) < 2:
        return None
    x, y = (sum(side) / len(points) for side in zip(*points, strict=True))
    below = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / below


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--axes", default="", help=f"some of {', '.join(AXES)}")
    add("--only", default="", help="some of the analyses, separated by commas")
    add("--small", type=int, default=1, help="divide all sizes by this")
    add("--budget", type=float, default=600, help="seconds for all (default 600)")
    add("--patience", type=float, default=60, help="seconds for one analysis (default 60)")
    add("--worker", default="", help=argparse.SUPPRESS)
    add("--size", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
