"""What became of every span: its error and its partner, per item and as columns.

Right spans and lonely pairs are found for all at once; clusters of three and more go to the
rule (PERFORMANCE §3f). Clusters are runs of spans that overlap, so that no rule looks beyond.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.extents import ClusterRule, Entries, extents
from coleval.annotate.fair_rule import by_label, by_place, fair
from coleval.annotate.pool import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.annotate.extents import Extents
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items


RULES = {"fair": fair, "place": by_place, "label": by_label}
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Found:
    """The spans that are not right, gold's and the system's, one row each.

    ``partner`` is the partner's item or -1. A row that ``counts`` is an error of its own: every
    gold span is; a system's span if it has no partner, or one that had found another before.
    """

    item: NDArray[np.intp]
    gold: NDArray[np.bool_]
    kind: NDArray[np.uint8]
    partner: NDArray[np.int64]
    counts: NDArray[np.bool_]


@dataclass(slots=True)
class Matcher:
    """A rule over the items of one corpus, for one system after the other."""

    extents: Extents
    rule: str = "fair"
    _clusters: ClusterRule = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no shape of a cluster known."""
        self._clusters = ClusterRule(RULES[self.rule])

    def found(self, gold: Codes, answers: Codes, item: NDArray[np.intp] | None = None) -> Found:
        """Return the fate of all spans that one system and gold do not share.

        ``item`` is where the two differ, if that is known already.
        """
        if item is None:
            item = np.flatnonzero(gold != answers)
        here = (gold[item] != 0) & (answers[item] != 0)
        alone = here & ~self.extents.crowded[item]
        relabelled = item[alone]
        entries = self._clustered(gold, answers, item[~alone])
        kind, partner, counts = self._fates(entries)
        none = np.zeros(len(relabelled), np.bool_)
        return Found(
            np.concatenate([relabelled, relabelled, entries.item]),
            np.concatenate([~none, none, entries.gold]),
            np.concatenate([np.full(2 * len(none), Kind.LE, np.uint8), kind]),
            np.concatenate([relabelled, relabelled, partner]),
            np.concatenate([~none, none, counts]),
        )

    def _clustered(self, gold: Codes, answers: Codes, item: NDArray[np.intp]) -> Entries:
        """Return gold's and the system's spans among items, in clusters of overlaps."""
        where = self.extents
        ours, theirs = gold[item] != 0, answers[item] != 0
        times = ours.astype(np.intp) + theirs
        item = np.repeat(item, times)
        side = np.repeat(ours, times)
        side[np.cumsum(times)[times == 2] - 1] = False
        if not where.sorted:
            order = np.lexsort((side, where.end[item], where.begin[item]))
            item, side = item[order], side[order]
        cluster = _clusters(where.begin[item], where.end[item])
        label = np.where(side, gold[item], answers[item]).astype(np.int64)
        return Entries(item, label, side, cluster)

    def _fates(
        self, entries: Entries
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
        """Return kind, partner's item and whether it counts, for every span in a cluster."""
        kind = np.where(entries.gold, Kind.FN, Kind.FP).astype(np.uint8)
        partner = np.full(len(entries), NOBODY, np.int64)
        counts = np.ones(len(entries), np.bool_)
        size = np.bincount(entries.cluster)
        golds = np.bincount(entries.cluster, weights=entries.gold).astype(np.int64)
        mixed = (golds > 0) & (golds < size)
        first = np.flatnonzero((mixed & (size == 2))[entries.cluster])[::2]
        self._pairs(entries, first, kind, partner, counts)
        hard = np.flatnonzero((mixed & (size > 2))[entries.cluster])
        if len(hard):
            some = entries.where(hard)
            fates = self._clusters.fates(some, self.extents)
            kind[hard], counts[hard] = fates[:, 0], fates[:, 2]
            partner[hard] = np.where(fates[:, 1] >= 0, some.item[fates[:, 1]], NOBODY)
        return kind, partner, counts

    def _pairs(
        self,
        entries: Entries,
        first: NDArray[np.intp],
        kind: NDArray[np.uint8],
        partner: NDArray[np.int64],
        counts: NDArray[np.bool_],
    ) -> None:
        """Fill in clusters of one gold span and one of the system, which begin at ``first``."""
        ours = np.where(entries.gold[first], first, first + 1)
        theirs = 2 * first + 1 - ours
        found = self._between(entries, ours, theirs)
        joined = found != 0
        ours, theirs, found = ours[joined], theirs[joined], found[joined]
        kind[ours] = kind[theirs] = found
        partner[ours], partner[theirs] = entries.item[theirs], entries.item[ours]
        counts[theirs] = False

    def _between(
        self, entries: Entries, ours: NDArray[np.intp], theirs: NDArray[np.intp]
    ) -> NDArray[np.uint8]:
        """Return the error between overlapping spans; 0 for strangers of one extent and label."""
        gold, system = entries.item[ours], entries.item[theirs]
        left = self.extents.begin[system] - self.extents.begin[gold]
        right = self.extents.end[system] - self.extents.end[gold]
        same = entries.label[ours] == entries.label[theirs]
        equal = (left == 0) & (right == 0)
        apart = 0 if self.rule == "fair" else Kind.BEO
        boundary = np.select(
            [equal, (left >= 0) & (right <= 0), (left <= 0) & (right >= 0)],
            [apart, Kind.BES, Kind.BEL],
            Kind.BEO,
        )
        other = np.where(equal, Kind.LE, Kind.LBE)
        return np.where(same, boundary, other).astype(np.uint8)


def columns(items: Items, system: str, found: Found) -> pl.DataFrame:
    """Return, row by row as the items: each side's error, and the item of its partner."""
    error = pl.Series([None, *(kind.name.lower() for kind in Kind)], dtype=pl.String)
    series = []
    for side, codes in (("gold", items.gold), ("system", items.answers[system])):
        mine = found.gold if side == "gold" else ~found.gold
        kind = np.where((codes != 0), Kind.TP, 0).astype(np.uint8)
        kind[found.item[mine]] = found.kind[mine]
        partner = np.where(codes != 0, np.arange(len(codes)), NOBODY)
        partner[found.item[mine]] = found.partner[mine]
        series += [
            error.gather(pl.Series(kind)).rename(f"error_{side}"),
            pl.Series(f"partner_{side}", partner).replace(NOBODY, None),
        ]
    return pl.DataFrame(series)


def kind_of_gold(items: Items, found: Found) -> NDArray[np.uint8]:
    """Return the kind of gold's span at each item, 0 where gold has none."""
    kind = np.where(items.gold != 0, Kind.TP, 0).astype(np.uint8)
    kind[found.item[found.gold]] = found.kind[found.gold]
    return kind


def _clusters(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each run of sorted extents that overlap."""
    if not len(begin):
        return np.zeros(0, np.int64)
    reach = np.maximum.accumulate(end)
    apart = np.zeros(len(begin), np.int64)
    apart[1:] = begin[1:] >= reach[:-1]
    return np.cumsum(apart)


COLUMNS = ("error_gold", "error_system", "partner_gold", "partner_system")


def error_column(items: Items, name: str) -> pl.Series:
    """Return the column ``KIND_SYSTEM``, its kind among ``COLUMNS``; partners are items."""
    column, system = next(
        (column, name.removeprefix(f"{column}_"))
        for column in COLUMNS
        if name.startswith(f"{column}_")
    )
    found = Matcher(extents(items)).found(items.gold, items.answers[system])
    return columns(items, system, found)[column].rename(name)


def counted_errors(items: Items, system: str) -> pl.DataFrame:
    """Return the errors of one system that count, each once: the labels of both sides, the kind.

    The item is that of gold's span, of the system's where gold has none.
    """
    found = Matcher(extents(items)).found(items.gold, items.answers[system])
    item, side, partner = (part[found.counts] for part in (found.item, found.gold, found.partner))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    places = (np.where(side, item, partner), np.where(side, partner, item))
    sides = [
        np.append(codes, codes.dtype.type(0))[place]
        for codes, place in zip((items.gold, items.answers[system]), places, strict=True)
    ]
    kinds = pl.Series([None, *(kind.name.lower() for kind in Kind)], dtype=pl.String)
    return pl.DataFrame(
        {
            "system": pl.repeat(system, len(item), eager=True, dtype=pl.String),
            "item": items.numbers[item].astype(np.uint32),
            "gold": label.gather(pl.Series(sides[0])),
            "answer": label.gather(pl.Series(sides[1])),
            "kind": kinds.gather(pl.Series(found.kind[found.counts])),
        }
    )
