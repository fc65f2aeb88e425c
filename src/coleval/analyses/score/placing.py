"""What became of entities that came without places, and F1 where they agree worst and best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.running import resulting
from coleval.analyses.score.tables import leaderboard
from coleval.corpus.places import places_table
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Result

    Made = Mapping[str, pl.DataFrame] | Result
# The layers that hold the spans of other placements, and the columns they give.
BRACKET = {"worst": "f1_low", "best": "f1_high"}


def with_places(corpus: Corpus, made: Made) -> Made:
    """Return a leaderboard with table ``places``, and with F1 over placements if there are some."""
    result = resulting(made)
    overall = result.tables["overall"]
    unit = corpus.scoring.unit or next(iter(corpus.units))
    if unit == "span" and set(BRACKET) <= set(corpus.layers):
        overall = _bracketed(corpus, overall)
    found = {entry.name: entry.places for entry in corpus.entries}
    places = places_table(found, overall["system"].to_list())
    return replace(result, tables={**result.tables, "overall": overall, "places": places})


def _bracketed(corpus: Corpus, overall: pl.DataFrame) -> pl.DataFrame:
    if "f1_low" in overall.columns:
        raise UsageError(
            "F1 has one interval: over placements, or over samples of sentences",
            where="--intervals",
            remedy="leave it out, or choose one placement: --place all",
        )
    columns = overall.columns
    for layer, column in BRACKET.items():
        items = replace(corpus.layer(layer), unit="span")
        other = replace(corpus, units={**corpus.units, "span": items}, layers={})
        scores = leaderboard(other)["overall"].select("system", pl.col("f1").alias(column))
        overall = overall.join(scores, on="system", how="left", maintain_order="left")
    at = columns.index("f1") + 1
    return overall.select(*columns[:at], *BRACKET.values(), *columns[at:])
