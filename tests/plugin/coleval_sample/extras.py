"""An attribute, a metric and a form of output; and what no registry can take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.annotate.attributes.model import Attribute, Values, anything
from coleval.counts import units
from coleval.metrics.model import Metric
from coleval.render.form import Form
from coleval.statistics.measure import Ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.report import Report
    from coleval.metrics.model import UnitCounting


def _vowels(facts: Facts) -> Values:
    form = facts.items.form()
    assert form is not None
    first = form.cast(pl.String).str.contains("^[aeiouAEIOU]")
    return anything(first.replace_strict({True: "vowel", False: "other"}, return_dtype=pl.String))


VOWEL = Attribute(
    "vowel", "whether the form begins with a vowel", ("span", "token"), "form", "discrete", _vowels
)


def _errors(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return the share of items that are wrong, as counts by unit."""
    right = units.right_of(how.items, how.units, empty_is_answer=how.empty_is_answer)
    size = units.size_of(how.items, how.units, empty_is_answer=how.empty_is_answer)
    return [lambda: Ratio(size - right, size)]


WRONG = Metric("wrong", "error rate", _errors, ("tag", "span", "label"), better="low")


def render(report: Report, table: str | None = None) -> str:
    """Return the names of all tables, or the one that is asked for."""
    return "".join(f"* {name}\n" for name in ([table] if table else report.tables))


OUTLINE = Form("outline", (".outline",), "the names of tables", "coleval_sample.extras:render")


NOTHING = "no format at all"
