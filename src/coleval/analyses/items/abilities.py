"""``items --model``: abilities of systems and difficulties of items, whatever cells are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.sparse import check_connected
from coleval.analyses.counted import scored_items
from coleval.corpus.numbers import values
from coleval.errors import UsageError
from coleval.statistics.ability import Abilities, centred, fitted, rank_ends
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from coleval.analyses.items.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

# Draws of abilities that ranks are taken from, and the level of intervals.
_DRAWS, _ALPHA, _NORMAL = 10_000, 0.05, 1.959964


def model_tables(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``abilities`` and ``difficulties`` of a corpus of right (1) and wrong (0)."""
    items = scored_items(corpus)
    found = values(items)
    known = found[~np.isnan(found)]
    if not np.isin(known, (0.0, 1.0)).all():
        raise UsageError(
            "abilities are fitted to right and wrong", where="--model",
            remedy="say which numbers are right: --above X",
        )  # fmt: skip
    check_connected(found, items.systems)
    fit = centred(fitted(found, options.model))
    model = {"rasch": "Rasch", "2pl": "2PL"}[options.model]
    return {
        "abilities": _abilities(items, found, fit, model, options),
        "difficulties": _difficulties(items, found, fit, model, options),
    }


def _abilities(
    items: Items, found: Floats, fit: Abilities, model: str, options: Options
) -> pl.DataFrame:
    answered = (~np.isnan(found)).sum(axis=1)
    solved = np.nansum(found, axis=1)
    low, high = rank_ends(fit, _ALPHA, _DRAWS, options.seed)
    notes = [
        None if not np.isnan(one) else "answered nothing" if not n
        else "solves all of its items" if right == n else "solves none of its items"
        for one, n, right in zip(fit.ability, answered, solved, strict=True)
    ]  # fmt: skip
    frame = pl.DataFrame(
        {
            "system": pl.Series(items.systems, dtype=pl.String),
            "model": pl.Series([model] * len(found), dtype=pl.String),
            "items": pl.Series(answered, dtype=pl.Int64),
            "share": null_for_nan(np.where(answered > 0, solved / np.maximum(answered, 1), np.nan)),
            "ability": null_for_nan(fit.ability),
            "error": null_for_nan(fit.error),
            "low": null_for_nan(fit.ability - _NORMAL * fit.error),
            "high": null_for_nan(fit.ability + _NORMAL * fit.error),
            "rank_low": null_for_nan(low).cast(pl.Int64),
            "rank_high": null_for_nan(high).cast(pl.Int64),
            "note": pl.Series(notes, dtype=pl.String),
        }
    )
    return frame.sort("ability", "system", descending=[True, False], nulls_last=True)


def _difficulties(
    items: Items, found: Floats, fit: Abilities, model: str, options: Options
) -> pl.DataFrame:
    order = np.argsort(-fit.difficulty, kind="stable")[: options.limit or None]
    some = items.where(order)
    context = [some.context[name] for name in ("id", "document") if name in some.context.columns]
    there = ~np.isnan(found[:, order])
    slopes = fit.discrimination[order] if options.model == "2pl" else np.full(len(order), np.nan)
    return pl.DataFrame(
        [
            pl.Series("item", some.numbers.astype(np.int64)),
            *context,
            pl.Series("model", [model] * len(order), dtype=pl.String),
            pl.Series("answered", there.sum(axis=0), dtype=pl.Int64),
            pl.Series("solved_by", np.nansum(found[:, order], axis=0), dtype=pl.Int64),
            null_for_nan(fit.difficulty[order]).rename("difficulty"),
            null_for_nan(fit.difficulty_error[order]).rename("error"),
            null_for_nan(slopes).rename("discrimination"),
        ]
    )
