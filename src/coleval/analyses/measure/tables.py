"""``measure``: the classic measures that other commands have no place for.

What needs nothing but gold and systems is always told: correlation of systems, purity, F-beta and
RSA; what needs a column of the items when it is named: perplexity, ranked lists,
the trade-off of precision and recall, means of item scores, minimal pairs.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items
from coleval.analyses.measure.columns import (
    correlation,
    matching_columns,
    numeric_column,
    perplexity,
)
from coleval.analyses.measure.minimal_pairs import minimal_pairs
from coleval.analyses.measure.ranking import ranking_tables, trade_off
from coleval.analyses.measure.spec import MEASURE, Options
from coleval.analyses.measure.vectors import identity, named_files, vectors_of
from coleval.analyses.running import own
from coleval.corpus.signature import file_hash
from coleval.counts.patterns import patterns
from coleval.counts.raters import GOLD
from coleval.counts.systems import confusion_counts
from coleval.counts.units import ITEM, units_of
from coleval.declare.analysis import Result
from coleval.declare.reading import named_pairs
from coleval.errors import UsageError
from coleval.statistics.agreement import distances
from coleval.statistics.classic import clustered, correlated, f_beta, purity
from coleval.statistics.draws import keys_of_numbers, streams, words
from coleval.statistics.item_means import exchanged_p, item_mean
from coleval.statistics.paired import adjusted
from coleval.statistics.prf import label_counts, micro
from coleval.statistics.ratio import null_for_nan, ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats


def measure(corpus: Corpus, options: Options) -> Result:
    """Return the tables asked for; labels are left out where there are none, as in a matrix.

    A table without systems has nothing but columns to be measured.
    """
    if options.meta:
        from coleval.analyses.measure.meta import meta

        signed = _signed(options) | {"meta": file_hash(options.meta)}
        return Result({"meta": meta(corpus, options.meta)}, signed=signed)
    items = scored_items(corpus)
    tables: dict[str, pl.DataFrame] = {}
    if options.minimal_pairs:
        tables["minimal_pairs"] = minimal_pairs(
            corpus, items, options.minimal_pairs, corpus.scoring.zero_division
        )
    elif options.by:
        raise UsageError(
            "measure groups minimal pairs alone",
            where=f"--by {', '.join(options.by)}",
            remedy="name their column (--minimal-pairs), or choose one group with --where",
        )
    if items.systems or options.correlate:
        tables |= correlation(corpus, items, named_pairs(options.correlate))
    if items.systems and items.unit != "row":
        tables["purity"] = purity_table(items)
        tables["f_beta"] = f_table(items, options.beta, corpus.scoring.zero_division)
    vectors = vectors_of(corpus, items, named_files(options.vectors))
    if items.systems:
        tables["rsa"] = rsa(items, options.seed, options.sample, vectors, options.distance)
    tables |= _of_columns(items, options, corpus.scoring.zero_division)
    known = {"vectors": identity(vectors)} if vectors else {}
    return Result(tables, signed=_signed(options) | known, warnings=_unpaired(tables))


def _of_columns(
    items: Items, options: Options, zero_division: float | None
) -> dict[str, pl.DataFrame]:
    """Return the tables of the columns that are named."""
    tables: dict[str, pl.DataFrame] = {}
    if options.perplexity:
        tables["perplexity"] = perplexity(items, options.perplexity, options.log_base)
    if options.rank:
        tables |= ranking_tables(items, options, zero_division)
    if options.scores:
        tables |= trade_off(items, options)
    if options.means:
        tables |= means(items, options.means, options.seed)
    return tables


def _unpaired(tables: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Return a warning if minimal pairs were asked for and there is none."""
    pairs = tables["minimal_pairs"]["pairs"] if "minimal_pairs" in tables else None
    if pairs is None or pairs.sum():
        return ()
    return ("there is no minimal pair: no item that was made from another is left",)


