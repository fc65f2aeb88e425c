"""``oracle``: what could systems reach together? Upper bounds, who adds what, and plain votes.

An item counts if any system is right (Tuggener 2017, DEFINITIONS 2.4). Among spans and the like
items are gold's, for an oracle would not choose what gold does not have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.grouping import BY, group_names
from coleval.analyses.judging import Judged, judged
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.spread import check_by_item, summed
from coleval.counts.blocks import added
from coleval.counts.groups import unsolved_groups
from coleval.counts.pairs import pair_counts
from coleval.counts.patterns import patterns
from coleval.counts.systems import LabelCounts, label_counts, ladder, votes
from coleval.statistics.combination import bounds, overlaps
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.oracle.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.counts.pairs import PairCounts
    from coleval.counts.patterns import Patterns
    from coleval.counts.systems import Counts, Votes

    Systems = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _OracleCounts:
    """Everything counted once: by label, by votes; ``best`` orders the systems, the best first."""

    parts: Judged
    counted: Patterns
    engine: str
    labels: LabelCounts
    votes: Votes
    right: list[int]
    best: list[int]
    zero_division: float | None

    @property
    def items(self) -> int:
        """Return how many items there are to be found."""
        return int(self.votes.items.sum())


def oracle(corpus: Corpus, options: Options) -> Mapping[str, pl.DataFrame]:
    """Return the bound, overall and by label, who adds what, votes, and shared errors."""
    found = _oracle_counts(judged(corpus), corpus.scoring.engine, corpus.scoring.zero_division)
    makers: dict[str, Callable[[_OracleCounts], pl.DataFrame]] = {
        "overall": _overall,
        "ladder": _ladder,
        "labels": _labels,
        "systems": _systems,
        "leave_one_out": _leave_one_out,
        "votes": _votes,
        "overlap": _overlap,
    }
    if options.by:
        groups = counts_by(corpus, found.parts, options.by)
        makers["by"] = partial(_bounds, BY, *groups)
        makers["by_systems"] = partial(_by_system, BY, *groups)
    return LazyMapping({name: partial(make, found) for name, make in makers.items()})


def _oracle_counts(parts: Judged, engine: str, zero_division: float | None) -> _OracleCounts:
    start = 0 if parts.items.empty_is_answer else 1
    counted = patterns(parts.items, engine=engine)
    whole = label_counts(counted, len(parts.items.labels))
    right = whole.right[:, start:].sum(axis=1).tolist()
    best = sorted(range(len(right)), key=lambda system: (-right[system], system))
    labels = whole
    if parts.shown is not parts.items:
        shown = patterns(parts.items, parts.shown, engine=engine)
        labels = label_counts(shown, len(parts.shown.labels))
    found = votes(counted, best)
    return _OracleCounts(parts, counted, engine, labels, found, right, best, zero_division)


def _overall(found: _OracleCounts) -> pl.DataFrame:
    counts, names = found.votes, found.parts.systems
    first = found.best[0]
    row = {
        "items": found.items,
        "oracle_correct": int(counts.items[1:].sum()),
        "best_system": names[first],
        "best_correct": found.right[first],
        "majority_correct": int(counts.majority.sum()),
        "majority_invented": None if found.parts.items.empty_is_answer else counts.invented,
        **_sentences(found),
    }
    frame = pl.DataFrame([row], schema_overrides={"majority_invented": pl.Int64})
    return bounds(frame, found.zero_division)


def _sentences(found: _OracleCounts) -> dict[str, int | None]:
    """Return the sentences, and those in which some system is right on every item."""
    items = found.parts.items
    if items.group != "sentence" or not items.group_count or items.groups is None:
        return {"sentences": None, "sentences_correct": None}
    wrong = unsolved_groups(items)
    return {"sentences": items.group_count, "sentences_correct": items.group_count - wrong}


def _labels(found: _OracleCounts) -> pl.DataFrame:
    return _bounds("label", pl.Series(found.parts.shown.labels, dtype=pl.String), found.labels,
                   found)  # fmt: skip


def _bounds(
    column: str, groups: pl.Series, counts: LabelCounts, found: _OracleCounts
) -> pl.DataFrame:
    """Return the bound of each group of items, and the system that has most of it right."""
    names = found.parts.systems
    # Ties go to the system given first, as over all items and where a filter keeps one group.
    first = counts.right.argmax(axis=0)
    frame = pl.DataFrame(
        {
            column: groups,
            "items": counts.items[1:],
            "oracle_correct": counts.anyone[1:],
            "best_system": pl.Series([names[s] for s in first[1:]], dtype=pl.String),
            "best_correct": counts.right[first, np.arange(len(first))][1:],
        }
    )
    return bounds(frame.filter(pl.col("items") > 0), found.zero_division).sort(
        "items", column, descending=[True, False], nulls_last=True
    )


def _systems(found: _OracleCounts) -> pl.DataFrame:
    """Return every system's own share of each label, null for all labels together."""
    counts = found.labels
    label = pl.Series([None, *found.parts.shown.labels], dtype=pl.String)
    items = np.append(found.items, counts.items[1:])
    right = np.column_stack([found.right, counts.right[:, 1:]])
    return _shares(found, "label", label, items, right, all_first=True)


