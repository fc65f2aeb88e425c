"""The systems of ``score`` in the order in which they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.ordering import given_views
from coleval.analyses.score.spec import TABLES

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import View


def overall(report: Report, width: int) -> tuple[View, ...]:
    """Return the table ``overall`` with the rank of each."""
    return given_views(TABLES, "overall", report, width)
