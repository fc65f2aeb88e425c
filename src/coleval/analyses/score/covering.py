"""How much of the items a leaderboard covers, where some answers are not there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.ordering import ranked_by
from coleval.analyses.running import resulting
from coleval.corpus.coverage import by_coverage, coverage, instances
from coleval.corpus.far import additive
from coleval.corpus.statuses import EMPTY, NOT_RUN, OK, STATUSES, statuses_of
from coleval.counts.blocks import named
from coleval.declare.tables import end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.declare.analysis import Result

    Made = Mapping[str, pl.DataFrame] | Result


def of_each(corpus: Corpus, score: Callable[[Corpus], Made]) -> Made:
    """Return the leaderboard of systems that are each scored on what they answered."""
    corpora = by_coverage(corpus)
    parts = [resulting(score(part)) for part in corpora]
    first = parts[0]
    idle = [name for name in corpus.systems if not any(name in c.systems for c in corpora)]
    if len(parts) == 1 and not idle:
        return first
    names = dict.fromkeys(name for part in parts for name in part.tables)
    tables = {
        name: pl.concat([p.tables[name] for p in parts if name in p.tables], how="diagonal_relaxed")
        for name in names
    }
    keys = [name for name in ("metric",) if name in tables["overall"].columns]
    unscored = pl.DataFrame({"system": idle}, schema={"system": pl.String}).join(
        tables["overall"].select(pl.lit(1).alias("one"), *keys).unique(maintain_order=True),
        how="cross", maintain_order="left",
    ).drop("one")  # fmt: skip
    tables["overall"] = pl.concat([tables["overall"], unscored], how="diagonal")
    order = _best_first(tables["overall"])
    ordered = {name: _by_place(frame, order) for name, frame in tables.items()}
    warnings = tuple(dict.fromkeys(text for part in parts for text in part.warnings))
    return replace(first, tables=ordered, corpus=None, warnings=warnings)


def _best_first(overall: pl.DataFrame) -> pl.DataFrame:
    """Return the systems in their order, with their places."""
    from coleval.analyses.score.spec import TABLES

    by = ranked_by(TABLES, "overall", overall)
    frame = overall
    if "metric" in overall.columns:
        by = "f1" if "f1" in overall.columns else "value"
        frame = overall.filter(pl.col("metric") == _main(overall))
    low = end_of(frame) == "low" or ("lower" in frame.columns and frame["lower"].any())
    best = frame.sort(by or "f1", "system", descending=[not low, False], nulls_last=True)
    return best.select("system").unique(maintain_order=True).with_row_index("place")


def _main(overall: pl.DataFrame) -> str:
    """Return the metric that trees or chains are ranked by."""
    there = overall["metric"].unique(maintain_order=True).to_list()
    return next((name for name in ("LAS", "conll") if name in there), there[0])


def _by_place(frame: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    if "system" not in frame.columns:
        return frame
    placed = frame.join(order, on="system", how="left", maintain_order="left")
    return placed.sort("place", maintain_order=True, nulls_last=True).drop("place")


def with_coverage(corpus: Corpus, made: Made) -> Made:
    """Return a leaderboard with ``coverage``, and table ``status``, if answers are missing."""
    counts = coverage(corpus)
    if all(there == of for there, of in counts.values()):
        return made
    result = resulting(made)
    share = pl.DataFrame(
        [(name, there / of if of else None) for name, (there, of) in counts.items()],
        schema={"system": pl.String, "coverage": pl.Float64},
        orient="row",
    )
    overall = result.tables["overall"].join(share, on="system", how="left", maintain_order="left")
    tables = {**result.tables, "overall": overall, "status": _status(corpus, counts)}
    return replace(result, tables=tables)


def _status(corpus: Corpus, counts: Mapping[str, tuple[int, int]]) -> pl.DataFrame:
    """Return how many items of each system have an answer, an empty one, none and why."""
    each = instances(corpus)
    absent = {entry.name: entry.absent.n if entry.absent else 0 for entry in corpus.entries}
    rows = []
    for name, (there, of) in counts.items():
        said = None if each is None else _counted_statuses(each, name)
        lost = absent[name] if each is not None else of - there
        found = {OK: there, EMPTY: of - there - lost, NOT_RUN: lost}
        if said is not None:
            found = said
        rows += [(name, status, n, n / of if of else None) for status, n in found.items() if n]
    kinds = {"system": pl.String, "status": pl.String, "n": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _statuses_added(parts: list[dict[str, int] | None]) -> dict[str, int] | None:
    known = [part for part in parts if part is not None]
    return named(known) if known else None


@additive(_statuses_added)
def _counted_statuses(items: Items, system: str) -> dict[str, int] | None:
    """Return how many answers of a system have each status, None where nobody said any."""
    said = statuses_of(items, system)
    return None if said is None else {one: int((said == one).sum()) for one in STATUSES}
