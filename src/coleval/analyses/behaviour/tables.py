"""``behaviour``: failure rates of cases, who differs, and what fails (Ribeiro et al. 2020)."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.behaviour.cases import TestedRows, tested
from coleval.analyses.behaviour.spec import limit_of
from coleval.corpus.lazy import LazyMapping
from coleval.declare.analysis import Result
from coleval.statistics.paired import adjusted, mcnemar
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.analyses.behaviour.spec import Options
    from coleval.corpus.corpus import Corpus

    Flags = NDArray[np.bool_]

_SHORT = ("cases", "failed", "rate")
_COUNTS = (*_SHORT, "low", "high", "rows", "rows_failed")


def behaviour(corpus: Corpus, options: Options) -> Result:
    """Return the failure rates of every system, and by what the options name."""
    found = tested(corpus, options)
    failed = {name: found.fails(name) for name in found.answers}
    counted = {name: found.answered(name) for name in found.answers}
    rates = partial(_rates, found, failed, counted)
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "overall": lambda: rates(["expect"], _COUNTS).sort("expect", "rate", "system")
    }
    if options.capability:
        makers["capabilities"] = lambda: rates(["capability"], _SHORT)
    if options.test:
        makers["tests"] = lambda: rates(["test", "expect"], _COUNTS)
    if options.groups:
        makers["groups"] = lambda: _groups(found, failed, counted)
    makers["pairs"] = lambda: _pairs(found, failed, counted)
    makers["cases"] = lambda: _cases(found, failed)
    if options.gate:
        makers["gate"] = lambda: _gate(makers["overall"](), options.gate)
    said = () if len(found.rows) else ("no rows belong to a case: there is nothing to count",)
    named = ("case", "original", "expect", "test", "capability", "groups", "epsilon")
    signed = {n: str(value) for n in named if (value := getattr(options, n)) not in ("", 0.1)}
    return Result(LazyMapping(makers), signed=signed, warnings=said, late=frozenset({"cases"}))


def _rates(
    found: TestedRows, failed: Mapping[str, Flags], counted: Mapping[str, Flags],
    keys: list[str], counts: tuple[str, ...],
) -> pl.DataFrame:  # fmt: skip
    """Return the cases and rows of each value of some columns that every system fails."""
    groups = found.rows.select(keys).unique(maintain_order=True).with_row_index("slot")
    of = found.rows.join(groups, on=keys, how="left", nulls_equal=True, maintain_order="left")
    slot, n = of["slot"].to_numpy(), len(groups)
    first = np.unique(found.case, return_index=True)[1]
    frames = []
    for name in found.answers:
        columns: dict[str, NDArray[np.integer]] = {}
        for cases, rows, of_system in (
            ("cases", "rows", counted),
            ("failed", "rows_failed", failed),
        ):
            case = np.bincount(found.case[of_system[name]], minlength=len(first)) > 0
            columns[cases] = np.bincount(slot[first][case], minlength=n)
            columns[rows] = np.bincount(slot[of_system[name]], minlength=n)
        counts_of = [pl.Series(key, value, pl.Int64) for key, value in columns.items()]
        frames.append(groups.with_columns(pl.lit(name).alias("system"), *counts_of))
    rate = (pl.col("failed") / pl.col("cases")).fill_nan(None)
    table = pl.concat(frames).with_columns(rate=rate, low=_wilson(rate, -1), high=_wilson(rate, 1))
    # Sorting keeps the order of equals, which is that of systems.
    own = pl.col(keys).cast(pl.String)
    return table.sort("slot", maintain_order=True).select("system", own, *counts)


def _wilson(p: pl.Expr, side: int) -> pl.Expr:
    """Return an end of the 95 % interval of a rate (Wilson 1927), null where there are no cases."""
    n, z = pl.col("cases"), 1.959963984540054
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)).sqrt()
    return (p + z * z / (2 * n) + side * half) / (1 + z * z / n)


def _groups(
    found: TestedRows, failed: Mapping[str, Flags], counted: Mapping[str, Flags]
) -> pl.DataFrame:
    """Return how often each group gets each answer, and how often its answer fails."""
    names = pl.Series(["", *found.labels])
    frames = []
    for system, codes in found.answers.items():
        rows = found.rows.select("group", label=names.gather(pl.Series(codes[found.place])),
                                 odd=pl.Series(failed[system]))  # fmt: skip
        rows = rows.filter(pl.Series(counted[system]))
        every = rows.group_by("group", maintain_order=True).agg(
            rows=pl.len().cast(pl.Int64), odd=pl.col("odd").sum().cast(pl.Int64)
        )
        labels = rows.group_by("group", "label", maintain_order=True).agg(n=pl.len().cast(pl.Int64))
        joined = labels.join(every, on="group", nulls_equal=True, maintain_order="left")
        frames.append(joined.select(
            pl.lit(system).alias("system"), pl.col("group").cast(pl.String), "label", "n", "rows",
            (pl.col("n") / pl.col("rows")).alias("rate"), "odd",
            (pl.col("odd") / pl.col("rows")).alias("odd_rate"),
        ))  # fmt: skip
    return pl.concat(frames).sort("label", "system", "group", nulls_last=True)


def _pairs(
    found: TestedRows, failed: Mapping[str, Flags], counted: Mapping[str, Flags]
) -> pl.DataFrame:
    """Return how many cases one system of two fails alone, of those that count for both."""
    n = int(found.case.max(initial=-1)) + 1
    case = {name: [np.bincount(found.case[rows[name]], minlength=n) > 0
                   for rows in (counted, failed)] for name in found.answers}  # fmt: skip
    rows = []
    for a, b in combinations(case, 2):
        both = case[a][0] & case[b][0]
        only_a, only_b = (int((both & one & ~other).sum()) for one, other in
                          ((case[a][1], case[b][1]), (case[b][1], case[a][1])))  # fmt: skip
        rows.append((a, b, int(both.sum()), only_a, only_b))
    kinds = {"a": pl.String, "b": pl.String,
             **dict.fromkeys(("cases", "only_a", "only_b"), pl.Int64)}  # fmt: skip
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    p = mcnemar(table["only_b"].to_numpy(), table["only_a"].to_numpy(), mid=False)
    return table.with_columns(
        null_for_nan(p).alias("p"), null_for_nan(adjusted(p, "holm")).alias("p_adjusted")
    )


def _cases(found: TestedRows, failed: Mapping[str, Flags]) -> pl.DataFrame:
    """Return every row that some system fails, those of most systems first."""
    by = np.asarray(sum(rows.astype(np.int64) for rows in failed.values()))
    some = np.flatnonzero(by)
    place, before = found.place[some], found.before[some]
    names = pl.Series(["–", *found.labels])
    compared = pl.Series(place != before)
    nothing, blank = pl.Series([None], dtype=pl.String), pl.Series([""])
    arrow = pl.Series([" → "]).zip_with(compared, blank) if len(some) else blank.clear()
    answers: list[pl.Expr] = []
    for system, codes in found.answers.items():
        own, old = (names.gather(pl.Series(codes[at])) for at in (place, before))
        moved = old.zip_with(compared, blank) + arrow + own
        answers.append(pl.when(pl.Series(failed[system][some])).then(pl.lit(f"{system}: ") + moved))
    table = found.rows[pl.Series(some)].select(
        pl.col("name").alias("case"), pl.col("expect", "test", "capability").cast(pl.String),
        failed_by=pl.Series(by[some]),
        original=found.names.gather(pl.Series(before)).zip_with(compared, nothing),
        item=found.names.gather(pl.Series(place)),
        gold=pl.Series(["", *found.labels]).gather(pl.Series(found.gold[place])),
        answers=pl.concat_str(answers, separator="; ", ignore_nulls=True),
    )  # fmt: skip
    return table.sort("failed_by", descending=True, maintain_order=True)


def _gate(overall: pl.DataFrame, gate: str) -> pl.DataFrame:
    """Return whether each system fails no more cases than the limit allows."""
    allowed, share = limit_of(gate)
    value = pl.col("rate").fill_null(0.0) if share else pl.col("failed").cast(pl.Float64)
    verdict = pl.format("{} of {} cases fail ({})", "failed", "cases", "expect")
    return overall.select(
        "system", "expect", limit=pl.lit(gate), allowed=pl.lit(allowed), found=value,
        holds=value <= allowed, verdict=verdict)  # fmt: skip
