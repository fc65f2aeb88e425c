"""The classic measures, a list each; the correlation of many systems is cut to the strongest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.columns import VOCABULARY, Column
from coleval.render.listing import listing
from coleval.render.sheet import rows_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.report import Report
    from coleval.render.sheet import View

ROWS = 25
_NOTE = Column("note", "note", "text")
_R = (Column("pearson", "Pearson", "decimal"), Column("spearman", "Spearman", "decimal"), _NOTE)
_SYSTEM = VOCABULARY["system"]
_PR = (Column("precision", "P %", "ratio"), Column("recall", "R %", "ratio"))

_LOOKS: dict[str, tuple[str, tuple[Column, ...]]] = {
    "correlation": (
        "correlation of scores, row by row",
        (Column("x", "x", "text"), Column("y", "y", "text"), Column("of", "rows", "text"),
         Column("n", "n"), *_R),
    ),
    "rsa": (
        "representational similarity: do two systems separate the same items?",
        (Column("a", "a", "text"), Column("b", "b", "text"),
         Column("pairs", "pairs\nof items"), *_R),
    ),
    "purity": (
        "labels as clusters; purity alone rewards many small clusters",
        (_SYSTEM, Column("items", "items"), Column("clusters", "clusters"),
         Column("classes", "classes"), Column("purity", "purity %", "ratio", "high"),
         Column("inverse_purity", "inverse\npurity %", "ratio", "high"),
         Column("f", "F %", "ratio", "high")),
    ),
    "f_beta": (
        "F-beta: recall counts β times as much as precision; all labels together first (–)",
        (_SYSTEM, Column("label", "label", "text"), VOCABULARY["tp"], VOCABULARY["fp"],
         VOCABULARY["fn"], Column("tn", "TN"), Column("accuracy", "accuracy\n%", "ratio"),
         *_PR, Column("beta", "β", "decimal"), Column("f", "F %", "ratio")),
    ),
    "perplexity": (
        "perplexity of a column of probabilities",
        (Column("column", "column", "text"), Column("items", "items"), Column("lacking", "missing"),
         Column("cross_entropy", "bits", "decimal"), Column("perplexity", "perplexity", "decimal"),
         _NOTE),
    ),
    "ranking": (
        "precision and recall at k; equal scores share their ranks",
        (Column("column", "column", "text"), Column("k", "k"), Column("queries", "queries"),
         Column("hits", "hits", "decimal"), *_PR, _NOTE),
    ),
}  # fmt: skip


def views(name: str) -> Callable[[Report, int], tuple[View, ...]]:
    """Return the picture of one table."""

    def drawn(report: Report, width: int) -> tuple[View, ...]:
        title, columns = _LOOKS[name]
        frame = report.table(name)
        limit = rows_for(width, ROWS)
        return (listing(frame, name=name, title=title, columns=columns, limit=limit),)

    return drawn


PICTURES = {name: views(name) for name in _LOOKS}
