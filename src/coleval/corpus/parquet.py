"""Answers of a store that are read when somebody looks at them; SQL reads the files itself.

Every choice of systems, rows and labels is kept as what it is, so that a database can repeat it
over the files and no column need be held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import LazyMapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes


@dataclass(frozen=True, eq=False)
class ParquetColumns:
    """Files of one column each, by system: ``rows`` of them (None is all), as ``table`` has them.

    ``labels`` are those that codes stand for where there is no table: a code is looked up in it.
    ``check`` raises if the files are not what was written.
    """

    files: Mapping[str, Path]
    labels: tuple[str, ...]
    size: int
    rows: NDArray[np.integer] | None = None
    table: Codes | None = None
    check: Callable[[], None] = lambda: None

    def only(self, names: Iterable[str]) -> ParquetColumns:
        """Return some of the columns."""
        return replace(self, files={name: self.files[name] for name in names})

    def picked(self, rows: NDArray[np.integer]) -> ParquetColumns:
        """Return some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def between(self, low: int, high: int) -> ParquetColumns:
        """Return a run of rows."""
        return self.picked(np.arange(low, high, dtype=np.uint32))

    def recoded(self, table: Codes) -> ParquetColumns:
        """Return the columns with other codes."""
        return replace(self, table=table if self.table is None else table[self.table])

    def placed(self, column: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return a column of the rows chosen as one of all rows of the files, 0 elsewhere."""
        if self.rows is None:
            return column
        whole = np.zeros(self.size, column.dtype)
        whole[self.rows] = column
        return whole

    @property
    def chosen(self) -> NDArray[np.bool_] | None:
        """Return which rows of the files are chosen, None for all."""
        if self.rows is None:
            return None
        there = np.zeros(self.size, np.bool_)
        there[self.rows] = True
        return there


@dataclass(frozen=True, eq=False)
class StoredCodes(Mapping[str, "Codes"]):
    """Answers by system, as they are ``held``: read when somebody looks at them."""

    source: ParquetColumns
    held: Mapping[str, Codes]

    def __getitem__(self, name: str) -> Codes:
        """Return the codes of a system."""
        if name not in self.source.files:
            raise KeyError(name)
        return self.held[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the systems in their order."""
        return iter(self.source.files)

    def __len__(self) -> int:
        """Return how many systems there are."""
        return len(self.source.files)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a system of a name; nothing is read for that."""
        return name in self.source.files

    def only(self, names: Iterable[str]) -> StoredCodes:
        """Return some of the systems; what was read stays so."""
        return replace(self, source=self.source.only(names))

    def picked(self, rows: NDArray[np.integer]) -> StoredCodes:
        """Return some of the rows."""
        return self._changed(self.source.picked(rows), lambda codes: codes[rows])

    def recoded(self, table: Codes) -> StoredCodes:
        """Return the answers with other codes."""
        return self._changed(self.source.recoded(table), table.__getitem__)

    def between(self, low: int, high: int) -> StoredCodes:
        """Return a run of rows, which are read alone or not copied."""
        source = self.source.between(low, high)
        run = self.held.run if isinstance(self.held, LazyMapping) else None
        if run is None:
            return self._changed(source, lambda codes: codes[low:high])
        return StoredCodes(source, run(low, high))

    def _changed(self, source: ParquetColumns, change: Callable[[Codes], Codes]) -> StoredCodes:
        makers = {name: partial(self._with, change, name) for name in source.files}
        return StoredCodes(source, LazyMapping(makers))

    def _with(self, change: Callable[[Codes], Codes], name: str) -> Codes:
        return change(self.held[name])
