"""The keywords of ``coleval.load`` and ``Corpus.with_options``, for type checkers.

What an option means is declared in ``counting`` and in ``corpus.options``; a test holds the names
here against those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from coleval.declare.kinds import (
    Average,
    Bucketing,
    Conflicting,
    DifferingText,
    Duplicates,
    Engine,
    Epochs,
    Format,
    MentionMatch,
    Missing,
    Names,
    OffsetUnit,
    Placement,
    Repair,
    Scheme,
    Singletons,
    Skip,
    Task,
    Taxonomy,
    Undefined,
    UnicodeForm,
    Within,
    ZeroMatch,
)


class AllCounting(TypedDict, total=False):
    """Everything that decides how items are counted."""

    unit: str | None
    labels: Names | None
    average: Average | None
    exclude: Names | None
    where: str | None
    bins_from: str | None
    undefined: Undefined | None
    lower: bool | None
    above: float | None
    singletons: Singletons | None
    punct: bool | None
    subtypes: bool | None
    functional: Names | None
    metric: str | None
    key: str | None
    bucketing: Bucketing | None
    taxonomy: Taxonomy | None
    missing: Missing | None
    engine: Engine | None
    master: str | None


class CountingOptions(AllCounting, total=False):
    """The options of ``with_options``."""

    systems: Names | None


class LoadOptions(AllCounting, total=False):
    """Everything that decides what the items are, then how they are counted."""

    task: Task | None
    format: Format | None
    columns: str | Mapping[str, Any] | None
    encoding: str
    skip: Skip
    merged: bool
    scheme: Scheme
    repair: Repair
    outside: Names | None
    suffix: bool
    fold: bool
    offsets: OffsetUnit
    differing_text: DifferingText
    within: Within
    forms: bool
    normalise: UnicodeForm
    drop: str
    separator: str
    numbers: bool
    names: Any
    score: str
    threshold: float | None
    epochs: Epochs
    status: str
    conflicting: Conflicting
    multiset: bool
    place: Placement
    place_fold: bool
    min_words: int
    min_mentions: int
    mention_match: MentionMatch
    zero_match: ZeroMatch
    duplicate_mentions: Duplicates
    nominal: Names
    references: Names
    source_text: str
    documents: str
    tokenize: str
    statistics: Names
