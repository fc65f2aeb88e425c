"""How fast each step and each peer is: a bar a row on one logarithmic scale."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, Any

from coleval.render.sheet import DASH, Cell, Head, Sheet, Stripe, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

NAME = "bench"
WIDEST, NARROWEST = 40, 10
_BESIDE = 62
_SIZES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

Row = dict[str, Any]


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return coleval's steps, then what peers take for theirs; below, who is left out and why."""
    rows = report.table(NAME).to_dicts()
    timed = [row for row in rows if row["seconds"] is not None]
    room = max(NARROWEST, min(WIDEST, width - _BESIDE))
    scale = _scale([row["answers_per_second"] for row in timed])
    lines = tuple(_line(row, scale, room) for row in timed)
    heads = (
        Head("program", right=False),
        Head("step", right=False, elastic=True),
        Head("s"),
        Head("answers/s"),
        Head(f"{amount(10 ** scale[0])} … {amount(10 ** scale[1])}", right=False),
        Head("slower"),
    )
    return (Sheet(NAME, f"your machine: {headline(timed)}", heads, lines, _notes(rows)),)


def headline(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the speed from text to scores, and the peers' beside it."""
    steps = {row["step"]: row for row in rows if row["program"] == "coleval"}
    known = [steps[name] for name in ("reading", "score") if name in steps]
    if not known:
        return ""
    speed = known[-1]["answers"] / sum(row["seconds"] for row in known)
    what = "text to scores" if len(known) == 2 else known[0]["step"]
    peers = [
        f"{visible(row['program'])} {amount(row['answers_per_second'])}"
        for row in rows
        if row["program"] != "coleval"
    ]
    return "; ".join((f"{amount(speed)} answers/s from {what}", *peers[:1]))


def amount(value: float) -> str:
    """Return a number to two digits or the unit, with k, M or G."""
    for size, letter in _SIZES:
        if value >= size:
            return f"{value / size:.{1 if value < 10 * size else 0}f} {letter}"
    return f"{value:.0f}"


def bar(value: float, ends: tuple[float, float], room: int) -> str:
    """Return a bar, at least one cell long, as far as the logarithm of the value goes."""
    return "█" * max(1, round(room * _way(value, ends)))


def _way(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return (log10(value) - low) / (high - low)


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """Return the powers of ten around all values."""
    logs = [log10(value) for value in values] or [0.0]
    return float(floor(min(logs))), max(float(floor(min(logs))) + 1, *logs)


def _line(row: Row, scale: tuple[float, float], room: int) -> tuple[Cell, ...]:
    own = row["program"] == "coleval"
    slower = DASH if row["ratio"] is None else f"{row['ratio']:,.3g} ×"
    return (
        Cell(visible(row["program"])),
        Cell(visible(row["step"])),
        Cell(f"{row['seconds']:.3f}"),
        Cell(amount(row["answers_per_second"])),
        Cell(
            bar(row["answers_per_second"], scale, room),
            dim=not own,
            bar=(Stripe(0, _way(row["answers_per_second"], scale)),),
        ),
        Cell("" if own else slower),
    )


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    noise = max((row["noise"] for row in rows if row["noise"] is not None), default=None)
    often = "" if noise is None else f": the fastest round, the next at most {noise:.0%} slower"
    meaning = (
        f"bars: answers (tokens × systems) a second, powers of ten · seconds{often or ': once'}"
    )
    measured = [r for r in rows if r["program"] != "coleval" and r["seconds"] is not None]
    scaled = [
        "other programs: from files to numbers, checked to be equal to ours, on "
        f"{row['answers']:,} tokens of one system; slower: extrapolated to all systems, compared "
        "with the steps named"
        for row in measured[:1]
    ]
    out = [f"{DASH} {r['program']} {r['step']}: {r['note']}" for r in rows if r["seconds"] is None]
    return (meaning, *scaled, *map(visible, out))
