"""Are buckets, or two systems over buckets, really different? With the sample of every test said.

Friedman: do the buckets of an attribute differ, each system being a block? Wilcoxon: do two
systems differ, their scores in each bucket of each corpus being a pair?
"""

from __future__ import annotations

from itertools import combinations, pairwise
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.buckets.pairs import deltas
from coleval.analyses.buckets.scores import spearman_of
from coleval.analyses.wording import number_of
from coleval.errors import UsageError, unknown
from coleval.statistics.blocks import (
    LEVEL,
    Outcome,
    friedman,
    friedman_least,
    wilcoxon,
    wilcoxon_least,
)
from coleval.statistics.breakdown import deviation
from coleval.statistics.paired import adjusted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coleval.analyses.buckets.scores import Row


COLUMNS = {
    "corpus": pl.String, "test": pl.String, "attribute": pl.String, "systems": pl.String,
    "sample": pl.String, "n": pl.Int64, "statistic": pl.Float64, "p": pl.Float64,
    "p_adjusted": pl.Float64, "exact": pl.Boolean, "note": pl.String,
}  # fmt: skip
_FEW = 2


def tests_table(
    rows: Sequence[Row], pairs: Sequence[tuple[str, str]], correct: str
) -> pl.DataFrame:
    """Return a row a test; p is adjusted over all tests of its kind, null where there is none."""
    parts = [
        list(_friedmans(rows)),
        list(_wilcoxons(rows, pairs)),
        list(friedmans(rows)),
        list(wilcoxons(rows, pairs)),
    ]
    told = [row for part in parts for row in _adjusted(part, correct)]
    return pl.DataFrame(told, schema=COLUMNS, orient="row")


def _adjusted(rows: list[dict[str, Any]], correct: str) -> list[dict[str, Any]]:
    p = np.array([np.nan if row["p"] is None else row["p"] for row in rows], np.float64)
    found = adjusted(p, correct).tolist()
    return [
        row | {"p_adjusted": None if row["p"] is None else value}
        for row, value in zip(rows, found, strict=True)
    ]


def _friedmans(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.corpus, row.cut.attribute.name), []).append(row)
    for (corpus, attribute), part in groups.items():
        buckets = [k for k, column in enumerate(zip(*(r.scores for r in part), strict=True))
                   if None not in column]  # fmt: skip
        blocks = [[float(row.scores[k] or 0) for k in buckets] for row in part]
        sample = f"{number_of(len(part), 'system')} × {number_of(len(buckets), 'bucket')}"
        head = {"corpus": corpus, "test": "Friedman", "attribute": attribute,
                "systems": "all", "sample": sample, "n": len(part)}  # fmt: skip
        yield head | _friedman(blocks, len(buckets), len(part))


def _friedman(blocks: list[list[float]], buckets: int, systems: int) -> dict[str, Any]:
    if buckets < 3:
        return untested(f"Friedman's test needs 3 buckets, there are {buckets}")
    if friedman_least(buckets, systems) > LEVEL:
        return untested(f"{number_of(systems, 'block')} of {buckets} cannot give p ≤ {LEVEL}")
    return tested(friedman(blocks))


def _wilcoxons(rows: Sequence[Row], pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    systems = list(dict.fromkeys(row.system for row in rows))
    chosen = pairs or (list(combinations(systems, 2)) if len(systems) == _FEW else [])
    for before, after in chosen:
        for attribute in dict.fromkeys(row.cut.attribute.name for row in rows):
            yield _pair([row for row in rows if row.cut.attribute.name == attribute], before, after)


def _pair(rows: Sequence[Row], before: str, after: str) -> dict[str, Any]:
    corpora = list(dict.fromkeys(row.corpus for row in rows))
    place = {(row.corpus, row.system): row for row in rows}
    both = [c for c in corpora if (c, before) in place and (c, after) in place]
    found = [d for c in both for d in deltas(place[c, before], place[c, after]) if d is not None]
    unequal = [d for d in found if round(d, 12)]
    where = f" of {number_of(len(both), 'corpus', 'corpora')}"
    head = {
        "corpus": ", ".join(both),
        "test": "Wilcoxon",
        "attribute": rows[0].cut.attribute.name,
        "systems": f"{before} → {after}",
        "sample": f"{number_of(len(found), 'bucket')}{where}",
        "n": len(found),
    }
    if wilcoxon_least(len(unequal)) > LEVEL:
        return head | untested(
            f"{number_of(len(unequal), 'unequal pair')} cannot give p ≤ {LEVEL}; 6 can"
        )
    return head | tested(wilcoxon(found))


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


_WHERE = "--versions"


def checked_versions(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of versions; raise for fewer than two, and for one that comes twice."""
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None or len(names) == 1:
        raise UsageError(
            f"`{twice}` is named twice" if twice is not None else "one version has none before it",
            where=_WHERE,
            remedy="name two or more, the oldest first: --versions v1,v2,v3",
        )
    return tuple(names)


def versions_table(rows: Sequence[Row], names: Sequence[str], metric: str) -> pl.DataFrame:
    """Return a row for each bucket and version: its score, and the gain over the version before.

    The first version has no gain; neither has one whose score, or that of the one before, is
    undefined.
    """
    kinds = {
        "corpus": pl.String, "attribute": pl.String, "place": pl.Int64, "bucket": pl.String,
        "gold": pl.Int64, "system": pl.String, "before": pl.String, metric: pl.Float64,
        "delta": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(list(_cells(rows, names)), schema=kinds, orient="row")


def _cells(rows: Sequence[Row], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    place = {(row.corpus, row.cut.attribute.name, row.system): row for row in rows}
    known = list(dict.fromkeys(row.system for row in rows))
    for name in names:
        if name not in known:
            raise unknown("system", name, known, where=_WHERE)
    for corpus, attribute in dict.fromkeys(key[:2] for key in place):
        own = [place.get((corpus, attribute, name)) for name in names]
        yield from _series([row for row in own if row is not None])


def _series(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of one attribute, bucket by bucket."""
    gains = [deltas(one, other) for one, other in pairwise(rows)]
    for at, bucket in enumerate(rows[0].names if rows else ()):
        for k, row in enumerate(rows):
            cut = row.cut
            place = (row.corpus, cut.attribute.name, at + 1, bucket, int(cut.counts.gold[at]))
            before, delta = (rows[k - 1].system, gains[k - 1][at]) if k else (None, None)
            yield (*place, row.system, before, row.scores[at], delta)
