"""Several answers of a system to one instance (epochs, samples): one of them, or their mean.

``first`` takes the first; ``any`` one that is right if there is one, ``all`` one that is wrong if
there is one; ``mean`` averages the scores of those that are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.statuses import OK
from coleval.errors import DataError
from coleval.loading.tasks.log_records import SCORE

if TYPE_CHECKING:
    from coleval.loading.tasks.log_records import LogRecords

FIRST, MEAN, ANY, ALL = POLICIES = ("first", "mean", "any", "all")
_PAIR = ("item", "system")


def one_each(records: LogRecords, rows: pl.DataFrame, policy: str) -> pl.DataFrame:
    """Return one row for each system and instance; ``rows`` say what is ``right`` by now."""
    rows = rows.with_row_index("record")
    size = pl.len().over(_PAIR)
    if rows.select((size > 1).any()).item():
        _check(records, rows, policy)
    elif policy != MEAN:
        return rows.drop("record")
    rows = rows.sort("epoch", "record", nulls_last=True, maintain_order=True)
    if policy == MEAN:
        return _means(rows)
    if policy in (ANY, ALL):
        best = policy == ANY
        rows = rows.sort(
            pl.col("right").cast(pl.Int8).fill_null(0), _score(rows),
            descending=best, nulls_last=best, maintain_order=True,
        )  # fmt: skip
    return rows.unique(_PAIR, keep="first", maintain_order=True).sort("record").drop("record")


def _score(rows: pl.DataFrame) -> pl.Expr:
    """Return the score that counts, which settles which of several right ones is taken."""
    return pl.col(f"{SCORE}score") if f"{SCORE}score" in rows.columns else pl.lit(None, pl.Float64)


def _means(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each with the means of its scores, over the answers that are there.

    The status is ``ok`` if that of any is.
    """
    scores = [n for n in rows.columns if n.startswith(SCORE)]
    there = pl.col("status") == OK
    means = rows.group_by(_PAIR).agg(
        *(pl.col(name).filter(there).mean() for name in scores),
        pl.col("right").filter(there).cast(pl.Float64).mean().alias("share"),
        there.any().alias("some"),
    )
    first = rows.unique(_PAIR, keep="first", maintain_order=True).sort("record")
    found = first.drop(*scores).join(means, on=_PAIR, how="left", maintain_order="left")
    status = pl.when("some").then(pl.lit(OK)).otherwise("status")
    return found.with_columns(status.alias("status")).drop("record", "some")


def _check(records: LogRecords, rows: pl.DataFrame, policy: str) -> None:
    """Raise for an epoch that is there twice, or several answers without a policy for them."""
    again = rows.filter(pl.col("epoch").is_not_null() & pl.struct(*_PAIR, "epoch").is_duplicated())
    remedy = "one run has one answer in each epoch; are there two runs in the file?"
    if not len(again) and not policy:
        again = rows.filter(pl.struct(_PAIR).is_duplicated())
        remedy = (
            "if these are several answers to one instance, say which counts: "
            "--epochs first|mean|any|all; of two runs, give each a system of its own"
        )
    if not len(again):
        return
    first = again.row(0, named=True)
    second = again.filter(item=first["item"], system=first["system"]).row(1, named=True)
    n = again.select(pl.struct(_PAIR).n_unique()).item()
    raise DataError(
        f"`{first['system']}` answers `{records.id_of(first['item'])}` more than once, first in "
        f"{records.at(first['record'])} ({n:,} such instances)",
        where=records.at(second["record"]),
        remedy=remedy,
    )
