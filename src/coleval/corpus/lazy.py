"""All that is made late: when it is first looked at, so that what is not looked at costs nothing.

What is known beforehand differs, and so do the kinds:

- ``LazyMapping``: the names of things and a maker for each. It is passed on like a dict, and its
  names can be listed without making anything.
- ``Memo``: nothing. Functions of other modules keep with an owner what they derived from it, so
  neither the keys nor the makers are known to the owner.
- ``LazyColumn``: how the rows of one column are made. Rows are chosen first and made afterwards.
- ``Once``: how one thing is made, of something as large, which goes when it is there.

A single value that an object derives of itself is a ``functools.cached_property``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Rows = NDArray[np.integer]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Memo:
    """Values derived from an owner, by key; they go when the owner goes.

    A value must not hold the owner, or neither goes before the cycle is found.
    """

    _values: dict[Hashable, Any] = field(default_factory=dict)

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether there is a value of a key."""
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made now if it was not yet."""
        if key not in self._values:
            self._values[key] = make()
        value: T = self._values[key]
        return value


class Once(Generic[T]):
    """A maker that keeps what it has made, and then lets go of what that was made of."""

    def __init__(self, made: Callable[[], T] | T, *, waits: bool = True) -> None:
        self._made, self._waits, self._lock = made, waits, Lock()

    def __call__(self) -> T:
        """Return the thing, made now if it was not yet."""
        with self._lock:
            if self._waits:
                self._made, self._waits = cast("Callable[[], T]", self._made)(), False
        return cast("T", self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how this is made in another process, where it has a lock of its own."""
        return partial(Once, waits=self._waits), (self._made,)


@dataclass(frozen=True)
class LazyMapping(Mapping[str, T]):
    """Things by name, each made when it is looked at.

    Without ``keep`` they are made anew each time, for things that are too large to be kept.
    """

    makers: Mapping[str, Callable[[], T]]
    keep: bool = True
    _made: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    def __getitem__(self, name: str) -> T:
        """Return the thing of a name."""
        make = self.makers[name]
        return self._made.get(name, make) if self.keep else make()

    def __iter__(self) -> Iterator[str]:
        """Return the names in their order; nothing is made for that."""
        return iter(self.makers)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self.makers)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a name; nothing is made for that."""
        return name in self.makers


@dataclass(frozen=True, slots=True)
class LazyColumn:
    """What makes some ``rows`` of a column, None for all; calling it makes those of its own."""

    make: Callable[[Rows | None], pl.Series]
    rows: Rows | None = None

    @staticmethod
    def of_whole(make: Callable[[], pl.Series]) -> LazyColumn:
        """Return a column that can only be made as a whole; rows are taken from that."""
        return LazyColumn(partial(_rows_of_whole, make))

    def __call__(self) -> pl.Series:
        """Return the column."""
        return self.make(self.rows)

    def at(self, rows: Rows) -> LazyColumn:
        """Return some rows of the column; nothing is made for that."""
        return LazyColumn(self.make, rows if self.rows is None else self.rows[rows])


def _rows_of_whole(make: Callable[[], pl.Series], rows: Rows | None) -> pl.Series:
    return make() if rows is None else make().gather(rows)


def maker_of(thing: T) -> Callable[[], T]:
    """Return the maker of a thing that is there already, to stand beside makers of others."""
    return partial(_itself, thing)


def _itself(thing: T) -> T:
    return thing
