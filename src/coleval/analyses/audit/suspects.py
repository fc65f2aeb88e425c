"""Suspects of gold: what systems agree on against it, by kind, those most agreed on first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.judging import judged
from coleval.counts.ballots import Ballots, answer_counts, ballots, overlapping
from coleval.errors import UsageError, unknown
from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.audit.spec import Options
    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Counts = NDArray[np.int64]
    Given = NDArray[np.bool_]

LABEL, BOUNDARY, MISSING, SPURIOUS = "label", "boundary", "missing", "spurious"
_NAMES = (LABEL, BOUNDARY, MISSING, SPURIOUS)
_CODES = {name: code for code, name in enumerate(_NAMES)}
_KINDS = {"item": pl.Int64, "other": pl.Int64, "answer": pl.Int64, "votes": pl.Int64,
          "kind": pl.String, "wrong": pl.Float64}  # fmt: skip


def kind_names(codes: pl.Series) -> pl.Series:
    """Return kinds by their names."""
    return codes.cat.to(pl.Enum(_NAMES)).cast(pl.String)


@dataclass(frozen=True, slots=True)
class Suspects:
    """A row for each: ``place`` among the active items, that of its answer, and more numbers.

    ``item`` is the row of the item, ``other`` that of the extent that systems propose instead,
    ``wrong`` how often their answers of this kind differ from gold.
    """

    frame: pl.DataFrame
    given: Given

    def sorted(self, least: int) -> Suspects:
        """Return those with so many votes, most votes first, then those rarely wrong."""
        numbered = self.frame.with_row_index("row").filter(pl.col("votes") >= least)
        order = numbered.sort(
            "votes", "wrong", "item", "kind", descending=[True, False, False, False]
        )
        rows = order["row"].to_numpy()
        return Suspects(order.drop("row"), self.given[:, rows])


def suspect_kinds(items: Items, found: Ballots) -> list[SuspectKind]:
    """Return where systems agree against gold, by kind; spans have extents as well."""
    if {"sentence", "start", "end"} <= set(items.context.columns):
        return _of_spans(items, found)
    # An instance without an answer was not answered; a token or a label without one may be right.
    empty = items.unit != "instance" or "label" in items.context.columns
    winner, votes = found.winners(empty=empty)
    at = np.flatnonzero(votes)
    gold, answer = found.gold[at], winner[at]
    kind = np.where(gold == 0, _CODES[MISSING], np.where(answer == 0, _CODES[SPURIOUS], 0))
    return [SuspectKind(at, at, answer, votes[at], kind.astype(np.uint8))]


@dataclass(frozen=True, slots=True)
class SuspectKind:
    """Suspects of one kind: places among the active items, and what systems say."""

    at: NDArray[np.integer]
    other: NDArray[np.integer]
    answer: Codes
    votes: Counts
    kind: NDArray[np.uint8]

    def voted(self, least: int) -> SuspectKind:
        """Return those of so many votes; most have one alone, and few tables ask for these."""
        kept = np.flatnonzero(self.votes >= least)
        if len(kept) == len(self.votes):
            return self
        return SuspectKind(
            self.at[kept], self.other[kept], self.answer[kept], self.votes[kept], self.kind[kept]
        )


def _of_spans(items: Items, found: Ballots) -> list[SuspectKind]:
    winner, votes = found.winners(empty=False)
    gold = found.gold != 0
    label = np.flatnonzero(gold & (votes > 0))
    proposed = np.flatnonzero(~gold & (votes > 0))
    present = np.flatnonzero(items.gold)
    a, b = overlapping(items, found.rows[proposed], present)
    boundary, touched = _boundaries(found, proposed[a], present[b], votes)
    free = np.setdiff1d(proposed, proposed[a])
    met = np.isin(found.rows, touched) | (votes > 0) | ~gold
    lost = np.flatnonzero(~met & (found.answers == 0).all(axis=0))
    return [
        _part(label, label, winner[label], votes[label], LABEL),
        _part(*boundary, winner[boundary[1]], votes[boundary[1]], BOUNDARY),
        _part(free, free, winner[free], votes[free], MISSING),
        _part(lost, lost, np.zeros(len(lost), winner.dtype), np.full(len(lost), found.voters),
              SPURIOUS),
    ]  # fmt: skip


def _part(
    at: NDArray[np.integer], other: NDArray[np.integer], answer: Codes, votes: Counts, kind: str
) -> SuspectKind:
    return SuspectKind(at, other, answer, votes, np.full(len(at), _CODES[kind], np.uint8))


def _boundaries(
    found: Ballots,
    proposed: NDArray[np.integer],
    row: NDArray[np.integer],
    votes: Counts,
) -> tuple[tuple[NDArray[np.integer], NDArray[np.integer]], NDArray[np.integer]]:
    """Return gold's spans with the extent most agreed on instead, and all rows that are touched.

    An extent that shares words with several spans of gold is held against that which it shares
    most with; a span that every system finds is none of them.
    """
    pairs = pl.DataFrame({"other": proposed, "row": row, "votes": votes[proposed]})
    nearest = pairs.unique("other", keep="first", maintain_order=True)
    best = nearest.sort("votes", "other", descending=[True, False]).unique(
        "row", keep="first", maintain_order=True
    )
    place = pl.DataFrame({"row": found.rows, "at": np.arange(len(found.rows))})
    joined = best.with_columns(pl.col("row").cast(pl.Int64)).join(
        place.with_columns(pl.col("row").cast(pl.Int64)), on="row", how="inner",
        maintain_order="left",
    )  # fmt: skip
    return (joined["at"].to_numpy(), joined["other"].to_numpy()), np.unique(row)


def suspects(parts: list[SuspectKind], found: Ballots, rates: Rates, least: int = 1) -> Suspects:
    """Return the suspects of so many votes, and who votes for each."""
    frames, given = [], []
    for part in (part.voted(least) for part in parts):
        said = found.answers[:, part.other] == part.answer
        given.append(said)
        wrong = rates.mean(said, part.answer, found.gold[part.at])
        frames.append(pl.DataFrame({
            "item": found.rows[part.at], "other": found.rows[part.other],
            "answer": part.answer, "votes": part.votes,
            "kind": kind_names(pl.Series("kind", part.kind)),
            "wrong": wrong,
        }, schema=_KINDS))  # fmt: skip
    return Suspects(pl.concat(frames), np.concatenate(given, axis=1))


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each system is wrong with an answer, and how often it has none where gold has."""

    answered: NDArray[np.float64]
    missed: NDArray[np.float64]

    @classmethod
    def of(cls, items: Items) -> Rates:
        """Return the rates by system and code; with one answer more of either kind each."""
        gold, given, right = answer_counts(items)
        return cls(
            ratio_array(given - right + 1, given + 2), ratio_array(gold - right + 1, gold + 2)
        )

    def mean(self, said: Given, answer: Codes, gold: Codes) -> NDArray[np.float64]:
        """Return the mean rate over the systems that say it."""
        total, n = np.zeros(len(answer)), np.zeros(len(answer))
        for own, wrong, missed in zip(said, self.answered, self.missed, strict=True):
            total += np.where(answer == 0, missed[gold], wrong[answer]) * own
            n += own
        return ratio_array(total, n, 1.0)


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
