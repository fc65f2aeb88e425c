"""``buckets``: corpora, each with its training data, to a report."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

_OWN = {
    "attributes": "attributes", "buckets": "buckets", "edges": "edges", "save_edges": "save_edges",
    "by": "by", "cross": "cross", "pair": "pair", "correct": "correct",
    "intervals": "intervals", "replicates": "replicates", "seed": "seed", "alpha": "alpha",
    "unit_of_resampling": "unit_of_resampling", "vocabulary": "vocabulary",
}  # fmt: skip


def bucket_report(
    arguments: argparse.Namespace, opened: Callable[[argparse.Namespace], Corpus]
) -> Report:
    """Return the report of the corpora named, each read by ``opened``."""
    given = {_OWN[k]: getattr(arguments, k) for k in _OWN}
    own = {k: v for k, v in given.items() if v is not None}
    named = _corpora(arguments, opened)
    name, first = next(iter(named.items()))
    others = {n: corpus for n, corpus in named.items() if n != name}
    return first.buckets(name=name, datasets=others, **own)


def _corpora(
    arguments: argparse.Namespace, opened: Callable[[argparse.Namespace], Corpus]
) -> dict[str, Corpus]:
    """Return all corpora by name; the one of the sources is called as its gold file is."""
    found = {}
    if arguments.source:
        name = Path(arguments.source[0].partition("=")[2] or arguments.source[0]).stem
        found[name] = _opened(arguments, arguments.source, arguments.train, opened)
    for part in arguments.dataset or ():
        name, sources, train = _dataset(part)
        if name in found:
            raise UsageError(
                f"two corpora are called `{name}`", where="--dataset", remedy="rename one"
            )
        found[name] = _opened(arguments, sources, train, opened)
    if not found:
        raise UsageError(
            "no corpus is named", remedy="GOLD SYSTEM…, or --dataset NAME=GOLD SYSTEM…"
        )
    return found


def _dataset(part: list[str]) -> tuple[str, list[str], str | None]:
    name, equals, first = part[0].partition("=")
    if not equals:
        raise UsageError(
            f"`{part[0]}` has no name",
            where="--dataset",
            remedy="for example --dataset wnut=gold.conll A=a.conll train=train.conll",
        )
    trains = [text.removeprefix("train=") for text in part[1:] if text.startswith("train=")]
    systems = [text for text in part[1:] if not text.startswith("train=")]
    return name, [first, *systems], trains[-1] if trains else None


def _opened(
    arguments: argparse.Namespace,
    sources: list[str],
    train: str | None,
    opened: Callable[[argparse.Namespace], Corpus],
) -> Corpus:
    own = copy(arguments)
    own.source = sources
    corpus = opened(own)
    return corpus.trained(train, arguments.train_columns or "") if train else corpus
