"""Buckets over corpora: means of what is measured on each, and tests with corpora as blocks.

Buckets of several corpora correspond by their name where they have no order (labels), else by
their place: the lowest with the lowest. Corpora with fewer buckets than others are left out.
"""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.buckets.scores import spearman_of
from coleval.analyses.wording import number_of
from coleval.statistics.blocks import (
    LEVEL,
    Outcome,
    friedman,
    friedman_least,
    wilcoxon,
    wilcoxon_least,
)
from coleval.statistics.breakdown import deviation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coleval.analyses.buckets.scores import Row

AVERAGES = {
    "system": pl.String, "attribute": pl.String, "measure": pl.String, "mean": pl.Float64,
    "sd": pl.Float64, "corpora": pl.Int64, "p": pl.Float64, "p_adjusted": pl.Float64,
}  # fmt: skip
RHO, SIGMA = "spearman", "std"


def averages(rows: Sequence[Row], tests: pl.DataFrame) -> pl.DataFrame:
    """Return mean and deviation over corpora of how each system's scores follow the buckets.

    ``p`` is that of Friedman's test of the system, with corpora as blocks.
    """
    found = tests.filter(pl.col("test") == OVER_CORPORA).select("attribute", "systems", "p",
                                                                 "p_adjusted")  # fmt: skip
    known = {(a, s): (p, adjusted) for a, s, p, adjusted in found.iter_rows()}
    none = (None, None)
    table = [
        (
            system,
            attribute,
            measure,
            *_summary(values),
            *known.get((attribute, system), none),
        )
        for (system, attribute), part in _by_system(rows).items()
        for measure, values in (
            (RHO, [spearman_of(row) for row in part]),
            (SIGMA, [deviation(row.scores) for row in part]),
        )
    ]
    return pl.DataFrame(table, schema=AVERAGES, orient="row")


def _summary(values: Iterable[float | None]) -> tuple[float | None, float | None, int]:
    known = [value for value in values if value is not None]
    n = len(known)
    return mean(known) if n else None, stdev(known) if n > 1 else None, n


def _by_system(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.system, row.cut.attribute.name), []).append(row)
    return found


def blocks_of(rows: Sequence[Row]) -> tuple[list[str], dict[str, list[float | None]]]:
    """Return the names of the buckets that correspond, and the scores in them by corpus."""
    ordered = all(row.cut.buckets.ordered for row in rows)
    if ordered:
        most = max(len(row.scores) for row in rows)
        alike = {row.corpus: list(row.scores) for row in rows if len(row.scores) == most}
        return [str(at + 1) for at in range(most)], alike
    shared = [n for n in rows[0].names if all(n in row.names for row in rows)]
    return shared, {row.corpus: [row.scores[row.names.index(n)] for n in shared] for row in rows}


OVER_CORPORA = "Friedman over corpora"
IN_BUCKET = "Wilcoxon in a bucket"


def friedmans(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield a test of each system and attribute: whether buckets differ, corpora being blocks."""
    for (system, attribute), part in _by_system(rows).items():
        if len(part) == 1:
            continue
        names, alike = blocks_of(part)
        known = [at for at in range(len(names)) if all(s[at] is not None for s in alike.values())]
        blocks = [[float(scores[at] or 0) for at in known] for scores in alike.values()]
        size = number_of(len(blocks), "corpus", "corpora")
        sample = f"{size} × {number_of(len(known), 'bucket')}"
        head = {"corpus": ", ".join(alike), "test": OVER_CORPORA, "attribute": attribute,
                "systems": system, "sample": sample, "n": len(blocks)}  # fmt: skip
        if len(known) < 3:
            why = f"Friedman's test needs 3 buckets, there are {len(known)}"
        elif friedman_least(len(known), len(blocks)) > LEVEL:
            why = f"{number_of(len(blocks), 'block')} of {len(known)} cannot give p ≤ {LEVEL}"
        else:
            why = ""
        yield head | (untested(why) if why else tested(friedman(blocks)))


def wilcoxons(rows: Sequence[Row], pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield a test of each bucket: whether two systems differ in it, corpora being pairs."""
    found = _by_system(rows)
    for before, after in pairs:
        for attribute in dict.fromkeys(row.cut.attribute.name for row in rows):
            both = found.get((before, attribute), []), found.get((after, attribute), [])
            if len({row.corpus for row in both[0]}) < 2:
                continue
            yield from _each_bucket(attribute, (before, after), *both)


def _each_bucket(
    attribute: str, pair: tuple[str, str], one: Sequence[Row], other: Sequence[Row]
) -> Iterator[dict[str, Any]]:
    names, first = blocks_of(one)
    _, second = blocks_of(other)
    for at, name in enumerate(names):
        cells = [(first[c][at], second[c][at]) for c in first if c in second]
        deltas = [b - a for a, b in cells if a is not None and b is not None]
        unequal = [d for d in deltas if round(d, 12)]
        head = {"corpus": ", ".join(first), "test": IN_BUCKET, "attribute": f"{attribute}: {name}",
                "systems": " → ".join(pair), "sample": number_of(len(deltas), "corpus", "corpora"),
                "n": len(deltas)}  # fmt: skip
        if wilcoxon_least(len(unequal)) > LEVEL:
            few = number_of(len(unequal), "unequal pair")
            yield head | untested(f"{few} cannot give p ≤ {LEVEL}; 6 can")
        else:
            yield head | tested(wilcoxon(deltas))


def tested(outcome: Outcome) -> dict[str, Any]:
    """Return what a test says."""
    statistic, p, exact = outcome
    return {"statistic": statistic, "p": p, "exact": exact, "note": None}


def untested(why: str) -> dict[str, Any]:
    """Return why there is no test."""
    return {"statistic": None, "p": None, "exact": None, "note": f"not tested: {why}"}
