"""What figures depend on beside the code: the machine and the versions of the libraries."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

LIBRARIES = ("polars", "duckdb", "pyarrow", "numpy", "scipy")


def machine(libraries: Sequence[str] = LIBRARIES) -> dict[str, str]:
    """Return cpu, cores, memory, system, and versions; ``not installed`` where there is none."""
    known = {"cpu": _cpu(), "cores": str(_cores()), "memory": _memory()}
    known |= {"system": platform.platform(), "python": platform.python_version()}
    return {**known, "coleval": __version__, **{name: installed(name) for name in libraries}}


def installed(library: str) -> str:
    """Return the version of a library."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError, AttributeError):
        return "unknown"
