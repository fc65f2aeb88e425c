"""Names of ranges of numbers as people write them: ``3``, ``4–6``, ``≥4``, ``(0.15, 0.26]``."""

from __future__ import annotations

import math

Range = tuple[float, float, bool]


def named(ranges: list[Range], *, whole: bool) -> list[str]:
    """Return a name for every range (low, high, closed below), all of them different."""
    points = {low for low, high, _ in ranges if low == high}
    for digits in (3, 4, 6, 9, 17):
        names = [_named(*part, points, digits, whole=whole) for part in ranges]
        if len(set(names)) == len(names):
            break
    return names


def _named(
    low: float,
    high: float,
    closed: bool,
    points: set[float],
    digits: int,
    *,
    whole: bool,
) -> str:
    if low == high:
        return _number(high, digits)
    if whole and (name := _whole(low, high, points, closed=closed)):
        return name
    left = "[" if closed and low not in points else "("
    right = ")" if high in points or math.isinf(high) else "]"
    return f"{left}{_number(low, digits)}, {_number(high, digits)}{right}"


def _whole(low: float, high: float, points: set[float], *, closed: bool) -> str:
    """Return a range of whole numbers by the first and the last of them, nothing if it has none."""
    first = low
    if not math.isinf(low):
        first = math.ceil(low) if closed and low not in points else math.floor(low) + 1
    if math.isinf(high):
        return f"≥{_number(first, 17)}"
    last = high - 1 if high in points else math.floor(high)
    if first >= last:
        # A number that is set apart is in no range, though it may lie within one.
        return _number(last, 17) if first == last and last not in points else ""
    if math.isinf(first):
        return f"≤{_number(last, 17)}"
    return f"{_number(first, 17)}–{_number(last, 17)}"


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}"
