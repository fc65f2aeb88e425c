"""What the items of a bin have in common: shares and means of traits, and of gold's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.bins.words import binned_counts
from coleval.annotate.difficulty import difficulty
from coleval.annotate.text import text_of
from coleval.annotate.traits import traits
from coleval.corpus.coding import decoded
from coleval.errors import UsageError
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

ORDER = (
    "punctuation", "digits", "single_character", "abbreviation", "capitals", "bracketed", "hapax",
    "hapax_labelled", "ambiguous", "characters", "tokens", "sentence_length", "position",
    "labelled_before", "labelled_after", "punctuation_before", "punctuation_after",
)  # fmt: skip


def profile_table(corpus: Corpus, items: Items) -> pl.DataFrame:
    """Return bin, property, value, n: the mean over the ``n`` items for which it means something.

    Of what is yes or no the mean is the share of yes. ``label=X`` is the share of a gold label.
    A bin of null is all bins together, for comparison.
    """
    whole = corpus.at(corpus.scoring.unit)
    columns = traits(whole, items, text_of(corpus))
    if items.unit == "token":
        columns = [column for column in columns if column.name != "tokens"]
    if not columns and len(set(items.gold.tolist()) - {0}) < 2:
        raise UsageError(
            f"items of the unit `{items.unit}` have no text to profile",
            where="--profile-bins",
            remedy="profiles are available for tokens, spans and instances with labels",
        )
    parts = [_labels(items), *([_trait_sums(items, columns)] if columns else [])]
    counts = pl.concat(part.select("bin", "property", "total", "n") for part in parts)
    return _means(_with_all(counts))


def _trait_sums(items: Items, columns: list[pl.Series]) -> pl.DataFrame:
    """Return bin, property, total, n: what whole numbers about items sum up to in each bin."""
    frame = pl.DataFrame([column.cast(pl.Int64) for column in columns])
    there = frame.with_columns(bin=difficulty(items).cast(pl.Int64)).drop_nulls("bin")
    by_bin, keys = there.group_by("bin"), {"index": "bin", "variable_name": "property"}
    total = by_bin.agg(pl.all().sum()).unpivot(**keys, value_name="total")
    n = by_bin.agg(pl.all().count().cast(pl.Int64)).unpivot(**keys, value_name="n")
    return total.join(n, on=["bin", "property"])


def _labels(items: Items) -> pl.DataFrame:
    """Return how often each gold label stands in each bin, of how many items."""
    found = binned_counts(items, decoded(items.gold, items.labels))
    size = found.group_by("bin").agg(pl.col("n").sum())
    names = found.select(pl.col("form").unique())
    grid = size.join(names, how="cross").join(
        found.rename({"n": "total"}), on=["bin", "form"], how="left"
    )
    label = pl.format("label={}", "form").alias("property")
    return grid.select("bin", label, pl.col("total").fill_null(0), "n")


def _with_all(counts: pl.DataFrame) -> pl.DataFrame:
    every = counts.group_by("property").agg(pl.col("total", "n").sum())
    no_bin = pl.lit(None, dtype=pl.Int64).alias("bin")
    return pl.concat([counts, every.select(no_bin, "property", "total", "n")])


def _means(counts: pl.DataFrame) -> pl.DataFrame:
    """Return means in order of the properties; labels come last, the most frequent first."""
    value = ratio_expr(pl.col("total"), pl.col("n")).alias("value")
    place = pl.col("property").replace_strict(
        {name: k for k, name in enumerate(ORDER)}, default=len(ORDER), return_dtype=pl.Int64
    )
    often = pl.when(place == len(ORDER)).then(-pl.col("total").max().over("property"))
    return counts.sort(place, often, "property", "bin", nulls_last=True).select(
        "bin", "property", value, "n"
    )
