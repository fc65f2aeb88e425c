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

    from coleval.corpus.items import Items

    Counts = NDArray[np.int64]
    Given = NDArray[np.bool_]

LABEL, BOUNDARY, MISSING, SPURIOUS = "label", "boundary", "missing", "spurious"
_KINDS = {"item": pl.Int64, "other": pl.Int64, "answer": pl.Int64, "votes": pl.Int64,
          "kind": pl.String, "wrong": pl.Float64}  # fmt: skip


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


def suspects(items: Items, found: Ballots) -> Suspects:
    """Return all suspects, with the systems that vote for each; spans have extents as well."""
    rates = _Rates.of(items)
    if {"sentence", "start", "end"} <= set(items.context.columns):
        return _together(_of_spans(items, found), found, rates)
    # An instance without an answer was not answered; a token or a label without one may be right.
    empty = items.unit != "instance" or "label" in items.context.columns
    winner, votes = found.winners(empty=empty)
    at = np.flatnonzero(votes)
    kind = np.where(found.gold[at] == 0, MISSING, np.where(winner[at] == 0, SPURIOUS, LABEL))
    return _together(
        [_SuspectKind(at, at, winner[at].astype(np.int64), votes[at], kind)], found, rates
    )


@dataclass(frozen=True, slots=True)
class _SuspectKind:
    """Suspects of one kind: places among the active items, and what systems say."""

    at: NDArray[np.integer]
    other: NDArray[np.integer]
    answer: Counts
    votes: Counts
    kind: NDArray[np.str_]


def _of_spans(items: Items, found: Ballots) -> list[_SuspectKind]:
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
    code = winner.astype(np.int64)
    return [
        _part(label, label, code[label], votes[label], LABEL),
        _part(*boundary, code[boundary[1]], votes[boundary[1]], BOUNDARY),
        _part(free, free, code[free], votes[free], MISSING),
        _part(lost, lost, np.zeros(len(lost), np.int64), np.full(len(lost), found.voters),
              SPURIOUS),
    ]  # fmt: skip


def _part(
    at: NDArray[np.integer], other: NDArray[np.integer], answer: Counts, votes: Counts, kind: str
) -> _SuspectKind:
    return _SuspectKind(at, other, answer, votes, np.full(len(at), kind))


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


def _together(parts: list[_SuspectKind], found: Ballots, rates: _Rates) -> Suspects:
    frames, given = [], []
    for part in parts:
        said = found.answers[:, part.other] == part.answer.astype(found.answers.dtype)
        given.append(said)
        wrong = rates.mean(said, part.answer, found.gold[part.at].astype(np.int64))
        frames.append(pl.DataFrame({
            "item": found.rows[part.at].astype(np.int64),
            "other": found.rows[part.other].astype(np.int64),
            "answer": part.answer, "votes": part.votes, "kind": part.kind.tolist(),
            "wrong": wrong,
        }, schema=_KINDS))  # fmt: skip
    return Suspects(pl.concat(frames), np.concatenate(given, axis=1))


@dataclass(frozen=True, slots=True)
class _Rates:
    """How often each system is wrong with an answer, and how often it has none where gold has."""

    answered: NDArray[np.float64]
    missed: NDArray[np.float64]

    @classmethod
    def of(cls, items: Items) -> _Rates:
        """Return the rates by system and code; with one answer more of either kind each."""
        gold, given, right = answer_counts(items)
        return cls(
            ratio_array(given - right + 1, given + 2), ratio_array(gold - right + 1, gold + 2)
        )

    def mean(self, said: Given, answer: Counts, gold: Counts) -> NDArray[np.float64]:
        """Return the mean rate over the systems that say it."""
        total, n = np.zeros(len(answer)), np.zeros(len(answer))
        for own, wrong, missed in zip(said, self.answered, self.missed, strict=True):
            total += np.where(answer == 0, missed[gold], wrong[answer]) * own
            n += own
        return ratio_array(total, n, 1.0)
