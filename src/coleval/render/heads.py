"""Names at the head of columns: short, and no two of a table the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.sheet import Head
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Sequence


def shortened_heads(names: Sequence[str], cells: int, *, marked: bool = False) -> list[Head]:
    """Return a head for each name in at most ``cells``, with the name in full behind it."""
    shown = [visible(name) for name in names]
    short = distinct(shown, cells)
    return [Head(short[name], marked=marked, full=name) for name in shown]
