"""The items themselves, those to look at first, and the patterns they share."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.contexts import PLACE, contexts
from coleval.analyses.items.found import EVERY, NEGATIVE, NO_SYSTEM, ORDINARY
from coleval.corpus.coding import decoded
from coleval.counts.responses import rows_of
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.items.found import ItemFindings

    Rows = NDArray[np.integer]

_ORDER = {NEGATIVE: 0, NO_SYSTEM: 1, ORDINARY: 2, EVERY: 3}


def item_table(known: ItemFindings) -> pl.DataFrame:
    """Return the items to look at first: negative discrimination, solved by none, then the rest."""
    order, limit = _order(known), known.options.limit or known.patterns.items
    enough = int(np.searchsorted(np.cumsum(known.patterns.n[order]), limit)) + 1
    wanted = order[:enough]
    rows, pattern = rows_of(known.parts.items, known.patterns, wanted)
    place = np.empty(len(known.patterns), np.int64)
    place[wanted] = np.arange(len(wanted))
    first = np.argsort(place[pattern], kind="stable")[:limit]
    return placed(known, rows[first]).with_columns(_of_patterns(known, pattern[first]))


def _order(known: ItemFindings) -> NDArray[np.intp]:
    """Return the patterns by what is odd about them: of negative ones the surest first."""
    kind = np.array([_ORDER[flag] for flag in known.flags], np.int64)
    sure = np.where(kind == _ORDER[NEGATIVE], known.p_adjusted, 0.0)
    return np.lexsort((np.nan_to_num(known.discrimination), np.nan_to_num(sure), kind))


def placed(known: ItemFindings, rows: Rows) -> pl.DataFrame:
    """Return some items with where they are, the words around them and gold's label."""
    some, shown = known.parts.items.where(rows), known.parts.shown
    gold = decoded(shown.gold[rows], shown.labels, "gold")
    there = [some.context[name] for name in PLACE if name in some.context.columns]
    item = pl.Series("item", some.numbers.astype(np.int64))
    text = contexts(known.corpus, some)
    return pl.DataFrame([item, *there, text, gold.cast(pl.String)])


def _of_patterns(known: ItemFindings, pattern: Rows) -> list[pl.Series]:
    solved = known.solved_by[pattern]
    flags = np.array(known.flags, object)[pattern]
    return [
        pl.Series("solved_by", solved),
        pl.Series("share", solved / max(1, len(known.systems))),
        null_for_nan(known.discrimination[pattern]).rename("discrimination"),
        null_for_nan(known.p[pattern]).rename("p"),
        null_for_nan(known.p_adjusted[pattern]).rename("p_adjusted"),
        pl.Series("flag", flags.tolist(), dtype=pl.String),
        pl.Series("systems", _solvers(known, pattern), dtype=pl.String),
    ]


def _solvers(known: ItemFindings, pattern: Rows) -> list[str | None]:
    """Return the systems that solve each item, the best first; null for none."""
    distinct, back = np.unique(pattern, return_inverse=True)
    systems = known.systems
    best = [systems[s] for s in known.best]
    right = np.ascontiguousarray(known.right[known.best][:, distinct].T)
    names = [", ".join(compress(best, row)) for row in right.tolist()]
    return [names[k] or None for k in back.tolist()]


def pattern_table(known: ItemFindings) -> pl.DataFrame:
    """Return every pattern as digits, a place for each system as given, and how many share it."""
    given = [known.systems.index(name) for name in known.corpus.systems]
    digits = known.right[given].astype(np.uint8).T + ord("0")
    text = [bytes(row).decode() for row in np.ascontiguousarray(digits)]
    frame = pl.DataFrame(
        {
            "pattern": pl.Series(text, dtype=pl.String),
            "n": known.patterns.n,
            "solved_by": known.solved_by,
            "discrimination": null_for_nan(known.discrimination),
            "p": null_for_nan(known.p),
            "p_adjusted": null_for_nan(known.p_adjusted),
        }
    )
    return frame.sort("n", "pattern", descending=[True, False])
