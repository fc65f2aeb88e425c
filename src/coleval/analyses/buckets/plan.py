"""The options of ``buckets``, settled before anything is counted, and what a signature says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.versions import checked_versions
from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.buckets import parsed
from coleval.corpus.corpus import Corpus
from coleval.corpus.paths import is_file
from coleval.corpus.signature import answers_hash, file_hash, gold_hash
from coleval.declare.options import declared
from coleval.declare.reading import Names, named_pairs
from coleval.errors import DataError, UsageError

# What it stands for depends on the task: those of the paper, or those of trees.
DEFAULT = ("default",)


@declared
class BucketPlan(Options):
    """Options of one kind each: names one by one, pairs together, words and not their file."""

    attributes: tuple[str, ...]
    buckets: Mapping[str, str]
    cross: tuple[Names, ...]
    pair: tuple[Names, ...]
    versions: tuple[str, ...]
    vocabulary: frozenset[str]
    datasets: Mapping[str, Corpus]
    replicates: int
    seed: int
    alpha: float
    unit_of_resampling: str
    over: tuple[str, ...]

    def parts(self) -> dict[str, str]:
        """Return what a signature says of the plan: what is not as it is by default."""
        known, others = self.vocabulary, self.datasets
        unit = f",{self.unit_of_resampling}" if self.unit_of_resampling else ""
        drawn = f"{self.replicates},seed={self.seed},alpha={self.alpha:g}{unit}"
        said = {
            "buckets": ",".join(f"{name}={how}" for name, how in self.buckets.items()),
            "edges": file_hash(self.edges) if self.edges else "",
            "intervals": f"percentile/{drawn}" * self.intervals,
            "gaps": f"dealt/{self.replicates},seed={self.seed}" * self.gaps,
            "vocabulary": _digest("\n".join(sorted(known)).encode()) if known else "",
            "corpora": ",".join((self.name, *map(_identity, others.items()))) if others else "",
        }
        return {name: value for name, value in said.items() if value} | {"correct": self.correct}


def plan(options: Options) -> BucketPlan:
    """Return settled options; raise for what names no attribute, no form of buckets, no file."""
    return BucketPlan(**vars(options) | {
        "attributes": _listed(options.attributes),
        "buckets": _cuttings(options.buckets),
        "pair": named_pairs(options.pair, options.pairs),
        "versions": checked_versions(options.versions),
        "vocabulary": _words(options.vocabulary),
        "datasets": dict(options.datasets or {}),
        "replicates": options.replicates or 1000,
        "seed": options.seed or 0,
        "alpha": options.alpha or 0.05,
        "over": tuple(options.over),
        "unit_of_resampling": options.unit_of_resampling or "",
    })  # fmt: skip


def _identity(named: tuple[str, Corpus]) -> str:
    """Return a corpus' name with the hashes of its gold, its answers and its training data."""
    name, corpus = named
    train = f"+{corpus.training.sha256[:12] or 'frame'}" if corpus.training else ""
    return f"{name}={gold_hash(corpus)}+{answers_hash(corpus)}{train}"


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:12]


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return names one by one; an expression has an equals sign, and its commas are its own."""
    every = [given] if isinstance(given, str) else list(given)
    parts = [
        part.strip() for text in every for part in ([text] if "=" in text else text.split(","))
    ]
    sets = {"all": tuple(ATTRIBUTES)}
    names = [name for part in parts if part for name in sets.get(part, (part,))]
    return tuple(dict.fromkeys(names)) or DEFAULT


def _cuttings(given: Mapping[str, str] | str | Sequence[str]) -> dict[str, str]:
    texts = [given] if isinstance(given, str) else given
    named = texts if isinstance(texts, Mapping) else dict(map(_cutting, texts))
    for how in named.values():
        parsed(how)
    return dict(named)


def _cutting(text: str) -> Names:
    name, equals, how = text.partition("=")
    if not equals:
        raise UsageError(
            f"`{text}` does not name an attribute",
            where="--buckets",
            remedy='for example --buckets "sLen=quantile 6"',
        )
    return name.strip(), how.strip()


def _words(file: str | Path) -> frozenset[str]:
    """Return the lines of a file, none without one."""
    if not file:
        return frozenset()
    if not is_file(file):
        raise DataError("does not exist", where=str(file), remedy="--vocabulary: one word per line")
    # A word may hold what str.splitlines takes for the end of a line, such as U+0085.
    return frozenset(filter(None, Path(file).read_text(encoding="utf-8").split("\n")))
