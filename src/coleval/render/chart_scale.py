"""Axes: round ticks, where a number stands between two ends, how it is written there."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.declare.tables import Kind

_TICKS = 6
_STEPS = (1, 2, 2.5, 5, 10)
_DIGITS = 12
_SHARES = ("ratio", "points", "share")


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from ``low`` to ``high`` on pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the pixel of a number."""
        part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)


def scale_of(
    numbers: Sequence[float], start: float, end: float, *, kind: Kind, zero: bool = False
) -> Scale:
    """Return a scale that has room for all numbers, and for ``zero`` if bars begin there.

    Its ends are ticks; counts have whole ticks only; shares of 1 do not go beyond 0 and 1.
    """
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (low, low + 1.0) if zero or kind == "count" else _around(low, kind)
    step = _step(high - low, whole=kind == "count")
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(round(k * step, 12) for k in range(first, last + 1))
    if kind == "ratio":
        ticks = tuple(t for t in ticks if -1e-9 <= t <= 1 + 1e-9 or not 0 <= low <= high <= 1)
    # Of an end that was cut off, the numbers there still have room.
    return Scale(min(ticks[0], low), max(ticks[-1], high), start, end, ticks)


def _around(value: float, kind: Kind) -> tuple[float, float]:
    room = abs(value) * 0.1 or (0.1 if kind in _SHARES else 1.0)
    if kind == "ratio" and 0 <= value <= 1:
        return max(0.0, value - room), min(1.0, value + room)
    return value - room, value + room


def _step(span: float, *, whole: bool) -> float:
    """Return the round distance of ticks of which about six make the span."""
    rough = span / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * k for k in _STEPS if size * k >= rough * (1 - 1e-9))
    return max(1.0, ceil(step)) if whole else step


def tick_words(ticks: Sequence[float], kind: Kind) -> list[str]:
    """Return the numbers at the ticks, all with the digits that the finest needs."""
    factor = 100 if kind in _SHARES else 1
    values = [tick * factor for tick in ticks]
    apart = min((abs(b - a) for a, b in pairwise(values)), default=1.0)
    digits = next((d for d in range(_DIGITS) if all(_whole(v, d, apart) for v in values)), _DIGITS)
    sign = "+" if kind == "points" else ""
    return [f"{v:{sign if v > 0 else ''},.{digits}f}".replace("-", "−") for v in values]


def _whole(value: float, digits: int, apart: float) -> bool:
    """Return whether rounding moves a tick by nothing that could be seen."""
    return abs(value - round(value, digits)) < 1e-4 * apart
