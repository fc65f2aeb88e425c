"""Agreement of any two raters as a triangle: gold first, then who agrees with it most.

With more raters than fit, kappa is told in hundredths, then in tenths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.fitting import fits
from coleval.render.sheet import DASH, Cell, Head, Sheet, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.report import Report

NAME = "pairs"


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return the triangle with as many digits as fit."""
    frame = report.table(NAME)
    pairs = {frozenset((row["a"], row["b"])): row for row in frame.iter_rows(named=True)}
    names = _ranked(list(dict.fromkeys([*frame["a"], *frame["b"]])), pairs)
    notes = tuple(
        f"{DASH} {visible(note)} ({n:,} pair{'' if n == 1 else 's'})"
        for note, n in frame.drop_nulls("note")["note"].value_counts(sort=True).iter_rows()
    )
    sheet = _cells(names, pairs, notes)
    for write, gap in ((hundredths, " "), (tenths, " "), (tenths, "")):
        if fits(sheet, width):
            break
        sheet = _joined(names, pairs, notes, write, gap)
    return (sheet,)


def _ranked(
    names: Sequence[str], pairs: Mapping[frozenset[str], Mapping[str, object]]
) -> list[str]:
    """Return the first name, then the others by how far they agree with it."""
    if not names:
        return []
    first, *others = names

    def agreement(name: str) -> float:
        value = pairs[frozenset((first, name))]["kappa"]
        return value if isinstance(value, float) else -2.0

    return [first, *sorted(others, key=lambda name: -agreement(name))]


def _cells(
    names: Sequence[str],
    pairs: Mapping[frozenset[str], Mapping[str, object]],
    notes: tuple[str, ...],
) -> Sheet:
    rows = [
        (Cell(str(at), dim=True), Cell(visible(name)),
         *(_cell(pairs[frozenset((name, other))]["kappa"]) for other in names[:at]),
         *[Cell("")] * (len(names) - 1 - at))
        for at, name in enumerate(names)
    ]  # fmt: skip
    numbers = (Head(str(at), full=f"{at} {visible(n)}") for at, n in enumerate(names[:-1]))
    heads = (Head("#"), Head("rater", right=False, elastic=True), *numbers)
    return Sheet(
        NAME, "Cohen's kappa of each pair of raters (columns by number)", heads, tuple(rows), notes
    )


def _cell(kappa: object) -> Cell:
    if not isinstance(kappa, float):
        return Cell(DASH, dim=True)
    return Cell(f"{kappa:.3f}", shade=min(1.0, max(0.0, kappa)))


def _joined(
    names: Sequence[str],
    pairs: Mapping[frozenset[str], Mapping[str, object]],
    notes: tuple[str, ...],
    write: Callable[[object], str],
    gap: str,
) -> Sheet:
    rows = [
        (Cell(str(at), dim=True), Cell(visible(name)),
         Cell(gap.join(write(pairs[frozenset((name, other))]["kappa"]) for other in names[:at])))
        for at, name in enumerate(names)
    ]  # fmt: skip
    wide = len(write(0.5))
    columns = range(len(names) - 1)
    tens = gap.join(str(at // 10 if at % 10 == 0 and at else " ").rjust(wide) for at in columns)
    units = gap.join(str(at % 10).rjust(wide) for at in columns)
    ruler = f"{tens}\n{units}" if len(names) > 10 else units
    unit = "100" if wide == 2 else "10"
    heads = (Head("#"), Head("rater", right=False, elastic=True), Head(ruler, right=False))
    title = f"Cohen's kappa × {unit} of each pair of raters (columns by number)"
    return Sheet(NAME, title, heads, tuple(rows), notes)


def hundredths(kappa: object) -> str:
    """Return kappa as two digits, `==` for 1 and `<0` below 0."""
    if not isinstance(kappa, float):
        return f" {DASH}"
    if kappa < 0:
        return "<0"
    return "==" if kappa >= 1 else f"{min(99, int(100 * kappa)):02d}"


def tenths(kappa: object) -> str:
    """Return kappa as one digit, `=` for 1 and `<` below 0."""
    if not isinstance(kappa, float):
        return DASH
    if kappa < 0:
        return "<"
    return "=" if kappa >= 1 else str(int(10 * kappa))
