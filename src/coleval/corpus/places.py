"""What becomes of entities that come without places, and the table that counts it by system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# In the order in which tables have them; the first three are ways of being found.
STATUSES = (
    "placed", "placed without spaces", "placed ignoring case", "repeated", "unknown label",
    "inside words", "not in text", "empty",
)  # fmt: skip
_COLUMNS = {"system": pl.String, "status": pl.String, "n": pl.Int64}
Places = tuple[tuple[str, int], ...]


def places_table(places: Mapping[str, Places], systems: Iterable[str]) -> pl.DataFrame:
    """Return how many entities of each list have each status that any of them has."""
    counts = {name: dict(own) for name, own in places.items() if own}
    known = [status for status in STATUSES if any(status in own for own in counts.values())]
    rows = [
        (system, status, counts[system].get(status, 0))
        for system in systems if system in counts
        for status in known
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    total = pl.col("n").sum().over("system")
    return frame.with_columns(share=pl.when(total > 0).then(pl.col("n") / total))
