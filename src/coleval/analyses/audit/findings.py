"""``audit`` in the report: how many suspects there are, and of which kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.audit.spec import KINDS
from coleval.analyses.wording import number_of

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


# So many suspects are in a report; the command lists more.
KEPT = 10


def prepare(corpus: Corpus, _: Story) -> tuple[Corpus, dict[str, Any]] | str:
    """Return the corpus and how many suspects to keep, or why there are none to look for."""
    if corpus.task_kind.unlabelled:
        return "systems have no labels that they could agree on against gold"
    return corpus, {"limit": KEPT}


def finding(report: Report, _: Topic) -> str:
    """Return how many suspects all systems agree on, by kind."""
    frame = report.table("overall")
    if frame.is_empty():
        return "No system differs from gold."
    top = int(frame["votes"][0])
    best = frame.filter(pl.col("votes") == top)
    kinds = ", ".join(
        f"{KINDS[kind]} {n:,}" for kind, n in best.select("kind", "suspects").iter_rows()
    )
    n = int(best["suspects"].sum())
    return (
        f"In {number_of(n, 'place')} gold has one answer and {number_of(top, 'vote')} of the "
        f"systems another ({kinds}): suspects, not errors."
    )