def _by_system(
    column: str, groups: pl.Series, counts: LabelCounts, found: _OracleCounts
) -> pl.DataFrame:
    """Return every system's own share of each group of items."""
    return _shares(found, column, groups, counts.items[1:], counts.right[:, 1:])


def _shares(
    found: _OracleCounts,
    column: str,
    groups: pl.Series,
    items: Counts,
    right: Counts,
    *,
    all_first: bool = False,
) -> pl.DataFrame:
    """Return group, system, items, correct, accuracy; the best system first."""
    frames = [
        pl.DataFrame({column: groups, "system": found.parts.systems[at], "items": items,
                      "correct": right[at]})
        for at in found.best
    ]  # fmt: skip
    kept = pl.col("items") > 0
    together = pl.concat(frames).filter(pl.col(column).is_null() | kept if all_first else kept)
    ranked = together.with_columns(
        accuracy=ratio_expr(pl.col("correct"), pl.col("items"), found.zero_division)
    )
    return ranked.sort(
        "items", column, descending=[True, False], maintain_order=True, nulls_last=not all_first
    )


def _ladder(found: _OracleCounts) -> pl.DataFrame:
    rungs = ladder(found.counted)
    reached = pl.Series([rung.reached for rung in rungs], dtype=pl.Int64)
    frame = pl.DataFrame(
        {
            "k": range(1, len(rungs) + 1),
            "system": [found.parts.systems[rung.system] for rung in rungs],
            "correct": reached,
            "adds": reached.diff().fill_null(reached.first()),
            "left": found.items - reached,
            "items": pl.repeat(found.items, len(rungs), eager=True, dtype=pl.Int64),
        }
    )
    share = ratio_expr(pl.col("correct"), pl.col("items"), found.zero_division)
    return (
        frame.with_columns(oracle=share)
        .with_columns(gain=pl.col("oracle") - pl.col("oracle").shift(1, fill_value=0.0))
        .drop("items")
    )


def _leave_one_out(found: _OracleCounts) -> pl.DataFrame:
    alone = found.votes.alone
    total = int(found.votes.items[1:].sum())
    frame = pl.DataFrame(
        {
            "system": list(found.parts.systems),
            "correct": found.right,
            "alone": alone,
            "oracle_correct_without": total - alone,
            "items": pl.repeat(found.items, len(alone), eager=True, dtype=pl.Int64),
        }
    )
    items = pl.col("items")
    return (
        frame.with_columns(
            oracle_without=ratio_expr(pl.col("oracle_correct_without"), items, found.zero_division),
            loss=ratio_expr(pl.col("alone"), items),
        )
        .sort("alone", "correct", "system", descending=[True, True, False])
        .drop("items")
    )


