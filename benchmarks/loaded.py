"""Generated corpora as coleval has them: read from files, or a store opened anew.

For benchmarks that measure in their own process; imports what they measure.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coleval
from coleval.bench.running import touched
from generate import files
from measure import corpus

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def load(directory: Path, systems: int = 0, **options: Any) -> coleval.Corpus:
    """Return the corpus of a directory, or of its first systems."""
    gold, paths = files(directory)
    chosen = list(paths.items())[: systems or None]
    return coleval.load(str(gold), {name: str(path) for name, path in chosen}, **options)


def generated(asked: argparse.Namespace, **options: Any) -> coleval.Corpus:
    """Return the generated corpus that the command line asks for, all its items made."""
    return touched(load(corpus(asked, **options), task=options.get("task", "span")))


@contextmanager
def stored(asked: argparse.Namespace, **options: Any) -> Iterator[Path]:
    """Yield a store of a generated corpus, taken away behind."""
    directory = corpus(asked, **options)
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        yield load(directory, task=options.get("task", "span")).save(Path(folder, "store"))


def anew(corpus: coleval.Corpus) -> coleval.Corpus:
    """Return the corpus as if nothing had been counted on it; its columns are not copied."""
    return replace(corpus, units={unit: replace(corpus.at(unit)) for unit in corpus.units})


def fresh(store: Path) -> coleval.Corpus:
    """Return a store's corpus that nobody has worked on, with all its columns read."""
    return touched(coleval.open(store))
