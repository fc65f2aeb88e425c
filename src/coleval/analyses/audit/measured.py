"""The audit itself, measured by a second gold: what of the suspects that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.kernels.ballots import answer_counts, proposals
from coleval.statistics.ratio import ratio_expr, ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.audit.found import AuditFindings
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Mask = NDArray[np.bool_]

# Precision is given for the first 10, 20, 50, 100 … suspects, and for all.
_STEPS = (1, 2, 5)
_FIRST = 10


def _outcomes(known: AuditFindings) -> pl.DataFrame:
    """Return all suspects with whether the second gold changed them, and to what systems say."""
    frame, second = known.every.frame, _second(known)
    item, other = frame["item"].to_numpy(), frame["other"].to_numpy()
    gold, answer = known.items.gold[item], frame["answer"].to_numpy()
    changed = second[item] != gold
    return frame.with_columns(
        pl.Series("changed", changed),
        pl.Series("agreed", changed & (second[other] == answer)),
    )


def _second(known: AuditFindings) -> Codes:
    if known.second is None:
        raise ValueError("no second gold")
    return known.second


def hits_table(known: AuditFindings) -> pl.DataFrame:
    """Return how many suspects of each kind and number of votes the second gold changed."""
    grouped = _outcomes(known).group_by("kind", "votes").agg(
        pl.len().cast(pl.Int64).alias("suspects"),
        pl.col("changed", "agreed").sum().cast(pl.Int64),
    )  # fmt: skip
    share = ratio_expr(pl.col("changed"), pl.col("suspects"))
    return grouped.with_columns(share=share).sort("votes", "kind", descending=[True, False])


def precision_table(known: AuditFindings) -> pl.DataFrame:
    """Return how many of the first k suspects the second gold changed, for some k and all."""
    outcomes = _outcomes(known).filter(pl.col("votes") >= known.least)
    changed = np.cumsum(outcomes["changed"].to_numpy())
    agreed = np.cumsum(outcomes["agreed"].to_numpy())
    rows = [
        {"k": k, "changed": int(changed[k - 1]), "precision": ratio_of(int(changed[k - 1]), k),
         "agreed": ratio_of(int(agreed[k - 1]), k)}
        for k in _ranks(len(outcomes))
    ]  # fmt: skip
    kinds = {"k": pl.Int64, "changed": pl.Int64, "precision": pl.Float64, "agreed": pl.Float64}
    return pl.DataFrame(rows, schema=kinds)


def _ranks(last: int) -> list[int]:
    found, power = [], _FIRST
    while power <= last:
        found += [step * power for step in _STEPS if step * power < last]
        power *= 10
    return [*found, last] if last else []


def found_table(known: AuditFindings) -> pl.DataFrame:
    """Return what the second gold changed, by how many systems solve it, or propose it.

    ``gold``: items of gold, by how many systems solve them, those that have another label or none.
    ``proposed``: answers that gold lacks, by how many systems give them, those it now has.
    """
    items, second, found = known.items, _second(known), known.ballots
    last = len(items.systems)
    solved = np.full(len(items), last)
    solved[found.rows] = (found.answers == found.gold).sum(axis=0)
    there = items.gold != 0
    place, code, n = proposals(found)
    added = second[found.rows[place]] == code
    return pl.concat([
        _by_number("gold", solved[there], (second != items.gold)[there], range(last, -1, -1)),
        _by_number("proposed", n, added, range(last, 0, -1)),
    ])  # fmt: skip


def _by_number(
    what: str, number: NDArray[np.integer], changed: Mask, numbers: range
) -> pl.DataFrame:
    size = len(numbers) + 1
    items = np.bincount(number, minlength=size)
    hits = np.bincount(number[changed], minlength=size)
    frame = pl.DataFrame({
        "what": [what] * len(numbers), "systems": list(numbers),
        "items": [int(items[k]) for k in numbers], "changed": [int(hits[k]) for k in numbers],
    }, schema_overrides={"systems": pl.Int64})  # fmt: skip
    return frame.with_columns(share=ratio_expr(pl.col("changed"), pl.col("items")))


def rescored_table(known: AuditFindings) -> pl.DataFrame:
    """Return the score of each system on gold and on the second gold, with its ranks."""
    return rescored(known.items, _second(known))


def rescored(items: Items, second: Codes) -> pl.DataFrame:
    """Return system, before, after, delta and both ranks, the best on gold first."""
    from dataclasses import replace

    before, after = scores(items), scores(replace(items, gold=second))
    frame = pl.DataFrame(
        {
            "system": pl.Series(items.systems, dtype=pl.String),
            "before": pl.Series(before, dtype=pl.Float64),
            "after": pl.Series(after, dtype=pl.Float64),
        }
    )
    ranked = frame.with_columns(
        delta=pl.col("after") - pl.col("before"),
        rank_before=_rank("before"),
        rank_after=_rank("after"),
    )
    return ranked.sort("before", "system", descending=[True, False], nulls_last=True)


def _rank(name: str) -> pl.Expr:
    return pl.col(name).rank("min", descending=True).cast(pl.Int64)


def scores(items: Items) -> list[float | None]:
    """Return F1 of each system, or accuracy where no label is an answer too."""
    gold, given, right = answer_counts(items)
    if items.empty_is_answer:
        return [ratio_of(int(own.sum()), len(items)) for own in right]
    there = int(gold[1:].sum())
    return [
        ratio_of(2 * int(own[1:].sum()), there + int(said[1:].sum()))
        for own, said in zip(right, given, strict=True)
    ]
