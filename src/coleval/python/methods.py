"""All methods of ``Corpus`` that answer with a report or a table."""

from __future__ import annotations

from coleval.python.about_items import bins, buckets, errors, pivot, report, show, sql
from coleval.python.about_systems import (
    agree,
    changes,
    compare,
    confusion,
    measure,
    oracle,
    score,
)

METHODS = (
    score, confusion, agree, measure, compare, bins, buckets, errors, changes, oracle, pivot, show,
    sql, report,
)  # fmt: skip
