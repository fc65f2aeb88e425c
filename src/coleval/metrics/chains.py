"""Scores of chains: F1 of MUC, B³, CEAF, BLANC, LEA and their mean, of many sums over documents."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from coleval.declare.counting import CHAIN_METRICS
from coleval.metrics.model import Metric, no_sums
from coleval.statistics.measure import Measure, Ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Floats


def chained(name: str, how: UnitCounting) -> Measure:
    """Return F1 of chains, a function of many sums over documents."""
    task = how.corpus.task_kind
    assert task.unit_sums is not None  # noqa: S101  - what has these metrics has their sums
    (sums,) = task.unit_sums(how.corpus, how.units.kind)
    zero_division, systems = how.corpus.scoring.zero_division, len(how.items.systems)
    # Units are the same documents, not always in the same order.
    order = np.argsort(sums.key, kind="stable")
    place = order[np.searchsorted(sums.key[order], how.units.key)]
    rows = sums.rows[:, place]
    rows = rows.reshape(systems, len(rows) // systems, len(place))

    def score(parts: Sequence[Floats]) -> Floats:
        """Return the F1 of sums, an array for each of them with a row a system."""
        shape = len(parts[0]), prod(parts[0].shape[1:])
        together = np.stack([part.reshape(shape) for part in parts], axis=1)
        flat = together.reshape(shape[0] * len(parts), shape[1])
        return sums.scores(flat, zero_division)[name, "f1"].reshape(parts[0].shape)

    known = ~np.isnan(score(list(rows.swapaxes(0, 1)))).all(axis=0)
    below = np.array([known], np.int64)
    classes = [partial(Ratio, rows[:, at], below) for at in range(rows.shape[1])]
    return Measure(name, classes, combined=score, zero_division=zero_division)


_NAMES = {"conll": "CoNLL", "b3": "B³", "ceafe": "CEAFe", "ceafm": "CEAFm"}
METRICS = tuple(
    Metric(name, f"{_NAMES.get(name, name.upper())} F1", no_sums, ("coref",), made=chained)
    for name in CHAIN_METRICS
)
