"""Items that are in parts elsewhere: what they look like, and what makes those of a part.

They have names, labels and sizes, and no rows. Functions over them are run where the rows are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.items import Items, Renaming
from coleval.corpus.spread import Absent, each, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus

    Make = Callable[[Corpus], Items]

T = TypeVar("T")
Counting = TypeVar("Counting", bound="Callable[..., Any]")


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of items without their rows; shapes of parts add up.

    ``alike``: all parts have the same labels. ``documents`` is how many items have none, and the
    first two names. Of instances those labels alone are kept that something has; in ``bare`` parts
    nothing has any, and all are kept.
    """

    unit: str
    labels: tuple[str, ...]
    alike: bool
    systems: tuple[str, ...]
    judges: tuple[str, ...] | None
    empty_is_answer: bool
    group: str
    group_count: int
    columns: tuple[str, ...]
    has_form: bool
    size: int
    documents: tuple[int, tuple[str, ...]]
    bare: bool


def shape_of(items: Items) -> Shape:
    """Return what is known of items without their rows."""
    return Shape(
        items.unit,
        items.labels,
        True,
        items.systems,
        None if items.judges is None else tuple(items.judges),
        items.empty_is_answer,
        items.group,
        items.group_count,
        tuple(items.context.columns),
        items.has_form,
        len(items),
        _documents(items),
        items.group == "instance" and items.rows is None and not len(items),
    )


def _documents(items: Items) -> tuple[int, tuple[str, ...]]:
    if "document" not in items.context.columns:
        return 0, ()
    names = items.context["document"]
    known = names.drop_nulls().cast(pl.String).unique(maintain_order=True).head(2)
    return names.null_count(), tuple(known.to_list())


def shapes_added(shapes: list[Shape]) -> Shape:
    """Return the shape of all items together."""
    # A part without items knows nothing of the columns that others have.
    known = [shape for shape in shapes if shape.size] or shapes[:1]
    first = known[0]
    alike = all(shape.alike and shape.labels == first.labels for shape in shapes)
    labelled = [shape.labels for shape in shapes if not shape.bare] or [first.labels]
    names = dict.fromkeys(name for shape in known for name in shape.documents[1])
    return replace(
        first,
        labels=first.labels
        if alike
        else tuple(sorted({label for own in labelled for label in own})),
        alike=alike,
        empty_is_answer=all(shape.empty_is_answer for shape in known),
        group_count=sum(shape.group_count for shape in shapes),
        columns=tuple(dict.fromkeys(name for shape in known for name in shape.columns)),
        has_form=any(shape.has_form for shape in known),
        bare=all(shape.bare for shape in shapes),
        size=sum(shape.size for shape in shapes),
        documents=(sum(shape.documents[0] for shape in known), tuple(names)[:2]),
    )


@dataclass(frozen=True, eq=False)
class FarAnswers(Mapping[str, "Codes"]):
    """The names of systems whose answers are elsewhere."""

    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Codes:
        """Return what cannot be looked at."""
        if name not in self.names:
            raise KeyError(name)
        return Absent("answers")  # type: ignore[return-value]

    def __iter__(self) -> Iterator[str]:
        """Return the names in their order."""
        return iter(self.names)

    def __len__(self) -> int:
        """Return how many systems there are."""
        return len(self.names)


class FarContext(Absent):
    """The names of columns that are elsewhere."""

    __slots__ = ("columns",)

    def __init__(self, columns: Sequence[str]) -> None:
        """Keep the names."""
        super().__init__("columns of items")
        self.columns = list(columns)

    @property
    def width(self) -> int:
        """Return how many columns there are."""
        return len(self.columns)

    def __getitem__(self, name: object) -> Any:
        """Return what cannot be looked at."""
        return Absent(f"the column {name}" if isinstance(name, str) else "columns of items")


@dataclass(frozen=True, slots=True, eq=False)
class FarPlace:
    """The corpus that items are of, what makes those of a part, and their shape."""

    corpus: Corpus
    make: Make
    shape: Shape

    def column(self, name: str) -> Any:
        """Return what stands where a column would be."""
        return Absent(f"the column {name}")

    def ref(self, items: Items) -> Ref:
        """Return what stands for items in what is passed on."""
        shape = self.shape
        return Ref(self.make, None if shape.alike else shape.labels, items.empty_is_answer)


@dataclass(frozen=True, slots=True)
class Ref:
    """Items of whatever part: what makes them, the labels that all parts have, what no label is."""

    make: Make
    labels: tuple[str, ...] | None
    empty_is_answer: bool

    def of(self, corpus: Corpus) -> Items:
        """Return the items of a part, made once."""
        import pickle

        key = ("far", pickle.dumps(self))
        return corpus.memo.get(key, lambda: self._made(corpus))

    def _made(self, corpus: Corpus) -> Items:
        items = self.make(corpus)
        if self.labels is not None and items.labels != self.labels:
            items = _with_labels(items, self.labels)
        if items.empty_is_answer != self.empty_is_answer:
            items = replace(items, empty_is_answer=self.empty_is_answer)
        return items


