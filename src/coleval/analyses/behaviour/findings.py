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
    return (corpus, story.cases) if story.cases else ""


def finish(
    tables: Mapping[str, pl.DataFrame], _corpus: Corpus, _story: Story
) -> dict[str, pl.DataFrame]:
    """Return the tables with the first rows that fail."""
    return {**tables, "cases": tables["cases"].head(KEPT)}


def finding(report: Report, _: Topic) -> str:
    """Return who fails fewest and most cases, where systems fail most, and who is the odd one."""
    overall = report.table("overall").drop_nulls("rate")
    if overall.is_empty():
        return "No rows belong to a case."
    sentences = [_of_expected(rows) for rows in overall.partition_by("expect", maintain_order=True)]
    for name, column in (("tests", "test"), ("capabilities", "capability")):
        if name in report.tables:
            means = report.table(name).drop_nulls().group_by(column, maintain_order=True).agg(
                pl.col("rate").mean(), pl.col("cases").max())  # fmt: skip
            where, rate, n = means.sort("rate", maintain_order=True).row(-1)
            sentences.append(f"Systems fail most in {where}: {percent(rate)} of "
                             f"{number_of(n, 'case')} on average.")  # fmt: skip
            break
    if "groups" in report.tables:
        groups = report.table("groups").drop_nulls("group")
        if groups["group"].n_unique() > 1:
            row = groups.sort("odd_rate", maintain_order=True).row(-1, named=True)
            sentences.append(
                f"The answer of {row['system']} is most often the odd one for {row['group']}: in "
                f"{row['odd']:,} of {number_of(row['rows'], 'row')} ({percent(row['odd_rate'])})."
            )
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
