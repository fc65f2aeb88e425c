"""``oracle`` in the report: what any, the best and most systems reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.wording import number_of, percent

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.report import Report


MEASURED = "share of items that some system solves"


def measured(report: Report, _: Topic) -> float | None:
    """Return the share of items that some system solves."""
    share: float | None = report.table("overall")["oracle"][0]
    return share


def finding(report: Report, _: Topic) -> str:
    """Return what any, the best and most systems reach."""
    row = report.table("overall").row(0, named=True)
    if not row["items"]:
        return "There are no gold items that a combination of systems could solve."
    return (
        f"At least one system is right on {percent(row['oracle'])}; the best "
        f"({row['best_system']}) on {percent(row['best'])}; a majority vote on "
        f"{percent(row['majority'])} (n = {number_of(row['items'], 'item')})."
    )