def _votes(found: _OracleCounts) -> pl.DataFrame:
    counts = found.votes
    n = pl.Series(counts.items)
    frame = pl.DataFrame(
        {
            "k": range(len(n)),
            "items": n,
            "at_least": n.reverse().cum_sum().reverse(),
            "majority_correct": counts.majority,
        }
    )
    return frame.with_columns(share=ratio_expr(pl.col("items"), pl.lit(found.items)))


def _different(found: _OracleCounts, counts: PairCounts, a: Systems, b: Systems) -> Counts:
    """Return how many answers of any two systems differ, of items that both are asked."""
    if not found.parts.runs:
        return counts.different[a, b]
    names = found.parts.systems
    met = (found.parts.met((names[x], names[y])) for x, y in zip(a, b, strict=True))
    return np.array(
        [pair_counts(patterns(one.items, engine=found.engine)).different[0, 1] for one in met],
        np.int64,
    )


def _overlap(found: _OracleCounts) -> pl.DataFrame:
    counts = pair_counts(found.counted)
    names = pl.Series(found.parts.systems, dtype=pl.String)
    a, b = np.triu_indices(len(names), 1)
    wrong = counts.total - counts.right
    # What neither gold nor a system answers is no item that the system has right.
    right = counts.right - counts.absent.diagonal()
    shared = counts.both[a, b] - counts.absent[a, b]
    either = counts.total - counts.both[a, b]
    numbers = {
        "errors_a": wrong[a],
        "errors_b": wrong[b],
        "both": wrong[a] + wrong[b] - either,
        "either": either,
        "different": _different(found, counts, a, b),
        "items": np.full(len(a), counts.total),
        "correct_a": right[a],
        "correct_b": right[b],
        "correct_both": shared,
        "correct_either": right[a] + right[b] - shared,
        "findable": np.full(len(a), found.items),
    }
    columns = {name: pl.Series(values, dtype=pl.Int64) for name, values in numbers.items()}
    return overlaps(pl.DataFrame({"a": names.gather(a), "b": names.gather(b), **columns}))


def counts_by(corpus: Corpus, parts: Judged, by: Sequence[str]) -> tuple[pl.Series, LabelCounts]:
    """Return the groups of some columns as text, null for none, and the counts of their items.

    The first of the counts is that of no group, in which items are that need not be found.
    """
    if corpus.spread is not None:
        for column in by:
            check_by_item(column, "--by")
        return summed(corpus, partial(_of_part, tuple(by)), _added)
    items = parts.items
    there = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    frame = pl.DataFrame({"group": group_names(corpus, by), "there": there})
    kept = frame.filter("there").select("group").unique(maintain_order=True)
    known = kept.with_row_index("at", offset=1)
    joined = frame.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")
    found = joined.select(pl.when("there").then("at").otherwise(0)).to_series()
    # The items as they are shown by their group, which is the same for all systems.
    codes = found.to_numpy()
    grouped = replace(items, gold=codes, answers=dict.fromkeys(items.answers, codes), judges=None)
    counts = label_counts(patterns(items, grouped, engine=corpus.scoring.engine), len(known))
    return known["group"].cast(pl.String), counts


def _of_part(by: tuple[str, ...], corpus: Corpus) -> tuple[pl.Series, LabelCounts]:
    return counts_by(corpus, judged(corpus), by)


def _added(parts: list[tuple[pl.Series, LabelCounts]]) -> tuple[pl.Series, LabelCounts]:
    """Return the groups of all parts, the first part's first, and their counts."""
    known = pl.concat([names for names, _ in parts]).unique(maintain_order=True)
    numbered = known.to_frame("group").with_row_index("at", offset=1)
    placed = []
    for names, counts in parts:
        at = names.to_frame("group").join(
            numbered, on="group", how="left", nulls_equal=True, maintain_order="left"
        )["at"]
        place = np.append(0, at.to_numpy())
        placed.append(LabelCounts(*(
            _at(columns, place, len(known) + 1)
            for columns in (counts.items, counts.right, counts.anyone)
        )))  # fmt: skip
    return known, added(placed)


def _at(counts: NDArray[np.int64], place: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    found = np.zeros((*counts.shape[:-1], size), np.int64)
    found[..., place] = counts
    return found
