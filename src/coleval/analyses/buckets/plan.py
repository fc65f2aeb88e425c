"""How items are broken down: every choice of ``buckets``, checked before anything is counted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.cutting import parsed
from coleval.declare.counting import Resampled
from coleval.declare.options import values
from coleval.declare.reading import Names, named_pairs
from coleval.errors import DataError, UsageError, unknown
from coleval.statistics.multiple import CORRECTIONS

if TYPE_CHECKING:
    from coleval.analyses.buckets.spec import Options
    from coleval.corpus.corpus import Corpus

# What it stands for depends on the task: those of the paper, or those of trees.
DEFAULT = ("default",)
METRICS = ("f1", "precision", "recall", "accuracy")


@dataclass(frozen=True, slots=True)
class BucketPlan:
    """Which attributes, how they are cut, and which tables they give.

    ``attributes`` are names or ``name=expression``, ``default`` those usual for the task;
    ``buckets`` say how some are cut; ``known`` are words that count as seen in training;
    ``others`` are more corpora by name, this one's name being ``name``.
    """

    attributes: tuple[str, ...] = DEFAULT
    buckets: Mapping[str, str] = field(default_factory=dict)
    edges: str = ""
    save_edges: str = ""
    cross: tuple[Names, ...] = ()
    pair: tuple[Names, ...] = ()
    intervals: bool = False
    replicates: int = 1000
    seed: int = 0
    alpha: float = 0.05
    unit_of_resampling: str = ""
    correct: str = "holm"
    metric: str = "f1"
    known: frozenset[str] = frozenset()
    name: str = ""
    others: Mapping[str, Corpus] = field(default_factory=dict)

    def parts(self) -> dict[str, str]:
        """Return what a signature says of the plan: what is not as it is by default."""
        drawn = f"percentile/{self.replicates},seed={self.seed}"
        told = {
            "attributes": "" if self.attributes == DEFAULT else ",".join(self.attributes),
            "buckets": ",".join(f"{name}={how}" for name, how in self.buckets.items()),
            "edges": _digest(Path(self.edges).read_bytes()) if self.edges else "",
            "cross": ",".join("×".join(two) for two in self.cross),
            "pair": ",".join(">".join(two) for two in self.pair),
            "intervals": drawn if self.intervals else "",
            "metric": "" if self.metric == "f1" else self.metric,
            "known-words": _digest("\n".join(sorted(self.known)).encode()) if self.known else "",
            "corpora": ",".join((self.name, *map(_identity, self.others.items())))
            if self.others
            else "",
        }
        return {name: value for name, value in told.items() if value} | {"correct": self.correct}


def _identity(named: tuple[str, Corpus]) -> str:
    """Return a corpus' name with the hashes of its gold and its training data."""
    name, corpus = named
    gold = corpus.gold.origin.sha256[:12] or "frame"
    train = f"+{corpus.training.sha256[:12] or 'frame'}" if corpus.training else ""
    return f"{name}={gold}{train}"


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:12]


def plan(options: Options) -> BucketPlan:
    """Return the plan that some options ask for; raise for names and numbers that are none."""
    known = _words(Path(options.vocabulary)) if options.vocabulary else frozenset[str]()
    found = BucketPlan(
        attributes=_listed(options.attributes),
        metric=options.by,
        buckets=_cuttings(options.buckets),
        cross=named_pairs(options.cross, option="--cross"),
        pair=named_pairs(options.pair, options.pairs),
        edges=options.edges,
        save_edges=options.save_edges,
        intervals=options.intervals,
        correct=options.correct,
        known=known,
        name=options.name,
        others=dict(options.datasets or {}),
        **values(options, Resampled),
    )
    _check(found)
    return found


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return names one by one; an expression has an equals sign, and its commas are its own."""
    every = [given] if isinstance(given, str) else list(given)
    parts = [
        part.strip() for text in every for part in ([text] if "=" in text else text.split(","))
    ]
    sets = {"all": tuple(ATTRIBUTES)}
    names = [name for part in parts if part for name in sets.get(part, (part,))]
    return tuple(dict.fromkeys(names)) or DEFAULT


def _cuttings(given: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
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


def _words(path: Path) -> frozenset[str]:
    if not path.is_file():
        raise DataError("does not exist", where=str(path), remedy="--vocabulary: one word per line")
    return frozenset(path.read_text(encoding="utf-8").splitlines())


def _check(found: BucketPlan) -> None:
    if found.metric not in METRICS:
        raise unknown("metric", found.metric, METRICS, where="--by")
    if found.correct not in CORRECTIONS:
        raise unknown("correction", found.correct, CORRECTIONS, where="--correct")
    if found.replicates < 1:
        raise UsageError(
            f"{found.replicates} is too small", where="--replicates", remedy="use 1 or more"
        )
    if not 0 < found.alpha < 1:
        raise UsageError(
            f"{found.alpha:g} is not between 0 and 1",
            where="--alpha",
            remedy="for example --alpha 0.05",
        )
