"""Who is taken for whom: a matrix for each of few systems, the commonest confusions of many."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from coleval.analyses.confusion.matrix import NAME, NOTHING, matrix
from coleval.render.heads import shortened_heads, systems_of
from coleval.render.sheet import Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from coleval.corpus.report import Report

MATRICES = 3
PAIRS = 25

Pair = tuple[str, str]
BySystem = dict[str, Counter[Pair]]


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a matrix a system, or one list where there are more than three."""
    frame = report.table(NAME)
    systems, counts = systems_of(report, frame), _counts(frame)
    if 1 <= len(systems) <= MATRICES:
        return tuple(matrix(system, counts[system], width) for system in systems)
    return (_commonest(counts, systems, rows_for(width, PAIRS)),)


def _counts(frame: pl.DataFrame) -> BySystem:
    counts: BySystem = defaultdict(Counter)
    for system, gold, answer, n in frame.select("system", "gold", "answer", "n").iter_rows():
        counts[system][_label(gold), _label(answer)] += n
    return counts


def _label(value: str | None) -> str:
    return NOTHING if value is None else value


def _commonest(counts: BySystem, systems: Sequence[str], limit: int | None) -> Sheet:
    """Return the confusions that all systems together make most often, a row each."""
    totals = sum((counts[system] for system in systems), Counter[Pair]())
    wrong = [(pair, n) for pair, n in totals.items() if pair[0] != pair[1]]
    first = sorted(wrong, key=lambda item: (-item[1], item[0]))[:limit]
    pair_heads = (Head(side, right=False, elastic=True) for side in ("gold", "answer"))
    names = shortened_heads(systems, 10)
    return Sheet(
        NAME,
        "most frequent confusions: n in all systems and in each",
        (*pair_heads, Head("all"), *names),
        tuple(_row(pair, n, counts, systems) for pair, n in first),
        _notes(len(first), len(wrong), first),
        crowd="systems",
    )


def _row(pair: Pair, total: int, counts: BySystem, systems: Sequence[str]) -> tuple[Cell, ...]:
    each = [counts[system][pair] for system in systems]
    most = max(each)
    cells = [Cell(f"{n:,}", shade=n / most) if n else Cell("·", dim=True) for n in each]
    gold, answer = pair
    return (Cell(visible(gold)), Cell(visible(answer)), Cell(f"{total:,}"), *cells)


def _notes(shown: int, there: int, first: Sequence[tuple[Pair, int]]) -> tuple[str, ...]:
    notes = ["one system's matrix: --systems NAME"] if there else []
    if there > shown:
        notes.insert(0, f"… and {there - shown:,} more confusions: --as csv --table {NAME}")
    if any(NOTHING in pair for pair, _ in first):
        notes.append(f"{NOTHING} no label")
    return tuple(notes)
