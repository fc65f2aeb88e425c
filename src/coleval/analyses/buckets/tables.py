"""``buckets``: where systems are good and bad, by attributes of the items (Fu et al. 2020)."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.buckets.cuts import PROGRAM, AttributeCut, Breakdown, in_use
from coleval.analyses.buckets.gaps import gap_tests
from coleval.analyses.buckets.intervals import with_intervals
from coleval.analyses.buckets.over import averages
from coleval.analyses.buckets.pairs import comparison_tables
from coleval.analyses.buckets.plan import BucketPlan, plan
from coleval.analyses.buckets.scores import (
    TWO_SIDED,
    Row,
    attributes_table,
    bucket_table,
    score_rows,
    self_table,
    systems_table,
)
from coleval.analyses.buckets.tests import tests_table
from coleval.analyses.buckets.versions import versions_table
from coleval.analyses.grouping import NONE, groups_of
from coleval.analyses.trained import signed, trained
from coleval.annotate.buckets import load_edges, save_edges
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.declare.analysis import Result
from coleval.errors import UsageError
from coleval.kernels.buckets import crossed
from coleval.statistics.prf import sided_ratios

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.analyses.buckets.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.kernels.buckets import Placed

    Maker = Callable[[], pl.DataFrame]


def buckets(corpus: Corpus, options: Options) -> Result:
    """Return the tables of DEFINITIONS §4 for one corpus or several."""
    chosen = plan(options)
    if _DATASET in str(options.train):
        _check_training(options)
    else:
        corpus = trained(corpus, options)
    tables, about = all_tables(corpus, chosen)
    return Result(tables, corpus, chosen.parts() | signed(corpus), tuple(about))


def all_tables(corpus: Corpus, chosen: BucketPlan) -> tuple[Mapping[str, pl.DataFrame], list[str]]:
    """Return the tables and what there is to be said about them."""
    given = load_edges(chosen.edges) if chosen.edges else {}
    every = {**_groups(corpus, chosen), **chosen.datasets}
    several = len(every) > 1 or bool(chosen.over)
    broken = {name: Breakdown(one, chosen, given) for name, one in every.items()}
    cuts = {name: one.cuts() for name, one in broken.items()}
    if chosen.save_edges:
        save_edges(chosen.save_edges, in_use(cuts[next(iter(cuts))]))
    makers = _tables(corpus, chosen, cuts)
    if chosen.cross:
        makers["crossed"] = lambda: _crossed(broken, chosen, corpus.scoring.zero_division)
    about = dict.fromkeys(
        f"{name}: {note}" if several else note for name, one in broken.items() for note in one.notes
    )
    return LazyMapping(_shaped(makers, several=several)), list(about)


_DATASET = "{dataset}"


def _check_training(options: Options) -> None:
    """Raise for training files by dataset where datasets are not broken down one by one."""
    if tuple(options.over) != ("dataset",):
        raise UsageError(
            "names a training file for each dataset, but datasets are together",
            where=f"--train {options.train}",
            remedy="--over dataset breaks them down one by one",
        )


def _groups(corpus: Corpus, chosen: BucketPlan) -> dict[str, Corpus]:
    """Return the corpus by its name, or its groups by theirs."""
    if not chosen.over:
        return {chosen.name: corpus}
    found = {group.name or NONE: group.corpus for group in groups_of(corpus, chosen.over)}
    if _DATASET in str(chosen.train):
        found = {
            name: one.trained(str(chosen.train).replace(_DATASET, name), chosen.train_columns)
            for name, one in found.items()
        }
    named = found.keys() & chosen.datasets.keys()
    if named:
        raise UsageError(
            f"`{min(named)}` is a group and another corpus", where="--dataset",
            remedy="call the other corpus something else",
        )  # fmt: skip
    return found


def _tables(
    corpus: Corpus, chosen: BucketPlan, cuts: Mapping[str, Sequence[AttributeCut]]
) -> dict[str, Maker]:
    zero_division, metric = corpus.scoring.zero_division, chosen.by
    parts: list[pl.DataFrame] = []
    rows: list[Row] = []
    for name, found in cuts.items():
        for cut in found:
            table = bucket_table(cut, zero_division)
            _can(metric, table)
            rows += score_rows(name, cut, table, metric)
            shown = with_intervals(cut, table, chosen, zero_division) if chosen.intervals else table
            parts.append(
                shown.insert_column(0, pl.Series("corpus", [name] * len(table), dtype=pl.String))
            )
    makers: dict[str, Maker] = {
        "buckets": lambda: pl.concat(parts, how="diagonal"),
        "attributes": lambda: attributes_table(rows, metric),
        "self_diagnosis": lambda: self_table(rows, metric),
        "systems": lambda: systems_table(rows),
    }
    if chosen.pair:
        clipped = corpus.scoring.bucketing == PROGRAM
        compared = comparison_tables(rows, chosen.pair, metric, clipped=clipped)
        makers |= {name: maker_of(table) for name, table in compared.items()}
    if chosen.versions:
        series = versions_table(rows, chosen.versions, metric)
        makers["versions"] = maker_of(series)
    if chosen.gaps:
        makers["gap_tests"] = lambda: gap_tests(cuts, chosen)
    tests = cache(lambda: tests_table(rows, chosen.pair, chosen.correct))
    if len(cuts) > 1:
        makers["averages"] = lambda: averages(rows, tests())
    makers["tests"] = tests
    return makers


def _can(metric: str, table: pl.DataFrame) -> None:
    if metric not in table.columns:
        raise UsageError(
            "accuracy is undefined for spans: there are no true negatives",
            where="--by",
            remedy="use f1, precision or recall; or --unit token",
        )


def _shaped(makers: dict[str, Maker], *, several: bool) -> dict[str, Maker]:
    """Return what makes the tables without the column of corpora where there is one."""
    if several:
        return makers
    return {name: partial(_without_corpus, make) for name, make in makers.items()}


def _without_corpus(make: Maker) -> pl.DataFrame:
    return make().drop("corpus", strict=False)


def _crossed(
    broken: Mapping[str, Breakdown], chosen: BucketPlan, zero_division: float | None
) -> pl.DataFrame:
    """Return every pair of buckets of two attributes for every system, if it holds anything."""
    rows = [
        {"corpus": name, **row}
        for name, one in broken.items()
        for a, b in chosen.cross
        for row in _pairs(one, a, b)
    ]
    counted = pl.DataFrame(rows, schema=_CROSSED, orient="row")
    scored = sided_ratios(counted, zero_division)
    if all(one.facts.items.unit in TWO_SIDED for one in broken.values()):
        return scored.select(pl.exclude("tp_predicted"), "tp_predicted")
    return scored.drop("tp_predicted")


_CROSSED = {
    "corpus": pl.String, "attribute": pl.String, "bucket": pl.String, "by": pl.String,
    "by_bucket": pl.String, "system": pl.String, "tp": pl.Int64, "predicted": pl.Int64,
    "gold": pl.Int64, "tp_predicted": pl.Int64,
}  # fmt: skip


def _pairs(one: Breakdown, a: str, b: str) -> list[dict[str, Any]]:
    first, second = one.cut(a), one.cut(b)
    if first is None or second is None:
        raise UsageError(f"`{a}` × `{b}`: {'; '.join(one.notes)}", where="--cross")
    if first.facts is not second.facts or not (first.placed.agree and second.placed.agree):
        raise UsageError(
            f"`{a}` and `{b}` apply to different units",
            where="--cross",
            remedy="cross two attributes of spans or two of tokens, without --profile",
        )
    counts = one.counted(first.facts, _crossed_placed(first, second))
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
             "gold": int(counts.gold[k]), "tp_predicted": int(counts.right[s, k])}
            for s, system in enumerate(first.facts.items.systems)
        ]  # fmt: skip
    return found


def _crossed_placed(first: AttributeCut, second: AttributeCut) -> Placed:
    return crossed(first.placed, second.placed, first.facts.items.answers)


def _names(cut: AttributeCut) -> list[str]:
    return [*(bucket.name for bucket in cut.buckets.each), *cut.buckets.outside]
