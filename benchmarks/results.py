"""RESULTS.md: the latest results with their date, the machine, and how to come to them again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from measure import LEAST
from showing import machine_line, markdown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ABOUT = {
    "limits": "The rows of PERFORMANCE.md §8, by their numbers: what is to be "
    "reached (must), and what this run reached.",
    "beside them": "Further figures of the same scripts, and the grid of tokens × systems.",
}


_READING = (
    "Sides take turns in one run and the least of each counts. A bar ends at the figure, `┃` is "
    "the must, each cell a factor of 1.4. Noise: how far the second least time of a side lies "
    "above its least."
)
_SMALL = (
    "The bounds are meant for 2,000,000 tokens × 24 systems: at this size start-up costs are most "
    "of what is measured."
)


def written(result: Mapping[str, Any]) -> str:
    """Return the whole file."""
    size = f"{result['tokens']:,} tokens × {result['systems']} systems"
    head = (
        f"{result['date']}, size `{result['size']}`: {size}, the least of {result['rounds']} "
        f"rounds, {result['seconds']:,} s for all of it. {_verdict(result)}"
    )
    repeat = (
        f"Repeat: `{result['command']}` ([README.md](README.md) says what each figure means; "
        f"all samples are in `results-{result['size']}.json`)."
    )
    parts = (_part(name, targets) for name, targets in result["parts"].items())
    machine = machine_line(result["machine"])
    small = () if result["tokens"] >= LEAST else (_SMALL,)
    told = ("# Results", head, repeat, machine, _READING, *small, *parts)
    return "\n\n".join(told) + "\n"


def _verdict(result: Mapping[str, Any]) -> str:
    reached = Counter(target["reached"] for target in result["parts"]["limits"])
    return f"Figures on rows: {', '.join(f'{n} {name}' for name, n in sorted(reached.items()))}."


def _part(name: str, targets: Sequence[Mapping[str, Any]]) -> str:
    notes = "\n".join(
        f"- {t['name']}: {t['skipped'] or t['how']}" for t in targets if t["skipped"] or t["how"]
    )
    return "\n\n".join((f"## {name.capitalize()}", _ABOUT[name], markdown(targets), notes))
