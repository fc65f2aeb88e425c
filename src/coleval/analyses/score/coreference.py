"""``score`` of coreference: metrics over chains, ARCS over mentions, systems against systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import selected_items
from coleval.corpus.far import elsewhere
from coleval.corpus.profiles import habits_of
from coleval.corpus.spread import check_by_item, summed
from coleval.counts.chains import (
    ChainCounts,
    Chains,
    chain_counts,
    chains,
    chains_added,
    counts_of_sums,
)
from coleval.counts.coref_classes import (
    CHAINS,
    CRITERIA,
    FN,
    FP,
    TP,
    WL,
    class_counts,
    coref_by_unit,
    to_be_counted,
)
from coleval.counts.units import units_of
from coleval.errors import unknown
from coleval.statistics.coref import METRICS, Measured, arcs, chain_metrics, measured
from coleval.statistics.measure import UnitSums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

    Numbers = np.ndarray[Any, Any]

_RATIOS = ("recall", "precision", "f1")
OVERALL = (
    "system", "metric", "recall_num", "recall_den", "precision_num", "precision_den", *_RATIOS,
)  # fmt: skip
_KINDS = {"system": pl.String, "metric": pl.String, **dict.fromkeys(OVERALL[2:], pl.Float64)}
CLASSES = {"system": pl.String, "criterion": pl.String} | dict.fromkeys(
    ("items", "tp", "fp", "fn", "wl", "tn"), pl.Int64
)
EVERY = "all"
# What else decides where the score that ranks is equal.
_THEN_BY = ("conll", "arcs_any", "b3")


def coreference(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall``, best system first, ``classes``, and ``keys`` where they are asked for."""
    found = _counted(corpus)
    classes = found.classes[""]
    scores = {name: _scores(found, "", name, corpus) for name in found.systems}
    for name, overlap in _overlaps(corpus).items():
        scores[name]["mor"] = overlap
    first = corpus.task_kind.headline(corpus, corpus.at(CHAINS))
    order = sorted(scores, key=lambda name: (_rank(scores[name], first), name))
    tables = {
        "overall": _table({name: scores[name] for name in order}, corpus.scoring.zero_division),
        "classes": _class_table({name: classes[name] for name in order}, found.items),
    }
    if corpus.scoring.key:
        tables["keys"] = _keys(found, order, corpus)
    return tables


@dataclass(frozen=True, slots=True)
class CorefCounts:
    """What is counted of some documents: by key (gold is the empty name) and system.

    ``classes`` are those of mentions, by criterion; ``chains`` what metrics over chains need.
    """

    systems: tuple[str, ...]
    items: int
    chains: dict[str, dict[str, ChainCounts]]
    classes: dict[str, dict[str, dict[str, np.ndarray[Any, Any]]]]


def _counted(corpus: Corpus) -> CorefCounts:
    """Return the counts against gold, and against every system that is asked for as key."""
    if corpus.spread is not None:
        check_by_item(corpus.scoring.where, "--where")
        return summed(corpus, _counted, _counts_added)
    items = _chosen(to_be_counted(corpus))
    layers, wanted = _layers(corpus, items), corpus.scoring.key
    keys = ["", *(name for name in items.systems if wanted in (EVERY, name))]
    counts = {k: {n: chain_counts(layers[k], layers[n]) for n in items.systems} for k in keys}
    return CorefCounts(items.systems, len(items), counts, {k: class_counts(items, k) for k in keys})


def _counts_added(parts: list[CorefCounts]) -> CorefCounts:
    first = parts[0]
    chained = {
        key: {name: chains_added([part.chains[key][name] for part in parts]) for name in own}
        for key, own in first.chains.items()
    }
    classes = {
        key: {
            name: {c: sum(p.classes[key][name][c] for p in parts) for c in by}
            for name, by in own.items()
        }
        for key, own in first.classes.items()
    }
    return CorefCounts(first.systems, sum(part.items for part in parts), chained, classes)  # type: ignore[arg-type]


def _chosen(corpus: Corpus) -> Items:
    """Return the mentions with their chains, those that ``where`` keeps by what it sees."""
    if corpus.spread is not None:
        check_by_item(corpus.scoring.where, "--where")
        return elsewhere(corpus, _chosen)
    items = corpus.at(CHAINS)
    if not corpus.scoring.where:
        return items
    unit = corpus.scoring.unit or CRITERIA[0]
    seen = selected_items(replace(corpus, scoring=replace(corpus.scoring, unit=unit)))
    return items.where(np.asarray(seen.numbers, dtype=np.intp))


def _layers(corpus: Corpus, items: Items) -> dict[str, Chains]:
    document = items.context["document"].to_physical().to_numpy()
    keep = corpus.scoring.singletons == "keep"
    named = {"": items.gold, **items.answers}
    return {name: chains(document, codes, singletons=keep) for name, codes in named.items()}


