"""``errors``: every span error counted once and named (fair evaluation), for many systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.errors.counts import events, fates, sides
from coleval.analyses.errors.items import error_items
from coleval.analyses.errors.pairs import comparison, moves
from coleval.corpus.lazy import LazyMapping
from coleval.declare.reading import named_pairs
from coleval.errors import UsageError, unknown
from coleval.statistics import fair as scores
from coleval.statistics.fair import FAIR, KINDS, Weights, parsed
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coleval.analyses.errors.counts import Fates
    from coleval.analyses.errors.spec import Options
    from coleval.corpus.corpus import Corpus

_RATIOS = scores.RATIOS
_FAIR = (
    "method", "tp", "fp", "fn", "le", "be", "bes", "bel", "beo", "lbe", *_RATIOS,
)  # fmt: skip
_NERVALUATE = ("method", "cor", "inc", "par", "mis", "spu", "possible", "actual", *_RATIOS)
_HIPE = ("method", "tp", "fp", "fn", *_RATIOS)


def errors(corpus: Corpus, options: Options) -> Mapping[str, pl.DataFrame]:
    """Return the tables of DEFINITIONS §3, the system with the best fair F1 first."""
    pair, weights = named_pairs(options.pair, options.pairs), options.weights or ""
    _check(corpus, pair, weights)
    found = fates(corpus, options.ignore_punct)
    weighing = parsed(weights) if weights and weights != "fair" else (FAIR if weights else None)
    kinds, order, makers = _tables(corpus, found, options.focus, weighing)
    if pair:
        makers["comparison"] = lambda: comparison(kinds, pair, weighing or FAIR)
        makers["moves"] = lambda: moves(found, pair)
    if options.items:
        makers["items"] = lambda: _in_order(error_items(corpus, found), order)
    return LazyMapping(makers)


def strict_by_label(corpus: Corpus) -> pl.DataFrame:
    """Return tp, fp, fn and support by system and label, as HIPE-scorer and nervaluate count them.

    Both pair a wrong span with the gold span that it overlaps and count the pair once, as
    incorrect, under gold's label: that label has the false positive and the false negative. Only a
    span that overlaps none is a false positive of its own label. Totals are the usual ones.
    """
    found = fates(corpus)
    counts = _by_label(events(found), sides(found), "target")
    strict = scores.hipe(counts, "strict", corpus.scoring.zero_division)
    return strict.select("system", "label", "tp", "fp", "fn", "support")


def _tables(
    corpus: Corpus, found: Fates, focus: str, weights: Weights | None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Callable[[], pl.DataFrame]]]:
    """Return counts of kinds by system, the order of the systems, and what makes the tables."""
    counted, by_side = events(found), sides(found)
    kinds = _whole(counted, by_side, list(found.found))
    overall = _scored(corpus, kinds, (), weights)
    order = _order(overall)

    def labels() -> pl.DataFrame:
        return _scored(corpus, _by_label(counted, by_side, focus), ("label",), weights)

    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "overall": lambda: _in_order(overall, order),
        "labels": lambda: _in_order(labels(), order),
        "ranking": lambda: _ranking(overall, order),
        "profile": lambda: _in_order(_profile(kinds), order),
        "confusion": lambda: _in_order(_confusion(counted), order),
        "statistics": lambda: _statistics(by_side),
    }
    if len(found.found) < 2:
        del makers["ranking"]
    return kinds, order, makers


def _check(corpus: Corpus, pair: Sequence[tuple[str, str]], weights: str) -> None:
    for name in (name for two in pair for name in two):
        if name not in corpus.systems:
            raise unknown("system", name, corpus.systems, where="--pair")
    if weights and corpus.scoring.taxonomy != "fair":
        raise UsageError(
            f"{corpus.scoring.taxonomy} has no weights",
            where="--weights",
            remedy="leave out --weights, or the profile or taxonomy",
        )


def _kinds(counted: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return a column of counts for each kind of error, a row a key."""
    sums = [pl.col("n").filter(pl.col("kind") == kind).sum().alias(kind) for kind in KINDS]
    frame = counted.group_by(keys, maintain_order=True).agg(sums)
    return frame.with_columns(be=pl.sum_horizontal(scores.BOUNDARY))


def _by_label(counted: pl.DataFrame, by_side: pl.DataFrame, focus: str) -> pl.DataFrame:
    """Return the kinds by label, each error under the label of gold or, by focus, the system."""
    first, second = ("gold", "answer") if focus == "target" else ("answer", "gold")
    booked = counted.with_columns(label=pl.coalesce(first, second))
    return _beside(by_side, _kinds(booked, ("system", "label")), ["system", "label"])


def _whole(counted: pl.DataFrame, by_side: pl.DataFrame, systems: list[str]) -> pl.DataFrame:
    """Return the kinds of every system, also where there is no span at all."""
    every = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    sums = by_side.group_by("system").agg(pl.col("support", "fn", "fp").sum())
    sums = every.join(sums, on="system", how="left", maintain_order="left")
    return _beside(sums, _kinds(counted, ("system",)), ["system"])


