"""Gold as logs have it: each brings its own, and they may differ (``--conflicting``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.loading.tasks.log_records import LogRecords

ERROR, FIRST, MAJORITY = CONFLICTING = ("error", "first", "majority")


def golds(records: LogRecords, policy: str) -> pl.Series:
    """Return gold of each instance, null where nobody says: the first said, or the most frequent.

    Of equally frequent ones it is the first.
    """
    votes = _votes(records)
    order = ["first"] if policy != MAJORITY else ["n", "first"]
    falling = [name == "n" for name in order]
    chosen = votes.sort(order, descending=falling).unique("item", keep="first", maintain_order=True)
    rows = records.items.select("item").join(chosen, on="item", how="left", maintain_order="left")
    return rows["gold"]


def conflicts(records: LogRecords) -> Iterator[Problem]:
    """Yield the instances whose gold differs, each with the first two places where it does."""
    votes = _votes(records).sort("first")
    several = votes.filter(pl.col("item").is_duplicated())
    pairs = several.group_by("item", maintain_order=True).agg(
        pl.col("gold").first(), pl.col("first").first(),
        pl.col("gold").get(1).alias("other"), pl.col("first").get(1).alias("again"),
    )  # fmt: skip
    for item, gold, first, other, again in pairs.iter_rows():
        yield Problem(
            _at(records, again), None, "gold differs",
            f"gold of `{records.id_of(item)}` is `{other}`, but `{gold}` in {_at(records, first)}",
            "--conflicting first or majority settles which counts",
        )  # fmt: skip


def noted(differing: Sequence[Problem], policy: str) -> tuple[Problem, ...]:
    """Return what is to be said of conflicts that a policy has settled."""
    said = [replace(one, fatal=False, n=len(differing)) for one in differing[:1]]
    return tuple(replace(one, remedy=f"settled by --conflicting {policy}") for one in said)


def _votes(records: LogRecords) -> pl.DataFrame:
    """Return how often gold of each instance is what, and the number of the first that says so.

    A gold table of its own comes first.
    """
    rows = records.rows.select("item", "gold").with_row_index("first")
    rows = rows.with_columns(pl.col("first").cast(pl.Int64)).drop_nulls("item")
    if records.gold is not None:
        own = pl.DataFrame({"gold": records.gold.columns["gold"]}).with_row_index("item")
        own = own.with_columns(first=pl.col("item").cast(pl.Int64) - len(own))
        rows = pl.concat([own.select(rows.columns), rows])
    said = rows.drop_nulls("gold")
    return said.group_by("item", "gold").agg(pl.len().alias("n"), pl.col("first").min())


def _at(records: LogRecords, first: int) -> str:
    if first >= 0:
        return records.at(first)
    assert records.gold is not None  # noqa: S101  - only a gold table has numbers below 0
    return records.gold.at(first + len(records.gold))
