"""How the mentions of one form spread over the bins: the same word is easy here and hard there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.annotate.difficulty import difficulty
from coleval.corpus.far import in_parts
from coleval.errors import UsageError, unknown
from coleval.kernels.blocks import frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.items import Items


def word_table(items: Items, words: Sequence[str], top: int) -> pl.DataFrame:
    """Return form, bin, n, spread: the ``words`` named, then the ``top`` forms of widest spread.

    Spread is the number of bins in which a form stands; forms of equal spread are ordered by how
    far apart the bins are (standard deviation), then by frequency.
    """
    if not items.has_form:
        raise UsageError(
            f"items of the unit `{items.unit}` have no words",
            where="--words",
            remedy="words are available for tokens and for spans with their text",
        )
    form = _forms(items)
    counts = form_counts(items)
    ranked = _ranked(counts)
    named = _named(words, form, ranked)
    widest = ranked.filter(~pl.col("form").is_in(list(named))).head(top)["form"].to_list()
    return _grid(counts, ranked, [*named, *widest], len(items.judging))


def form_counts(items: Items) -> pl.DataFrame:
    """Return form, bin, n of the items that have a bin (``sql/analyses/bins-words.sql``)."""
    if items.far is not None:
        return in_parts(frames, form_counts, items)
    return binned_counts(items, _forms(items))


def binned_counts(items: Items, values: pl.Series) -> pl.DataFrame:
    """Return form, bin, n: how often each value occurs in each bin."""
    bin_ = difficulty(items).cast(pl.Int64).alias("bin")
    there = pl.DataFrame([values.cast(pl.String).alias("form"), bin_]).drop_nulls()
    return there.group_by("form", "bin").agg(n=pl.len().cast(pl.Int64)).sort("form", "bin")


def _forms(items: Items) -> pl.Series:
    """Return the form of every item; of items in parts every form there is."""
    if items.far is not None:
        return in_parts(_together, _distinct, items)
    form = items.form()
    assert form is not None  # noqa: S101  - the caller has looked
    return form


def _distinct(items: Items) -> pl.Series:
    return _forms(items).cast(pl.String).unique()


def _together(parts: list[pl.Series]) -> pl.Series:
    return pl.concat(parts).unique()


def _ranked(counts: pl.DataFrame) -> pl.DataFrame:
    """Return form, spread, deviation, n, the widest spread first."""
    n, bin_ = pl.col("n"), pl.col("bin")
    mean = (bin_ * n).sum() / n.sum()
    variance = (bin_ * bin_ * n).sum() / n.sum() - mean**2
    per_form = counts.group_by("form").agg(
        pl.len().cast(pl.Int64).alias("spread"), variance.alias("variance"), n.sum()
    )
    return per_form.sort("spread", "variance", "n", "form", descending=[True, True, True, False])


def _named(words: Sequence[str], form: pl.Series, ranked: pl.DataFrame) -> dict[str, None]:
    """Return the words asked for; raise for one that no item has, with what differs in case."""
    for word in words:
        if not ranked["form"].is_in([word]).any() and not form.is_in([word]).any():
            folded = form.unique().drop_nulls()
            near = folded.filter(folded.str.to_lowercase().str.starts_with(word.lower()))
            raise unknown("word", word, near.head(20).to_list() or [""], where="--words")
    return dict.fromkeys(words)


def _grid(counts: pl.DataFrame, ranked: pl.DataFrame, forms: list[str], last: int) -> pl.DataFrame:
    """Return every form with every bin, 0 where it does not stand."""
    bins = pl.DataFrame({"bin": pl.Series(range(last + 1), dtype=pl.Int64)})
    return (
        pl.DataFrame({"form": pl.Series(forms, dtype=pl.String)})
        .join(bins, how="cross")
        .join(counts, on=["form", "bin"], how="left", maintain_order="left")
        .join(ranked.select("form", "spread"), on="form", how="left", maintain_order="left")
        .with_columns(pl.col("n", "spread").fill_null(0))
        .select("form", "bin", "n", "spread")
    )
