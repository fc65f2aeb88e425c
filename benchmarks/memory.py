"""Peak memory of whole processes, and a corpus that is larger than the memory it may use.

    python benchmarks/memory.py                                  # 2M and 10M × 24, then 20M × 50
    python benchmarks/memory.py --tokens 20000 --systems 3 --out-of-core 40000x4

A peak is ``ru_maxrss`` of the process that the command line starts, Python and libraries included,
measured from a parent that imports nothing. Out of core: ``coleval report STORE --memory 2GB`` has
to end, and at the small size its whole numbers have to be those of the run without a limit.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate import files
from measure import Target, begin, command, corpus, main, skipped, whole

if TYPE_CHECKING:
    import argparse

GROWTH = 5
LIMITS = ("200MB", "300MB", "400MB", "600MB", "1GB", "2GB")
_UNIT = {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return peaks at two sizes, in blocks, and out of core."""
    small, large = corpus(asked), corpus(asked, tokens=GROWTH * asked.tokens)
    return [
        _peak(asked, small, asked.tokens, 16),
        _peak(asked, large, GROWTH * asked.tokens, 9),
        *_limited(asked, small, large),
        *_out_of_core(asked),
    ]


def _peak(asked: argparse.Namespace, directory: Path, tokens: int, must: float) -> Target:
    begin(f"peak of the report of {tokens:,} tokens from text")
    gold, systems = files(directory)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "report.json")
        run = command("report", gold, *systems.values(), "--quiet", "-o", out)
        runs = [whole(run) for _ in range(min(2, asked.rounds))]
    cells, peak = tokens * asked.systems, max(peak for _, peak in runs)
    return Target(
        f"peak of report from text, {_short(tokens)} × {asked.systems}", peak, cells, peak / cells,
        must, "B", row=16,
        how=f"bytes per token × system, the largest of {len(runs)}; "
        f"{min(s for s, _ in runs):.1f} s",
    )  # fmt: skip


def _limited(asked: argparse.Namespace, small: Path, large: Path) -> list[Target]:
    """Return what a limit costs, once the whole numbers are known to be the same under it."""
    size = f"{_short(GROWTH * asked.tokens)} × {asked.systems}"
    if not _knows("report", "--memory"):
        return [skipped(f"bins in blocks, {size}", "`coleval` has no --memory")]
    begin(f"the same whole numbers with --memory {asked.limit}")
    _compare(small, asked.limit)
    cells = GROWTH * asked.tokens * asked.systems
    with tempfile.TemporaryDirectory() as folder:
        store, out = Path(folder, "store"), Path(folder, "report.json")
        _, loading = _loaded(large, store, asked.limit)
        report = ("report", store, "--memory", asked.limit, "--quiet", "-o", out)
        seconds, peak = whole(command(*report))
        blocks = _blocks(store, out, size)
    how = f"whole numbers at {_short(asked.tokens)} equal to those without it"
    return [
        blocks,
        Target(f"peak of report with --memory {asked.limit}, {size}", peak, cells, peak / cells,
               unit="B", how=f"{seconds:.1f} s from the store; {how}"),
        Target(f"peak of load with --memory {asked.limit}, {size}", loading, cells,
               loading / cells, unit="B", how="bytes per token × system, from text to store"),
    ]  # fmt: skip


def _blocks(store: Path, out: Path, size: str) -> Target:
    """Return the peak of bins under the least limit that is kept, over that of bare imports."""
    name, run = f"bins in blocks above imports, {size}", None
    for limit in LIMITS:
        words = ("bins", store, "--memory", limit, "--quiet", "-o", out)
        with suppress(subprocess.CalledProcessError):
            run = whole(command(*words))
            break
    if run is None:
        return skipped(name, f"no limit of {', '.join(LIMITS)} is kept")
    seconds, peak = run
    bare = _imports()
    above = (peak - bare) / 1e6
    return Target(name, above, bare / 1e6, above, unit="MB",
                  how=f"MB over {bare / 1e6:.0f} MB of Python with polars, duckdb, pyarrow and "
                  f"numpy; --memory {limit}, the least that is kept; {seconds:.1f} s")  # fmt: skip


