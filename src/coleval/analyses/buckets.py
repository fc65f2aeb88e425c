"""``buckets``: where systems are good and bad, by attributes of the items (Fu et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.bucket_cuts import PROGRAM, Breakdown, Cut, in_use
from coleval.analyses.bucket_intervals import with_intervals
from coleval.analyses.bucket_pairs import comparison_tables
from coleval.analyses.bucket_plan import BucketPlan, plan
from coleval.analyses.bucket_tables import (
    Row,
    attributes_table,
    bucket_table,
    score_rows,
    self_table,
    systems_table,
)
from coleval.analyses.bucket_tests import tests_table
from coleval.annotate.edges import load_edges, save_edges
from coleval.engines.buckets import bucket_counts, crossed
from coleval.errors import UsageError
from coleval.report import Report
from coleval.scores.prf import ratios
from coleval.signature import signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from coleval.corpus import Corpus


def broken_down(corpus: Corpus, options: Mapping[str, Any], own: Mapping[str, Any]) -> Report:
    """Return the report of ``buckets``: ``options`` are those of scoring, ``own`` its own."""
    chosen = plan(**own)
    scored = corpus.with_options(**options)
    tables, notes = _all(scored, chosen)
    extra = chosen.parts() | _trained(scored)
    warnings = (*scored.warnings, *notes)
    return Report("buckets", tables, signature(scored, extra=extra), warnings)


def _trained(corpus: Corpus) -> dict[str, str]:
    return {"train": corpus.training.sha256[:12] or "frame"} if corpus.training else {}


def buckets(corpus: Corpus, *, plan: BucketPlan) -> dict[str, pl.DataFrame]:
    """Return the tables of DEFINITIONS §4 for one corpus or several."""
    return _all(corpus, plan)[0]


def _all(corpus: Corpus, chosen: BucketPlan) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Return the tables and what there is to be said about them."""
    given = load_edges(chosen.edges) if chosen.edges else {}
    every = {chosen.name: corpus, **chosen.others}
    broken = {name: Breakdown(one, chosen, given) for name, one in every.items()}
    cuts = {name: one.cuts() for name, one in broken.items()}
    if chosen.save_edges:
        save_edges(chosen.save_edges, in_use(cuts[chosen.name]))
    tables = _tables(corpus, chosen, cuts)
    if chosen.cross:
        tables["crossed"] = _crossed(broken, chosen, corpus.scoring.filler)
    notes = dict.fromkeys(
        f"{name}: {note}" if chosen.others else note
        for name, one in broken.items()
        for note in one.notes
    )
    return _shaped(tables, several=bool(chosen.others)), list(notes)


def _tables(
    corpus: Corpus, chosen: BucketPlan, cuts: Mapping[str, Sequence[Cut]]
) -> dict[str, pl.DataFrame]:
    undefined, metric = corpus.scoring.filler, chosen.metric
    parts: list[pl.DataFrame] = []
    rows: list[Row] = []
    for name, found in cuts.items():
        for cut in found:
            table = bucket_table(cut, undefined)
            _can(metric, table)
            rows += score_rows(name, cut, table, metric)
            shown = with_intervals(cut, table, chosen) if chosen.intervals else table
            parts.append(
                shown.insert_column(0, pl.Series("corpus", [name] * len(table), dtype=pl.String))
            )
    tables = {
        "buckets": pl.concat(parts, how="diagonal"),
        "attributes": attributes_table(rows, metric),
        "self_diagnosis": self_table(rows, metric),
        "systems": systems_table(rows),
    }
    if chosen.pair:
        clipped = corpus.scoring.bucketing == PROGRAM
        tables |= comparison_tables(rows, chosen.pair, metric, clipped=clipped)
    tables["tests"] = tests_table(rows, chosen.pair, chosen.correct)
    return tables


def _can(metric: str, table: pl.DataFrame) -> None:
    if metric not in table.columns:
        raise UsageError(
            "spans have no accuracy: nobody knows how many there might be",
            where="--by",
            remedy="f1, precision or recall; or --unit token",
        )


def _shaped(tables: dict[str, pl.DataFrame], *, several: bool) -> dict[str, pl.DataFrame]:
    """Return the tables without the column of corpora where there is one."""
    return (
        tables if several else {name: t.drop("corpus", strict=False) for name, t in tables.items()}
    )


def _crossed(
    broken: Mapping[str, Breakdown], chosen: BucketPlan, undefined: float | None
) -> pl.DataFrame:
    """Return every pair of buckets of two attributes for every system, if it holds anything."""
    rows = [
        {"corpus": name, **row}
        for name, one in broken.items()
        for a, b in chosen.cross
        for row in _pairs(one, a, b)
    ]
    counted = pl.DataFrame(rows, schema=_CROSSED, orient="row")
    errors = {"fp": pl.col("predicted") - pl.col("tp"), "fn": pl.col("gold") - pl.col("tp")}
    return ratios(counted.with_columns(**errors), undefined).drop("fp", "fn")


_CROSSED = {
    "corpus": pl.String, "attribute": pl.String, "bucket": pl.String, "by": pl.String,
    "by_bucket": pl.String, "system": pl.String, "tp": pl.Int64, "predicted": pl.Int64,
    "gold": pl.Int64,
}  # fmt: skip


def _pairs(one: Breakdown, a: str, b: str) -> list[dict[str, Any]]:
    first, second = one.cut(a), one.cut(b)
    if first is None or second is None:
        raise UsageError(f"`{a}` × `{b}`: {'; '.join(one.notes)}", where="--cross")
    if first.facts is not second.facts or not (first.placed.agree and second.placed.agree):
        raise UsageError(
            f"`{a}` and `{b}` are told of different things",
            where="--cross",
            remedy="cross two attributes of spans or two of tokens, without --profile",
        )
    counts = bucket_counts(one.differences(first.facts), crossed(first.placed, second.placed))
    names = [_names(cut) for cut in (first, second)]
    found: list[dict[str, Any]] = []
    for k in range(len(names[0]) * len(names[1])):
        x, y = divmod(k, len(names[1]))
        if not (counts.gold[k] or counts.predicted[:, k].any()):
            continue
        found += [
            {"attribute": first.attribute.name, "bucket": names[0][x],
             "by": second.attribute.name, "by_bucket": names[1][y], "system": system,
             "tp": int(counts.tp[s, k]), "predicted": int(counts.predicted[s, k]),
             "gold": int(counts.gold[k])}
            for s, system in enumerate(first.facts.items.systems)
        ]  # fmt: skip
    return found


def _names(cut: Cut) -> list[str]:
    return [*(bucket.name for bucket in cut.buckets.each), *cut.buckets.outside]
