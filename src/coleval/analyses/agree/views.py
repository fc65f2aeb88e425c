"""Agreement of any two raters as a triangle: gold first, then who agrees with it most.

With more raters than fit, kappa is shown in hundredths, then in tenths.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.wording import number_of
from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, decimal, percent, text
from coleval.render.halves import Pair, Signs, Triangle
from coleval.render.sheet import DASH, Cell, View
from coleval.render.visible import visible
from coleval.statistics.agreement import BANDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report


_TITLE = "{}{} of each pair of raters (columns by number)"


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return the triangle with as many digits as fit."""
    frame = report.table("pairs")
    title, kappa, word = _shown(frame.columns)
    shown = frame.with_columns(kappa=pl.col(kappa))
    pairs = {frozenset((row["a"], row["b"])): row for row in shown.iter_rows(named=True)}
    names = _ranked(list(dict.fromkeys([*frame["a"], *frame["b"]])), pairs)
    every = report.all_rows("pairs")
    notes = (_bands(every[word]),) * (word in frame.columns and frame.height > 0)
    notes += tuple(
        f"{DASH} {visible(note)} ({number_of(n, 'pair')})"
        for note, n in every.drop_nulls("note")["note"].value_counts(sort=True).iter_rows()
    )
    short = [Signs(_TITLE.format(title, f" × {10**n}"), partial(_digits, n=n), n, gap)
             for n, gap in ((2, " "), (1, " "), (1, ""))]  # fmt: skip
    triangle = Triangle("pairs", "rater", names, pairs, notes)
    return (triangle.fitted(_TITLE.format(title, ""), _cell, short, width),)


def _shown(columns: Sequence[str]) -> tuple[str, str, str]:
    """Return what kappa is called and the columns of it and of its word: the weighted if any."""
    if "weighted_kappa" in columns:
        return "Weighted kappa", "weighted_kappa", "weighted_band"
    return "Cohen's kappa", "kappa", "band"


def _bands(words: pl.Series) -> str:
    """Return how many pairs are in each band, the highest first."""
    n = Counter(words.to_list())
    parts = [f"{word} (κ ≥ {least:g}) {n[word]:,}" for least, word in BANDS[:-1]]
    lowest = BANDS[-1][1]
    return f"pairs: {' · '.join(parts)} · {lowest} {n[lowest]:,}"


def _ranked(names: Sequence[str], pairs: Mapping[frozenset[str], Pair]) -> list[str]:
    """Return the first name, then the others by how far they agree with it."""

    def agreement(name: str) -> float:
        value = pairs[frozenset((names[0], name))]["kappa"]
        return value if isinstance(value, float) else -2.0

    return [*names[:1], *sorted(names[1:], key=lambda name: -agreement(name))]


def _cell(pair: Pair) -> Cell:
    kappa = pair["kappa"]
    if not isinstance(kappa, float):
        return Cell(DASH, dim=True)
    return Cell(f"{kappa:.3f}", shade=min(1.0, max(0.0, kappa)))


def _digits(pair: Pair, n: int) -> str:
    """Return kappa as so many digits, all `=` for 1 and `<` below 0."""
    kappa = pair["kappa"]
    if not isinstance(kappa, float):
        return DASH.rjust(n)
    if kappa < 0:
        return "<0"[:n]
    return "=" * n if kappa >= 1 else f"{int(10**n * kappa):0{n}d}"


def by_group(report: Report) -> Shaped:
    """Return the kappa of each pair in every group, weighted if the analysis was."""
    frame = report.table("by")
    title, kappa, _ = _shown(frame.columns)
    pair = pl.format("{} – {}", "a", "b").alias("pair")
    return Shaped(
        frame.select(pl.col("by").fill_null("–"), pair, pl.col(kappa).alias("kappa")),
        title=f"{title} of each pair of raters by group",
    )


PAIRS = (
    Figure(
        "heat map",
        "agreement of two raters: kappa",
        text("a", ""),
        decimal("kappa", "kappa"),
        text("b", "rater"),
        mirrored=True,
        also=(percent("observed", "same answers"), count("items"), text("band", "is")),
    ),
)
