"""What became of entities that came without places, and F1 where they agree worst and best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.running import resulting
from coleval.analyses.score.tables import leaderboard
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Result

    Made = Mapping[str, pl.DataFrame] | Result
# The layers that hold the spans of other placements, and the columns they give.
BRACKET = {"worst": "f1_low", "best": "f1_high"}
_PLACES = {"system": pl.String, "status": pl.String, "n": pl.Int64, "share": pl.Float64}


def with_places(corpus: Corpus, made: Made) -> Made:
    """Return a leaderboard with table ``places``, and with F1 over placements if there are some."""
    result = resulting(made)
    overall = result.tables["overall"]
    unit = corpus.scoring.unit or next(iter(corpus.units))
    if unit == "span" and set(BRACKET) <= set(corpus.layers):
        overall = _bracketed(corpus, overall)
    places = pl.DataFrame(_rows(corpus, overall), schema=_PLACES, orient="row")
    return replace(result, tables={**result.tables, "overall": overall, "places": places})


def _rows(corpus: Corpus, overall: pl.DataFrame) -> list[tuple[str, str, int, float]]:
    """Return the statuses of each system in the order of the leaderboard, most frequent first."""
    places = {entry.name: dict(entry.places) for entry in corpus.entries}
    return [
        (system, status, n, n / sum(places[system].values()))
        for system in overall["system"]
        for status, n in sorted(places[system].items(), key=lambda pair: -pair[1])
    ]


def _bracketed(corpus: Corpus, overall: pl.DataFrame) -> pl.DataFrame:
    if "f1_low" in overall.columns:
        raise UsageError(
            "F1 has one interval: over placements, or over samples of sentences",
            where="--intervals",
            remedy="leave it out, or choose one placement: --place all",
        )
    columns = overall.columns
    for layer, column in BRACKET.items():
        other = replace(corpus, units={"span": corpus.layer(layer)}, layers={})
        scores = leaderboard(other)["overall"].select("system", pl.col("f1").alias(column))
        overall = overall.join(scores, on="system", how="left", maintain_order="left")
    at = columns.index("f1") + 1
    return overall.select(*columns[:at], *BRACKET.values(), *columns[at:])
