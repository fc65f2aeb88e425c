"""``changes``: what became right, what broke and what stayed wrong from one system to another.

Tuggener 2017 (DEFINITIONS 2.1, 2.2). Among spans and other things that need not be there, the
items of a pair are those that gold or one of the two has; a wrong one that goes is a correction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.changes.antecedents import (
    TYPE,
    by_antecedent,
    change_splits,
    left_out,
    split_tests,
    uncounted,
)
from coleval.analyses.changes.gate import gated, parse
from coleval.analyses.changes.items import Filter, changed_items
from coleval.analyses.judging import Judged, judged
from coleval.analyses.pairing import chosen_pairs
from coleval.corpus.far import additive
from coleval.corpus.lazy import LazyMapping
from coleval.counts.blocks import frames
from coleval.counts.groups import wrong_groups
from coleval.counts.pairs import flips, pair_counts, transitions
from coleval.counts.patterns import patterns
from coleval.counts.span_slots import SpanReaches, overlapping_pairs
from coleval.counts.systems import answer_counts, label_counts
from coleval.declare.analysis import Result
from coleval.declare.reading import Names, named_pairs
from coleval.statistics.change import KINDS, differences, shares, summary
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.changes.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.pairs import PairCounts, TransitionCounts
    from coleval.counts.patterns import Patterns

    Pairs = NDArray[np.intp]
    Counts = NDArray[np.int64]

Places = list[tuple[int, int]]
_TOTALS = ("items", "correct_before", "correct_after")
# With more pairs, lists that have many rows for each are made when they are asked for.
_MANY = 1000
_LISTS = frozenset({"changes", "labels"})


@dataclass(frozen=True, slots=True)
class _View:
    """A pair by its places among the systems of some items."""

    parts: Judged
    places: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _ComparedPairs:
    """The pairs that are compared, by name and by place, and the items as they are judged.

    ``others`` are mentions that are in no total, though their changes count.
    """

    names: tuple[Names, ...]
    pairs: Places
    parts: Judged
    engine: str
    others: Items | None = None

    @property
    def counted(self) -> Patterns:
        """Return the patterns of the items, with the labels shown."""
        return patterns(self.parts.items, self.parts.shown, engine=self.engine)

    def pairs_of(self, items: Items) -> PairCounts:
        """Return the counts of all pairs of systems of some items."""
        return pair_counts(patterns(items, engine=self.engine))

    def views(self) -> Iterator[_View]:
        """Yield every pair: one view for all, but where extents have several labels one each."""
        for names, places in zip(self.names, self.pairs, strict=True):
            if self.parts.runs:
                yield _View(self.parts.met(names), (0, 1))
            else:
                yield _View(self.parts, places)

    def named(self) -> pl.DataFrame:
        """Return pair, before and after: the number of each pair and its two names."""
        before, after = zip(*self.names, strict=True)
        sides = {"before": before, "after": after}
        return pl.DataFrame({"pair": range(len(self.names)), **sides})


def changes(corpus: Corpus, options: Options) -> Result:
    """Return ``summary``, ``changes``, ``labels``, ``flips``, and what else was asked for."""
    pairs, baseline, gate = named_pairs(options.pair, options.pairs), options.baseline, options.gate
    only = Filter(options.kind, options.label_before, options.label_after)
    limits = None if gate is None else parse(gate)
    names = chosen_pairs(corpus.systems, pairs, baseline)
    corpus = by_antecedent(corpus, options.antecedent)
    asked = _compared_pairs(corpus, names, options.pronouns)
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "summary": lambda: _summary(asked, corpus.scoring.zero_division),
        "changes": lambda: _changes(asked),
        "labels": lambda: _labels(asked, corpus.scoring.zero_division),
        "flips": lambda: _flips(asked),
    }
    tables = LazyMapping(makers)
    if limits:
        # Tags and trees have an accuracy, as everything is answered; spans have F1 alone.
        score = "accuracy" if asked.parts.items.empty_is_answer else "f1"
        p_of = partial(_p_of_pair, corpus, score)
        makers["gate"] = lambda: gated(tables["summary"], limits, score=score, p_of=p_of)
    in_depth = bool(pairs or baseline or len(names) == 1)
    if in_depth and _extended(asked):
        makers["boundaries"] = lambda: _boundaries(asked)
    if corpus.task_kind.mentions and TYPE in asked.parts.items.context.columns:
        makers["splits"] = lambda: change_splits(asked.parts, names)
        if in_depth:
            makers["split_tests"] = lambda: split_tests(asked.parts, names)
    if options.items or only:
        makers["items"] = lambda: changed_items(corpus, asked.parts, names, only)
    late = _LISTS if len(names) > _MANY else frozenset()
    shown = tuple(name for name in makers if name not in late) if late else ()
    return Result(tables, warnings=left_out(asked.others), late=late, leads=shown)


def _p_of_pair(corpus: Corpus, score: str, before: str, after: str) -> float | None:
    """Return p of the paired test that ``compare`` makes of two systems."""
    if before == after:
        return 1.0
    pairs = corpus.chosen([before, after]).compare(metric=score)["pairs"]
    p: float | None = pairs["p"][0]
    return p


def _compared_pairs(
    corpus: Corpus, names: tuple[Names, ...], pronouns: Sequence[str]
) -> _ComparedPairs:
    involved = {name for pair in names for name in pair}
    systems = [name for name in corpus.systems if name in involved]
    parts = judged(corpus).chosen(systems)
    places = {name: at for at, name in enumerate(systems)}
    pairs = [(places[before], places[after]) for before, after in names]
    others = uncounted(corpus, parts.items, pronouns)
    return _ComparedPairs(names, pairs, parts, corpus.scoring.engine, others)


def _summary(asked: _ComparedPairs, zero_division: float | None) -> pl.DataFrame:
    items = asked.parts.items
    own = patterns(items, engine=asked.engine)
    found = label_counts(own, len(items.labels))
    totals = pl.DataFrame(
        {
            "place": range(len(items.systems)),
            "tp": found.right[:, 1:].sum(axis=1),
            "proposed": answer_counts(own, len(items.labels))[:, 1:].sum(axis=1),
            "sentences_correct": _sentences(asked),
        },
        schema_overrides={"sentences_correct": pl.Int64},
    )
    context = {
        "gold": int(found.items[1:].sum()),
        "sentences": items.group_count if items.group == "sentence" else 0,
    }
    table = summary(
        pl.concat([asked.named(), _rows(asked)], how="horizontal"),
        totals,
        zero_division=zero_division,
        **context,
    )
    return (
        table
        if not items.empty_is_answer
        else table.with_columns(
            pl.lit(None, pl.Float64).alias(name) for name in ("f1_before", "f1_after", "f1_delta")
        )
    )


def _rows(asked: _ComparedPairs) -> pl.DataFrame:
    """Return the counts of every pair, a row each, with the places of the two."""
    places = np.array(asked.pairs, np.intp).reshape(-1, 2)
    if asked.parts.runs:
        own = np.array([[0, 1]])
        rows = [_counted(asked.pairs_of(v.parts.items), own) for v in asked.views()]
        counts = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    else:
        counts = _counted(asked.pairs_of(asked.parts.items), places)
        counts |= _less(counts, asked, places)
    return pl.DataFrame({"place_before": places[:, 0], "place_after": places[:, 1], **counts})


def _less(counts: dict[str, Counts], asked: _ComparedPairs, pairs: Pairs) -> dict[str, Counts]:
    """Return totals without some mentions; what changes of these still counts."""
    if asked.others is None:
        return {}
    less = _counted(asked.pairs_of(asked.others), pairs)
    return {name: counts[name] - less[name] for name in _TOTALS}


def _counted(counts: PairCounts, pairs: Pairs) -> dict[str, Counts]:
    """Return the counts of pairs; what neither of the three answers is no item."""
    before, after = pairs[:, 0], pairs[:, 1]
    absent, both = counts.absent[before, after], counts.both[before, after]
    corrections, new_errors = counts.right[after] - both, counts.right[before] - both
    different = counts.different[before, after]
    return {
        "items": counts.total - absent,
        "different": different,
        "corrections": corrections,
        "new_errors": new_errors,
        "changed_errors": different - corrections - new_errors,
        "correct_before": counts.right[before] - absent,
        "correct_after": counts.right[after] - absent,
    }


def _sentences(asked: _ComparedPairs) -> list[int | None]:
    items = asked.parts.items
    if items.group != "sentence" or not items.group_count:
        return [None] * len(items.systems)
    wrong = wrong_groups(items)
    return [items.group_count - wrong.get(name, 0) for name in items.systems]


def _changes(asked: _ComparedPairs) -> pl.DataFrame:
    parts = asked.parts
    cells = (
        [_cells(view, asked.engine) for view in asked.views()]
        if parts.runs
        else list(transitions(asked.counted, len(parts.shown.labels), asked.pairs))
    )
    label = pl.Series([None, *parts.shown.labels], dtype=pl.String)
    kind = pl.Series(KINDS, dtype=pl.String)
    frame = pl.DataFrame(
        {
            "pair": np.repeat(np.arange(len(cells)), [len(c.n) for c in cells]),
            "kind": kind.gather(_all(cells, "kind")),
            "gold": label.gather(_all(cells, "gold")),
            "label_before": label.gather(_all(cells, "before")),
            "label_after": label.gather(_all(cells, "after")),
            "n": _all(cells, "n"),
        }
    )
    return shares(frame, asked.named())


def _cells(view: _View, engine: str) -> TransitionCounts:
    counted = patterns(view.parts.items, view.parts.shown, engine=engine)
    (cells,) = transitions(counted, len(view.parts.shown.labels), [view.places])
    return cells


def _all(cells: list[TransitionCounts], part: str) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int64), *(getattr(c, part) for c in cells)])


def _labels(asked: _ComparedPairs, zero_division: float | None) -> pl.DataFrame:
    counts = label_counts(asked.counted, len(asked.parts.shown.labels))
    there = 1 + np.flatnonzero(counts.items[1:])
    before, after = np.array(asked.pairs, np.intp).reshape(-1, 2).T
    names = pl.Series(asked.parts.shown.labels, dtype=pl.String).gather(there - 1)
    right, n = counts.right[:, there], len(asked.pairs)
    frame = pl.DataFrame(
        {
            "pair": np.repeat(np.arange(n), len(there)),
            "label": names.gather(np.tile(np.arange(len(there)), n)),
            "items": np.tile(counts.items[there], n),
            "correct_before": right[before].ravel(),
            "correct_after": right[after].ravel(),
        }
    )
    return differences(frame, asked.named(), zero_division)


def _flips(asked: _ComparedPairs) -> pl.DataFrame:
    """Return what each system breaks that all systems before it have right, in the order given."""
    rows = flips(patterns(asked.parts.items, engine=asked.engine))
    kinds = {"system": pl.String, "earlier": pl.Int64, "held": pl.Int64, "flips": pl.Int64,
             "firsts": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=kinds).with_columns(
        share=ratio_expr(pl.col("flips"), pl.col("held"))
    )


def _extended(asked: _ComparedPairs) -> bool:
    """Tell whether items are stretches of tokens, whose boundaries can change."""
    return {"sentence", "start", "end"} <= set(asked.parts.items.context.columns)


def _boundaries(asked: _ComparedPairs) -> pl.DataFrame:
    frames = [
        boundaries(view.parts.items, *view.places).with_columns(pair=pl.lit(k, pl.Int64))
        for k, view in enumerate(asked.views())
    ]
    found = pl.concat(frames).join(asked.named(), on="pair").sort(
        "pair", "n", "change", "label_before", "label_after",
        descending=[False, True, False, False, False], nulls_last=True,
    )  # fmt: skip
    return found.select("before", "after", pl.exclude("pair", "before", "after"))


_COUNTED = ("change", "label_before", "label_after")


@additive(partial(frames, sums=("n", "corrected", "broken")))
def boundaries(items: Items, before: int, after: int) -> pl.DataFrame:
    """Return change (``shorter``, ``longer``, ``moved``), both labels, n, corrected, broken."""
    old, new = (items.answers[items.systems[at]] for at in (before, after))
    gone = _spans(items, np.flatnonzero((old != 0) & (new == 0)), old)
    come = _spans(items, np.flatnonzero((old == 0) & (new != 0)), new)
    matched = _matched(_overlapping(gone, come))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    return (
        matched.group_by(_COUNTED)
        .agg(
            n=pl.len().cast(pl.Int64),
            corrected=pl.col("right_after").sum().cast(pl.Int64),
            broken=pl.col("right").sum().cast(pl.Int64),
        )
        .pipe(_named, label)
    )


def _named(counts: pl.DataFrame, label: pl.Series) -> pl.DataFrame:
    return counts.with_columns(
        label.gather(counts[side]).alias(side) for side in ("label_before", "label_after")
    )


def _spans(
    items: Items, rows: NDArray[np.intp], answers: NDArray[np.unsignedinteger]
) -> pl.DataFrame:
    place = items.context[pl.Series(rows)].select("sentence", "start", "end")
    return place.with_columns(
        pl.col("start", "end").cast(pl.Int64),
        label=pl.Series(answers[rows], dtype=pl.UInt32),
        right=pl.Series(answers[rows] == items.gold[rows]),
        row=pl.Series(rows, dtype=pl.Int64),
    )


def _overlapping(gone: pl.DataFrame, come: pl.DataFrame) -> pl.DataFrame:
    """Return every pair of a vanished and an appeared span that share tokens, best pair first."""
    start, end = pl.col("start"), pl.col("end")
    first, second = overlapping_pairs(SpanReaches.of(gone), SpanReaches.of(come))
    after = come[pl.Series(second)].drop("sentence").rename(lambda name: f"{name}_after")
    pairs = pl.concat([gone[pl.Series(first)], after], how="horizontal")
    shared = pl.min_horizontal("end", "end_after") - pl.max_horizontal("start", "start_after")
    inside = (pl.col("start_after") >= start) & (pl.col("end_after") <= end)
    around = (pl.col("start_after") <= start) & (pl.col("end_after") >= end)
    change = pl.when(inside).then(pl.lit("shorter")).when(around).then(pl.lit("longer"))
    return pairs.with_columns(
        shared=shared,
        other=pl.col("label") != pl.col("label_after"),
        change=change.otherwise(pl.lit("moved")),
    ).sort("other", "shared", "row", "row_after", descending=[False, True, False, False])


def _matched(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that are left when each span is taken once, in the order of the pairs."""
    used: tuple[set[int], set[int]] = (set(), set())
    kept = []
    for at, (row, row_after) in enumerate(pairs.select("row", "row_after").iter_rows()):
        if row not in used[0] and row_after not in used[1]:
            used[0].add(row)
            used[1].add(row_after)
            kept.append(at)
    chosen = pairs[kept] if kept else pairs.clear()
    return chosen.rename({"label": "label_before"})
