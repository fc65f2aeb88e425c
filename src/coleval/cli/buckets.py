"""``buckets``: corpora, each with its training data, to a report."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.analyses.buckets.spec import BUCKETS
from coleval.cli.sources import corpus_of, given_of
from coleval.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def bucket_report(arguments: argparse.Namespace) -> Report:
    """Return the report of the corpora named, each with its own training data."""
    named = _corpora(arguments)
    name, first = next(iter(named.items()))
    others = {n: corpus for n, corpus in named.items() if n != name}
    own = given_of(BUCKETS, arguments) | {"name": name, "datasets": others, "train": None}
    if any(corpus.training for corpus in named.values()):
        own["train_columns"] = ""
    return BUCKETS.run(first, own, getattr(arguments, "free", ()))


def _corpora(arguments: argparse.Namespace) -> dict[str, Corpus]:
    """Return all corpora by name; the one of the sources is called as its gold file is."""
    found = {}
    if arguments.source:
        name = Path(arguments.source[0].partition("=")[2] or arguments.source[0]).stem
        found[name] = _opened(arguments, arguments.source, arguments.train)
    for part in arguments.datasets or ():
        name, sources, train = _dataset(part)
        if name in found:
            raise UsageError(
                f"two corpora are called `{name}`", where="--dataset", remedy="rename one"
            )
        found[name] = _opened(arguments, sources, train)
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
) -> Corpus:
    own = copy(arguments)
    own.source = sources
    corpus = corpus_of(own, BUCKETS.options)
    return corpus.trained(train, arguments.train_columns or "") if train else corpus
