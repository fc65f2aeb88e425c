"""The systems of ``bins`` in the order in which they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.bins.spec import TABLES
from coleval.analyses.ordering import given_views

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import View


def systems(report: Report, width: int) -> tuple[View, ...]:
    """Return the table ``systems`` with the rank of each."""
    return given_views(TABLES, "systems", report, width)
