"""Buckets of a corpus in parts: first which values gold has, then what each bucket holds.

Both are whole numbers that add up. Edges are made of all values together, in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from coleval.analyses.buckets.cuts import AttributeCut, Breakdown
from coleval.annotate.attributes.facts import Facts
from coleval.annotate.attributes.model import Attribute
from coleval.annotate.buckets import Distribution, distribution, distributions_added
from coleval.corpus.far import of_shape, shape_of, shapes_added
from coleval.corpus.spread import Absent, check_by_item, summed
from coleval.counts.blocks import added
from coleval.counts.buckets import BucketCounts, bucket_counts
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.analyses.buckets.tables import BucketPlan
    from coleval.annotate.buckets import Buckets
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.far import Shape

# So many different values of an attribute are brought together.
_MOST = 5_000_000


@dataclass(frozen=True, slots=True)
class _ValuesOfPart:
    """What a part says of an attribute: why it does not apply, or its values and its items."""

    name: str
    usual: str
    why: str
    there: Distribution | None
    shape: Shape | None


def cuts_in_parts(one: Breakdown) -> list[AttributeCut | None]:
    """Return every attribute of a corpus in parts, None for those that are left out."""
    _check(one)
    names = tuple(one.names)
    plan = _small(one.plan)
    told = summed(one.corpus, partial(_told, plan, names), _told_together)
    buckets: dict[str, Buckets] = {}
    for asked in names:
        found = told[asked]
        if found.why or found.there is None:
            one.left_out.setdefault(found.why, []).append(found.name)
            continue
        of_names = found.there.names is not None
        buckets[asked] = one.buckets_of(found.name, found.usual, of_names, found.there)
    counts: dict[str, BucketCounts] = {}
    if buckets:
        counts = summed(one.corpus, partial(_counted, plan, buckets), _counts_together)
    cuts = (_cut(one.corpus, told[name], buckets[name], counts[name]) for name in buckets)
    return list(cuts)


def _check(one: Breakdown) -> None:
    if one.as_program:
        raise UsageError(
            "InterpretEval's buckets are made of all items together",
            where="--profile interpreteval",
            remedy="count with --engine polars",
        )
    check_by_item(one.corpus.scoring.where, "--where")
    for name in one.names:
        check_by_item(name, "--attributes")


def _small(plan: BucketPlan) -> BucketPlan:
    """Return what parts need to know of a plan."""
    return replace(plan, datasets={}, edges="", save_edges="")


def _told(plan: BucketPlan, names: tuple[str, ...], corpus: Corpus) -> dict[str, _ValuesOfPart]:
    one = _breakdown(plan, corpus)
    return {name: _of_attribute(one, name) for name in names}


def _breakdown(plan: BucketPlan, corpus: Corpus) -> Breakdown:
    return corpus.memo.get("breakdown", lambda: Breakdown(corpus, plan, {}))


def _of_attribute(one: Breakdown, name: str) -> _ValuesOfPart:
    attribute, why, facts = one.asked(name)
    if why:
        return _ValuesOfPart(attribute.name, attribute.buckets, why, None, None)
    there = distribution(one.values(attribute, facts), facts.items.gold)
    return _ValuesOfPart(attribute.name, attribute.buckets, "", there, shape_of(facts.items))


def _told_together(parts: list[dict[str, _ValuesOfPart]]) -> dict[str, _ValuesOfPart]:
    return {name: _all_told([part[name] for part in parts]) for name in parts[0]}


def _all_told(parts: list[_ValuesOfPart]) -> _ValuesOfPart:
    known = [part for part in parts if part.there is not None]
    if not known:
        return parts[0]
    there = distributions_added([part.there for part in known if part.there is not None])
    if len(there.value) > _MOST:
        raise UsageError(
            f"`{parts[0].name}` has {len(there.value):,} different values",
            where="--attributes",
            remedy="round them, or count with --engine polars",
        )
    shapes = [part.shape for part in known if part.shape is not None]
    return replace(known[0], there=there, shape=shapes_added(shapes))


def _counted(
    plan: BucketPlan, buckets: Mapping[str, Buckets], corpus: Corpus
) -> dict[str, BucketCounts]:
    one = _breakdown(plan, corpus)
    return {name: _counts(one, name, own) for name, own in buckets.items()}


def _counts(one: Breakdown, name: str, buckets: Buckets) -> BucketCounts:
    attribute, _, facts = one.asked(name)
    placed = one.placed(facts, one.values(attribute, facts), buckets)
    return bucket_counts(one.differences(facts), placed)


def _counts_together(parts: list[dict[str, BucketCounts]]) -> dict[str, BucketCounts]:
    return {name: added(part[name] for part in parts) for name in parts[0]}


def _cut(
    corpus: Corpus, told: _ValuesOfPart, buckets: Buckets, counts: BucketCounts
) -> AttributeCut:
    assert told.shape is not None  # noqa: S101  - what has values has items
    assert told.there is not None  # noqa: S101
    items = of_shape(corpus, _nowhere, told.shape)
    absent: Any = Absent("values item by item")
    attribute = Attribute(told.name, "", (), "", told.usual, absent)
    return AttributeCut(
        attribute, Facts(corpus, items, items), absent, buckets, absent, counts, told.there.mean
    )


def _nowhere(_corpus: Corpus) -> Any:
    return Absent("values item by item")
