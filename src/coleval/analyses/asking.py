"""What SQL may ask of a corpus: its items as asked for, and its other units beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items, unfiltered
from coleval.corpus.items import SPANS
from coleval.corpus.lazy import LazyMapping
from coleval.engines import local_engine
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
    counted = {"cell": partial(_cells, corpus), "versus": partial(_versus, corpus)}
    return Database(LazyMapping(units), limits or Limits(), counted)


def wide_table(corpus: Corpus) -> Wide:
    """Return the wide table of the items asked for; it needs no database."""
    return wide(corpus, scored_items(corpus), unfiltered(corpus))


def _of_unit(corpus: Corpus, unit: str) -> Wide:
    return wide(corpus, corpus.at(unit))


def _cells(corpus: Corpus) -> pl.DataFrame:
    """Return the view `cell`: SQL takes ten times as long to count it."""
    return local_engine().confusion(scored_items(corpus))


def _versus(corpus: Corpus) -> pl.DataFrame:
    """Return the view `versus`: SQL takes a hundred times as long to count it."""
    items = scored_items(corpus)
    own = items if items.empty_is_answer else items.where(np.flatnonzero(items.gold))
    whole, found = local_engine().pairs(items), local_engine().pairs(own)
    a, b = np.triu_indices(len(items.systems), 1)
    both, different = whole.both[a, b], whole.different[a, b]
    wrong_both = whole.total - whole.right[a] - whole.right[b] + both
    told = whole.total - whole.absent[a, b]
    names = pl.Series(items.systems, dtype=pl.String)
    counts = {
        "items": told,
        "same": told - different,
        "same_error": wrong_both - (different - (whole.right[a] + whole.right[b] - 2 * both)),
        "wrong_both": wrong_both,
        "found": np.full(len(a), found.total),
        "right_before": found.right[a],
        "right_after": found.right[b],
        "right_both": found.both[a, b],
    }
    pairs = {"before": names.gather(pl.Series(a)), "after": names.gather(pl.Series(b))}
    return pl.DataFrame(pairs | {name: n.astype(np.int64) for name, n in counts.items()})
