"""Scores of right and wrong and of labels: accuracy, precision, recall, F1, averages of these."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.lazy import maker_of
from coleval.corpus.task import ByName
from coleval.counts import units as counting
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.errors import UsageError
from coleval.metrics.model import Metric
from coleval.statistics.measure import KEPT, Ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.items import Items
    from coleval.metrics.model import UnitCounting

_TASKS = ("tag", "span", "dep", "coref", "label", "matrix")


def accuracy(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return the items that are right, of all there are to be got right."""
    if how.items.group == "instance":
        return whole(how)
    every = how.empty_is_answer
    right = counting.right_of(how.items, how.units, empty_is_answer=every)
    size = counting.size_of(how.items, how.units, empty_is_answer=every)
    return [lambda: Ratio(right, size)]


def whole(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    """Return the sentences, or instances, that are right as a whole."""
    if how.items.groups is None:
        raise UsageError(
            f"items of the unit `{how.items.unit}` do not belong to sentences",
            where="--metric sentences",
            remedy="use --metric accuracy",
        )
    if how.units.kind != how.items.group and how.items.group_count:
        _all_seen(how.items)
    right, size = counting.whole_groups(how.items, how.units)
    return [lambda: Ratio(right, size)]


def _all_seen(items: Items) -> None:
    """Raise if some sentences have no item: nothing says where they belong."""
    groups = items.groups
    if groups is not None and len(set(groups.tolist())) < items.group_count:
        raise UsageError(
            f"a {items.group} without items counts as right, but belongs to no unit",
            where="--unit-of-resampling",
            remedy=f"--unit-of-resampling {items.group}",
        )


def micro(kind: str) -> Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]:
    """Return what makes precision, recall or F1 of all labels together, or of the one named."""

    def classes(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
        counts = how.ratio(kind, how.label)
        return [lambda: counts]

    return classes


def each(kind: str, average: str = "") -> Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]:
    """Return one class for each label; they are kept if they are not too large."""

    def classes(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
        over = average or how.corpus.scoring.average
        # Without labels there is one class of nothing: undefined, not an average of no class.
        labels = range(1, len(how.items.labels) + 1) or (0,)
        size = len(labels) * len(how.units) * 3 * len(how.items.answers)
        if size > KEPT:
            return [partial(how.ratio, kind, n, over) for n in labels]
        kept = [how.ratio(kind, n, over) for n in labels]
        return [maker_of(ratio) for ratio in kept]

    return classes


def _of(kind: str, average: str) -> Metric:
    """Return an average of precision, recall or F1 over labels."""
    title = f"{average} {kind}".replace("f1", "F1")
    over = average if average == "weighted" else ""
    return Metric(f"{average}_{kind}", title, each(kind, over), _TASKS, average, additive=True)


def _fair(kind: str) -> Metric:
    title = f"fair {kind}".replace("f1", "F1")
    return Metric(
        f"fair_{kind}", title, ByName(f"analyses.compare.fair_metric:fair_{kind}"), _TASKS
    )


_KINDS = ("precision", "recall", "f1")
METRICS = (
    Metric("accuracy", "accuracy", accuracy, _TASKS, additive=True),
    *(Metric(kind, kind.replace("f1", "F1"), micro(kind), _TASKS, of_label=True, additive=True)
      for kind in _KINDS),
    *(_of(kind, "macro") for kind in _KINDS),
    *(_of(kind, "weighted") for kind in _KINDS),
    Metric("sentences", "sentences", whole, _TASKS),
    *map(_fair, _KINDS),
    # Where all have gold's words accuracy and F1 of trees are one number.
    *(Metric(name, name.upper(), accuracy, ("dep",), additive=True) for name in TREE_METRICS),
)  # fmt: skip
