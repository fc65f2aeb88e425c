"""Error profiles as stacked bars, a letter an error kind: they read the same without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.listing import ratio, systems_of
from coleval.render.sheet import DASH, PAPER, Cell, Head, Sheet, Stripe, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

    _Named = tuple[tuple[Cell, ...], Mapping[str, int]]

NAME = "profile"
SHORTEST, LONGEST = 20, 72
_BESIDE, _BESIDE_GROUPS = 34, 56

# Kinds from the left: something is found but not right; then nothing; then too much.
SIGNS: Mapping[str, str] = {
    "le": "L", "bes": "s", "bel": "b", "beo": "o", "lbe": "X", "fn": "-", "fp": "+",
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "le": "wrong label", "bes": "boundary: smaller", "bel": "boundary: bigger",
    "beo": "boundary: crossing", "lbe": "both wrong", "fn": "missed", "fp": "spurious",
}  # fmt: skip
_MEANING = (
    "L wrong label · boundary: s smaller, b bigger, o crossing · X both · - missed · + spurious",
)


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a bar a system, as long as its errors are many; the same scale for all.

    With groups there is a second picture: the bars of each, with its scores.
    """
    frame = report.table(NAME)
    counts: dict[str, dict[str, int]] = {}
    for system, error, n in frame.select("system", "error", "n").iter_rows():
        counts.setdefault(system, {})[error] = n
    systems = systems_of(report, frame)
    if width >= PAPER:
        return (_counted(systems, counts),)
    named = [((Cell(visible(name)),), counts[name]) for name in systems]
    heads = (Head("system", right=False, elastic=True),)
    whole = _drawn("errors of each system by kind", heads, named, width - _BESIDE)
    return (whole, *_of_groups(report, width))


def _of_groups(report: Report, width: int) -> tuple[Sheet, ...]:
    """Return the bars of every group and system, with traditional and fair F1, if there are any."""
    if "by" not in report.tables or "bes" not in report.table("by").columns:
        return ()
    from coleval.analyses.errors.shapes import by_group

    named = [
        (
            (
                Cell(DASH if row["by"] is None else visible(row["by"])),
                Cell(visible(row["system"])),
                Cell(ratio(row["traditional_f1"])),
                Cell(ratio(row["f1"])),
            ),
            {kind: row[kind] for kind in SIGNS},
        )
        for row in by_group(report).frame.to_dicts()
    ]
    heads = (
        Head("group", right=False, elastic=True),
        Head("system", right=False, elastic=True),
        Head("trad.\nF1 %"),
        Head("fair\nF1 %"),
    )
    title = "traditional and fair F1, and the errors by kind, of each group"
    return (_drawn(title, heads, named, width - _BESIDE_GROUPS),)


def _drawn(title: str, heads: Sequence[Head], named: Sequence[_Named], room: int) -> Sheet:
    """Return bars on one scale behind the cells that name them."""
    room = min(LONGEST, max(SHORTEST, room))
    most = max((sum(counts.values()) for _, counts in named), default=0)
    rows = tuple(
        (
            *cells,
            Cell(f"{sum(counts.values()):,}"),
            Cell(bar(counts, most, room), bar=stacked(counts, most)),
        )
        for cells, counts in named
    )
    scale = Head(f"each sign is {_each(most, room)}", right=False, full=f"0 … {most:,} errors")
    return Sheet(NAME, title, (*heads, Head("errors"), scale), rows, _MEANING)


def _counted(systems: Sequence[str], counts: Mapping[str, Mapping[str, int]]) -> Sheet:
    """Return the numbers that the bars are drawn from, a column a kind."""
    kinds = (Head(name.replace(": ", ":\n")) for name in _NAMES.values())
    heads = (Head("system", right=False, elastic=True), Head("errors"), *kinds)
    rows = tuple(
        (
            Cell(visible(name)),
            Cell(f"{sum(counts[name].values()):,}"),
            *(Cell(f"{counts[name].get(kind, 0):,}") for kind in _NAMES),
        )
        for name in systems
    )
    return Sheet(NAME, "what kinds of errors each system makes", heads, rows)


def _each(most: int, room: int) -> str:
    size = most / room if most else 0
    return (
        "an error" if size <= 1 else f"{size:,.0f} errors" if size >= 10 else f"{size:.1f} errors"
    )


def bar(counts: Mapping[str, int], most: int, room: int) -> str:
    """Return signs in proportion to the counts, one an error where all have room."""
    scale = min(1.0, room / most) if most else 0.0
    edges = _edges([counts.get(kind, 0) * scale for kind in SIGNS])
    return "".join(sign * n for sign, n in zip(SIGNS.values(), edges, strict=True))


def stacked(counts: Mapping[str, int], most: int) -> tuple[Stripe, ...]:
    """Return a stretch for each kind there is, one behind the other."""
    stripes, start = [], 0
    for kind, sign in SIGNS.items():
        end = start + counts.get(kind, 0)
        if end > start:
            text = f"{sign} {end - start:,}"
            stripes.append(Stripe(start / most, end / most, f"{sign} {_NAMES[kind]}", text))
        start = end
    return tuple(stripes)


def _edges(lengths: Sequence[float]) -> list[int]:
    """Return whole lengths whose sum is the rounded sum; the largest rests are rounded up."""
    whole = [int(length) for length in lengths]
    rests = sorted(range(len(lengths)), key=lambda k: whole[k] - lengths[k])
    for k in rests[: round(sum(lengths)) - sum(whole)]:
        whole[k] += 1
    return whole
