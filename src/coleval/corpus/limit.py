"""A limit on memory: how large it is, whether it is kept, how many rows may be held at a time.

What is measured is the most that this process ever had resident, code and libraries included
(``VmHWM`` of Linux, else ``ru_maxrss``). Polars, Arrow and numpy have memory of their own, which
nobody can take away from them: so the limit is looked at after every step, and passing it is an
error that says so.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.paths import is_file
from coleval.errors import GateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_UNITS = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip
# What is smaller and has no unit is not meant in bytes.
_A_MEGABYTE = 10**6
# The share of the limit that the rows held at a time may take, and the fewest of them.
_SHARE, _FEWEST = 16, 1 << 12
_STATUS = Path("/proc/self/status")


def peak() -> int:
    """Return the most bytes that this process has had resident so far."""
    return _told("VmHWM") or _used()


def resident() -> int:
    """Return the bytes that this process has resident now."""
    return _told("VmRSS") or _used()


def _told(name: str) -> int:
    """Return what Linux tells of this process, 0 elsewhere."""
    if not _STATUS.is_file():
        return 0
    found = re.search(rf"{name}:\s+(\d+) kB", _STATUS.read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


def _used() -> int:
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """So many bytes; ``block`` is how many rows are held at a time, 0 for what the size allows.

    Of a process that was larger ``before``, only what it has resident at each step can be told.
    """

    size: int
    block: int = 0
    before: int = field(default_factory=peak)

    def rows(self, systems: int) -> int:
        """Return how many items may be held at a time with the answers of so many systems."""
        return self.block or max(_FEWEST, self.size // _SHARE // (8 * (systems + 1)))

    def check(self, step: str) -> None:
        """Raise if the process has passed the limit."""
        most = peak() if self.before <= self.size else resident()
        if most > self.size:
            raise GateError(
                f"{step} takes {shown(most)} of memory, and the limit is {shown(self.size)}",
                where="--memory",
                remedy=f"give it more: --memory {shown(_ample(most))}",
            )

    def watched(self, progress: Callable[[str], None]) -> Callable[[str], None]:
        """Return what tells of each file, and looks first at what those before it have taken."""

        def step(name: str) -> None:
            self.check(f"what was read before {name}")
            progress(name)

        return step

    def check_trees(self, paths: Iterable[str]) -> None:
        """Raise before trees are read that have no room: they take more than their text does."""
        text = sum(Path(path).stat().st_size for path in paths if is_file(path))
        if text > self.size:
            raise GateError(
                f"trees are read as a whole: {shown(text)} of text, and the limit is "
                f"{shown(self.size)}",
                where="--memory",
                remedy="give it more, or load some of the systems at a time into one store "
                "(`coleval load … -o DIR` adds those that are new)",
            )


def limit_of(given: str | int | MemoryLimit | None) -> MemoryLimit | None:
    """Return the limit that was asked for, None without one; raise for one that cannot be kept."""
    if given is None or given == "" or isinstance(given, MemoryLimit):
        return given or None  # type: ignore[return-value]
    limit = MemoryLimit(size_of(given))
    now = resident()
    if now > limit.size:
        raise UsageError(
            f"{shown(limit.size)} is less than the {shown(now)} that the program takes "
            "before it has read anything",
            where="--memory",
            remedy=f"give it more: --memory {shown(_ample(now))}",
        )
    return limit


def size_of(given: str | int) -> int:
    """Return the bytes that a size stands for; raise for what is none."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", str(given).strip())
    unit = found[2].upper() if found else None
    if found is None or unit not in _UNITS or not float(found[1]):
        raise UsageError(
            f"`{given}` is not a memory size",
            where="--memory",
            remedy="write a number and a unit: 2GB, 500MB, 1.5GiB",
        )
    if not unit and float(found[1]) < _A_MEGABYTE:
        raise UsageError(
            f"`{given}` has no unit",
            where="--memory",
            remedy=f"gigabytes are {found[1]}GB, megabytes {found[1]}MB",
        )
    return int(float(found[1]) * _UNITS[unit or ""])


def shown(size: int) -> str:
    """Return a size as people write it."""
    return f"{size / 10**9:.3g}GB" if size >= 10**9 else f"{max(1, round(size / 10**6))}MB"


def _ample(size: int) -> int:
    """Return a size that leaves room, in hundreds of megabytes."""
    return -(-int(size * 1.5) // 10**8) * 10**8
