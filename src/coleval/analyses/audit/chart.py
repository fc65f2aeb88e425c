"""The list of suspects on a screen: where each is, if there are no words to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.declare.tables import Shaped, count

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def listed(report: Report) -> Shaped:
    """Return the suspects, with their places where no item has a text or an id."""
    frame = report.table("suspects")
    if frame.is_empty() or frame["context"].null_count() < frame.height:
        return Shaped(frame)
    names = [name for name in ("item", "sentence", "start", "end") if name in frame.columns]
    return Shaped(frame, tuple(count(name) for name in names))
