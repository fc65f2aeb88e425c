"""``behaviour``: failure rates of cases, who differs, and what fails (Ribeiro et al. 2020)."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.behaviour.cases import LABEL, tested
from coleval.analyses.behaviour.spec import limit_of
from coleval.corpus.lazy import LazyMapping
from coleval.declare.analysis import Result
from coleval.statistics.paired import adjusted, mcnemar, wilson
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from coleval.analyses.behaviour.cases import CaseOutcome, TestedRows
    from coleval.analyses.behaviour.spec import Options
    from coleval.corpus.corpus import Corpus

    Outcomes = Mapping[str, CaseOutcome]

_SHORT = ("cases", "failed", "rate")
_COUNTS = (*_SHORT, "low", "high", "rows", "rows_failed")


def behaviour(corpus: Corpus, options: Options) -> Result:
    """Return the failure rates of every system, and by what the options name."""
    if options.relations is not None:
        corpus = corpus.with_table(options.relations)
    tested_rows = tested(corpus, options)
    outcomes = {name: tested_rows.outcome(name) for name in tested_rows.answers}
    rates = partial(_rates, tested_rows, outcomes)
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "overall": lambda: rates(["expect"], _COUNTS).sort("expect", "rate", "system")
    }
    if options.capability:
        makers["capabilities"] = lambda: rates(["capability"], _SHORT)
    if options.test:
        makers["tests"] = lambda: rates(["test", "expect"], _COUNTS)
    if options.groups:
        makers["groups"] = lambda: _groups(tested_rows, outcomes)
    if len(outcomes) > 1:
        makers["pairs"] = lambda: _pairs(outcomes)
    makers["cases"] = lambda: _cases(tested_rows, outcomes)
    if options.gate:
        makers["gate"] = lambda: _gate(makers["overall"](), options.gate)
    return Result(LazyMapping(makers), corpus, warnings=tuple(_warnings(tested_rows)),
                  late=frozenset({"cases"}))  # fmt: skip


def _warnings(tested_rows: TestedRows) -> Iterator[str]:
    """Yield what readers should know of the numbers: nothing is counted, a label is not there."""
    if not len(tested_rows.rows):
        yield "no rows belong to a case: there is nothing to count"
    for kind in tested_rows.rows["expect"].unique().cast(pl.String).sort():
        label = kind.removeprefix(LABEL)
        if label != kind and not tested_rows.given(label)[1:].any():
            yield f"--expect {kind}: neither gold nor a system has the label `{label}`"


def _rates(
    tested_rows: TestedRows, outcomes: Outcomes, keys: list[str], counts: tuple[str, ...]
) -> pl.DataFrame:
    """Return the cases and rows of each value of some columns that every system fails."""
    groups = tested_rows.rows.select(keys).unique(maintain_order=True).with_row_index("slot")
    of = tested_rows.rows.join(groups, on=keys, how="left", nulls_equal=True, maintain_order="left")
    slot, n = of["slot"].to_numpy(), len(groups)
    slot_of_case = np.zeros(int(tested_rows.case.max(initial=-1)) + 1, slot.dtype)
    slot_of_case[tested_rows.case[::-1]] = slot[::-1]
    frames = []
    for name, outcome in outcomes.items():
        columns = {
            "cases": slot_of_case[outcome.cases], "failed": slot_of_case[outcome.failed],
            "rows": slot[outcome.rows], "rows_failed": slot[outcome.rows_failed],
        }  # fmt: skip
        counts_of = [pl.Series(key, np.bincount(value, minlength=n), pl.Int64)
                     for key, value in columns.items()]  # fmt: skip
        frames.append(groups.with_columns(pl.lit(name).alias("system"), *counts_of))
    # Sorting keeps the order of equals, which is that of systems.
    table = pl.concat(frames).sort("slot", maintain_order=True)
    failed, cases = table["failed"].to_numpy(), table["cases"].to_numpy()
    some = np.where(cases > 0, cases, np.nan)
    low, high = map(null_for_nan, wilson(failed, some, 0.05))
    table = table.with_columns(rate=null_for_nan(failed / some), low=low, high=high)
    return table.select("system", pl.col(keys).cast(pl.String), *counts)


def _groups(tested_rows: TestedRows, outcomes: Outcomes) -> pl.DataFrame:
    """Return how often each group gets each answer, and how often its answer fails."""
    names = pl.Series(["", *tested_rows.labels])
    frames = []
    for system, codes in tested_rows.answers.items():
        rows = tested_rows.rows.select(
            pl.col("group").cast(pl.String), answer=pl.Series(codes[tested_rows.place]),
            odd=pl.Series(outcomes[system].rows_failed),
        ).filter(pl.Series(outcomes[system].rows))  # fmt: skip
        labels = rows.group_by("group", "answer", maintain_order=True).agg(
            n=pl.len().cast(pl.Int64), odd=pl.col("odd").sum().cast(pl.Int64)
        )
        whole = [pl.col(of).sum().over("group") for of in ("n", "odd")]
        frames.append(labels.select(
            pl.lit(system).alias("system"), "group", names.gather(labels["answer"]).alias("label"),
            "n", whole[0].alias("rows"), (pl.col("n") / whole[0]).alias("rate"), whole[1],
            (whole[1] / whole[0]).alias("odd_rate"),
        ))  # fmt: skip
    return pl.concat(frames).sort("label", "system", "group", nulls_last=True)


def _pairs(outcomes: Outcomes) -> pl.DataFrame:
    """Return how many cases one system of two fails alone, of those that count for both."""
    rows = []
    for (a, of_a), (b, of_b) in combinations(outcomes.items(), 2):
        both = of_a.cases & of_b.cases
        only_a, only_b = both & of_a.failed & ~of_b.failed, both & of_b.failed & ~of_a.failed
        rows.append((a, b, int(both.sum()), int(only_a.sum()), int(only_b.sum())))
    kinds = {"a": pl.String, "b": pl.String,
             **dict.fromkeys(("cases", "only_a", "only_b"), pl.Int64)}  # fmt: skip
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    p = mcnemar(table["only_b"].to_numpy(), table["only_a"].to_numpy(), mid=False)
    return table.with_columns(
        null_for_nan(p).alias("p"), null_for_nan(adjusted(p, "holm")).alias("p_adjusted")
    )


def _cases(tested_rows: TestedRows, outcomes: Outcomes) -> pl.DataFrame:
    """Return every row that some system fails, those of most systems first."""
    by = np.asarray(sum(outcome.rows_failed.astype(np.int64) for outcome in outcomes.values()))
    some = np.flatnonzero(by)
    own, old = pl.Series(tested_rows.place[some]), pl.Series(tested_rows.before[some])
    compared = pl.Series(own != old, dtype=pl.Boolean)
    nothing = pl.repeat(None, len(some), dtype=pl.String, eager=True)

    def of_both(values: pl.Series | None) -> tuple[pl.Series, pl.Series]:
        """Return a value of each row, and that of the row that it is compared with."""
        if values is None:
            return nothing, nothing
        return values.gather(own), values.gather(old).zip_with(compared, nothing)

    (item, original), (text, original_text) = map(of_both, (tested_rows.names, tested_rows.texts))
    table = tested_rows.rows[pl.Series(some)].select(
        pl.col("name").alias("case"), pl.col("expect", "test", "capability").cast(pl.String),
        failed_by=pl.Series(by[some]), original=original, item=item,
        gold=pl.Series([None, *tested_rows.labels]).gather(pl.Series(tested_rows.gold)[own]),
        answers=_wrong_answers(tested_rows, outcomes, some), original_text=original_text, text=text,
    )  # fmt: skip
    return table.sort("failed_by", descending=True, maintain_order=True)


def _wrong_answers(
    tested_rows: TestedRows, outcomes: Outcomes, some: NDArray[np.intp]
) -> pl.Series:
    """Return the answers to some rows with the systems that fail so, the most frequent first."""
    own, old, size = tested_rows.place[some], tested_rows.before[some], len(tested_rows.labels) + 1
    # Rows that the same systems fail with the same answers are worded once.
    rows = pl.DataFrame({
        str(k): (codes[old].astype(np.int64) * size + codes[own] + 1) * failed
        for k, (name, codes) in enumerate(tested_rows.answers.items())
        for failed in [outcomes[name].rows_failed[some]]
    } | {"compared": own != old})  # fmt: skip
    alike = rows.unique(maintain_order=True).with_row_index("pattern")
    long = (
        alike.unpivot([*rows.columns[:-1]], index=["pattern", "compared"], variable_name="k")
        .filter(pl.col("value") > 0)
        .group_by("pattern", "compared", "value")
        .agg("k", n=pl.len())
        .sort("pattern", "n", "value", descending=[False, True, False])
    )
    systems = {str(k): name for k, name in enumerate(outcomes)}
    names, both = (
        pl.Series(["–", *(label or "–" for label in tested_rows.labels)]),
        long["value"] - 1,
    )
    texts = pl.DataFrame({
        "pattern": long["pattern"], "compared": long["compared"],
        "old": names.gather(both // size), "own": names.gather(both % size),
        "systems": long["k"].list.eval(pl.element().replace_strict(systems)).list.join(", "),
    })  # fmt: skip
    before = pl.when("compared").then(pl.col("old") + " → ").otherwise(pl.lit(""))
    answer = pl.concat_str(before, "own", pl.lit(": "), "systems")
    worded = texts.group_by("pattern", maintain_order=True).agg(answers=answer.str.join("; "))
    pattern = rows.join(alike, on=rows.columns, how="left", maintain_order="left")["pattern"]
    # Every pattern has an answer that fails, so that they are numbered alike.
    return worded["answers"].gather(pattern)


def _gate(overall: pl.DataFrame, gate: str) -> pl.DataFrame:
    """Return whether each system fails no more cases than the limit allows."""
    allowed, share = limit_of(gate)
    value = pl.col("rate").fill_null(0.0) if share else pl.col("failed").cast(pl.Float64)
    verdict = pl.format("{} of {} cases fail ({})", "failed", "cases", "expect")
    return overall.select(
        "system", "expect", limit=pl.lit(gate), allowed=pl.lit(allowed), found=value,
        holds=value <= allowed, verdict=verdict)  # fmt: skip
