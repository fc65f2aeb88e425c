"""Units of items in parts: each part counts its own, and all find their place among all.

What comes back is a few whole numbers for each unit and system, which is little beside the items
and still grows with them: there is a limit to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from coleval.corpus.far import each_part
from coleval.errors import UsageError
from coleval.statistics.draws import keys_of_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.far import Ref
    from coleval.corpus.items import Items
    from coleval.kernels.units import Units

    Rows = NDArray[np.intp]

Counting = TypeVar("Counting", bound="Callable[..., Any]")
# The most numbers by unit and system that are brought together: as bytes at best.
MOST = 1 << 32


@dataclass(frozen=True, slots=True)
class _PartUnits:
    """What a part says of its units: how many there are, their names if they have some.

    ``numbers`` are those of single items, among ``of`` in the part; they may have ``ids``.
    """

    n: int
    names: pl.Series | None = None
    numbers: NDArray[np.integer] | None = None
    of: int = 0
    ids: pl.Series | None = None


def units_in_parts(items: Items, kind: str) -> Units:
    """Return the units of items in parts, with the same keys as if these were together."""
    from coleval.kernels.units import Units, keys_of_values, unknown_unit

    if kind not in ("item", items.unit, *items.context.columns, "form"):
        raise unknown_unit(kind, items)
    found = each_part(_told, items, kind)
    _check(sum(part.n for part in found) * len(items.systems))
    if found[0].names is not None:
        names = [part.names for part in found if part.names is not None]
        known = pl.concat(names).unique().sort()
        place = pl.DataFrame({"value": known, "at": np.arange(len(known))})
        places = tuple(_placed(one, place) for one in names)
        return Units(kind, keys_of_values(known), np.zeros(0, np.intp), places, known)
    if not in_order(items):
        raise UsageError(
            f"rows of a data frame have no numbers, by which a {kind} could be drawn",
            where="--unit-of-resampling",
            remedy='name a column that distinguishes sentences: columns={"id": "id"}',
        )
    starts = np.cumsum([0, *(part.n for part in found)])
    places = tuple(np.arange(low, low + p.n) for low, p in zip(starts, found, strict=False))
    key = keys_of_numbers(np.arange(starts[-1]))
    if any(part.numbers is not None for part in found):
        ids = _ids(found)
        key = keys_of_numbers(_all_numbers(found)) if ids is None else keys_of_values(ids)
    return Units(kind, key, np.zeros(0, np.intp), places)


def in_order(items: Items) -> bool:
    """Tell whether parts of items are in the order of the items."""
    far = items.far
    return far is None or far.corpus.spread is None or far.corpus.spread.runner.ordered


def _ids(found: list[_PartUnits]) -> pl.Series | None:
    """Return the ids of all items, None where some have none or share one."""
    there = [part.ids for part in found if part.ids is not None]
    if len(there) < len(found):
        return None
    ids = pl.concat(there)
    return ids if not ids.null_count() and ids.n_unique() == len(ids) else None


def _all_numbers(found: list[_PartUnits]) -> NDArray[np.integer]:
    first = np.cumsum([0, *(part.of for part in found)])
    each = zip(found, first, strict=False)
    return np.concatenate([p.numbers.astype(np.int64) + low for p, low in each])  # type: ignore[union-attr]


def _placed(names: pl.Series, place: pl.DataFrame) -> Rows:
    at = pl.DataFrame({"value": names}).join(
        place, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    return at["at"].to_numpy().astype(np.intp)


def _check(n: int) -> None:
    if n > MOST:
        raise UsageError(
            f"{n:,} counts by unit and system are too many to bring together",
            where="--unit-of-resampling",
            remedy="resample larger units, such as documents, or fewer systems (--systems)",
        )


def _told(corpus: Corpus, ref: Ref, kind: str) -> _PartUnits:
    items = ref.of(corpus)
    if kind == items.group and items.group_count:
        return _PartUnits(items.group_count)
    if kind in items.context.columns:
        return _PartUnits(0, _names(items.context[kind]))
    form = items.form() if kind == "form" else None
    if form is not None:
        return _PartUnits(0, _names(form))
    ids = items.context["id"] if "id" in items.context.columns else None
    whole = corpus.at(corpus.scoring.unit)
    return _PartUnits(len(items), None, items.numbers, len(whole), ids)


def _names(column: pl.Series) -> pl.Series:
    """Return the distinct values in the order in which units of the part are numbered."""
    known = column.rename("value").unique().sort()
    return known if known.dtype.is_integer() else known.cast(pl.String)


def by_unit(count: Counting) -> Counting:
    """Return a function that counts by unit: of items in parts, part by part."""

    @wraps(count)
    def counted(items: Items, units: Units, *more: Any, **options: Any) -> Any:
        if items.far is None:
            return count(items, units, *more, **options)
        key = (count.__name__, units.kind, more, tuple(options.items()))
        # By its name in its module, this function is passed on to where the parts are.
        return items.memo.get(key, lambda: _together(counted, items, units, more, options))

    return counted  # type: ignore[return-value]


def _together(
    count: Callable[..., Any], items: Items, units: Units, more: Any, options: Any
) -> Any:
    if units.names is not None:
        named = each_part(partial(_named, count, more, options), items, units.kind)
        place = pl.DataFrame({"value": units.names, "at": np.arange(len(units.names))})
        places = tuple(_placed(names, place) for names, _ in named)
        return placed_by_unit([found for _, found in named], replace(units, parts=places))
    return placed_by_unit(
        each_part(partial(_counted, count, more, options), items, units.kind), units
    )


def placed_by_unit(parts: list[Any], units: Units) -> Any:
    """Return the counts by unit of all parts, of each of several that stand together."""
    if isinstance(parts[0], tuple):
        return tuple(_spread(list(same), units) for same in zip(*parts, strict=True))
    return _spread(parts, units)


def _counted(
    count: Callable[..., Any], more: Any, options: Any, corpus: Corpus, ref: Ref, kind: str
) -> Any:
    from coleval.kernels import units

    items = ref.of(corpus)
    return count(items, units.units_of(items, kind), *more, **options)


def _named(
    count: Callable[..., Any], more: Any, options: Any, corpus: Corpus, ref: Ref, kind: str
) -> Any:
    items = ref.of(corpus)
    form = items.form() if kind == "form" and kind not in items.context.columns else None
    names = _names(items.context[kind] if form is None else form)
    return names, _counted(count, more, options, corpus, ref, kind)


def _spread(parts: list[NDArray[np.integer]], units: Units) -> NDArray[np.integer]:
    """Return the counts of all units, each part's at the places of its own."""
    from coleval.kernels.units import narrow

    whole = np.zeros((len(parts[0]), len(units)), np.int64)
    for part, place in zip(parts, units.parts, strict=True):
        whole[:, place] += part
    return narrow(whole)
