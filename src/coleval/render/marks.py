"""Which cells of a column are the best and the worst: exact values decide, not what is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from coleval.render.sheet import BEST, DASH, WORST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coleval.render.sheet import Cell

# What the marks mean where they are signs.
_SIGNS = {BEST: f"{BEST} best", WORST: f"{WORST} worst"}


def marks(values: Sequence[float | None], better: Literal["high", "low", ""]) -> list[str]:
    """Return a mark or nothing for each value; equal values share theirs.

    Nothing is marked where all are equal; the worst only where more than two can be compared, and
    not where more than three share it.
    """
    known = [value for value in values if value is not None]
    if not better or len(set(known)) < 2:
        return [""] * len(values)
    best, worst = max(known), min(known)
    if better == "low":
        best, worst = worst, best
    last = {worst: WORST} if len(known) > 2 and known.count(worst) <= 3 else {}
    signs = {best: BEST} | last
    return ["" if value is None else signs.get(value, "") for value in values]


def legend(cells: Iterable[Cell], among: str, words: Mapping[str, str] = _SIGNS) -> tuple[str, ...]:
    """Return the line that explains the marks and dashes in ``cells``, none if there are none."""
    signs, texts = set[str](), set[str]()
    for cell in cells:
        signs.add(cell.mark)
        texts.add(cell.text)
    said = ", ".join(word for sign, word in words.items() if sign in signs)
    marked = [f"{said} {among}".strip()] if said else []
    undefined = [f"{DASH} undefined"] if DASH in texts else []
    return (" · ".join([*marked, *undefined]),) if marked or undefined else ()
