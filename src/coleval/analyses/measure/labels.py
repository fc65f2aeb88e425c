"""Measures of labels alone: purity of induced ones, F-beta and its counts, RSA."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.counts.patterns import patterns
from coleval.counts.raters import GOLD
from coleval.counts.systems import confusion_counts
from coleval.statistics.agreement import distances
from coleval.statistics.classic import clustered, correlated, f_beta, purity
from coleval.statistics.draws import keys_of_numbers, streams, words
from coleval.statistics.prf import label_counts, micro
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

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