def _beside(by_side: pl.DataFrame, kinds: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return kinds with the traditional counts beside them, 0 where there is nothing."""
    ours = by_side.rename({"fn": "missed", "fp": "invented"})
    joined = ours.join(kinds, on=keys, how="left", maintain_order="left")
    return joined.with_columns(pl.exclude(keys).fill_null(0))


def _scored(
    corpus: Corpus, counts: pl.DataFrame, keys: tuple[str, ...], weights: Weights | None
) -> pl.DataFrame:
    """Return a row a system, key and method."""
    scored = dict(_methods(corpus, counts, weights))
    columns = {"fair": _FAIR, "nervaluate": _NERVALUATE, "hipe": _HIPE}[corpus.scoring.taxonomy]
    support = ("support",) if keys else ()
    frames = [
        frame.with_columns(pl.lit(method).alias("method"))
        .select("system", *keys, *columns, *support)
        .with_row_index("row")
        for method, frame in scored.items()
    ]
    # A system's methods stand together, and those of its labels too.
    return pl.concat(frames).sort("row", maintain_order=True).drop("row")


def _methods(
    corpus: Corpus, counts: pl.DataFrame, weights: Weights | None
) -> Iterator[tuple[str, pl.DataFrame]]:
    zero_division = corpus.scoring.zero_division
    if corpus.scoring.taxonomy == "nervaluate":
        for mode in scores.NERVALUATE:
            yield mode, scores.nervaluate(counts, mode, zero_division)
    elif corpus.scoring.taxonomy == "hipe":
        for regime in scores.HIPE:
            yield regime, scores.hipe(counts, regime, zero_division)
    else:
        yield "traditional", _traditional(counts, zero_division)
        yield "fair", scores.weighted(counts, FAIR, zero_division)
        if weights is not None:
            yield "weighted", scores.weighted(counts, weights, zero_division)


def _traditional(counts: pl.DataFrame, zero_division: float | None) -> pl.DataFrame:
    """Return the counts of equal and unequal spans; there are no other kinds."""
    others = [kind for kind in (*KINDS, "be") if kind not in ("tp", "fp", "fn")]
    tp = pl.col("support") - pl.col("missed")
    frame = counts.with_columns(tp=tp, fn=pl.col("missed"), fp=pl.col("invented"))
    nothing = [pl.lit(None, pl.Int64).alias(kind) for kind in others]
    return scores.plain(frame, zero_division).with_columns(nothing)


def _order(overall: pl.DataFrame) -> pl.DataFrame:
    """Return the systems, best first by the last but strictest method: fair, or strict."""
    wanted = "fair" if "fair" in overall["method"] else "strict"
    best = overall.filter(pl.col("method") == wanted)
    best = best.sort("f1", "system", descending=[True, False], nulls_last=True)
    return best.select("system").with_row_index("rank")


def _in_order(frame: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    joined = frame.join(order, on="system", how="left", maintain_order="left")
    return joined.sort("rank", maintain_order=True).drop("rank")


def _ranking(overall: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    """Return every method's F1 and rank; ``change`` is how many places the second method gains.

    Equal F1 share a rank; a system without F1 has none.
    """
    methods = overall["method"].unique(maintain_order=True).to_list()
    wide = order.select("system")
    for method in methods:
        rank = pl.col("f1").rank("min", descending=True).cast(pl.Int64).alias(f"{method}_rank")
        column = overall.filter(pl.col("method") == method)
        column = column.select("system", pl.col("f1").alias(f"{method}_f1"), rank)
        wide = wide.join(column, on="system", how="left", maintain_order="left")
    first, second = methods[:2]
    return wide.with_columns(change=pl.col(f"{first}_rank") - pl.col(f"{second}_rank"))


def _profile(kinds: pl.DataFrame) -> pl.DataFrame:
    """Return how many of each system's errors are of each kind, and their share."""
    long = kinds.unpivot(list(scores.ERRORS), index="system", variable_name="error", value_name="n")
    total = pl.col("n").sum().over("system")
    return long.with_columns(share=ratio_expr(pl.col("n"), total))


def _confusion(counted: pl.DataFrame) -> pl.DataFrame:
    """Return gold label × answer of all errors; boundary errors stand on the diagonal."""
    wrong = counted.filter(pl.col("kind") != "tp")
    sums = wrong.group_by("system", "gold", "answer", maintain_order=True).agg(pl.col("n").sum())
    return sums.sort("system", "gold", "answer", nulls_last=True, maintain_order=True)


def _statistics(by_side: pl.DataFrame) -> pl.DataFrame:
    """Return how often gold has each label."""
    gold = by_side.unique("label", maintain_order=True).filter(pl.col("support") > 0)
    gold = gold.sort("support", "label", descending=[True, False])
    support = pl.col("support")
    return gold.select("label", n="support", share=ratio_expr(support, support.sum()))
