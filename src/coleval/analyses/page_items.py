"""The items that numbers of a report count, as columns of codes that a page can hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.asking import wide_table
from coleval.annotate.text import places, text_of
from coleval.corpus.coverage import LEAVE_OUT
from coleval.corpus.items import NOT_IN_TEXT, text_column
from coleval.corpus.report import ItemBlock, ItemColumn
from coleval.declare.conditions import VERSUS
from coleval.query.quoting import filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.text import RunningText
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.declare.tables import CountedItems
    from coleval.query.wide import Wide

# Of longer sentences than people write, a page has so many words on either side of each item.
FAR, _NEAR = 400, 30
# What stands for no number.
NO_NUMBER = -(2**31)


def page_items(corpus: Corpus, options: Any) -> PageItems | None:
    """Return the items of a corpus for its page; None where the numbers are no counts of these.

    Numbers have means; where answers are left out or runs do not exist, each system has its own
    items; items in parts are nowhere at once; spans without their punctuation are others.
    """
    kind, grid = corpus.task_kind, corpus.grid
    if getattr(options, "ignore_punct", "") or corpus.scoring.taxonomy != "fair":
        return None
    if kind.numeric or kind.mentions or kind.trees or corpus.spread is not None:
        return None
    if corpus.scoring.missing == LEAVE_OUT or (grid and grid.missing_numbers(corpus.systems)):
        return None
    return PageItems(corpus) if corpus.has_gold else None


@dataclass(frozen=True)
class PageItems:
    """The items that a corpus counts; nothing is made before a page asks for it."""

    corpus: Corpus

    @cached_property
    def _wide(self) -> Wide:
        return wide_table(self.corpus)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._wide)

    def condition(self, counted: CountedItems) -> str:
        """Return the SQL condition of a number, with the values of its row."""
        return filled(counted.condition, counted.row, self._wide.columns)

    def some(self, most: int, first: Iterable[int]) -> Sequence[int]:
        """Return the places of so many items, those of these numbers first, others evenly."""
        numbers = self._wide.items.numbers
        named = np.flatnonzero(np.isin(numbers, list(first)))[:most]
        even = np.linspace(0, len(numbers) - 1, max(most - len(named), 0)).astype(np.intp)
        places: list[int] = np.unique(np.concatenate([named, even])).tolist()
        return places

    def block(self, conditions: Iterable[str], rows: Sequence[int] | None = None) -> ItemBlock:
        """Return the items, or some of them, with all columns that conditions name."""
        table = self._wide if rows is None else self._wide.where(np.array(rows, np.int64))
        items, systems = table.items, table.columns
        lacking = {
            f"outcome_{column}"
            for system, column in systems.items()
            if any(system not in ran for ran in table.run_sets)
        }
        answers = {"gold": items.gold} | {systems[name]: c for name, c in items.answers.items()}
        # A page works out what became of answers, but for those of runs that do not exist.
        derived = {f"outcome_{name}" for name in systems.values()} - lacking
        named = {*table.stored, *table.mentioned("\n".join(conditions)), *lacking}
        columns = [
            _coded(name, table.column(name))
            for name in table.names
            if name in named and name not in derived and name not in answers
        ]
        columns += [_column(name, codes) for name, codes in answers.items()]
        text = text_of(self.corpus) if "sentence" in items.context.columns else None
        sentences: dict[int, list[str]] = {}
        if text is not None and {"position", "start"} & set(items.context.columns):
            placed, sentences = _placed(items, text)
            columns += placed
        return ItemBlock(
            len(items), len(self), items.unit, tuple(columns), [None, *items.labels],
            dict(systems), sentences, self.corpus.scoring.where, VERSUS,
        )  # fmt: skip


def _column(name: str, codes: NDArray[Any], values: list[Any] | None = None) -> ItemColumn:
    size = codes.dtype.itemsize
    return ItemColumn(name, codes.astype(f"<u{size}").tobytes(), size, values)


def _coded(name: str, column: pl.Series) -> ItemColumn:
    """Return whole numbers as differences, anything else as places among its values."""
    if column.dtype.is_integer():
        return _numbers(name, column.cast(pl.Int64).fill_null(NO_NUMBER).to_numpy())
    if not column.dtype.is_float() and column.dtype != pl.Boolean:
        column = text_column(column).cast(pl.String)
    values = column.alias("value").unique(maintain_order=True)
    place = pl.DataFrame({"value": values}).with_row_index("place")
    joined = pl.DataFrame({"value": column}).join(
        place, on="value", how="left", nulls_equal=True, maintain_order="left"
    )["place"]
    size = np.min_scalar_type(len(values))
    if size.itemsize > 4:
        size = np.dtype(np.uint32)
    finite = values.fill_nan(None) if column.dtype.is_float() else values
    return _column(name, joined.to_numpy().astype(size), finite.to_list())


def _numbers(name: str, numbers: NDArray[Any]) -> ItemColumn:
    """Return differences, which wrap as numbers of 32 bits do on both sides."""
    steps = np.diff(numbers.astype(np.int32), prepend=np.int32(0))
    return ItemColumn(name, steps.astype("<i4").tobytes(), 4, whole=True)


def _placed(items: Items, text: RunningText) -> tuple[list[ItemColumn], dict[int, list[str]]]:
    """Return the first word of each item and the one after it, and the words of their sentences.

    Words of a very long sentence are those around its items; the others are empty.
    """
    first, last = places(items, text)
    numbers = items.context["sentence"].to_numpy()
    start = text.first[numbers]
    if NOT_IN_TEXT in items.context.columns:
        missing = items.context[NOT_IN_TEXT].to_numpy()
        first, last = np.where(missing, start, first), np.where(missing, start, last)
    columns = [_numbers(" first", first - start), _numbers(" last", last - start)]
    return columns, _sentences(text, numbers, first, last)


def _sentences(
    text: RunningText, numbers: NDArray[Any], first: NDArray[Any], last: NDArray[Any]
) -> dict[int, list[str]]:
    """Return the words of each sentence; of a very long one those far from its items are empty."""
    each = np.unique(numbers)
    low, high = text.first[each], text.first[each + 1]
    ends = np.cumsum(high - low)
    token = np.arange(ends[-1] if len(each) else 0)
    token += np.repeat(low - ends + (high - low), high - low)
    words = text.form.gather(pl.Series(token)).cast(pl.String).fill_null("").to_list()
    found = {}
    for number, begin, size, end in zip(
        *(x.tolist() for x in (each, low, high - low, ends)), strict=True
    ):
        own = words[end - size : end]
        if size > FAR:
            mine, shown = numbers == number, np.zeros(size + 1, np.int64)
            np.add.at(shown, np.maximum(first[mine] - begin - _NEAR, 0), 1)
            np.add.at(shown, np.minimum(last[mine] - begin + _NEAR, size), -1)
            own = [w if show else "" for w, show in zip(own, np.cumsum(shown), strict=False)]
        found[number] = own
    return found
