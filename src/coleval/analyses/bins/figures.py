"""The bins as a histogram: each split into what the system that solves most has right, and not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.bins.ranges import in_ranges
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def split(report: Report) -> pl.DataFrame:
    """Return the items of each bin in two parts, in one where there is a single system."""
    bins = _readable(report, report.table("bins"), "items", "share")
    bins = bins.with_columns(whole="items", part=pl.lit(None, pl.String))
    best = _most_solved(report)
    if best is None:
        return bins.with_columns(of_bin=pl.lit(None, pl.Float64))
    own = _readable(report, report.table("tps").filter(pl.col("system") == best), "tp")
    own = own.select("bin", "tp")
    joined = bins.join(own, on="bin", how="left", maintain_order="left")
    right = joined.with_columns(
        items=pl.col("tp").fill_null(0), part=pl.lit(f"solved by {best} (most)")
    )
    wrong = joined.with_columns(items=pl.col("whole") - pl.col("tp").fill_null(0),
                                part=pl.lit("not solved by it"))  # fmt: skip
    share = ratio_expr(pl.col("items"), pl.col("whole"), None)
    return pl.concat([right, wrong]).with_columns(of_bin=share).drop("tp")


def _readable(report: Report, frame: pl.DataFrame, *sums: str) -> pl.DataFrame:
    return frame if report.shown is None else in_ranges(frame, "bin", *sums)


def shares(report: Report) -> pl.DataFrame:
    """Return what each system solves of each bin, or of each range of the bins of a crowd."""
    solved = report.table("tps")
    if report.shown is None:
        return solved
    sized = solved.join(report.table("bins").select("bin", "items"), on="bin",
                        maintain_order="left")  # fmt: skip
    few = in_ranges(sized, "bin", "tp", "items", by=("system",))
    return few.with_columns(share=ratio_expr(pl.col("tp"), pl.col("items"), None))


def _most_solved(report: Report) -> str | None:
    """Return the system that solves most items; none if there is but one, or no counts."""
    if "tps" not in report.tables:
        return None
    sums = report.table("tps").group_by("system", maintain_order=True).agg(pl.col("tp").sum())
    if sums.height < 2:
        return None
    return str(sums.sort("tp", descending=True, maintain_order=True)["system"][0])
