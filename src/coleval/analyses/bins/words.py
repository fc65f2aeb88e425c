"""How the mentions of one form spread over the bins: the same word is easy here and hard there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.bins.spec import DIFFICULTY, SPURIOUS
from coleval.analyses.bins.views import Range, fitted_ranges, folded, in_ranges, note, readable
from coleval.analyses.bins.views import title as range_title
from coleval.annotate.difficulty import difficulty
from coleval.annotate.text import text_of
from coleval.annotate.traits import traits
from coleval.corpus.coding import decoded
from coleval.corpus.far import additive, in_parts
from coleval.counts.blocks import frames
from coleval.declare.tables import text
from coleval.errors import UsageError, unknown
from coleval.render.listing import listing
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible
from coleval.statistics.ratio import ratio_expr, ratio_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.report import Report

    Draw = Callable[[Sequence[Range]], list[Cell]]


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


@additive(frames)
def form_counts(items: Items) -> pl.DataFrame:
    """Return form, bin, n of the items that have a bin (``sql/analyses/bins-words.sql``)."""
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


ROWS = 60
ALL = -1
TENTH = 0.1
MEANS = ("characters", "tokens", "sentence_length", "position")

ByBin = dict[int, int]
Sums = dict[str, dict[int, float]]


def words(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a form, a column a bin or a range of bins; the background is its share."""
    counts: dict[str, ByBin] = defaultdict(dict)
    for form, bin_, n in report.table("words").select("form", "bin", "n").iter_rows():
        counts[form][bin_] = n
    rows = {form: partial(_word, counts[form]) for form in counts}
    return _by_bin(report, "words", "form", "occurrences of each form by bin", rows, width)


def _by_bin(
    report: Report, name: str, what: str, title: str, rows: Mapping[str, Draw], width: int
) -> tuple[View, ...]:
    """Return a row for each of some names, a column a bin or a range of bins, and all bins."""
    last = max(report.table("bins")["bin"].to_list(), default=0)
    shown = list(rows)[: rows_for(width, ROWS)]
    rest = len(rows) - len(shown)
    more = (f"… and {rest:,} more: --as csv --table {name}",) if rest else ()

    def draw(columns: Sequence[Range]) -> Sheet:
        heads = (Head(range_title(column)) for column in columns)
        return Sheet(
            name,
            f"{title}, hardest left",
            (Head(what, right=False, elastic=True), *heads, Head("all")),
            tuple((Cell(visible(row)), *rows[row](columns)) for row in shown),
            (*more, *note(columns, name)),
        )

    return (fitted_ranges(last, width, draw, crowd=report.shown is not None),)


def _word(counts: ByBin, columns: Sequence[Range]) -> list[Cell]:
    values = folded(counts, columns)
    whole = sum(values)
    cells = [Cell(f"{n:,}", shade=n / whole) if n else Cell("·", dim=True) for n in values]
    return [*cells, Cell(f"{whole:,}", dim=True)]


def bins(report: Report, width: int) -> tuple[View, ...]:
    """Return ranges of bins where these are too many to be read; else nothing, for a list does."""
    if report.shown is None:
        return ()
    frame = report.table("bins")
    few = in_ranges(frame, "bin", "items", "share")
    columns = (text("bin"), *DIFFICULTY.columns[1:])
    sheet = listing(few, name="bins", title=DIFFICULTY.title, columns=columns, width=width)
    merged = note(readable(frame.height - 1), "bins")
    return (replace(sheet, notes=merged, fixed=True),)


def spurious(report: Report, width: int) -> tuple[View, ...]:
    """Return how many spurious items how many systems share; bin 0 is named where there is one."""
    frame = report.table(SPURIOUS.name)
    title = f"{SPURIOUS.title}{' (0: true negatives)' if 0 in frame['bin'] else ''}"
    columns, limit = SPURIOUS.columns, rows_for(width, ROWS)
    sheet = listing(
        frame, name=SPURIOUS.name, title=title, columns=columns, limit=limit, width=width,
        table=SPURIOUS,
    )  # fmt: skip
    return (sheet,)


def profile(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a property, a column a bin or a range of bins, and all bins together."""
    totals: Sums = defaultdict(dict)
    counts: dict[str, ByBin] = defaultdict(dict)
    for bin_, name, value, n in report.table("profile").iter_rows():
        totals[name][ALL if bin_ is None else bin_] = (value or 0.0) * n
        counts[name][ALL if bin_ is None else bin_] = n
    rows = {
        _trait_title(name): partial(_mean_cells, name, totals[name], counts[name])
        for name in totals
    }
    title = "properties of the items of each bin"
    return _by_bin(report, "profile", "property", title, rows, width)


def _trait_title(name: str) -> str:
    if name in MEANS:
        return f"{name.replace('_', ' ')}, mean"
    return f"{name.replace('_', ' ') if not name.startswith('label=') else name} %"


def _mean_cells(
    name: str, totals: Mapping[int, float], counts: Mapping[int, int], columns: Sequence[Range]
) -> list[Cell]:
    """Return the mean over each column and over all bins, dark where it is high for its row.

    A row in which bins hardly differ, by ten points or a tenth, stays pale.
    """
    *values, every = (_mean(totals, counts, column) for column in [*columns, (ALL, ALL)])
    known = [value for value in values if value is not None] or [0.0]
    least = min(known)
    spread = max(max(known) - least, TENTH * max(known) if name in MEANS else TENTH)
    cells = [
        Cell(
            _value(name, v), shade=None if v is None else (v - least) / (spread or 1), dim=v is None
        )
        for v in values
    ]
    return [*cells, Cell(_value(name, every), dim=True)]


def _mean(totals: Mapping[int, float], counts: Mapping[int, int], column: Range) -> float | None:
    bins = range(column[0], column[1] + 1)
    n = sum(counts.get(k, 0) for k in bins)
    return ratio_of(sum(totals.get(k, 0.0) for k in bins), n)


def _value(name: str, value: float | None) -> str:
    if value is None:
        return DASH
    return f"{value:.1f}" if name in MEANS else f"{100 * value:.0f}"


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
    return _trait_means(_with_all(counts))


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


def _trait_means(counts: pl.DataFrame) -> pl.DataFrame:
    """Return means in order of the properties; labels come last, the most frequent first."""
    value = ratio_expr(pl.col("total"), pl.col("n")).alias("value")
    place = pl.col("property").replace_strict(
        {name: k for k, name in enumerate(ORDER)}, default=len(ORDER), return_dtype=pl.Int64
    )
    often = pl.when(place == len(ORDER)).then(-pl.col("total").max().over("property"))
    return counts.sort(place, often, "property", "bin", nulls_last=True).select(
        "bin", "property", value, "n"
    )