def _signed(options: Options) -> dict[str, str]:
    """Return what is asked for beyond the defaults, and the seed and the sample of RSA."""
    usual = own(MEASURE, Options())
    return {
        name: _text(value)
        for name, value in own(MEASURE, options).items()
        if name in ("beta", "seed", "sample") or value != usual[name]
    }


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_text(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


_PURITY = {"system": pl.String, "items": pl.Int64, "clusters": pl.Int64, "classes": pl.Int64,
           "purity": pl.Float64, "inverse_purity": pl.Float64, "f": pl.Float64,
           **dict.fromkeys(("homogeneity", "completeness", "v_measure", "nmi"),
                           pl.Float64)}  # fmt: skip
_COUNTS = ("tp", "fp", "fn", "tn")
_F = {"system": pl.String, "label": pl.String, **dict.fromkeys(_COUNTS, pl.Int64),
      **dict.fromkeys(("accuracy", "error_rate", "precision", "recall", "beta", "f"),
                      pl.Float64)}  # fmt: skip
_RSA = {"a": pl.String, "b": pl.String, "pairs": pl.Int64, "pearson": pl.Float64,
        "spearman": pl.Float64, "note": pl.String}  # fmt: skip


def purity_table(items: Items) -> pl.DataFrame:
    """Return how pure each system's labels are if they are read as clusters of gold's."""
    counts = confusion_counts(patterns(items), items.labels).drop_nulls(["gold", "answer"])
    rows = []
    for system in items.systems:
        own = counts.filter(pl.col("system") == system)
        cells = own.pivot("gold", index="answer", values="n").drop("answer").fill_null(0)
        counted = cells.to_numpy().astype(np.int64).reshape(cells.shape)
        pure, inverse = purity(counted)
        rows.append({"system": system, "items": int(own["n"].sum()), "clusters": cells.height,
                     "classes": cells.width, "purity": pure, "inverse_purity": inverse,
                     "f": _harmonic(pure, inverse), **asdict(clustered(counted))})  # fmt: skip
    table = pl.DataFrame(rows, schema=_PURITY)
    return table.sort("f", "system", descending=[True, False], nulls_last=True)


def _harmonic(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else ratio_of(2 * a * b, a + b)


def f_table(items: Items, beta: float, zero_division: float | None = None) -> pl.DataFrame:
    """Return counts and F-beta of all labels together (null) and of each.

    True negatives are known where every item is there, whoever labels it.
    """
    by_label = label_counts(confusion_counts(patterns(items), items.labels), items.systems)
    whole = micro(by_label, items.systems).with_columns(label=pl.lit(None, dtype=pl.String))
    every = pl.concat([whole.select("system", "label", "tp", "fp", "fn"),
                       by_label.select("system", "label", "tp", "fp", "fn")])  # fmt: skip
    size = len(items) if items.empty_is_answer else None
    rows = [_f_row(row, beta, size, zero_division) for row in every.iter_rows(named=True)]
    order = {name: at for at, name in enumerate(items.systems)}
    place = pl.col("system").replace_strict(order, return_dtype=pl.Int64)
    return pl.DataFrame(rows, schema=_F).sort(place, "label", nulls_last=False)


def _f_row(
    row: dict[str, object], beta: float, size: int | None, zero_division: float | None
) -> dict[str, object]:
    tp, fp, fn = (int(str(row[name])) for name in ("tp", "fp", "fn"))
    tn = None if size is None or row["label"] is None else size - tp - fp - fn
    right = None if tn is None or size is None else ratio_of(tp + tn, size, zero_division)
    return {
        **row,
        "tn": tn,
        "accuracy": right,
        "error_rate": None if right is None else 1 - right,
        "precision": ratio_of(tp, tp + fp, zero_division),
        "recall": ratio_of(tp, tp + fn, zero_division),
        "beta": beta,
        "f": f_beta(tp, fp, fn, beta, zero_division),
    }


def rsa(
    items: Items, seed: int, sample: int, vectors: Mapping[str, Floats], distance: str
) -> pl.DataFrame:
    """Return how alike two raters' dissimilarities are: which pairs of items they tell apart.

    All pairs of items if they are no more than ``sample``, else as many drawn ones. Labels are
    apart or not, vectors as far as their distance says.
    """
    i, j = _item_pairs(items, seed, sample)
    apart = {
        name: (codes[i] != codes[j]).astype(np.float64)
        for name, codes in {GOLD: items.gold, **items.answers}.items()
    }
    apart |= {name: distances(rows, i, j, distance) for name, rows in vectors.items()}
    names = list(apart)
    rows = []
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            found = correlated(apart[a], apart[b])
            rows.append({"a": a, "b": b, "pairs": found.n, "pearson": found.pearson,
                         "spearman": found.spearman, "note": found.note})  # fmt: skip
    return pl.DataFrame(rows, schema=_RSA)


def _item_pairs(items: Items, seed: int, sample: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of two items, pair by pair; the same items whatever their order."""
    n = len(items)
    order = np.argsort(items.numbers, kind="stable")
    if n * (n - 1) // 2 <= sample:
        first, second = np.triu_indices(n, 1)
        return order[first], order[second]
    start = streams(keys_of_numbers(np.arange(sample)), seed, purpose=2)
    drawn = words(start, 0, 2)
    first = (drawn[:, 0] % np.uint64(n)).astype(np.intp)
    step = 1 + (drawn[:, 1] % np.uint64(n - 1)).astype(np.intp)
    return order[first], order[(first + step) % n]


_NUMBERS = dict.fromkeys(("mean", "sd", "low", "high"), pl.Float64)
_MEANS = {"column": pl.String, "items": pl.Int64, "lacking": pl.Int64, **_NUMBERS,
          "note": pl.String}  # fmt: skip
_PAIRS = {"a": pl.String, "b": pl.String, "items": pl.Int64,
          **dict.fromkeys(("mean_a", "mean_b", "delta", "low", "high", "p"), pl.Float64),
          "p_from": pl.String, "a_better": pl.Int64, "b_better": pl.Int64,
          "note": pl.String}  # fmt: skip
_WHERE = "--means"


def means(items: Items, names: Sequence[str], seed: int) -> dict[str, pl.DataFrame]:
    """Return ``means``, a row a column, highest first, and ``mean_pairs``, a row any two."""
    _check(items)
    values = {n: numeric_column(items, n, _WHERE) for n in matching_columns(items, names)}
    rows = [_row(name, column) for name, column in values.items()]
    table = pl.DataFrame(rows, schema=_MEANS)
    table = table.sort("mean", "column", descending=[True, False], nulls_last=True)
    ordered = {name: values[name] for name in table["column"]}
    return {"means": table, "mean_pairs": _pairs(items, ordered, seed)}


def _check(items: Items) -> None:
    """Raise where a row is not what a score is of: one of several labels."""
    if items.group == "instance":
        raise UsageError(
            "an instance of several labels is several items, and its score would count as often",
            where=_WHERE,
            remedy="use it where each item has one label",
        )


def _row(name: str, column: Floats) -> dict[str, Any]:
    found = item_mean(column)
    note = {0: "the column is empty", 1: "one item has no spread"}.get(found.items)
    return {
        "column": name, "lacking": len(column) - found.items, "note": note, **asdict(found)
    }  # fmt: skip


def _pairs(items: Items, values: Mapping[str, Floats], seed: int) -> pl.DataFrame:
    key, names = units_of(items, ITEM).key, list(values)
    rows = []
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            apart = values[a] - values[b]
            p, exact = exchanged_p(apart, key, seed)
            rows.append({"a": a, "b": b, "p": p, "p_from": "exact" if exact else "replicates",
                         **_differing(apart, values[a], values[b])})  # fmt: skip
    table = pl.DataFrame(rows, schema=_PAIRS)
    every = table["p"].to_numpy().astype(np.float64)
    corrected = null_for_nan(adjusted(every, "holm")).alias("p_adjusted")
    table = table.with_columns(pl.col("p").fill_nan(None))
    return table.insert_column(table.columns.index("p") + 1, corrected)


def _differing(apart: Floats, a: Floats, b: Floats) -> dict[str, Any]:
    """Return what two columns differ by on the items that have both."""
    found, both = item_mean(apart), ~np.isnan(apart)
    return {
        "items": found.items,
        "mean_a": item_mean(a[both]).mean,
        "mean_b": item_mean(b[both]).mean,
        "delta": found.mean,
        "low": found.low,
        "high": found.high,
        "a_better": int((apart > 0).sum()),
        "b_better": int((apart < 0).sum()),
        "note": None if found.items else "no item has both",
    }
