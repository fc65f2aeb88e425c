"""``compare --by``: the mean of a score over groups, and what is drawn of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items
from coleval.analyses.grouping import JOINT, MOST, NONE, group_names, no_groups
from coleval.corpus.coverage import WRONG
from coleval.corpus.grid import DATASET, PART
from coleval.corpus.spread import check_by_item, each
from coleval.errors import UsageError
from coleval.metrics.counting import gold_of
from coleval.statistics.draws import keys_of_names
from coleval.statistics.measure import Ratio, Strata, of_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.compare.plan import Plan
    from coleval.corpus.corpus import Corpus
    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Measure


def averaged(
    corpus: Corpus, plan: Plan, how: UnitCounting, score: Measure
) -> tuple[Measure, NDArray[np.uint64]]:
    """Return a score as its mean over groups, and the keys of what is drawn.

    Groups in which gold has nothing that the score needs are in nobody's mean.
    """
    names, of_unit = _groups(corpus, plan, how)
    gold = gold_of(how, plan.metric)
    units = [np.flatnonzero(of_unit == at) for at in range(len(names))]
    kept = [at for at, own in enumerate(units) if gold[:, own].any()] or list(range(len(names)))
    found = replace(
        score,
        classes=[*score.classes, lambda: Ratio(gold, gold)],
        strata=Strata(tuple(units[at] for at in kept)),
        undefined=0.0 if corpus.scoring.missing == WRONG else None,
        needs_gold=True,
    )
    if plan.resample != "groups":
        return found, how.units.key
    return of_groups(found), keys_of_names([names[at] for at in kept])


def _groups(corpus: Corpus, plan: Plan, how: UnitCounting) -> tuple[list[str], NDArray[np.integer]]:
    """Return the names of the groups, and the number of that of each unit: -1 without items."""
    if corpus.spread is not None:
        return _groups_in_parts(corpus, plan, how)
    by = JOINT.join(plan.by)
    names = group_names(corpus, plan.by).cast(pl.String).fill_null(NONE)
    known = names.unique(maintain_order=True)
    if not len(known):
        raise no_groups(plan.by)
    _check_number(len(known), by)
    place = pl.DataFrame({"group": known, "at": np.arange(len(known))})
    numbered = names.to_frame("group").join(place, on="group", how="left", maintain_order="left")
    number = numbered["at"].to_numpy()
    found: NDArray[np.integer] = np.full(len(how.units), -1)
    found[how.units.of] = number
    if (found[how.units.of] != number).any():
        at = int(np.flatnonzero(found[how.units.of] != number)[0])
        raise _several(how.units.kind, names[at], by)
    if plan.metric == "sentences" and (found < 0).any():
        found = _of_files(corpus, plan, how, known.to_list())
    return known.to_list(), found


def _check_number(groups: int, by: str) -> None:
    if groups > MOST:
        raise UsageError(
            f"has {groups:,} values: too many groups", where=f"--by {by}",
            remedy="group by what has fewer, such as a range: --by 'sentence // 100'",
        )  # fmt: skip


def _several(kind: str, name: str, by: str) -> UsageError:
    return UsageError(
        f"a {kind} has items of several groups, such as {name}",
        where=f"--by {by}",
        remedy="resample items: --unit-of-resampling item",
    )


def _groups_in_parts(
    corpus: Corpus, plan: Plan, how: UnitCounting
) -> tuple[list[str], NDArray[np.integer]]:
    """Return the same of items in parts, each of which knows the groups of its own units."""
    by = JOINT.join(plan.by)
    for column in plan.by:
        check_by_item(column, "--by")
    parts = each(corpus, partial(_groups_of_part, replace(plan, metric=""), how.units.kind))
    known = list(dict.fromkeys(name for names, _ in parts for name in names))
    if not known:
        raise no_groups(plan.by)
    _check_number(len(known), by)
    place = {name: at for at, name in enumerate(known)}
    found = np.full(len(how.units), -1)
    for (names, own), units in zip(parts, how.units.parts, strict=True):
        number = np.append([place[name] for name in names], -1).astype(np.int64)[own]
        before = found[units]
        other = (before >= 0) & (number >= 0) & (before != number)
        if other.any():
            raise _several(how.units.kind, known[int(number[other][0])], by)
        found[units] = np.where(number >= 0, number, before)
    if plan.metric == "sentences" and (found < 0).any():
        raise UsageError(
            "a sentence without items counts as right, but belongs to no group",
            where="--metric sentences",
            remedy="compare another score, or count with --engine polars",
        )
    return known, found


def _groups_of_part(plan: Plan, kind: str, corpus: Corpus) -> tuple[list[str], NDArray[np.integer]]:
    from coleval.metrics.counting import counting_of

    return _groups(corpus, plan, counting_of(corpus, scored_items(corpus), kind))


def _of_files(
    corpus: Corpus, plan: Plan, how: UnitCounting, known: list[str]
) -> NDArray[np.integer]:
    """Return the groups of sentences, of which some have no items: that of the file they are in."""
    grid = corpus.grid
    if grid is None or len(plan.by) > 1 or plan.by[0] not in (DATASET, PART):
        raise UsageError(
            "a sentence without items counts as right, but belongs to no group",
            where="--metric sentences",
            remedy="compare another score, or group by files: --by dataset",
        )
    sizes = grid.sizes[corpus.task_kind.source_unit or how.items.unit]
    place = {name: at for at, name in enumerate(known)}
    names = [getattr(cell, plan.by[0]) for cell in grid.cells]
    return np.repeat([place.get(name, -1) for name in names], [size.groups for size in sizes])
