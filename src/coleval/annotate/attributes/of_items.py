"""Attributes that an item has by itself: its length, label, form, place and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import Attribute, Values, anything, numbers
from coleval.annotate.difficulty import difficulty
from coleval.annotate.traits import single_forms
from coleval.counts.coref_classes import CRITERIA

if TYPE_CHECKING:
    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.items import Items

_PLACE = (
    "item", "document", "sentence", "position", "start", "end", "tokens", "char_start", "char_end",
    "fragments", "form",
)  # fmt: skip


def span_length(facts: Facts) -> Values:
    """Return the tokens in a span, those in its holes not counted."""
    context = facts.items.context
    length = context["end"].cast(pl.Int64) - context["start"].cast(pl.Int64)
    if "tokens" in context.columns:
        own = context["tokens"].str.split(",").list.unique().list.len().cast(pl.Int64)
        length = pl.select(pl.coalesce(own, length)).to_series()
    return numbers(length)


def label(facts: Facts) -> Values:
    """Return the label itself; of a tree's answer, the relation."""
    items = facts.items
    told = facts.corpus.task_kind.label_names(facts.corpus, items, facts.whole)
    known = tuple(dict.fromkeys(told))
    place = {name: k for k, name in enumerate(known)}
    table = np.array([-1, *(place[name] for name in told)], np.int64)[None, :]
    return Values(table, np.zeros(len(items), np.uint8), known)


def bin_(facts: Facts) -> Values:
    """Return how many systems are right; null where gold has nothing."""
    return numbers(difficulty(facts.items).cast(pl.Int64))


def position(facts: Facts) -> Values:
    """Return the place of the first token in its sentence, from 1."""
    context = facts.items.context
    column = context["position" if "position" in context.columns else "start"]
    return numbers((column if column.dtype == pl.UInt32 else column.cast(pl.Int64)) + 1)


def _by_string(facts: Facts, told: pl.Expr) -> Values:
    """Return what a form alone tells, worked out once for all items that have it."""
    if facts.form is None:
        return anything(pl.Series([None] * len(facts.items), dtype=pl.String))
    distinct, row = facts.spelled
    return anything(distinct.to_frame("form").select(told).to_series(), row.to_numpy())


_FORM = pl.col("form")
_UPPER, _LOWER = _FORM.str.contains(r"\p{Lu}"), _FORM.str.contains(r"\p{Ll}")
_FIRST = _FORM.str.contains(r"^\P{L}*\p{Lu}") & ~_FORM.str.contains(r"\p{L}[^\s]*\p{Lu}")
_CASE = (
    pl.when(~_UPPER & ~_LOWER).then(pl.lit("none"))
    .when(~_UPPER).then(pl.lit("lower"))
    .when(~_LOWER).then(pl.lit("UPPER"))
    .when(_FIRST).then(pl.lit("Title"))
    .otherwise(pl.lit("miXed"))
)  # fmt: skip


def capitalisation(facts: Facts) -> Values:
    """Return ``lower``, ``UPPER``, ``Title`` (first letters alone), ``miXed`` or ``none``."""
    return _by_string(facts, _CASE)


def characters(facts: Facts) -> Values:
    """Return the number of characters, spaces between tokens included."""
    return _by_string(facts, _FORM.str.len_chars().cast(pl.Int64))


def hapax(facts: Facts) -> Values:
    """Return whether the form stands once: among all tokens, or among gold's spans."""
    if not _are_counted(facts):
        return anything(single_forms(facts.whole, facts.items))
    distinct, row = facts.spelled
    once = np.bincount(row.to_numpy(), minlength=len(distinct)) == 1
    return anything(pl.Series(once), row.to_numpy())


def _are_counted(facts: Facts) -> bool:
    """Tell whether the items are just those whose forms are counted, and all have one."""
    whole, items = facts.whole, facts.items
    if facts.form is None or facts.form.null_count():
        return False
    if whole.empty_is_answer:
        return len(items) == len(whole)
    return np.array_equal(items.numbers, np.flatnonzero(whole.gold))


def context_names(facts: Facts) -> list[str]:
    """Return the columns that a corpus has beside its items: metadata of documents or tokens."""
    held = [facts.items.context.columns]
    if facts.text is not None and (tokens := _tokens(facts)) is not None:
        held.append(tokens.context.columns)
    there = [name for columns in held for name in columns if name not in _PLACE]
    document = ["document"] if any("document" in columns for columns in held) else []
    return [*dict.fromkeys(there), *document]


def context(name: str) -> Attribute:
    """Return the attribute that a context column is; a span has that of its first token."""

    def values(facts: Facts) -> Values:
        tokens = _tokens(facts)
        if name in facts.items.context.columns or tokens is None:
            return anything(facts.items.context[name])
        return anything(tokens.context[name].gather(pl.Series(facts.low)))

    levels = ("span", "token", "string", "instance", "row", "segment", *CRITERIA)
    return Attribute(name, f"the column `{name}`", levels, "", "", values)


def _tokens(facts: Facts) -> Items | None:
    unit = facts.corpus.text_unit
    return None if unit is None else facts.corpus.units[unit]
