"""Which columns fit a screen, and how wide each is: names shrink first, then columns go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.sheet import Head, Sheet

NAME_AT_LEAST = 16


def fitted(sheet: Sheet, width: int) -> tuple[Sheet, list[int]]:
    """Return as many columns as ``width`` takes, their widths, and a note on those left out."""
    natural = _natural(sheet)
    keep = _room(sheet.heads, natural, width)
    widths = _squeezed(sheet.heads[:keep], natural[:keep], width)
    return (sheet if keep == len(natural) else _cut(sheet, keep, "wider window, or ")), widths


def cut(sheet: Sheet, width: int) -> Sheet:
    """Return as many columns as ``width`` takes, and a note on those left out."""
    keep = _room(sheet.heads, _natural(sheet), width)
    return sheet if keep == len(sheet.heads) else _cut(sheet, keep)


def fits(sheet: Sheet, width: int) -> bool:
    """Return whether no column of ``sheet`` must go."""
    return total(sheet.heads, _least(sheet.heads, _natural(sheet))) <= width


def gap_after(head: Head) -> int:
    """Return the space to the next column; room for a mark is space enough with one cell more."""
    return 1 if head.marked or head.tight else 2


def total(heads: Sequence[Head], widths: Sequence[int]) -> int:
    """Return how wide a line of these columns is."""
    return sum(widths) + sum(gap_after(head) for head in heads[:-1])


def taken(sheet: Sheet) -> int:
    """Return how wide a line is whose columns have all the room they ask for, with a gap behind."""
    return total(sheet.heads, _natural(sheet)) + gap_after(sheet.heads[-1])


def _room(heads: Sequence[Head], natural: Sequence[int], width: int) -> int:
    """Return how many columns fit, one at least."""
    keep, least = len(natural), _least(heads, natural)
    while keep > 1 and total(heads[:keep], least[:keep]) > width:
        keep -= 1
    return keep


def _natural(sheet: Sheet) -> list[int]:
    return [
        max(_header_width(head), *(cells_of(row[at].text) for row in sheet.rows), 0) + head.marked
        for at, head in enumerate(sheet.heads)
    ]


def _header_width(head: Head) -> int:
    return max(cells_of(line) for line in head.text.split("\n"))


def _least(heads: Sequence[Head], natural: Sequence[int]) -> list[int]:
    return [
        min(wide, max(NAME_AT_LEAST, _header_width(head))) if head.elastic else wide
        for head, wide in zip(heads, natural, strict=True)
    ]


def _squeezed(heads: Sequence[Head], natural: Sequence[int], width: int) -> list[int]:
    """Return widths that fit; what is too much comes off the widest names."""
    widths = [min(wide, width) for wide in natural]
    least = _least(heads, widths)
    over = total(heads, widths) - width
    while over > 0 and (slack := [w - low for w, low in zip(widths, least, strict=True)]):
        if not any(slack):
            break
        widest = max((at for at, room in enumerate(slack) if room), key=lambda at: widths[at])
        widths[widest] -= 1
        over -= 1
    return widths


def _cut(sheet: Sheet, keep: int, remedy: str = "") -> Sheet:
    gone = sheet.heads[keep:]
    names = ", ".join(head.text.replace("\n", " ") for head in gone)
    what = f"{_crowd(len(gone), sheet.crowd)} not shown" if sheet.crowd else f"not shown: {names}"
    note = f"{what} ({remedy}--as csv --table {sheet.table or sheet.name})"
    return replace(
        sheet,
        heads=sheet.heads[:keep],
        rows=tuple(row[:keep] for row in sheet.rows),
        notes=(*sheet.notes, note),
    )


def _crowd(n: int, crowd: str) -> str:
    """Return how many of what are left out; their name is that of several."""
    many, *more = crowd.split(" ", 1)
    return " ".join([str(n), many.removesuffix("s") if n == 1 else many, *more])