def _with_labels(items: Items, labels: tuple[str, ...]) -> Items:
    place = {label: code for code, label in enumerate(labels, 1)}
    # A part without items may have labels that nothing has.
    table = np.array([0, *(place.get(label, 0) for label in items.labels)], width(len(labels)))
    return items.relabelled(Renaming(labels, table))


def elsewhere(corpus: Corpus, make: Make) -> Items:
    """Return the items that a function makes of every part."""
    return of_shape(corpus, make, summed(corpus, partial(_shape, make), shapes_added))


def _shape(make: Make, corpus: Corpus) -> Shape:
    return shape_of(make(corpus))


def of_shape(corpus: Corpus, make: Make, shape: Shape) -> Items:
    """Return items of a shape that is known."""
    judges = None if shape.judges is None else FarAnswers(shape.judges)
    return Items(
        shape.unit,
        FarContext(shape.columns),  # type: ignore[arg-type]
        shape.labels,
        Absent("gold's answers"),  # type: ignore[arg-type]
        FarAnswers(shape.systems),
        shape.empty_is_answer,
        shape.group,
        shape.group_count,
        judges=judges,
        far=FarPlace(corpus, make, shape),
    )


def unit_elsewhere(corpus: Corpus, kind: str, name: str) -> Items:
    """Return a unit or a layer of a corpus in parts."""
    return elsewhere(corpus, partial(_unit, kind, name))


def _unit(kind: str, name: str, corpus: Corpus) -> Items:
    found: Items = getattr(corpus, kind)[name]
    return found.chosen([system for system in found.systems if system in corpus.systems])


def chosen(items: Items, far: FarPlace, systems: list[str]) -> Items:
    """Return items elsewhere with only these systems."""
    make = partial(_chosen, far.make, tuple(systems))
    own = replace(far, make=make, shape=replace(far.shape, systems=tuple(systems)))
    return replace(items, answers=FarAnswers(tuple(systems)), far=own)


def _chosen(make: Make, systems: tuple[str, ...], corpus: Corpus) -> Items:
    return make(corpus).chosen(list(systems))


def derived(items: Items, function: Callable[..., Items], *given: Any) -> Items:
    """Return the items that a function makes of items elsewhere."""
    far = items.far
    assert far is not None  # noqa: S101  - the caller has looked
    return elsewhere(far.corpus, partial(_derived, far.ref(items), function, given))


def _derived(ref: Ref, function: Callable[..., Items], given: Any, corpus: Corpus) -> Items:
    return function(ref.of(corpus), *given)


def far_of(*things: Any) -> FarPlace | None:
    """Return where items are among some arguments, None if they are here."""
    for thing in things:
        if isinstance(thing, Items) and thing.far is not None:
            return thing.far
        if isinstance(thing, tuple | list) and (found := far_of(*thing)) is not None:
            return found
    return None


def in_parts(
    add: Callable[[list[T]], T], function: Callable[..., T], *given: Any, **options: Any
) -> T:
    """Return the sum of what a function returns of the items of each part."""
    far = far_of(*given, *options.values())
    assert far is not None  # noqa: S101  - the caller has looked
    refs, named = _refs(given), {name: _refs(value) for name, value in options.items()}
    return summed(far.corpus, partial(_called, function, refs, named), add)


def additive(add: Callable[[list[Any]], Any]) -> Callable[[Counting], Counting]:
    """Have a function of items count them part by part where they are in parts, and add up."""

    def decorate(function: Counting) -> Counting:
        @wraps(function)
        def counted(*given: Any, **options: Any) -> Any:
            if far_of(*given) is None:
                return function(*given, **options)
            # By its name in its module, this function is passed on to where the parts are.
            return in_parts(add, counted, *given, **options)

        return counted  # type: ignore[return-value]

    return decorate


def each_part(function: Callable[..., T], items: Items, *given: Any) -> list[T]:
    """Return what a function returns of each part, given its corpus and what makes its items."""
    far = items.far
    assert far is not None  # noqa: S101  - the caller has looked
    return each(far.corpus, partial(_of_part, function, far.ref(items), given))


def _of_part(function: Callable[..., T], ref: Ref, given: Any, corpus: Corpus) -> T:
    return function(corpus, ref, *given)


def _refs(thing: Any) -> Any:
    """Return arguments that may be passed on, items as what makes them."""
    if isinstance(thing, Items) and thing.far is not None:
        return thing.far.ref(thing)
    if isinstance(thing, tuple | list):
        return type(thing)(_refs(one) for one in thing)
    return thing


def _called(
    function: Callable[..., T], given: Any, options: Mapping[str, Any], corpus: Corpus
) -> T:
    named = {name: _made(value, corpus) for name, value in options.items()}
    return function(*_made(given, corpus), **named)


def _made(thing: Any, corpus: Corpus) -> Any:
    if isinstance(thing, Ref):
        return thing.of(corpus)
    if isinstance(thing, tuple | list):
        return type(thing)(_made(one, corpus) for one in thing)
    return thing
