"""The units that are drawn when a corpus is resampled, and small integer counts for each of them.

A unit is a document, a sentence, an instance or any other column of the items; where there is no
such thing, each item is one. Its key says which one it is, wherever its items stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import unknown
from coleval.kernels.active_rows import error_rows
from coleval.kernels.blocks import counted
from coleval.kernels.unit_parts import by_unit, in_order, units_in_parts
from coleval.statistics.draws import keys_of_names, keys_of_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.errors import UsageError

    Counts = NDArray[np.integer]
    Rows = NDArray[np.integer]

ITEM = "item"


@dataclass(frozen=True, slots=True)
class Units:
    """What one unit is called, the key of each, and the number of the unit of every item.

    Of items in parts it is the number of every unit of each of the ``parts`` instead; ``names``
    tell units apart wherever they are.
    """

    kind: str
    key: NDArray[np.uint64]
    of: Rows
    parts: tuple[Rows, ...] = ()
    names: pl.Series | None = None

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.key)

    def tally(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many items of each unit are in a mask."""
        return counted(self.of, len(self), mask)

    def count(self, rows: Rows) -> NDArray[np.int64]:
        """Return how many of some items are in each unit."""
        return counted(self.of, len(self), rows)


def units_of(items: Items, kind: str = "") -> Units:
    """Return the units of items: documents if there are several, else sentences or instances."""
    chosen = kind or items.memo.get("unit", lambda: default_kind(items))
    make = _units_of if items.far is None else units_in_parts
    return items.memo.get(("units", chosen), lambda: make(items, chosen))


def _units_of(items: Items, chosen: str) -> Units:
    if chosen == items.group and items.group_count:
        rows = items.context[chosen].to_numpy()
        return Units(chosen, keys_of_numbers(np.arange(items.group_count)), rows)
    form = items.form() if chosen == "form" else None
    if chosen in items.context.columns or form is not None:
        return _by_column(chosen, items.context[chosen] if form is None else form)
    if chosen in (ITEM, items.unit):
        return _single(items, chosen)
    raise unknown_unit(chosen, items)


def unknown_unit(chosen: str, items: Items) -> UsageError:
    """Return the error for a unit that items do not have."""
    known = [c for c in (ITEM, *items.context.columns) if c not in ("start", "end", "position")]
    return unknown("unit to resample", chosen, known, where="--unit-of-resampling")


def default_kind(items: Items) -> str:
    """Return what is resampled when nobody says it."""
    columns = items.context.columns
    if not in_order(items) and "id" in columns:
        return "id"
    if items.far is not None:
        nulls, documents = items.far.shape.documents
        if not nulls and len(documents) > 1:
            return "document"
    elif "document" in columns:
        names = items.context["document"]
        # Where some files name no documents, the rest of the corpus is not one document.
        if not names.null_count() and names.n_unique() > 1:
            return "document"
    if items.group in columns:
        return items.group
    return items.unit if items.unit in ("instance", "row") else ITEM


def _by_column(kind: str, column: pl.Series) -> Units:
    if isinstance(column.dtype, pl.Enum) and not column.null_count():
        return _by_names(kind, column)
    known = column.unique().sort()
    place = pl.DataFrame({"value": known, "at": np.arange(len(known))})
    at = pl.DataFrame({"value": column}).join(place, on="value", how="left", nulls_equal=True)
    return Units(kind, keys_of_values(known), narrow(at["at"].to_numpy()))


def _by_names(kind: str, column: pl.Series) -> Units:
    """Return the same of a column that is numbers of names already, which are never spread out."""
    code = column.to_physical().to_numpy()
    names: pl.Series = column.dtype.categories  # type: ignore[attr-defined]
    there = counted(code, len(names)) > 0
    place = narrow(np.cumsum(there) - 1)
    return Units(kind, keys_of_names(names.filter(pl.Series(there)).to_list()), place[code])


