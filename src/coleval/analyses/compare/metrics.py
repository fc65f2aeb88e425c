"""The registry of scores that can be compared: each a function from counted items to a measure.

To add one, write what counts its units (as ``fair_metric`` does) and put a line here; every test,
interval and rank then works on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.fair_metric import booked, fair
from coleval.analyses.counted import counted_patterns
from coleval.corpus.lazy import maker_of
from coleval.counts import units as counting
from coleval.counts.units import Units
from coleval.declare.counting import CHAIN_METRICS, TEXT_METRICS
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.errors import UsageError, unknown
from coleval.metrics import METRICS as DECLARED
from coleval.metrics import metric_named
from coleval.metrics.text import text_metric
from coleval.plugins import Registry
from coleval.statistics.draws import keys_of_names, mixed
from coleval.statistics.measure import FEW, KEPT, Measure, Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Counts
    from coleval.statistics.measure import Floats


@dataclass(frozen=True, slots=True)
class UnitCounting:
    """Items, the kind of their units, ready to be counted; ``label`` is a code, 0 for all.

    What is counted of a label is ``kept`` where several scores are made of it.
    """

    corpus: Corpus
    items: Items
    kind: str
    empty_is_answer: bool
    label: int = 0
    kept: dict[int, tuple[Counts, Counts, Counts]] | None = None

    @property
    def units(self) -> Units:
        """Return the units, which are not made before they are needed."""
        return counting.units_of(self.items, self.kind)

    def ratio(self, kind: str, label: int, average: str = "") -> Ratio:
        """Return precision, recall or F1 of a label (0: all) as counts.

        Its support is what lets it into an average: gold's labels, or gold's and the system's.
        """
        counts = (self.kept or {}).get(label) or self._counts(label)
        if self.kept is not None and 3 * len(self.items.labels) * counts[0].nbytes < KEPT:
            self.kept[label] = counts
        tp, answers, gold = counts
        either = counting.together(answers, gold)
        support = {"gold": gold, "weighted": gold, "union": either}.get(average)
        if kind == "f1":
            return Ratio(counting.together(tp, tp), either, support)
        return Ratio(tp, gold if kind == "recall" else answers, support)

    def _counts(self, label: int) -> tuple[Counts, Counts, Counts]:
        """Return what systems have right of a label, what they answer, and what gold has."""
        items, units = self.items, self.units
        tp, answers = counting.agreed_answered(items, units, label)
        if label and self.corpus.scoring.taxonomy != "fair" and items.of_spans:
            answers = counting.together(tp, booked(self.corpus, units, items.labels[label - 1]))
        return tp, answers, counting.expected(items, units, label)


def _accuracy(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
    if how.items.group == "instance":
        return _whole(how)
    every = how.empty_is_answer
    right = counting.right_of(how.items, how.units, empty_is_answer=every)
    size = counting.size_of(how.items, how.units, empty_is_answer=every)
    return [lambda: Ratio(right, size)]


def _whole(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
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


def _micro(kind: str) -> Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]:
    def classes(how: UnitCounting) -> Sequence[Callable[[], Ratio]]:
        counts = how.ratio(kind, how.label)
        return [lambda: counts]

    return classes


def _each(kind: str, average: str = "") -> Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]:
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


_OWN: Mapping[str, Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]] = {
    "accuracy": _accuracy,
    "precision": _micro("precision"),
    "recall": _micro("recall"),
    "f1": _micro("f1"),
    "macro_precision": _each("precision"),
    "macro_recall": _each("recall"),
    "macro_f1": _each("f1"),
    "weighted_precision": _each("precision", "weighted"),
    "weighted_recall": _each("recall", "weighted"),
    "weighted_f1": _each("f1", "weighted"),
    "sentences": _whole,
    "fair_precision": fair("precision"),
    "fair_recall": fair("recall"),
    "fair_f1": fair("f1"),
}
METRICS: Registry[Callable[[UnitCounting], Sequence[Callable[[], Ratio]]]] = Registry(
    "metrics", _OWN, Callable  # type: ignore[arg-type]
)
_BY_LABEL = ("precision", "recall", "f1")
_CHAINED = {"conll": "CoNLL", "b3": "B³", "ceafe": "CEAFe", "ceafm": "CEAFm"}


def titled(metric: str) -> str:
    """Return a score as sentences name it: F1, macro F1, LAS, ARCS F1."""
    base, colon, label = metric.partition(":")
    if base in DECLARED:
        return DECLARED[base].title
    of_label = f" of {label}" if colon else ""
    if base in TREE_METRICS:
        return base.upper() + of_label
    if base.startswith("arcs"):
        return f"ARCS F1 ({base.partition('_')[2]} antecedent)"
    if base in TEXT_METRICS:
        return text_metric(base).title
    if base in CHAIN_METRICS:
        return f"{_CHAINED.get(base, base.upper())} F1"
    return base.replace("_", " ").replace("f1", "F1") + of_label


def titled_in(frame: pl.DataFrame) -> str:
    """Return the score of a table as sentences name it, and over which groups it is a mean."""
    if not frame.height:
        return titled("f1")
    title = titled(str(frame["metric"][0]))
    return f"{title} (mean over {frame['mean_over'][0]})" if "mean_over" in frame.columns else title


def checked(name: str, corpus: Corpus) -> None:
    """Raise for a name that is no score of this corpus."""
    if corpus.task_kind.numeric:
        metric_named(name, corpus)
        return
    base, colon, _ = name.partition(":")
    known = _BY_LABEL if colon else (*METRICS, *corpus.task_kind.metrics)
    known = corpus.task_kind.metrics if corpus.task_kind.texts else known
    if base not in known:
        raise unknown("metric", name, known, where="--metric")


def measure(name: str, how: UnitCounting, *, of_items: bool = False) -> Measure:
    """Return the measure called ``name``: one of the registry, or of one label: ``f1:PER``.

    ``of_items`` says that each item is right or wrong: trees then have accuracy, not F1.
    """
    if how.items.numeric:
        metric = metric_named(name, how.corpus)
        return metric.measure(how.items, how.units, how.corpus.scoring.zero_division)
    if name in CHAIN_METRICS and name in how.corpus.task_kind.metrics:
        return _chained(name, how)
    if how.corpus.task_kind.texts:
        from coleval.analyses.score.generated import text_measure

        return text_measure(name, how)
    base, colon, label = name.partition(":")
    if colon and label not in how.items.labels:
        raise unknown("label", label, how.items.labels, where=f"--metric {base}:")
    if base in TREE_METRICS:
        # Where all have gold's words the two are one number, and accuracy has more tests. Without
        # the words of a run that is missing they are not: F1 is 2c / (g + p), accuracy is c / g.
        grid, systems = how.corpus.grid, how.corpus.systems
        words = how.items.empty_is_answer and not (grid and grid.missing(systems))
        base = "accuracy" if of_items or words else "f1"
    code = how.items.labels.index(label) + 1 if colon else 0
    of_label = replace(how, label=code)
    _not_of_a_matrix(base, how.items)
    zero_division = how.corpus.scoring.zero_division
    average = base.partition("_")[0] if base.startswith(("macro", "weighted")) else ""
    return Measure(name, METRICS[base](of_label), average, zero_division)


def _chained(name: str, how: UnitCounting) -> Measure:
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


def _not_of_a_matrix(base: str, items: Items) -> None:
    if items.unit == "row" and base != "accuracy":
        raise UsageError(
            "a matrix has only right and wrong, no labels",
            where=f"--metric {base}",
            remedy="--metric accuracy",
        )


def units_with_gold(how: UnitCounting, name: str) -> int:
    """Return in how many units gold has anything that a metric is about."""
    base, colon, _ = name.partition(":")
    if base == "sentences" or how.items.numeric or (how.empty_is_answer and not colon):
        return how.units.total()
    return how.units.total((gold_of(how, name) > 0)[0])


def gold_of(how: UnitCounting, name: str) -> Counts:
    """Return how much gold has of what a metric needs in each unit, one row."""
    base, _, label = name.partition(":")
    if base == "sentences" or (base == "accuracy" and how.items.group == "instance"):
        return METRICS[base](how)[0]().below
    numeric = how.items.numeric
    alone = ("accuracy", *TREE_METRICS, *TEXT_METRICS)
    if numeric or (base in alone and how.empty_is_answer):
        return counting.size_of(how.items, how.units, empty_is_answer=True)
    labels = how.items.labels
    code = labels.index(label) + 1 if label in labels else 0
    return counting.expected(how.items, how.units, code)


def counting_of(corpus: Corpus, items: Items, kind: str = "") -> UnitCounting:
    """Return items as they are counted, in units of ``kind``."""
    chosen = counting.unit_kind(items, kind)
    if not counting.are_single(items, chosen):
        # Units that items do not have are refused here.
        counting.units_of(items, chosen)
    return UnitCounting(corpus, items, chosen, items.empty_is_answer)


def by_pattern(how: UnitCounting, *metrics: str) -> UnitCounting:
    """Return what counts patterns of answers in place of many single items, if metrics allow it.

    Items with the same answers add the same to every count of single items, so that each pattern
    is a unit that stands for as many as have it.
    """
    items, kind = how.items, how.kind
    if len(items) <= FEW or not counting.are_single(items, kind):
        return how
    if not all(_of_items(metric, how) for metric in metrics):
        return how
    return replace(
        how, items=items.memo.get(("by pattern", kind), partial(_patterns_as_items, how))
    )


def _patterns_as_items(how: UnitCounting) -> Items:
    """Return a table with an item for each pattern, and units that know how many each is."""
    answered = counted_patterns(how.corpus, how.items).grouped
    items = replace(
        how.items, context=pl.DataFrame(), gold=answered.gold, judges=None, rows=None, far=None,
        answers=dict(zip(answered.systems, answered.answers, strict=True)), group_count=0,
        lazy_form=None,
    )  # fmt: skip
    # Labels and systems by name, so that the order of neither decides what is drawn.
    label = keys_of_names(["", *items.labels])
    key = mixed(label[answered.gold])
    for name, codes in items.answers.items():
        key += mixed(label[codes] ^ keys_of_names([name]))
    units = Units(how.kind, mixed(key), np.arange(len(key)), n=answered.n)
    items.memo.get(("units", how.kind), lambda: units)
    return items


def _of_items(metric: str, how: UnitCounting) -> bool:
    """Return whether a metric is of sums over items, each counted by itself."""
    base, colon, _ = metric.partition(":")
    if how.items.numeric or base in TEXT_METRICS:
        return False
    if base == "accuracy":
        return how.items.group != "instance"
    of_labels = colon or base.startswith(("macro", "weighted"))
    if of_labels and how.items.of_spans and how.corpus.scoring.taxonomy != "fair":
        return False
    return base in TREE_METRICS or (base.rpartition("_")[2] in _BY_LABEL and base[:4] != "fair")
