"""Are buckets, or two systems over buckets, really different? With the sample of every test said.

Friedman: do the buckets of an attribute differ, each system being a block? Wilcoxon: do two
systems differ, their scores in each bucket of each corpus being a pair?
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.buckets.over import friedmans, tested, untested, wilcoxons
from coleval.analyses.buckets.pairs import deltas
from coleval.analyses.wording import number_of
from coleval.statistics.blocks import (
    LEVEL,
    friedman,
    friedman_least,
    wilcoxon,
    wilcoxon_least,
)
from coleval.statistics.paired import adjusted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
