"""Numbers as answers: coded like labels, each distinct number having a code of its own.

So whatever selects, filters, joins and stores items takes numbers too; what computes with them asks
for their ``values``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import values_of_labels, width
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Floats = NDArray[np.float64]


# The label of the number 0.
_ZERO = repr(0.0)


def coded_numbers(columns: Mapping[str, pl.Series]) -> tuple[list[str], dict[str, Codes]]:
    """Return the distinct numbers of some columns as labels, and the codes of each; null is 0."""
    # Adding 0 makes one number of 0 and -0.
    arrays = {name: column.to_numpy().astype(np.float64) + 0.0 for name, column in columns.items()}
    distinct = np.unique(np.concatenate([np.zeros(0), *arrays.values()]))
    known = distinct[~np.isnan(distinct)]
    kind = width(len(known))
    codes = {
        name: np.where(np.isnan(array), 0, np.searchsorted(known, array) + 1).astype(kind)
        for name, array in arrays.items()
    }
    return [repr(number) for number in known.tolist()], codes


def values(items: Items) -> Floats:
    """Return the number of each system on each item, a row a system, NaN where there is none."""
    if items.far is not None:
        raise UsageError(
            "numbers are not counted on a cluster", where="--engine spark",
            remedy="use --engine polars",
        )  # fmt: skip
    return items.memo.get("values", lambda: _values(items))


def _values(items: Items) -> Floats:
    number = values_of_labels(items.labels)
    rows = [number[codes] for codes in items.answers.values()]
    return np.stack(rows) if rows else np.empty((0, len(items)))


def gold_values(items: Items) -> Floats:
    """Return the number that gold has of each item, NaN where it has none."""
    return values_of_labels(items.labels)[items.gold]


def with_zero(items: Items) -> Items:
    """Return items in which a system has 0 wherever it has no number."""
    labels = items.labels if _ZERO in items.labels else (*items.labels, _ZERO)
    zero, kind = labels.index(_ZERO) + 1, width(len(labels))
    answers = {name: np.where(codes == 0, zero, codes).astype(kind)
               for name, codes in items.answers.items()}  # fmt: skip
    whole = replace(items, gold=items.gold.astype(kind), answers=answers)
    return whole.sorted_labels(list(labels))


def right_or_wrong(corpus: Corpus) -> Corpus:
    """Return a corpus of numbers as a matrix: those from a threshold on are right."""
    _unit, items = next(iter(corpus.units.items()))
    number, least = values_of_labels(items.labels), corpus.scoring.above or 0.0
    good = number <= least if corpus.scoring.lower else number >= least
    code = np.where(np.isnan(number), 0, np.where(good, 2, 1)).astype(np.uint8)
    matrix = replace(
        items, unit="row", labels=("0", "1"), gold=np.full(len(items), 2, np.uint8), numeric=False,
        answers={name: code[codes] for name, codes in items.answers.items()},
    )  # fmt: skip
    return replace(corpus, task="matrix", units={"row": matrix})


def numbers_of(corpus: Corpus) -> Corpus:
    """Return a corpus of right and wrong as numbers, 1 and 0, where there is an answer."""
    items = next(iter(corpus.units.values()))
    answers = {
        name: np.where(codes == 0, 0, np.where(codes == items.gold, 2, 1)).astype(np.uint8)
        for name, codes in items.answers.items()
    }
    numbers = replace(
        items, unit="instance", labels=("0.0", "1.0"), gold=np.zeros(len(items), np.uint8),
        answers=answers, judges=None, empty_is_answer=True, numeric=True,
    )  # fmt: skip
    return replace(corpus, task="score", units={"instance": numbers}, grid=None)
