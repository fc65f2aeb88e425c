"""The wide table as people query it: every column items can have, each made when it is named.

Column names differ in more than case, for SQL is blind to it: a second system of a name gets a
number (``bert``, ``BERT_2``). What is exact stands in the table ``system``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate import annotations_of
from coleval.annotate.attributes import ATTRIBUTES, Attribute, Values
from coleval.annotate.attributes.facts import Facts
from coleval.annotate.buckets import made, parsed
from coleval.annotate.span_errors import COLUMNS as ERRORS
from coleval.annotate.span_errors import error_column
from coleval.corpus.lazy import LazyMapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

OUTCOMES = ("absent", "spurious", "missed", "mislabelled", "correct", "not_run")
# Columns that views have beside those of the systems.
BESIDE = ("run_set", "pattern", "n", "unit")
_UPPER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def lower(name: str) -> str:
    """Return a name as SQL compares it: only ASCII letters lose their case."""
    return name.translate(_UPPER)


def named_in(name: str, text: str) -> bool:
    """Tell whether an SQL text has a name in it, as a word of its own."""
    written = lower(name).replace('"', '""')
    if written not in text:
        return False
    return bool(re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text))


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names of which no two are the same to SQL, numbered where they would be."""
    wanted = list(names)
    seen, whole = {lower(name) for name in taken}, {lower(name) for name in wanted}
    out = []
    for name in wanted:
        fresh, k = name, 2
        # A number must not make the name that another one has of itself.
        while lower(fresh) in seen or (k > 2 and lower(fresh) in whole):
            fresh, k = f"{name}_{k}", k + 1
        seen.add(lower(fresh))
        out.append(fresh)
    return out


