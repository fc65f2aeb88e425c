"""The units that are drawn when a corpus is resampled, and small integer counts for each of them.

A unit is a document, a sentence, an instance or any other column of the items; where there is no
such thing, each item is one. Its key says which one it is, wherever its items stand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from coleval.corpus.far import each_part
from coleval.counts.active_rows import error_rows
from coleval.counts.blocks import counted
from coleval.errors import UsageError, unknown
from coleval.statistics.draws import keys_of_names, keys_of_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.far import Ref
    from coleval.corpus.items import Items

    Counts = NDArray[np.integer]
    Rows = NDArray[np.integer]

ITEM = "item"


@dataclass(frozen=True, slots=True)
class Units:
    """What one unit is called, the key of each, and the number of the unit of every item.

    Of items in parts it is the number of every unit of each of the ``parts`` instead; ``names``
    tell units apart wherever they are. What is counted as one unit may be ``n`` that are alike.
    """

    kind: str
    key: NDArray[np.uint64]
    of: Rows
    parts: tuple[Rows, ...] = ()
    names: pl.Series | None = None
    n: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of units that are counted."""
        return len(self.key)

    def total(self, there: NDArray[np.bool_] | None = None) -> int:
        """Return the number of all units, or of those in a mask."""
        if self.n is None:
            return len(self) if there is None else int(np.count_nonzero(there))
        return int(self.n.sum() if there is None else there @ self.n)

    def tally(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many items of each unit are in a mask."""
        return counted(self.of, len(self), mask)

    def count(self, rows: Rows) -> NDArray[np.int64]:
        """Return how many of some items are in each unit."""
        return counted(self.of, len(self), rows)


def units_of(items: Items, kind: str = "") -> Units:
    """Return the units of items: documents if there are several, else sentences or instances."""
    chosen = unit_kind(items, kind)
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


def unit_kind(items: Items, kind: str = "") -> str:
    """Return what is resampled: what is asked for, or what suits the items."""
    return kind or items.memo.get("unit", lambda: default_kind(items))


def are_single(items: Items, kind: str) -> bool:
    """Return whether units of a kind are single items."""
    grouped = kind == items.group and items.group_count
    return kind in (ITEM, items.unit) and kind not in items.context.columns and not grouped


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
    return items.unit if items.unit in ("instance", "row", "segment") else ITEM


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
    items = ref.of(corpus)
    return count(items, units_of(items, kind), *more, **options)


def _named(
    count: Callable[..., Any], more: Any, options: Any, corpus: Corpus, ref: Ref, kind: str
) -> Any:
    items = ref.of(corpus)
    form = items.form() if kind == "form" and kind not in items.context.columns else None
    names = _names(items.context[kind] if form is None else form)
    return names, _counted(count, more, options, corpus, ref, kind)


def _spread(parts: list[NDArray[np.integer]], units: Units) -> NDArray[np.integer]:
    """Return the counts of all units, each part's at the places of its own."""
    whole = np.zeros((len(parts[0]), len(units)), np.int64)
    for part, place in zip(parts, units.parts, strict=True):
        whole[:, place] += part
    return narrow(whole)


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
def expected(items: Items, units: Units, label: int = 0) -> Counts:
    """Return how many answers gold has in each unit, all of them or those of a label, one row."""
    return _rows([units.tally(_said(items.gold, label))])


@by_unit
def agreed_answered(items: Items, units: Units, label: int = 0) -> tuple[Counts, Counts]:
    """Return how many of gold's answers each system gives too, and how many it gives in all.

    All of them or those of a label, by unit, a row a system.
    """
    every = expected(items, units, label)[0].astype(np.int64)
    right, said = [], []
    for name, codes in items.answers.items():
        wrong = error_rows(items, name)
        right.append(every - units.count(wrong[_said(items.gold[wrong], label)]))
        said.append(right[-1] + units.count(wrong[_said(codes[wrong], label)]))
    return _rows(right), _rows(said)


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
