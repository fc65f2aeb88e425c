"""Distinct rows of gold and all answers, with the number of items that share each.

Most items are answered alike by gold and every system: these are counted by label alone, and only
the others, a tenth to a quarter of a good corpus (PERFORMANCE §3), are grouped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.disk import stored_patterns
from coleval.corpus.far import far_of, in_parts
from coleval.counts.blocks import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Counts = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Grouping = Callable[[Codes, Counts | None], tuple[Codes, Counts]]


# Patterns of so many blocks are not worth putting together before the end.
_FEW = 1 << 18


@dataclass(frozen=True)
class Patterns:
    """Rows of codes, and how many items have each.

    ``codes`` has a row for each layer: gold, the systems, judges if others judge than the systems,
    then the same items as tables show them (gold and the systems), if that is something else.
    ``single`` is how many come first that stand for one item each. Rows that are not ``distinct``
    may occur several times (``grouped``). Where an empty answer is none, what neither gold nor a
    system answers is no item for them.
    """

    systems: tuple[str, ...]
    codes: Codes
    n: Counts
    single: int
    empty_is_answer: bool
    judges: int = 0
    shown: bool = False
    distinct: bool = True

    @property
    def gold(self) -> Codes:
        """Return gold's code of each pattern."""
        return self.codes[0]

    @property
    def answers(self) -> Codes:
        """Return the code of each pattern, a row a system."""
        return self.codes[1 : 1 + len(self.systems)]

    @property
    def judging(self) -> Codes:
        """Return the answers that difficulty counts, a row a judge."""
        first = 1 + len(self.systems)
        return self.codes[first : first + self.judges] if self.judges else self.answers

    @cached_property
    def grouped(self) -> Patterns:
        """Return distinct patterns, which pay where any two systems are compared."""
        return self if self.distinct else _ordered(self, *_grouped(self.codes, self.n))

    @cached_property
    def right(self) -> Flags:
        """Return which systems have the items of each pattern right, a row a system."""
        return self.answers == self.gold

    @cached_property
    def countable(self) -> Flags:
        """Return which patterns are items that are there to be got right."""
        return np.ones(len(self.n), np.bool_) if self.empty_is_answer else self.gold != 0

    @property
    def as_shown(self) -> Patterns:
        """Return the patterns by what tables show of them."""
        if not self.shown:
            return self
        codes = self.codes[-1 - len(self.systems) :]
        return replace(self, codes=codes, judges=0, shown=False)

    def total(self, mask: Flags) -> int:
        """Return how many items have one of the patterns of a mask."""
        return int(np.count_nonzero(mask[: self.single])) + int(
            self.n[self.single :] @ mask[self.single :]
        )

    def totals(self, masks: Flags) -> Counts:
        """Return how many items have one of the patterns of each mask, a row a mask."""
        return np.array([self.total(mask) for mask in masks], np.int64)

    def tally(self, codes: NDArray[Any], size: int, mask: Any = None) -> Counts:
        """Return how many items have each of the codes below ``size``, of all or of a mask."""
        first, rest = slice(self.single), slice(self.single, None)
        if mask is None:
            return _tallied(codes[first], codes[rest], self.n[rest], size)
        there = mask[rest]
        return _tallied(codes[first][mask[first]], codes[rest][there], self.n[rest][there], size)

    def tally_rows(self, codes: NDArray[Any], size: int, rows: NDArray[np.intp]) -> Counts:
        """Return the same of the codes that stand for some rows, which rise."""
        at = int(np.searchsorted(rows, self.single))
        return _tallied(codes[:at], codes[at:], self.n[rows[at:]], size)


def _tallied(single: NDArray[Any], codes: NDArray[Any], n: Counts, size: int) -> Counts:
    repeated = np.bincount(codes, weights=n, minlength=size)
    return np.bincount(single, minlength=size) + repeated.astype(np.int64)


def patterns(items: Items, shown: Items | None = None, *, engine: str = "polars") -> Patterns:
    """Return the patterns of items, grouped by an engine; kept with the items.

    ``shown`` are the same items by what tables show, if that is not what makes answers equal.
    """
    if shown is items:
        shown = None
    # The shown items are kept with the patterns, so that no others get their identity.
    key = ("patterns", engine, id(shown))
    return items.memo.get(key, lambda: (_patterns(items, shown, engine), shown))[0]


def _patterns(items: Items, shown: Items | None, engine: str) -> Patterns:
    if far_of(items, shown) is not None:
        return in_parts(together, patterns, items, shown, engine="spark")
    if shown is None and (stored := _stored(items)) is not None:
        return stored
    first, most, blocks = 0, _FEW, []
    for block in items.blocks():
        span = shown and (
            shown if len(shown) == len(block) else shown.between(first, first + len(block))
        )
        blocks.append(_block_patterns(block, span, GROUPING[engine]))
        first += len(block)
        if sum(len(one.n) for one in blocks) > 2 * most:
            # Patterns of many blocks become one table from time to time, or they fill the memory.
            blocks = [together(blocks)]
            most = max(most, len(blocks[0].n))
    return together(blocks)