def _out_of_core(asked: argparse.Namespace) -> list[Target]:
    """Return whether a corpus larger than its memory is reported, and within which peak."""
    tokens, systems = map(int, asked.out_of_core.split("x"))
    name = f"peak of report with --memory {asked.limit}, {_short(tokens)} × {systems}"
    if not _knows("report", "--memory"):
        return [skipped(name, "`coleval report` has no --memory", row=18)]
    if not tokens:
        return [skipped(name, "left out by --out-of-core 0x0", row=18)]
    directory = corpus(asked, tokens=tokens, systems=systems)
    begin(f"{tokens:,} tokens × {systems} with --memory {asked.limit}")
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        store, out = Path(folder, "store"), Path(folder, "report.json")
        load_seconds, load_peak = _loaded(directory, store, asked.limit)
        run = command("report", store, "--memory", asked.limit, "--quiet", "-o", out)
        seconds, peak = whole(run)
    per_cell, limit = peak / (tokens * systems), _bytes(asked.limit)
    return [
        Target(name, peak / 1e6, limit / 1e6, peak / limit, 1.0, "MB", row=18,
               how=f"peak ÷ limit; {seconds:.1f} s from store; {per_cell:.2f} bytes per cell"),
        Target(f"the same of load, {_short(tokens)} × {systems}", load_peak / 1e6, limit / 1e6,
               load_peak / limit, 1.0, "MB", row=18, how=f"{load_seconds:.1f} s from text"),
    ]  # fmt: skip


def _loaded(directory: Path, store: Path, limit: str) -> tuple[float, int]:
    gold, systems = files(directory)
    limited = ("--memory", limit) if _knows("load", "--memory") else ()
    return whole(command("load", gold, *systems.values(), "--quiet", "-o", store, *limited))


def _compare(directory: Path, limit: str) -> None:
    """Leave if a whole number or a text of any table changes under the limit."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "store")
        _loaded(directory, store, limit)
        gold, systems = files(directory)
        plain = _digests(command("report", gold, *systems.values(), "--quiet", "--as", "json"))
        limited = _digests(command("report", store, "--memory", limit, "--quiet", "--as", "json"))
    if plain != limited:
        differ = sorted(n for n in {*plain, *limited} if plain.get(n) != limited.get(n))
        sys.exit(f"benchmarks: with --memory these tables differ: {', '.join(differ)}")


def _digests(run: list[str]) -> dict[str, str]:
    """Return a digest of each table of a report, its fractions left out."""
    tables = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)["tables"]
    return {
        name: hashlib.sha256(_exact(rows).encode()).hexdigest() for name, rows in tables.items()
    }


def _exact(rows: list[dict[str, Any]]) -> str:
    return json.dumps([{k: v for k, v in r.items() if not isinstance(v, float)} for r in rows])


def _imports() -> int:
    libraries = "import polars, duckdb, pyarrow, numpy"
    return min(whole([sys.executable, "-c", libraries])[1] for _ in range(3))


def _knows(name: str, option: str) -> bool:
    run = partial(subprocess.run, check=True, capture_output=True, text=True)
    return option in run(command(name, "--help")).stdout


def _bytes(size: str) -> int:
    return int(float(size[:-2]) * _UNIT[size[-2:].upper()])


def _short(tokens: int) -> str:
    return f"{tokens / 1e6:g}M" if tokens >= 1_000_000 else f"{tokens / 1e3:g}k"


def _options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--out-of-core",
        default="20000000x50",
        metavar="TxS",
        help="tokens × systems of the run under the limit; 0x0 leaves it out",
    )
    add("--limit", default="2GB", help="the limit of that run (default 2GB)")


if __name__ == "__main__":
    main(__doc__, targets, _options, rounds=2)
