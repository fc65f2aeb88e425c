"""What an audit goes by: the items, the systems that vote, and the suspects they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from coleval.analyses.audit.suspects import (
    Rates,
    SuspectKind,
    Suspects,
    suspect_kinds,
    suspects,
)
from coleval.analyses.judging import judged
from coleval.errors import UsageError, unknown
from coleval.kernels.ballots import Ballots, ballots

if TYPE_CHECKING:
    from coleval.analyses.audit.spec import Options
    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

_REFUSED = {
    "matrix": ("rows of 0 and 1 have no answers that systems could agree on",
               "`coleval items` lists what no system solves"),
    "coref": ("chains are not audited: mentions have no labels to agree on",
              "`coleval items` lists the mentions that no system resolves"),
}  # fmt: skip

# Under a limit on memory the votes on more items are counted again rather than kept.
_KEPT = 1 << 20


@dataclass(frozen=True)
class AuditVotes:
    """What systems say against gold, whichever of it is asked for."""

    items: Items
    alike: float

    @cached_property
    def ballots(self) -> Ballots:
        """Return the votes on the items where some system errs."""
        return ballots(self.items, self.alike)

    @cached_property
    def kinds(self) -> list[SuspectKind]:
        """Return all suspects by kind, of one vote too, in no order."""
        return suspect_kinds(self.items, self.ballots)

    @cached_property
    def rates(self) -> Rates:
        """Return how often systems are wrong with each answer."""
        return Rates.of(self.items)


@dataclass(frozen=True)
class AuditFindings:
    """The items with the systems that vote; ``second`` is another gold, code by code."""

    corpus: Corpus
    votes: AuditVotes
    options: Options
    second: Codes | None = None

    @property
    def items(self) -> Items:
        """Return the items, of the systems that vote."""
        return self.votes.items

    @property
    def ballots(self) -> Ballots:
        """Return the votes on the items where some system errs."""
        return self.votes.ballots

    @cached_property
    def every(self) -> Suspects:
        """Return all suspects, of one vote too, most votes first."""
        return self._of(1)

    @property
    def least(self) -> int:
        """Return how many votes make a suspect: half of them, two or more if there are two."""
        half = max(-(-self.ballots.voters // 2), min(2, self.ballots.voters))
        return self.options.least or half

    @cached_property
    def listed(self) -> Suspects:
        """Return the suspects with votes enough."""
        return self._of(self.least)

    def _of(self, least: int) -> Suspects:
        votes = self.votes
        return suspects(votes.kinds, votes.ballots, votes.rates, least).sorted(least)


def audited(corpus: Corpus, options: Options) -> AuditFindings:
    """Return the items and who votes on them; raise where systems have nothing to vote with."""
    if corpus.task in _REFUSED:
        problem, remedy = _REFUSED[corpus.task]
        raise UsageError(problem, where="audit", remedy=remedy)
    items = judged(corpus).items
    if not options.against:
        return AuditFindings(corpus, _votes(corpus, items, options.alike), options)
    if options.against not in items.systems:
        raise unknown("system", options.against, items.systems, where="--against")
    voting = [name for name in items.systems if name != options.against]
    if not voting:
        raise UsageError(
            "there is no system to vote on gold", where="--against",
            remedy="name systems after gold, and the second gold as one of them",
        )  # fmt: skip
    votes = AuditVotes(items.chosen(voting), options.alike)
    return AuditFindings(corpus, votes, options, items.answers[options.against])


def _votes(corpus: Corpus, items: Items, alike: float) -> AuditVotes:
    """Return the votes on items; two chapters of a report ask for them."""
    made = AuditVotes(items, alike)
    if corpus.limit is not None and len(items) > _KEPT:
        return made
    return corpus.memo.get(("votes", alike), lambda: made)
