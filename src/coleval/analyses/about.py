"""What a report is about: what was evaluated, how much of it, and when. No scores."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coleval.analyses.wording import number_of
from coleval.corpus.far import additive
from coleval.corpus.report import PageHead

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

# Files of these names are called by their folder.
_PLAIN = ("gold", "truth", "test", "key", "reference")


def about(corpus: Corpus) -> PageHead:
    """Return the title of a report, and what was evaluated."""
    gold, unit = _size(corpus)
    datasets = _datasets(corpus)
    place = number_of(len(datasets), "dataset") if len(datasets) > 1 else _named(corpus)
    systems = number_of(len(corpus.systems), "system")
    facts = {
        "task": corpus.task,
        "gold": number_of(gold, "item" if unit in ("item", "instance", "row") else unit),
        "datasets": f"{len(datasets)}" if len(datasets) > 1 else "",
        "systems": f"{len(corpus.systems)}",
        "date": _today(),
    }
    title = f"{systems} on {place}" if place else systems
    read = (replace(corpus.gold, name=""), *corpus.entries)
    return PageHead(
        title,
        tuple((name, value) for name, value in facts.items() if value),
        sources=tuple((e.name, e.origin.path, e.origin.sha256, e.answers) for e in read),
    )


def _size(corpus: Corpus) -> tuple[int, str]:
    """Return how many items gold has, and what they are called."""
    if corpus.task_kind.mentions:
        from coleval.counts.coref_classes import CHAINS, to_be_counted

        # All mentions, not those alone that have an antecedent.
        return _gold(to_be_counted(corpus).at(CHAINS)), "mention"
    items = corpus.at(corpus.scoring.unit)
    return _gold(items), items.unit


@additive(sum)
def _gold(items: Items) -> int:
    """Return how many items gold has."""
    if items.empty_is_answer:
        return len(items)
    return int(np.count_nonzero(items.gold))


def _datasets(corpus: Corpus) -> tuple[str, ...]:
    return corpus.grid.datasets if corpus.grid is not None else ()


def _named(corpus: Corpus) -> str:
    """Return what gold is called: its file, or the folder of a file that is called `gold`."""
    path = corpus.gold.origin.path
    if not path or path.startswith("<"):
        return "a data frame" if path != "-" else ""
    name = Path(path)
    stem = name.name.partition(".")[0]
    return name.parent.name if stem.lower() in _PLAIN and name.parent.name else name.name


def _today() -> str:
    """Return the date; SOURCE_DATE_EPOCH makes a page the same on every day."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%d")
