"""Entities whose strings are not in the text: spans of nothing, which are wrong all the same.

A system that lists what its text does not have is not more precise for it. Such a span covers no
token, is at the beginning of its sentence, and has its string as form.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.items import NOT_IN_TEXT, Items
from coleval.corpus.lazy import LazyColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes


def with_strings(spans: Items, strings: Items) -> Items:
    """Return spans with the strings before those of their sentences; gold has none of these."""
    if not len(strings):
        return spans
    labels = tuple(sorted({*spans.labels, *strings.labels}))
    theirs, own = (_recoded(items, labels) for items in (spans, strings))
    context = _context(spans.context, strings.context)
    order = np.argsort(context["sentence"].to_numpy(), kind="stable")
    answers = {
        name: np.concatenate([own.get(name, np.zeros(len(strings), codes.dtype)), codes])[order]
        for name, codes in theirs.items()
    }
    gold = answers.pop("")
    form = LazyColumn.of_whole(partial(_forms, spans, strings, order))
    return replace(
        spans, context=context[pl.Series(order)], labels=labels, gold=gold, answers=answers,
        lazy_form=form,
    )  # fmt: skip


def _recoded(items: Items, labels: Sequence[str]) -> dict[str, Codes]:
    """Return the codes of all layers, gold's under the empty name, with other labels."""
    place = {label: code for code, label in enumerate(labels, 1)}
    table = np.array([0, *(place[label] for label in items.labels)], width(len(labels)))
    return {name: table[codes] for name, codes in {"": items.gold, **items.answers}.items()}


def _context(spans: pl.DataFrame, strings: pl.DataFrame) -> pl.DataFrame:
    """Return the context of both; a string has the place where its sentence begins."""
    more = strings.drop("form").with_columns(
        pl.lit(0).cast(spans.schema[name]).alias(name) for name in ("start", "end")
    )
    marked = spans.with_columns(pl.lit(value=False).alias(NOT_IN_TEXT))
    more = more.with_columns(pl.lit(value=True).alias(NOT_IN_TEXT))
    both = pl.concat([more, marked], how="diagonal")
    return both.select(marked.columns)


def _forms(spans: Items, strings: Items, order: NDArray[np.intp]) -> pl.Series:
    forms = spans.form()
    assert forms is not None  # noqa: S101  - spans have texts
    return pl.concat([strings.context["form"], forms.cast(pl.String)]).gather(pl.Series(order))