def _scores(counted: CorefCounts, key: str, system: str, corpus: Corpus) -> dict[str, Measured]:
    classes = [n[FN : WL + 1] for n in counted.classes[key][system].values()]
    zero_division = corpus.scoring.zero_division
    return _measured(counted.chains[key][system], classes, zero_division, corpus.profile)


def _measured(
    counts: ChainCounts, classes: Iterable[Numbers], zero_division: float | None, profile: str
) -> dict[str, Measured]:
    """Return every metric of counts, and of classes by criterion: fn, fp, tp and wl."""
    either = habits_of(profile, "score").get("blanc") == "either"
    found = chain_metrics(counts, zero_division, either=either)
    for criterion, (fn, fp, tp, wl) in zip(CRITERIA, classes, strict=True):
        found[f"arcs_{criterion}"] = arcs(tp, fp, fn, wl)
    return found


def unit_sums(corpus: Corpus, kind: str) -> Iterator[UnitSums]:
    """Yield what metrics are made of by unit; the overlap of mentions is counted by files alone."""
    items = _chosen(to_be_counted(corpus) if kind == "document" else corpus)
    units, keep = units_of(items, kind), corpus.scoring.singletons == "keep"
    rows = coref_by_unit(items, units, singletons=keep)

    width = len(rows) // max(1, len(items.systems))

    def scores(sums: Floats, zero_division: float | None) -> dict[tuple[str, str], Floats]:
        shape = (len(sums) // width, width, sums.shape[1])
        by_row = sums.reshape(shape).swapaxes(0, 1)
        counts, classes = counts_of_sums(by_row[: -2 * WL]), (by_row[-2 * WL : -WL], by_row[-WL:])
        found = _measured(counts, classes, zero_division, corpus.profile)
        named = {(m, n): getattr(one, n) for m, one in found.items() for n in _RATIOS}
        named = {key: value for key, value in named.items() if value is not None}
        if zero_division is None:
            return named
        return {k: v if k[0] == "conll" else np.where(np.isnan(v), zero_division, v)
                for k, v in named.items()}  # fmt: skip

    yield UnitSums(units.key, rows, scores)


def _overlaps(corpus: Corpus) -> dict[str, Measured]:
    """Return the mention overlap of each system; files have counted it, so of all mentions only."""
    words = corpus.gold.overlap
    if words is None or corpus.scoring.where or corpus.scoring.singletons != "keep":
        return {}
    return {
        entry.name: measured(entry.overlap[0], words[1], *entry.overlap)
        for entry in corpus.entries
        if entry.overlap is not None
    }


def _rank(scores: Mapping[str, Measured], first: str) -> tuple[float, ...]:
    """Return what sorts the best system first; undefined is last."""
    return tuple(-float(np.nan_to_num(scores[name].f1)) for name in (first, *_THEN_BY))


def _table(
    scores: Mapping[str, Mapping[str, Measured]], zero_division: float | None
) -> pl.DataFrame:
    rows = [
        {"system": name, "metric": metric, **_plain(found[metric])}
        for name, found in scores.items()
        for metric in METRICS
        if metric in found
    ]
    table = pl.DataFrame(rows, schema=_KINDS).select(OVERALL).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )  # fmt: skip
    return table if zero_division is None else table.with_columns(_filled(zero_division))


def _plain(found: Measured) -> dict[str, float | None]:
    return {n: None if value is None else float(value) for n, value in asdict(found).items()}


def _filled(zero_division: float) -> list[pl.Expr]:
    """Return undefined ratios as a number; CoNLL has an F1 alone."""
    alone = pl.col("metric") == "conll"
    sides = [pl.when(alone).then(c).otherwise(pl.col(c).fill_null(zero_division)).alias(c)
             for c in _RATIOS[:2]]  # fmt: skip
    return [*sides, pl.col("f1").fill_null(zero_division)]


def _class_table(
    classes: Mapping[str, Mapping[str, np.ndarray[Any, Any]]], items: int
) -> pl.DataFrame:
    rows = [
        (name, criterion, items, *(int(n[code]) for code in (TP, FP, FN, WL, 0)))
        for name, found in classes.items()
        for criterion, n in found.items()
    ]
    return pl.DataFrame(rows, schema=CLASSES, orient="row")


def _keys(found: CorefCounts, order: list[str], corpus: Corpus) -> pl.DataFrame:
    """Return every system scored against systems as key (Tuggener 2017, Table 13)."""
    wanted = corpus.scoring.key
    if wanted not in (EVERY, *order):
        raise unknown("system", wanted, [*order, EVERY], where="--key")
    frames = []
    for key in order if wanted == EVERY else [wanted]:
        scores = {name: _scores(found, key, name, corpus) for name in order}
        table = _table(scores, corpus.scoring.zero_division)
        frames.append(table.select(pl.lit(key).alias("key"), pl.all()))
    return pl.concat(frames)
