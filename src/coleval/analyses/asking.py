"""What SQL may ask of a corpus: its items as asked for, and its other units beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.counted import asked
from coleval.annotate.wide import Wide, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus import Corpus
    from coleval.engines.database import Database, Limits


def database(corpus: Corpus, limits: Limits | None = None) -> Database:
    """Return the database of a corpus, which opens and makes tables when they are asked for."""
    from coleval.engines.database import Database, Limits

    units: dict[str, Callable[[], Wide]] = {"item": partial(wide_table, corpus)}
    others = corpus.with_options(where="")
    for unit in corpus.units:
        if unit in ("token", "span"):
            units[unit] = partial(wide_table, others.with_options(unit=unit))
    return Database(units, limits or Limits())


def wide_table(corpus: Corpus) -> Wide:
    """Return the wide table of the items asked for; it needs no database."""
    if not corpus.scoring.where:
        return wide(corpus, asked(corpus))
    return wide(corpus, asked(corpus), asked(corpus.with_options(where="")))