@dataclass(frozen=True)
class Wide:
    """Items of a corpus with all columns they can have; a column is made once.

    ``source`` are the items before ``where`` left some out: errors are matched among all of them.
    """

    corpus: Corpus
    items: Items
    source: Items
    whole: Items

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    def where(self, keep: NDArray[np.integer]) -> Wide:
        """Return some of the rows; what a column tells of them stays as it is."""
        return Wide(self.corpus, self.items.where(keep), self.source, self.whole)

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """Return the name of every system's column, by the system's name."""
        taken = [*self._context, "gold", *annotations_of(self.items), *BESIDE]
        names = distinct(self.items.systems, taken)
        return dict(zip(self.items.systems, names, strict=True))

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Return the columns of systems that SQL would not find by the system's own name."""
        others = {system: own for system, own in self.columns.items() if own != system}
        kinds = ("outcome", *ERRORS)
        found = {f"{kind}_{s}": f"{kind}_{own}" for s, own in others.items() for kind in kinds}
        named = {*self.makers, *BESIDE}
        return {name: own for name, own in (others | found).items() if name not in named}

    @cached_property
    def run_sets(self) -> list[frozenset[str]]:
        """Return the sets of systems that were run on the same datasets and parts."""
        return list(dict.fromkeys(frozenset(ran) for *_, ran in self.cells))

    @cached_property
    def cells(self) -> list[tuple[str | None, str | None, tuple[str, ...]]]:
        """Return dataset, part and the systems that were run on it; one of all without a grid."""
        systems = self.items.systems
        if self.corpus.grid is None:
            return [(None, None, systems)]
        return [
            (
                cell.dataset or None,
                cell.part or None,
                tuple(n for n in systems if n in cell.entries),
            )
            for cell in self.corpus.grid.cells
        ]

    @cached_property
    def run_set(self) -> pl.Series:
        """Return the place of each item's set in ``run_sets``: which systems were run on it."""
        if len(self.run_sets) == 1:
            return pl.repeat(0, len(self), dtype=pl.Int32, eager=True).alias("run_set")
        keys = [name for name in ("dataset", "part") if name in self.makers]
        number = {ran: k for k, ran in enumerate(self.run_sets)}
        rows = [(dataset, part, number[frozenset(ran)]) for dataset, part, ran in self.cells]
        kinds = {"dataset": pl.String, "part": pl.String, "run_set": pl.Int32}
        sets = pl.DataFrame(rows, schema=kinds, orient="row").select(*keys, "run_set")
        own = self.frame(keys).cast(pl.String)
        return own.join(sets, on=keys, how="left", maintain_order="left", nulls_equal=True)[
            "run_set"
        ]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns there can be."""
        return tuple(self.makers)

    @property
    def stored(self) -> tuple[str, ...]:
        """Return the columns that ``*`` gives: what was read, difficulty and spurious."""
        return (*self._context, "gold", *self.columns.values(), *annotations_of(self.items))

    @property
    def described(self) -> tuple[str, ...]:
        """Return the columns that ``*`` gives and the attributes that these items can have."""
        attributes = (n for n in self._valued if lower(n) not in self._named)
        return (*self.stored, *attributes)

    def mentioned(self, text: str) -> list[str]:
        """Return the columns whose names stand in an SQL text."""
        small = lower(text)
        return [name for name in self.names if named_in(name, small)]

    def column(self, name: str) -> pl.Series:
        """Return a column."""
        return self._columns[name].rename(name)

    def frame(self, names: Iterable[str]) -> pl.DataFrame:
        """Return some columns; ``item`` stands for none, as a table has at least one."""
        wanted = list(dict.fromkeys(names)) or ["item"]
        return pl.DataFrame([self.column(name) for name in wanted])

    @cached_property
    def _columns(self) -> Mapping[str, pl.Series]:
        return LazyMapping(self.makers)

    def values(self, name: str) -> Values | None:
        """Return what an attribute looks up for every item, None for a column that is none."""
        of_attributes = self._valued
        named_so = name in of_attributes and lower(name) not in self._named
        return of_attributes[name]() if named_so else None

    @cached_property
    def makers(self) -> Mapping[str, Callable[[], pl.Series]]:
        """Return what makes each column; of two columns of one name the earlier stays."""
        named_so = self._named
        more = {n: m for n, m in self._attributes().items() if lower(n) not in named_so}
        return {**self._plain, **more}

    @cached_property
    def _plain(self) -> Mapping[str, Callable[[], pl.Series]]:
        return {**self._read(), **self._annotations(), **self._by_system()}

    @cached_property
    def _named(self) -> frozenset[str]:
        """Return the names of columns that are no attributes, as SQL compares them."""
        return frozenset(lower(name) for name in self._plain)

    @property
    def _context(self) -> list[str]:
        form = ["form"] if self.items.lazy_form else []
        return distinct(["item", *self.items.context.columns, *form])

    def _read(self) -> dict[str, Callable[[], pl.Series]]:
        items = self.items
        held: dict[str, Callable[[], pl.Series]] = {
            "item": lambda: pl.Series(items.numbers.astype(np.uint32, copy=False))
        }
        names = self._context[1:]
        for name, own in zip(names, items.context.columns, strict=False):
            held[name] = lambda own=own: items.context[own]  # type: ignore[misc]
        if items.lazy_form:
            held[names[-1]] = items.lazy_form
        held["gold"] = lambda: items.column(items.gold)
        for system, column in self.columns.items():
            # Looked up when the column is made: answers may be on disk.
            held[column] = lambda own=system: items.column(items.answers[own])  # type: ignore[misc]
        return held

    def _annotations(self) -> dict[str, Callable[[], pl.Series]]:
        return {
            name: lambda make=make: make(self.items)  # type: ignore[misc]
            for name, make in annotations_of(self.items).items()
        }

    def _by_system(self) -> dict[str, Callable[[], pl.Series]]:
        held: dict[str, Callable[[], pl.Series]] = {}
        for system, column in self.columns.items():
            if not self.items.numeric:
                held[f"outcome_{column}"] = partial(self._outcome, system)
            if not self.items.of_spans or "start" not in self.items.context.columns:
                continue
            for kind in ERRORS:
                held[f"{kind}_{column}"] = partial(self._error, f"{kind}_{system}")
        return held

    def _outcome(self, system: str) -> pl.Series:
        found = outcome(self.items.gold, self.items.answers[system])
        lacking = [k for k, ran in enumerate(self.run_sets) if system not in ran]
        if not lacking:
            return found
        not_run = self.run_set.is_in(lacking)
        frame = pl.DataFrame({"outcome": found, "not_run": not_run})
        return frame.select(
            pl.when("not_run").then(pl.lit("not_run", found.dtype)).otherwise("outcome")
        ).to_series()

    def _error(self, name: str) -> pl.Series:
        return self._kept(error_column(self.source, name))

    def _kept(self, column: pl.Series) -> pl.Series:
        """Return of a column of the source what the items have."""
        if self.source is self.items:
            return column
        return column.gather(pl.Series(np.searchsorted(self.source.numbers, self.items.numbers)))

    def _attributes(self) -> Mapping[str, Callable[[], pl.Series]]:
        values = {name: partial(self._attribute, make) for name, make in self._valued.items()}
        there = {name: ATTRIBUTES[name] for name in self._valued}
        return values | {f"bucket_{name}": partial(self._bucket, it) for name, it in there.items()}

    @cached_property
    def _valued(self) -> Mapping[str, Callable[[], Values]]:
        """Return what makes the values of each attribute that these items can have."""
        facts = Facts(self.corpus, self.items, self.whole)
        return {
            name: partial(it.values, facts)
            for name, it in ATTRIBUTES.items()
            if self.items.unit in it.levels and self._there(it.needs)
        }

    def _attribute(self, make: Callable[[], Values]) -> pl.Series:
        return make().column(self.items.gold)

    def _bucket(self, attribute: Attribute) -> pl.Series:
        """Return the bucket of every item, cut as ``buckets`` cuts when nobody says how."""
        gold = self.source.gold
        values = attribute.values(Facts(self.corpus, self.source, self.whole))
        buckets = made(attribute.name, parsed(attribute.buckets), values, gold)
        place = values.looked_up(buckets.placed(values), gold)
        names = pl.Series([*(bucket.name for bucket in buckets.each), *buckets.outside])
        return self._kept(names.gather(pl.Series(place)))

    def _there(self, need: str) -> bool:
        """Tell whether there is what an attribute needs, without reading any of it."""
        form = self.items.has_form
        text = "sentence" in self.items.context.columns and self.corpus.text_unit is not None
        train = self.corpus.training is not None
        tagged = "upos" in (*self.corpus.layers, *self.items.context.columns)
        return {"": True, "form": form, "text": text, "training": train and form,
                "words": train and text, "sentences": train and text,
                "tree": self.corpus.task_kind.trees,
                "segments": "segment" in self.corpus.task_kind.units,
                "pos": "pos" in self.items.context.columns, "upos": tagged}[need]  # fmt: skip


def outcome(gold: Codes, answer: Codes) -> pl.Series:
    """Return what became of every item: correct, mislabelled, missed, spurious or absent."""
    there, said = gold != 0, answer != 0
    kind = np.where(said, 1, 0) + np.where(there, 2, 0) + np.where(there & (gold == answer), 1, 0)
    return pl.Series(kind.astype(np.uint8)).cat.to(pl.Enum(OUTCOMES))


def wide(corpus: Corpus, items: Items, source: Items | None = None) -> Wide:
    """Return the wide table of some items of a corpus, chosen from the ``source``."""
    whole = corpus.at(items.unit)
    same = whole.judges is items.judges
    return Wide(
        corpus, items, source or items, whole if same else replace(whole, judges=items.judges)
    )
