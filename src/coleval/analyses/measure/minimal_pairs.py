"""Items that were made from others: how many answers flip, and how many pairs are wholly right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import unfiltered
from coleval.corpus.grid import DATASET, PART
from coleval.errors import DataError, UsageError, unknown
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

_COUNTS = ("pairs", "gold_flips", "flips", "needless_flips", "missed_flips",
           "right_originals", "right_perturbed", "both_right")  # fmt: skip
_MINIMAL = {"system": pl.String, **dict.fromkeys(_COUNTS, pl.Int64), "consistency": pl.Float64}
_WHERE = "--minimal-pairs"
_FILES = (DATASET, PART)


@dataclass(frozen=True, slots=True)
class _PairPlaces:
    """The rows of originals and of what was made from them, pair by pair."""

    original: NDArray[np.intp]
    perturbed: NDArray[np.intp]


def minimal_pairs(
    corpus: Corpus, items: Items, name: str, zero_division: float | None = None
) -> pl.DataFrame:
    """Return a row a system; ``name`` is the column with the id of the item each was made from.

    Items without one are originals, and so are those that name themselves. A filter chooses among
    the items that were made from others, whichever items it leaves out as originals.
    """
    whole = unfiltered(corpus)
    places = _places(corpus, whole, items, name)
    rows = [_row(system, whole.gold, answer, places, zero_division)
            for system, answer in whole.answers.items()]  # fmt: skip
    return pl.DataFrame(rows, schema=_MINIMAL)


def _row(
    system: str, gold: Codes, answer: Codes, places: _PairPlaces, zero_division: float | None
) -> dict[str, object]:
    before, after = places.original, places.perturbed
    right, turned = answer == gold, gold[before] != gold[after]
    flips = answer[before] != answer[after]
    both = int((right[before] & right[after]).sum())
    return {
        "system": system,
        "pairs": len(before),
        "gold_flips": int(turned.sum()),
        "flips": int(flips.sum()),
        "needless_flips": int((flips & ~turned).sum()),
        "missed_flips": int((~flips & turned).sum()),
        "right_originals": int(right[before].sum()),
        "right_perturbed": int(right[after].sum()),
        "both_right": both,
        "consistency": ratio_of(both, len(before), zero_division),
    }


def _places(corpus: Corpus, whole: Items, items: Items, name: str) -> _PairPlaces:
    if items.group == "instance":
        raise UsageError(
            "an item of several labels has no one answer that could flip",
            where=_WHERE,
            remedy="use it where each item has one label",
        )
    for column in ("id", name):
        check_column(whole, column)
    check_originals(corpus, whole, name)
    kept = np.isin(whole.numbers, items.numbers)
    rows = np.arange(len(whole))
    made = pl.DataFrame({"original": ids_in(corpus, whole, name), "perturbed": rows})
    ids = pl.DataFrame({"original": ids_in(corpus, whole, "id"), "at": rows})
    pairs = made.filter(kept).join(ids, on="original", how="inner", maintain_order="left")
    pairs = pairs.filter(pl.col("at") != pl.col("perturbed"))
    return _PairPlaces(pairs["at"].to_numpy(), pairs["perturbed"].to_numpy())


def texts_of(items: Items, name: str) -> pl.Series:
    """Return a column as texts, null where a cell is empty."""
    text = items.context[name].cast(pl.String)
    return text.set(text.str.strip_chars() == "", None)


def ids_in(corpus: Corpus, items: Items, name: str) -> pl.Series:
    """Return a column of ids, each with its file where there are several, which may share ids."""
    text = texts_of(items, name)
    if corpus.grid is None:
        return text
    files = [items.context[of].cast(pl.String) for of in _FILES if of in items.context.columns]
    return pl.select(pl.concat_str([*files, text], separator="\0")).to_series()


def check_column(items: Items, column: str, where: str = _WHERE) -> None:
    """Raise where items have no ids, or no such column of what they were made from."""
    if "id" not in items.context.columns:
        raise UsageError(
            "items have no ids, so none can be named as the original of another",
            where=where,
            remedy="name the column of ids: --columns id=NAME",
        )
    if column not in items.context.columns:
        raise unknown("column", column, items.context.columns, where=where)


def check_originals(corpus: Corpus, whole: Items, name: str, where: str = _WHERE) -> None:
    """Raise for originals that no item is, before any was filtered out."""
    ids, named = ids_in(corpus, whole, "id"), ids_in(corpus, whole, name)
    unknown_id = ~named.is_in(ids.implode()) & named.is_not_null()
    if unknown_id.any():
        lacking = texts_of(whole, name).filter(unknown_id)
        first = ", ".join(f"`{one}`" for one in lacking.unique(maintain_order=True)[:5])
        raise DataError(
            f"no item has the id {first}",
            where=f"{where} {name}",
            remedy="leave the column empty for items that were not made from others",
        )
