"""A corpus that is counted in parts, wherever these are: on a cluster, or one after the other here.

Whoever holds it has no item. What is asked of items is passed on as a function, which every part is
given in turn as a corpus of its own; whole numbers come back, and are added up. Where that cannot
be done, ``absent`` things say so when they are looked at.
"""

from __future__ import annotations

import pickle
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from coleval.corpus.lazy import LazyMapping
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Scoring
    from coleval.corpus.training import Training

T = TypeVar("T")


class CorpusPart(Protocol):
    """A part of a corpus that is read when it is called, on whatever machine that is."""

    @property
    def rows(self) -> int:
        """Return about how many items it has, by which work is shared out."""
        ...

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the numbers of the gold files that it has items of."""
        ...

    def within(self, cells: Collection[int]) -> Sequence[CorpusPart]:
        """Return what of the part is of some gold files."""
        ...

    def renumbered(self, numbers: Mapping[int, int]) -> CorpusPart:
        """Return the part with other numbers of its gold files."""
        ...

    def __call__(self) -> Corpus:
        """Return the corpus of the part; raise if it is not what it was when it was planned."""
        ...


class PartSource(Protocol):
    """What is known of a corpus before any of its items is read: how to cut it into parts."""

    @property
    def where(self) -> str:
        """Return the place that every worker has to be able to read."""
        ...

    def parts(self, rows: int) -> Sequence[CorpusPart]:
        """Return parts of about so many items, in the order of the items; none cuts a sentence."""
        ...

    def tables(self) -> dict[str, list[str]]:
        """Return the Parquet files of each table that others may query."""
        ...


class Runner(Protocol):
    """Who runs some work on every part."""

    @property
    def ordered(self) -> bool:
        """Tell whether parts come in the order of the items, each time the same."""
        ...

    def run(
        self,
        work: Work[T],
        parts: Sequence[CorpusPart],
        add: Callable[[list[T]], T] | None,
    ) -> list[T]:
        """Return what comes of each part, in order; under ``add`` what sums to the same."""
        ...


class Here:
    """Runs work in this process, part after part."""

    ordered = True

    def run(
        self,
        work: Work[T],
        parts: Sequence[CorpusPart],
        add: Callable[[list[T]], T] | None,  # noqa: ARG002
    ) -> list[T]:
        """Return what comes of each part."""
        return [work(part) for part in parts]


@dataclass(frozen=True, slots=True)
class Asked:
    """How a corpus is to be counted, which each of its parts has to know first.

    ``changes`` are what was done to the corpus apart from choosing systems and options.
    """

    scoring: Scoring
    profile: str
    systems: tuple[str, ...]
    training: Training | None
    changes: tuple[Callable[[Corpus], Corpus], ...]

    def of(self, part: Corpus) -> Corpus:
        """Return a part as it is to be counted."""
        from coleval.corpus.corpus import Entry, Origin

        known = {entry.name: entry for entry in part.entries}
        entries = tuple(known.get(name) or Entry(name, Origin("")) for name in self.systems)
        scoring = replace(self.scoring, engine="polars")
        found = replace(part, scoring=scoring, profile=self.profile, entries=entries)
        if self.training is not None:
            found = replace(found, training=self.training)
        for change in self.changes:
            found = change(found)
        return found


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """A function of a corpus, and how the corpus is to be counted; it is passed on as a pickle."""

    asked: Asked
    count: Callable[[Corpus], T]

    def __call__(self, part: CorpusPart) -> T:
        """Return what is counted of a part."""
        return self.count(self.asked.of(part()))


@dataclass(frozen=True, slots=True)
class SpreadParts:
    """The parts of a corpus, in the order of its items, and who runs work on them."""

    runner: Runner
    parts: tuple[CorpusPart, ...]
    changes: tuple[Callable[[Corpus], Corpus], ...] = ()

    def of_cells(self, cells: Sequence[int]) -> SpreadParts:
        """Return what the parts have of some gold files, whose numbers are counted anew."""
        numbers = {cell: at for at, cell in enumerate(cells)}
        kept = [one for part in self.parts for one in part.within(numbers)]
        return replace(self, parts=tuple(part.renumbered(numbers) for part in kept))

    def changed(self, change: Callable[[Corpus], Corpus]) -> SpreadParts:
        """Return the same parts, each of which is changed before it is counted."""
        return replace(self, changes=(*self.changes, change))


def each(corpus: Corpus, count: Callable[[Corpus], T]) -> list[T]:
    """Return what is counted of each part of a corpus, in the order of its items."""
    return _run(corpus, count, None)


def summed(corpus: Corpus, count: Callable[[Corpus], T], add: Callable[[list[T]], T]) -> T:
    """Return the sum of what is counted of the parts; ``add`` adds up some of them, in order."""
    return add(_run(corpus, count, add))


def _run(
    corpus: Corpus, count: Callable[[Corpus], T], add: Callable[[list[T]], T] | None
) -> list[T]:
    spread = corpus.spread
    assert spread is not None  # noqa: S101  - the caller has looked
    training = corpus.memo.get("portable training", lambda: _portable(corpus.training))
    asked = Asked(corpus.scoring, corpus.profile, corpus.systems, training, spread.changes)
    return spread.runner.run(Work(asked, count), spread.parts, add)


def _portable(training: Training | None) -> Training | None:
    """Return training data as they can be passed on: by where a store has them, else the tables."""
    try:
        pickle.dumps(training)
    except (AttributeError, TypeError, pickle.PicklingError):
        assert training is not None  # noqa: S101  - nothing can be passed on
        return replace(training, tables=dict(training.tables))
    return training


def spread_over(corpus: Corpus, runner: Runner, parts: Sequence[CorpusPart]) -> Corpus:
    """Return a corpus that is counted in parts: nothing but its parts looks at its items."""
    return of_parts(corpus, SpreadParts(runner, tuple(parts)))


def of_parts(corpus: Corpus, spread: SpreadParts) -> Corpus:
    """Return a corpus with other parts."""
    from functools import partial

    from coleval.corpus.far import unit_elsewhere

    found = replace(corpus, spread=spread)
    made = {name: partial(unit_elsewhere, found, "units", name) for name in corpus.units}
    layers = {name: partial(unit_elsewhere, found, "layers", name) for name in corpus.layers}
    return replace(found, units=LazyMapping(made), layers=LazyMapping(layers))


# What SQL says of other items than the one it looks at: windows, subqueries, and what numbers or
# compares all items.
_OF_OTHERS = re.compile(
    r"\b(?:over|select|item|sentence|instance|hapax|bucket_\w+|partner_\w+)\b", re.IGNORECASE
)
_TEXTS = re.compile(r"'(?:[^']|'')*'")


def check_by_item(text: str, where: str) -> None:
    """Raise for an SQL expression whose value for an item depends on the others."""
    found = _OF_OTHERS.search(_TEXTS.sub("''", text))
    if found is not None:
        raise UsageError(
            f"`{found[0]}` looks at all items together, and the corpus is counted in parts",
            where=f"{where} `{text}`",
            remedy="say it by columns of single items (dataset, document, form, difficulty …), "
            "or count with --engine polars",
        )


class Absent:
    """What stands where items would be: it says what cannot be done as soon as it is looked at."""

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        """Say what it stands for."""
        self.what = what

    def __getattr__(self, name: str) -> Any:
        """Raise; names that Python asks everything for are not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._error()

    def _error(self) -> UsageError:
        return UsageError(
            f"{self.what} would have to be in one place, and the corpus is counted in parts",
            where="--engine spark",
            remedy="leave that table or option out, or count it with --engine polars",
        )

    def __getitem__(self, name: object) -> Any:
        """Raise."""
        raise self._error()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise self._error()

    __array__ = __len__ = __iter__ = __bool__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __and__ = __or__ = __invert__ = __contains__ = _refuse
    __array_ufunc__ = _refuse
    __hash__ = object.__hash__
