"""The types of options: the words that some take, names, pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

# A test holds these against the registries.
Task = Literal["tag", "span", "dep", "coref", "label", "matrix", "score", "text"]
Format = Literal[
    "columns",
    "conllu",
    "conllu-plus",
    "corefud",
    "cupt",
    "hipe",
    "spans",
    "squad",
    "segments",
    "pubtator",
    "offsets",
    "brat",
    "coref",
    "coref-json",
    "entities",
    "sequences",
    "pairs",
    "every-eval-ever",
    "helm",
    "inspect",
    "lm-eval",
    "long",
    "table",
    "matrix",
]
Scheme = Literal["iob2", "iob1", "io", "bioes", "bilou", "bmes", "bmeso", "any"]
Repair = Literal["begin", "discard", "extend", "error"]
OffsetUnit = Literal["codepoints", "utf16", "bytes"]
DifferingText = Literal["error", "align"]
Within = Literal["sentence", "document", "corpus"]
UnicodeForm = Literal["", "nfc", "nfd", "nfkc", "nfkd"]
Duplicates = Literal["error", "first"]
Placement = Literal["first", "all", "best", "worst", "interval"]
MentionMatch = Literal["", "exact", "head", "partial"]
ZeroMatch = Literal["", "dependent", "linear"]
Average = Literal["union", "gold", "all"]
Undefined = Literal["null", "0", "1", 0, 1]
Epochs = Literal["", "first", "mean", "any", "all"]
Conflicting = Literal["error", "first", "majority"]
Missing = Literal["error", "wrong", "leave-out"]
Skip = Literal["", "invalid"]
Engine = Literal["polars", "duckdb", "spark"]
Singletons = Literal["keep", "drop"]
Attachment = Literal[
    "las", "uas", "ls", "clas", "mlas", "blex", "upos", "xpos", "ufeats", "alltags", "lemmas",
    "words", "eulas", "elas",
]  # fmt: skip
Chained = Literal[
    "conll", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "arcs_any", "arcs_nominal"
]
Generated = Literal[
    "bleu", "chrf", "chrf++", "ter", "rouge1", "rouge2", "rougeL", "meteor", "wer", "cer",
    "exact_match", "token_f1", "length_ratio",
]  # fmt: skip
Test = Literal["", "bootstrap", "randomisation", "mcnemar", "mcnemar-midp", "wilcoxon", "sign", "t"]
Correction = Literal["holm", "bh", "none"]
Chance = Literal["separate", "pooled"]
Weights = Literal["", "linear", "quadratic"]
Distance = Literal["cosine", "correlation", "euclidean"]
EmptyQueries = Literal["leave-out", "zero"]
Unreturned = Literal["leave-out", "last"]
LogBase = Literal["", "e", "2", "10"]
Focus = Literal["target", "system"]
Taxonomy = Literal["fair", "nervaluate", "hipe"]
Bucketing = Literal["coleval", "interpreteval"]
AbilityModel = Literal["", "rasch", "2pl"]
SubsetChoice = Literal["bins", "random", "greedy"]
BucketScore = Literal["f1", "precision", "recall", "accuracy"]
Form = Literal[
    "table",
    "json",
    "csv",
    "tsv",
    "scores",
    "every-eval-ever",
    "hf-eval-results",
    "markdown",
    "latex",
    "html",
    "parquet",
    "duckdb",
    "svg",
    "github",
    "junit",
]

Names = str | Sequence[str]
Pair = tuple[str, str] | list[str]
Pairs = Pair | Sequence[tuple[str, str]] | Sequence[list[str]]
