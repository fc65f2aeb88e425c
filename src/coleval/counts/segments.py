"""What metrics of generated text count of segments: rows of whole numbers, coded like labels."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.items import Items
from coleval.counts.extraction import extract
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus

    Progress = Callable[[str], None]

# The unit of texts, and what the columns of further references begin with.
UNIT, REFERENCE = "segment", "reference_"


def counted(items: Items, statistic: str, tokenize: str, progress: Progress | None = None) -> Items:
    """Return what a statistic counts of each segment and system: rows of numbers as labels."""
    texts = np.array(["", *items.labels], dtype=object)
    gold = texts[items.gold]
    others = [items.context[name].to_list() for name in items.context.columns
              if name.startswith(REFERENCE)]  # fmt: skip
    answers = np.stack(list(items.answers.values()), axis=1)
    segments, places = [], np.zeros(answers.shape, np.intp)
    before = 0
    for at, row in enumerate(answers):
        own, place = np.unique(row, return_inverse=True)
        places[at] = before + place
        before += len(own)
        known = [gold[at], *(one[at] for one in others if one[at] is not None)]
        segments.append((texts[own].tolist(), known))
    numbers = extract(statistic, segments, tokenize, progress)
    distinct, row_of = np.unique(numbers, axis=0, return_inverse=True)
    labels = [" ".join(map(str, row)) for row in distinct.tolist()]
    codes = (row_of.reshape(-1).astype(width(len(labels))) + 1)[places]
    layer = Items(
        statistic, pl.DataFrame(), tuple(labels), np.zeros(len(items), codes.dtype),
        {name: codes[:, at] for at, name in enumerate(items.answers)},
        empty_is_answer=True, group="",
    )  # fmt: skip
    return layer.sorted_labels(labels)


def statistics_of(corpus: Corpus, items: Items, statistic: str) -> np.ndarray[Any, Any]:
    """Return the numbers of a statistic for some items of a corpus: (systems, numbers, items)."""
    if items.far is not None:
        raise UsageError(
            "texts are not counted on a cluster", where="--engine spark",
            remedy="use --engine polars",
        )  # fmt: skip
    if statistic in corpus.layers:
        layer = corpus.layer(statistic)
    else:
        whole = corpus.units[UNIT]
        make = partial(counted, whole, statistic, corpus.reading.tokenize)
        layer = whole.memo.get(("statistic", statistic), make)
    known = layer.memo.get("numbers", lambda: _numbers(layer.labels))
    rows = items.numbers
    return np.stack([known[:, layer.answers[name][rows]] for name in items.systems])


def _numbers(labels: Sequence[str]) -> np.ndarray[Any, Any]:
    """Return the numbers that labels of a layer are, a column each, behind zeros for none."""
    split = pl.Series(labels, dtype=pl.String).str.split(" ").list.eval(pl.element().cast(pl.Int64))
    size = int(np.max(split.list.len().to_numpy(), initial=0))
    flat = np.fromiter(chain.from_iterable(split.to_list()), np.int64, size * len(labels))
    return np.append(np.zeros((size, 1), np.int64), flat.reshape(len(labels), size).T, axis=1)