def _stored(items: Items) -> Patterns | None:
    """Return the patterns that a store has of these very items, None where it has none."""
    source = stored_patterns(items)
    found = source.read() if source is not None and items.judges is None else None
    if source is None or found is None:
        return None
    codes = np.stack([found[0][name] for name in ("", *items.systems)])
    if source.table is not None:
        codes = source.table[codes]
    made = Patterns(items.systems, codes, found[1], 0, items.empty_is_answer)
    # Rows of several files, of fewer systems or of coarser labels may be the same.
    return _ordered(made, *_grouped(codes, found[1]))


def together(parts: Sequence[Patterns]) -> Patterns:
    """Return the patterns of disjoint parts together."""
    if len(parts) == 1:
        return parts[0]
    codes = np.concatenate([part.codes for part in parts], axis=1)
    n = np.concatenate([part.n for part in parts])
    return _ordered(parts[0], *_grouped(codes, n))


def _block_patterns(items: Items, shown: Items | None, group: Grouping | None) -> Patterns:
    judges = [] if items.judges is None else list(items.judges.values())
    layers = [items.gold, *items.answers.values(), *judges]
    own = [] if shown is None else [shown.gold, *shown.answers.values()]
    alike = np.ones(len(items), np.bool_)
    same = np.empty(len(items), np.bool_)
    for first, others in ((items.gold, layers[1:]), *([(own[0], own[1:])] if own else [])):
        for codes in others:
            alike &= np.equal(codes, first, out=same)
    codes = _gathered([*layers, *own], np.flatnonzero(~alike))
    n = np.ones(codes.shape[1], np.int64)
    if group is not None:
        codes, n = group(codes, None)
    golds = [items.gold, *own[:1]]
    if own:
        plain, plain_n = _grouped(_gathered(golds, np.flatnonzero(alike)), None)
    else:
        size = len(items.labels) + 1
        plain_n = counted(items.gold, size) - np.bincount(codes[0], n, minlength=size).astype(int)
        plain = np.flatnonzero(plain_n).astype(codes.dtype)[None, :]
        plain_n = plain_n[plain[0]]
    spread = np.repeat(np.arange(len(golds)), [len(layers), len(own)][: len(golds)])
    made = Patterns(
        items.systems,
        np.concatenate([codes, plain[spread]], axis=1),
        np.concatenate([n, plain_n]),
        len(n),
        items.empty_is_answer,
        len(judges),
        shown=shown is not None,
        distinct=False,
    )
    return made if group is None else _ordered(made, made.codes, made.n)


def _ordered(like: Patterns, codes: Codes, n: Counts) -> Patterns:
    """Return patterns with those of single items first: their counting needs no weights."""
    one = n == 1
    order = np.concatenate([np.flatnonzero(one), np.flatnonzero(~one)])
    single = int(np.count_nonzero(one))
    return replace(like, codes=codes[:, order], n=n[order], single=single, distinct=True)


def _gathered(layers: Sequence[Codes], rows: NDArray[np.intp]) -> Codes:
    """Return the codes of some rows, a row a layer."""
    kind = np.result_type(*{codes.dtype for codes in layers})
    found = np.empty((len(layers), len(rows)), kind)
    for at, codes in enumerate(layers):
        found[at] = codes[rows]
    return found


def _framed(codes: Codes, n: Counts | None) -> pl.DataFrame:
    columns = {f"c{at}": row for at, row in enumerate(codes)}
    return pl.DataFrame(columns if n is None else {**columns, "n": n})


def _coded(frame: pl.DataFrame, like: Codes) -> tuple[Codes, Counts]:
    found = np.empty((len(like), len(frame)), like.dtype)
    for at in range(len(like)):
        found[at] = frame[f"c{at}"].to_numpy()
    return found, frame["n"].to_numpy().astype(np.int64)


def _grouped(codes: Codes, n: Counts | None) -> tuple[Codes, Counts]:
    """Return the distinct columns of codes and how often each occurs, by Polars."""
    frame = _framed(codes, n)
    size = pl.len() if n is None else pl.col("n").sum()
    keys = [name for name in frame.columns if name != "n"]
    return _coded(frame.group_by(keys).agg(size.alias("n")), codes)


def _grouped_by_duckdb(codes: Codes, n: Counts | None) -> tuple[Codes, Counts]:
    """Return the same by DuckDB."""
    import duckdb

    frame = _framed(codes, n).to_arrow()
    size = "count(*)" if n is None else "sum(n)"
    keys = ", ".join(f"c{at}" for at in range(len(codes)))
    with duckdb.connect() as con:
        con.register("answered", frame)
        counted = con.sql(f"select {keys}, {size}::bigint as n from answered group by all")  # noqa: S608
        return _coded(pl.DataFrame(counted.to_arrow_table()), codes)


# Polars groups when it pays; Spark has its workers group each part.
GROUPING: dict[str, Grouping | None] = {
    "polars": None, "duckdb": _grouped_by_duckdb, "spark": _grouped,
}  # fmt: skip
