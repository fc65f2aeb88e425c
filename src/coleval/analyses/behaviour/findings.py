"""``behaviour`` in the report, where columns say which rows belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.wording import number_of, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.analyses.report.tables import Story, Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

# Columns were named for this chapter: what is wrong with them is an error of the whole report.
NAMED = True
# So many rows that fail are in a report; the command lists all.
KEPT = 20


def prepare(corpus: Corpus, story: Story) -> tuple[Corpus, dict[str, Any]] | str:
    """Return the options that the report was given, or nothing if there are none."""
    # The table of relations is joined for the whole report.
    options = {name: value for name, value in story.cases.items() if name != "relations"}
    if "epsilon" in options:
        options["epsilon"] = float(options["epsilon"])
    return (corpus, options) if options else ""


def finish(
    tables: Mapping[str, pl.DataFrame], _corpus: Corpus, _story: Story
) -> dict[str, pl.DataFrame]:
    """Return the tables with the first rows that fail."""
    return {**tables, "cases": tables["cases"].head(KEPT)}


def finding(report: Report, _: Topic) -> str:
    """Return who fails fewest and most cases, and where most systems fail."""
    overall = report.table("overall").filter(pl.col("cases") > 0)
    if overall.is_empty():
        return "No rows belong to a case."
    sentences = [_of_expected(rows) for rows in overall.partition_by("expect", maintain_order=True)]
    for name, column in (("tests", "test"), ("capabilities", "capability")):
        if name in report.tables:
            sentences += _hardest(report.table(name), column)
            break
    if "groups" in report.tables:
        sentences += _odd_one(report.table("groups"))
    return " ".join(sentences)


def _of_expected(rows: pl.DataFrame) -> str:
    """Return the systems that fail fewest and most of the cases with one expectation."""
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)
    text = (
        f"Of {number_of(best['cases'], 'case')} (expected: {best['expect']}), "
        f"{best['system']} fails {best['failed']:,} ({percent(best['rate'])}; "
        f"95 % interval {100 * best['low']:.1f} to {100 * best['high']:.1f})"
    )
    if len(rows) == 1:
        return f"{text}."
    share = f"{worst['failed']:,} ({percent(worst['rate'])})"
    return f"{text}, the fewest of all systems; {worst['system']} fails the most, {share}."


def _hardest(frame: pl.DataFrame, column: str) -> list[str]:
    """Return the test or capability of which systems fail most on the average."""
    mean = (
        frame.drop_nulls([column, "rate"])
        .group_by(column, maintain_order=True)
        .agg(pl.col("rate").mean(), pl.col("cases").max())
        .sort("rate", descending=True, maintain_order=True)
    )
    return [
        f"On the average systems fail most in {row[column]}: {percent(row['rate'])} of "
        f"{number_of(row['cases'], 'case')}."
        for row in mean.head(1).to_dicts()
        if len(mean) > 1
    ]


def _odd_one(frame: pl.DataFrame) -> list[str]:
    """Return the group whose answer is most often the odd one, and for which system."""
    groups = frame.drop_nulls("group").unique(["system", "group"], maintain_order=True)
    most = groups.sort("odd_rate", descending=True, maintain_order=True).head(1)
    return [
        f"The answer of {row['system']} is most often the odd one for {row['group']}: in "
        f"{row['odd']:,} of {number_of(row['rows'], 'row')} ({percent(row['odd_rate'])})."
        for row in most.to_dicts()
        if groups["group"].n_unique() > 1
    ]
