"""Tables that a screen shows within another one: how their rows are listed when named alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.changes.lists import (
    BOUNDARIES,
    BOUNDARIES_TITLE,
    FLIPS,
    FLIPS_TITLE,
    LABELS,
    LABELS_TITLE,
    TRANSITIONS,
)
from coleval.render.columns import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIR = (Column("before", "before", "text"), Column("after", "after", "text"))
_SCORES = {"f1": "F1", "precision": "P", "recall": "R", "accuracy": "accuracy"}
_OF_BUCKETS = tuple(
    Column(f"{score}_{side}", f"{name}\n{side} %", "ratio")
    for score, name in _SCORES.items()
    for side in ("before", "after")
)

LISTS: Mapping[tuple[str, str], tuple[str, tuple[Column, ...]]] = {
    ("bins", "spurious"): (
        "items without a gold label: how many systems predict one",
        (Column("bin", "systems"), Column("items", "items")),
    ),
    ("buckets", "differences"): (
        "two systems, bucket by bucket",
        (
            Column("corpus", "corpus", "text"),
            *_PAIR,
            Column("attribute", "attribute", "text"),
            Column("bucket", "bucket", "text"),
            *_OF_BUCKETS,
            Column("delta", "points", "points"),
            Column("relative", "relative\n%", "ratio"),
        ),
    ),
    ("changes", "changes"): ("transitions of every pair", (*_PAIR, *TRANSITIONS)),
    ("changes", "labels"): (LABELS_TITLE, (*_PAIR, *LABELS)),
    ("changes", "flips"): (FLIPS_TITLE, FLIPS),
    ("changes", "boundaries"): (BOUNDARIES_TITLE, (*_PAIR, *BOUNDARIES)),
    ("oracle", "overlap"): (
        "errors in common",
        (
            Column("a", "a", "text"),
            Column("b", "b", "text"),
            Column("jaccard", "of the errors\nof both %", "ratio"),
            Column("share", "of all\nitems %", "ratio"),
        ),
    ),
    ("oracle", "systems"): (
        "what each system has right; all labels together first (–)",
        (
            Column("label", "label", "text"),
            Column("system", "system", "text"),
            Column("items", "items"),
            Column("correct", "right"),
            Column("accuracy", "accuracy %", "ratio"),
        ),
    ),
    ("pivot", "totals"): (
        "items in all of a row or a column",
        (Column("axis", "axis", "text"), Column("value", "value", "text"), Column("n", "items")),
    ),
    ("pivot", "tried"): (
        "how many slices were tried",
        (
            Column("slices", "slices"),
            Column("found", "significantly\nworse"),
            Column("least", "fewest\nitems"),
            Column("alpha", "p at most", "decimal"),
        ),
    ),
    ("show", "words"): ("the words of the items", ()),
}
