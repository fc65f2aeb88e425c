"""``--engine sql`` beside the kernels: whole commands on a store, the same tables first.

    python benchmarks/engines.py                                # 2M × 24; --tokens 10000000
    python benchmarks/engines.py --tokens 20000 --systems 3     # does the harness still run?

Seconds are processor time of the whole process, which other work on the machine changes less than
wall time; ``how`` has the peaks of both, and that of the engine under ``--memory 1GB``.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from loaded import stored
from measure import Target, command, main

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

COMMANDS = ("score", "confusion", "bins", "changes", "oracle", "agree")
LIMIT = "1GB"


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return a figure for each command that counts."""
    with stored(asked, task="tag") as store:
        return [_target(name, store) for name in COMMANDS]


def _target(name: str, store: Path) -> Target:
    kernels, sql = _run(name, store), _run(name, store, "--engine", "sql")
    limited = _run(name, store, "--engine", "sql", "--memory", LIMIT)
    if not kernels[2] == sql[2] == limited[2]:
        sys.exit(f"benchmarks: {name} has other tables with --engine sql")
    peaks = ", ".join(f"{peak / 2**30:.2f} GiB" for _, peak, _ in (kernels, sql, limited))
    how = f"processor time; peaks: kernels, sql, sql --memory {LIMIT}: {peaks}"
    return Target(f"{name}: sql ÷ kernels", sql[0], kernels[0], sql[0] / kernels[0], how=how)


def _run(name: str, store: Path, *options: str) -> tuple[float, int, object]:
    """Return the seconds, the peak and the tables of a command in a process of its own."""
    read, write = os.pipe()
    words = command(name, store, *options, "--as", "json", "--quiet")
    process = os.posix_spawn(words[0], words, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])  # fmt: skip
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as told:
        tables = json.load(told)["tables"]
    _, status, used = os.wait4(process, 0)
    if status:
        sys.exit(f"benchmarks: {' '.join(words)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, tables


if __name__ == "__main__":
    main(__doc__, targets, tokens=2_000_000, rounds=1)
