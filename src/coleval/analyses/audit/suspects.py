"""Suspects of gold: what systems agree on against it, by kind, those most agreed on first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.kernels.ballots import Ballots, answer_counts, overlapping
from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
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
