"""``items`` in the report: how many items separate the systems, and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.wording import number_of, percent
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


# So many items are in a report; the command lists more.
KEPT = 10
MEASURED = "share of items that separate the systems"


def prepare(corpus: Corpus, _: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the corpus and how many items to keep."""
    return corpus, {"limit": KEPT}


def measured(report: Report, _: Topic) -> float | None:
    """Return the share of items that some systems solve and others do not.

    It is summed over labels: for a group of items nothing else has to be worked out.
    """
    labels = report.table("labels")
    return ratio_of(int(labels["measuring"].sum()), int(labels["items"].sum()))


def finding(report: Report, _: Topic) -> str:
    """Return how many items separate the systems, and how alike halves of the data do."""
    row = report.table("overall").row(0, named=True)
    if not row["items"]:
        return "There are no gold items."
    text = (
        f"{row['measuring']:,} of {number_of(row['items'], 'item')} "
        f"({percent(row['measuring_share'])}) separate the systems; the others are solved by all "
        "or by none."
    )
    if row["negative_significant"]:
        text += (
            f" {number_of(row['negative_significant'], 'item')} the worse systems solve "
            "significantly more often than the better ones."
        )
    if row["split_half"] is None:
        return text
    rho = f"{row['split_half']:.2f}"
    return f"{text} Random halves of the data rank the systems with a correlation of {rho}."
