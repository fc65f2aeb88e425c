"""What all chapters of a report go by: one metric, one order of systems, one pair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coleval.corpus.excerpt import ShownGroups, ShownSystems, shown_of

if TYPE_CHECKING:
    from coleval.analyses.report.topic import Topic


@dataclass(slots=True)
class Story:
    """The score that ranks, the system before, the test's options, the systems best first.

    A ``baseline`` may be ``named`` by the caller, or a system that is called so; ``order`` is that
    of the first chapter once it is written, and ``ranked`` then. Systems are ranked by means over
    groups ``by`` columns, if there are any; of very many groups some are shown. ``cases`` are the
    options that say which rows belong together, if any is given.
    """

    topic: Topic
    baseline: str
    named: bool
    statistics: dict[str, Any]
    order: list[str] = field(default_factory=list)
    by: tuple[str, ...] = ()
    ranked: bool = False
    groups: ShownGroups | None = None
    cases: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> ShownSystems | None:
        """Return which systems of a crowd are shown: best, worst, the baseline."""
        return shown_of(self.order, ranked=self.ranked, named=filter(None, (self.baseline,)))

    @property
    def pair(self) -> tuple[str, str]:
        """Return the systems of the chapter on changes: the baseline or the runner-up, the best."""
        other = self.baseline and self.baseline != self.order[0]
        return (self.baseline if other else self.order[1], self.order[0])
