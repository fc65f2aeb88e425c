"""The options that several methods share, with their types; each method adds its own.

Names are those of the command line. What an option does is said in ``arguments`` and added to the
docstrings by ``describing``; defaults are those of ``Reading``, ``Scoring`` and ``Plan``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

# A test holds these against the registries.
Task = Literal["tag", "span", "dep", "coref", "label", "matrix"]
Format = Literal[
    "columns", "conllu", "hipe", "spans", "coref", "coref-json", "pairs", "table", "matrix"
]
Scheme = Literal["iob2", "iob1", "io", "bioes", "bilou", "bmes", "bmeso", "any"]
Repair = Literal["begin", "discard", "extend", "error"]
Within = Literal["sentence", "document", "corpus"]
UnicodeForm = Literal["", "nfc", "nfd", "nfkc", "nfkd"]
Duplicates = Literal["error", "first"]
Average = Literal["union", "gold", "all"]
Undefined = Literal["null", "0", "1", 0, 1]
Singletons = Literal["keep", "drop"]
Attachment = Literal[
    "las", "uas", "ls", "clas", "mlas", "blex", "upos", "xpos", "ufeats", "alltags", "lemmas",
    "words",
]  # fmt: skip
Test = Literal["", "bootstrap", "randomisation", "mcnemar", "mcnemar-midp", "wilcoxon"]
Correction = Literal["holm", "bh", "none"]
Chance = Literal["separate", "pooled"]
LogBase = Literal["", "e", "2", "10"]
Focus = Literal["target", "system"]
Taxonomy = Literal["fair", "nervaluate", "hipe"]
Bucketing = Literal["coleval", "interpreteval"]
BucketScore = Literal["f1", "precision", "recall", "accuracy"]
Form = Literal["table", "json", "csv", "tsv", "markdown", "latex", "html", "parquet"]

Names = str | Sequence[str]
Pair = tuple[str, str] | list[str]
Pairs = Pair | Sequence[tuple[str, str]] | Sequence[list[str]]


class Counting(TypedDict, total=False):
    """What is counted, whatever the task."""

    unit: str | None
    labels: Names | None
    average: Average
    exclude: Names
    where: str
    bins_from: str
    undefined: Undefined
    singletons: Singletons


class ScoringOptions(Counting, total=False):
    """What is counted, in every method."""

    systems: Names | None


class Conventions(TypedDict, total=False):
    """Which words and relations of dependency trees count."""

    punct: bool | None
    subtypes: bool | None
    functional: Names


class TreeOptions(ScoringOptions, Conventions, total=False):
    """What is counted, and which answers of dependency trees are equal."""

    metric: Attachment


class Resampling(TypedDict, total=False):
    """How units are drawn."""

    replicates: int
    seed: int
    alpha: float
    unit_of_resampling: str


class ScoreOptions(TreeOptions, Resampling, total=False):
    """The shared options of ``score``."""

    key: str


class CompareOptions(ScoringOptions, Conventions, Resampling, total=False):
    """The shared options of ``compare``, whose ``metric`` is any score."""


class BucketOptions(TreeOptions, Resampling, total=False):
    """The shared options of ``buckets``."""

    bucketing: Bucketing


class ErrorOptions(ScoringOptions, total=False):
    """The shared options of ``errors``."""

    taxonomy: Taxonomy


class ReportOptions(TreeOptions, Resampling, total=False):
    """The shared options of ``report``."""


class AllCounting(Counting, Conventions, total=False):
    """Everything that decides how items are counted, in one method or another."""

    metric: Attachment
    key: str
    bucketing: Bucketing
    taxonomy: Taxonomy


class CountingOptions(AllCounting, total=False):
    """The options of ``with_options``."""

    systems: Names | None


class LoadOptions(AllCounting, total=False):
    """Everything that decides what the items are, then how they are counted."""

    task: Task | None
    format: Format | None
    columns: str | Mapping[str, Any] | None
    encoding: str
    merged: bool
    scheme: Scheme
    repair: Repair
    outside: Names | None
    suffix: bool
    fold: bool
    within: Within
    forms: bool
    normalise: UnicodeForm
    drop: str
    separator: str
    multiset: bool
    min_words: int
    duplicate_mentions: Duplicates
    nominal: Names