def _single(items: Items, kind: str) -> Units:
    """Return every item as its own unit, known by its id where it has one."""
    ids = items.context["id"] if "id" in items.context.columns else None
    whole = ids is not None and not ids.null_count() and ids.n_unique() == len(ids)
    key = keys_of_values(ids) if whole and ids is not None else keys_of_numbers(items.numbers)
    return Units(kind, key, np.arange(len(items), dtype=np.uint32))


def keys_of_values(values: pl.Series) -> NDArray[np.uint64]:
    """Return the keys of numbers, or of names; null is a name too."""
    if values.dtype.is_integer() and not values.null_count():
        return keys_of_numbers(values.to_numpy())
    return keys_of_names(values.cast(pl.String).fill_null("\0").to_list())


def narrow(counts: Counts) -> Counts:
    """Return counts in the narrowest type that holds them."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


def together(counts: Counts, others: Counts) -> Counts:
    """Return the sums of two tables; a single row is added to every one."""
    more = np.broadcast_to(others, counts.shape)
    return _rows(one.astype(np.int64) + other for one, other in zip(counts, more, strict=True))


@by_unit
def right_of(items: Items, units: Units, *, empty_is_answer: bool) -> Counts:
    """Return how many items of each unit every system has right, a row a system."""
    every = size_of(items, units, empty_is_answer=empty_is_answer)[0].astype(np.int64)
    wrong = (error_rows(items, name) for name in items.answers)
    lost = wrong if empty_is_answer else (rows[items.gold[rows] != 0] for rows in wrong)
    return _rows(every - units.count(rows) for rows in lost)


@by_unit
def size_of(items: Items, units: Units, *, empty_is_answer: bool) -> Counts:
    """Return how many items each unit has to be got right, one row."""
    there = np.ones(len(items), np.bool_) if empty_is_answer else items.gold != 0
    return _rows([units.tally(there)])


@by_unit
def answered(items: Items, units: Units, label: int = 0) -> Counts:
    """Return how many answers each system gives in each unit, all of them or those of a label."""
    right = agreed(items, units, label)
    return _rows(
        right[at] + units.count(rows[_said(items.answers[name][rows], label)])
        for at, name in enumerate(items.answers)
        for rows in (error_rows(items, name),)
    )


@by_unit
def expected(items: Items, units: Units, label: int = 0) -> Counts:
    """Return how many answers gold has in each unit, all of them or those of a label, one row."""
    return _rows([units.tally(_said(items.gold, label))])


@by_unit
def agreed(items: Items, units: Units, label: int = 0) -> Counts:
    """Return how many of gold's answers each system gives too, all of them or those of a label."""
    every = expected(items, units, label)[0].astype(np.int64)
    wrong = (error_rows(items, name) for name in items.answers)
    return _rows(every - units.count(rows[_said(items.gold[rows], label)]) for rows in wrong)


@by_unit
def whole_groups(items: Items, units: Units) -> tuple[Counts, Counts]:
    """Return how many sentences (or instances) of each unit a system has wholly right, of how many.

    Groups without any item are wholly right; they are known only where the units are the groups.
    """
    groups = items.groups
    assert groups is not None  # noqa: S101  - the caller has made sure
    group, every = units.of, np.arange(len(units))
    if units.kind != items.group:
        _, first, group = np.unique(groups, return_index=True, return_inverse=True)
        every = units.of[first].astype(np.intp)
    wrong = (_wrong(group, len(every), error_rows(items, name)) for name in items.answers)
    right = _rows(np.bincount(every[~bad], minlength=len(units)) for bad in wrong)
    return right, _rows([np.bincount(every, minlength=len(units))])


def _wrong(group: Rows, size: int, rows: Rows) -> NDArray[np.bool_]:
    found = np.zeros(size, np.bool_)
    found[group[rows]] = True
    return found


def _said(codes: Codes, label: int) -> NDArray[np.bool_]:
    return codes == label if label else codes != 0


def _rows(rows: Iterable[Counts]) -> Counts:
    return narrow(np.stack([narrow(row) for row in rows]))
