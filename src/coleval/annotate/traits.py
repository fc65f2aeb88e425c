"""Traits of items that may say why some are harder: their form, its frequency, where they stand.

Every trait is a whole number, or 0 and 1 for no and yes, so that sums add up; null where it means
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.text import RunningText, places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

_FORM = pl.col("form")
_UPPER = r"\p{Lu}"
# "(ABC)" in one token, "e.g." and "U.S.", or two capitals and nothing small.
_IN_BRACKETS = rf"^[(\[][^)\]]*{_UPPER}[^)\]]*[)\]]$"
_DOTTED = r"^(\p{L}\.){2,}$"
_SHORT = 10

_PUNCTUATION = _FORM.str.contains(r"^[\p{P}\p{S}]+$")
_CAPITALS = (_FORM.str.count_matches(_UPPER) >= 2) & ~_FORM.str.contains(r"\p{Ll}")

_OF_FORMS = {
    "punctuation": _PUNCTUATION,
    "digits": _FORM.str.contains(r"\p{Nd}") & ~_FORM.str.contains(r"\p{L}"),
    "single_character": _FORM.str.len_chars() == 1,
    "capitals": _CAPITALS,
    "short": _CAPITALS | _FORM.str.contains(f"{_DOTTED}|{_IN_BRACKETS}"),
    "characters": _FORM.str.len_chars(),
}


def traits(whole: Items, items: Items, text: RunningText | None) -> list[pl.Series]:
    """Return the traits of items, of which ``whole`` is the table before any were left out.

    Without forms there are none, without text none of place. An abbreviation is a form in
    capitals, one with dots (``e.g.``), or a short one that stands in brackets.
    """
    form = items.form()
    if form is None:
        return []
    columns = [*form_traits(form), *frequency_traits(whole, items)]
    frame = pl.DataFrame([*columns, *(place_traits(items, text) if text else [])])
    shorts = [name for name in ("short", "bracketed") if name in frame.columns]
    frame = frame.with_columns(abbreviation=pl.any_horizontal(shorts)).drop("short")
    return frame.get_columns()


def form_traits(form: pl.Series) -> list[pl.Series]:
    """Return what a form alone tells, each worked out once for all items that have it."""
    distinct = form.rename("form").to_frame().unique()
    told = distinct.with_columns(**_OF_FORMS)
    joined = (
        form.rename("form")
        .to_frame()
        .join(told, on="form", how="left", maintain_order="left", nulls_equal=True)
    )
    return joined.drop("form").get_columns()


def frequency_traits(whole: Items, items: Items) -> list[pl.Series]:
    """Return ``hapax``, a form that stands once, and ``ambiguous``, one with and without a label.

    ``hapax_labelled`` is a form that gold labels once, however often it stands elsewhere; spans,
    and text in which everything has a label, have no such others.
    All look at ``whole``, the items before any were left out: all tokens, or all gold spans and,
    as places without a label, what systems invented. Where everything has a label, forms with
    several labels are ambiguous.
    """
    form = whole.form()
    if form is None:
        return []
    frame = pl.DataFrame({"form": form, "gold": whole.gold})
    counted = pl.len() if whole.empty_is_answer else (pl.col("gold") > 0).sum()
    several = (
        pl.col("gold").min() == 0 if (whole.gold == 0).any() else pl.col("gold").n_unique() > 1
    )
    traits_of_form = {"hapax": counted == 1, "ambiguous": several & (pl.col("gold").max() > 0)}
    if whole.empty_is_answer and (whole.gold == 0).any():
        traits_of_form["hapax_labelled"] = (pl.col("gold") > 0).sum() == 1
    told = frame.group_by("form").agg(**traits_of_form)
    joined = frame.gather(items.numbers).join(told, on="form", how="left", maintain_order="left")
    return [joined[name] for name in traits_of_form]


def single_forms(whole: Items, items: Items) -> pl.Series:
    """Return ``hapax`` alone: only the forms that count are made, and those of the items."""
    counted = whole if whole.empty_is_answer else whole.where(whole.gold != 0)
    seen, form = counted.form(), items.form()
    if seen is None or form is None:
        return pl.Series("hapax", [None] * len(items), dtype=pl.Boolean)
    told = seen.rename("form").to_frame().group_by("form").agg((pl.len() == 1).alias("hapax"))
    asked = form.rename("form").to_frame()
    joined = asked.join(told, on="form", how="left", maintain_order="left")
    there = pl.when(pl.col("form").is_not_null())
    return joined.select(there.then(pl.col("hapax").fill_null(value=False))).to_series()


def place_traits(items: Items, text: RunningText) -> list[pl.Series]:
    """Return what the sentence tells: its length, the place in it, the neighbours on either side.

    ``position`` counts from 1; there is no neighbour beyond the ends of a sentence. Labels of
    neighbours tell nothing where every token has one.
    """
    low, high = places(items, text)
    sentence = items.context["sentence"].to_numpy()
    start, stop = text.first[sentence], text.first[text.sentence[high - 1] + np.int64(1)]
    left, right = low > start, high < stop
    return [
        pl.Series("tokens", high - low),
        pl.Series("sentence_length", text.first[sentence + np.int64(1)] - start),
        pl.Series("position", low - start + 1),
        *_neighbours(text, low - 1, left, "before"),
        *_neighbours(text, high, right, "after"),
        _bracketed(items, text, low - 1, high, left & right),
    ]


def _neighbours(
    text: RunningText, at: NDArray[np.int64], there: NDArray[np.bool_], side: str
) -> list[pl.Series]:
    marks = text.form.to_frame("form").select(_PUNCTUATION).to_series().to_numpy()
    labelled = (
        [] if text.labelled.all() else [_beside(f"labelled_{side}", text.labelled, at, there)]
    )
    return [*labelled, _beside(f"punctuation_{side}", marks, at, there)]


def _bracketed(
    items: Items,
    text: RunningText,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    there: NDArray[np.bool_],
) -> pl.Series:
    """Tell which items are short forms in brackets, ``( NF1 )``; they mostly stand for others."""
    opening = _beside("opening", text.form.is_in(["(", "["]).to_numpy(), before, there)
    closing = _beside("closing", text.form.is_in([")", "]"]).to_numpy(), after, there)
    form = items.form()
    if form is None:
        return pl.Series("bracketed", [None] * len(items), dtype=pl.Boolean)
    short = (form.str.len_chars() <= _SHORT) & form.str.contains(r"\p{L}")
    between = opening.fill_null(value=False) & closing.fill_null(value=False)
    return (between & short).alias("bracketed")


def _beside(
    name: str, true: NDArray[np.bool_], at: NDArray[np.int64], there: NDArray[np.bool_]
) -> pl.Series:
    """Return what holds for a neighbour, null where there is none."""
    found = true[np.clip(at, 0, max(len(true) - 1, 0))]
    return (
        pl.DataFrame({"there": there, "found": found})
        .select(pl.when("there").then("found").alias(name))
        .to_series()
    )
