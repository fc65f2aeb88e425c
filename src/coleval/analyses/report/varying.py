"""How what a chapter found varies over groups, such as the datasets of a shared task."""

from __future__ import annotations

from statistics import quantiles
from typing import TYPE_CHECKING, Any

from coleval.analyses.running import resulting, settled
from coleval.analyses.wording import listed, number_of, percent, points
from coleval.corpus.coverage import settled as covered
from coleval.corpus.report import Report
from coleval.errors import ColevalError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from coleval.analyses.grouping import Group
    from coleval.analyses.report.story import Story
    from coleval.declare.analysis import Analysis

# With more groups each chapter would be counted again for each of them: too long to wait for.
MOST = 200
# A value is unusual beyond so many times the middle half from it (Tukey 1977).
_FAR, _ENOUGH, _NAMED = 1.5, 8, 3


class Varying:
    """The groups, over which chapters that measure something are counted again."""

    def __init__(self, groups: Sequence[Group]) -> None:
        """Keep the groups."""
        self.groups = groups if len(groups) <= MOST else ()

    def said(self, analysis: Analysis[..., Any], story: Story) -> str:
        """Return the range of what a chapter measures, and the groups that differ from the rest."""
        module = analysis.module("chapter")
        if not hasattr(module, "measured"):
            return ""
        named = [(group.name or "–", group) for group in self.groups]
        found = [(name, self._measured(analysis, module, group, story)) for name, group in named]
        known = sorted((value, name) for name, value in found if value is not None)
        if len(known) < 2:
            return ""
        shown = points if getattr(module, "IN_POINTS", False) else percent
        (low, lowest), (high, highest) = known[0], known[-1]
        text = (
            f"Over {number_of(len(known), story.topic.group)} the {module.MEASURED} goes from "
            f"{shown(low)} ({lowest}) to {shown(high)} ({highest})"
        )
        unusual = _unusual(known)
        return f"{text}; unlike the rest: {listed(unusual)}." if unusual else f"{text}."

    def _measured(
        self, analysis: Analysis[..., Any], module: ModuleType, group: Group, story: Story
    ) -> float | None:
        try:
            corpus, _ = covered(group.corpus, each=analysis.each)
            prepare = getattr(module, "prepare", None)
            prepared = prepare(corpus, story) if prepare else (corpus, {})
            if isinstance(prepared, str):
                return None
            own, options = prepared[0], analysis.chosen(prepared[1])
            result = resulting(analysis.counted(settled(analysis.name, own), options))
        except ColevalError:
            # Such as a group in which there is nothing to count.
            return None
        found: float | None = module.measured(Report(analysis.name, result.tables, ""), story.topic)
        return found


def _unusual(known: Sequence[tuple[float, str]]) -> list[str]:
    """Return the groups far outside the middle half, if there are enough to tell."""
    if len(known) < _ENOUGH:
        return []
    low, _, high = quantiles([value for value, _ in known], n=4)
    reach = _FAR * (high - low)
    return [name for value, name in known if value < low - reach or value > high + reach][:_NAMED]
