"""What SQL may ask of a corpus: its items as asked for, and its other units beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items, unfiltered
from coleval.corpus.items import SPANS
from coleval.corpus.lazy import LazyMapping
from coleval.query.wide import Wide, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus
    from coleval.query.database import Database, Limits


def database(corpus: Corpus, limits: Limits | None = None) -> Database:
    """Return the database of a corpus, which opens and makes tables when they are asked for."""
    from coleval.query.database import Database, Limits

    units: dict[str, Callable[[], Wide]] = {"item": partial(wide_table, corpus)}
    for unit in corpus.units:
        if unit in ("token", *SPANS):
            units[unit] = partial(_of_unit, corpus, unit)
    return Database(LazyMapping(units), limits or Limits())


def wide_table(corpus: Corpus) -> Wide:
    """Return the wide table of the items asked for; it needs no database."""
    return wide(corpus, scored_items(corpus), unfiltered(corpus))


def _of_unit(corpus: Corpus, unit: str) -> Wide:
    return wide(corpus, corpus.at(unit))
