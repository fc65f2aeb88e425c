"""``pivot`` in the report: the slices in which the best system is worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.wording import number_of, percent

if TYPE_CHECKING:
    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]]:
    """Return the best system as the one whose weak slices are looked for."""
    return corpus, {"find": (story.order[0],)}


def finding(report: Report, topic: Topic) -> str:
    """Return the surest of the slices in which the best system is significantly worse."""
    frame = report.table("slices")
    tried = report.table("tried").row(0, named=True)
    if not tried["slices"]:
        return f"No slice has {tried['least']:,} or more items, so none was tested."
    if frame.is_empty():
        return f"{_none_of(tried['slices'])} significantly worse than the rest."
    top = frame.row(0, named=True)
    more = f" and {top['and_attribute']} = {top['and_value']}" if top["and_attribute"] else ""
    share = topic.share_title
    many = "is" if tried["found"] == 1 else "are"
    return (
        f"{share[0].upper()}{share[1:]} is {percent(top['score'])} where {top['attribute']} = "
        f"{top['value']}{more} (n = {top['n']:,}), {percent(top['overall'])} overall; "
        f"{tried['found']:,} of {number_of(tried['slices'], 'slice')} {many} significantly worse."
    )


def _none_of(slices: int) -> str:
    return "The one slice is not" if slices == 1 else f"None of {slices:,} slices is"
