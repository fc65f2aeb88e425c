"""``bins``: items by the number of systems that solve them (Gianola et al. 2021).

The counts come from patterns; what else is asked for (words, profile, items) has a
file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.bins.words import profile_table, word_table
from coleval.analyses.counted import counted_patterns, scored_items
from coleval.analyses.ordering import GIVEN, in_order, with_rank
from coleval.annotate.text import after, before, text_of
from coleval.counts.systems import bin_counts
from coleval.declare.analysis import Result
from coleval.declare.reading import named_pairs
from coleval.errors import unknown
from coleval.loading.tasks.selecting import with_judges
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.analyses.bins.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.systems import BinCounts


def bins(corpus: Corpus, options: Options) -> Result:
    """Return bins, systems, spurious items by both, and the tables that are asked for."""
    # What only judges propose is spurious too, though it is no item of the systems shown.
    systems, judged = list(corpus.systems), with_judges(corpus)
    wanted = scored_items(judged).chosen(systems)
    pair = named_pairs(options.pair, options.pairs)
    given = options.order == GIVEN
    counts = bin_counts(counted_patterns(corpus, wanted))
    tables = _counted(judged, wanted, counts, pair, given=given)
    if options.words or options.words_top:
        tables["words"] = word_table(wanted, options.words, options.words_top)
    if options.profile_bins:
        tables["profile"] = profile_table(judged, wanted)
    if options.items:
        tables["items"] = item_table(judged, wanted)
    return Result(tables, look=frozenset({"percent"} if options.percent else ()))


def _counted(
    corpus: Corpus,
    items: Items,
    counts: BinCounts,
    pair: Sequence[tuple[str, str]],
    *,
    given: bool,
) -> dict[str, pl.DataFrame]:
    """Return the tables that counts of bins are enough for."""
    zero_division = corpus.scoring.zero_division
    systems = systems_table(items, counts, zero_division)
    if given:
        systems = in_order(with_rank(systems, "tp"), items.systems)
    bins_ = bins_table(counts)
    tps = tps_table(counts, systems["system"].to_list(), items.systems, zero_division)
    pairs = {"pairs": pair_table(bins_, tps, pair)} if pair else {}
    spurious = spurious_table(items, counts, _unseen(items))
    ranked = systems["system"].to_list()
    invented = spurious_systems_table(items, counts, ranked)
    return {
        "bins": bins_, "tps": tps, "systems": systems, **pairs,
        "spurious": spurious, "spurious_systems": invented,
    }  # fmt: skip


def bins_table(counts: BinCounts) -> pl.DataFrame:
    """Return bin, items and their share of all gold items, bins without items too."""
    n = pl.Series("items", counts.items)
    return _numbered(n).with_columns(ratio_expr(pl.col("items"), pl.lit(n.sum())).alias("share"))


def tps_table(
    counts: BinCounts, ranked: list[str], systems: tuple[str, ...], zero_division: float | None
) -> pl.DataFrame:
    """Return bin, system, tp, share of the bin; the hardest bin and the best system first."""
    row = [systems.index(name) for name in ranked]
    n = len(counts.items)
    frame = pl.DataFrame(
        {
            "bin": np.repeat(np.arange(n), len(ranked)),
            "system": pl.Series(ranked * n, dtype=pl.String),
            "tp": counts.solved[row].T.reshape(-1),
            "items": np.repeat(counts.items, len(ranked)),
        }
    )
    share = ratio_expr(pl.col("tp"), pl.col("items"), zero_division)
    return frame.select("bin", "system", "tp", share.alias("share"))


def systems_table(items: Items, counts: BinCounts, zero_division: float | None) -> pl.DataFrame:
    """Return what each system solves of all gold items, and what it alone solves; best first."""
    frame = pl.DataFrame(
        {
            "system": pl.Series(items.systems, dtype=pl.String),
            "tp": counts.solved.sum(axis=1),
            "items": pl.Series([int(counts.items.sum())] * len(items.systems), dtype=pl.Int64),
            "singular": _singular(items, counts),
        }
    )
    recall = ratio_expr(pl.col("tp"), pl.col("items"), zero_division).alias("recall")
    best = frame.sort("tp", "system", descending=[True, False])
    return best.select("system", "tp", "items", recall, "singular")


def _singular(items: Items, counts: BinCounts) -> pl.Series:
    """Return how many items of bin 1 each system solves, null if it is no judge of the bins."""
    alone = counts.solved[:, 1].tolist() if len(counts.items) > 1 else []
    judging = set(items.judging)
    given = [n if s in judging else None for s, n in zip(items.systems, alone, strict=False)]
    return pl.Series(given, dtype=pl.Int64)


def spurious_table(items: Items, counts: BinCounts, unseen: int) -> pl.DataFrame:
    """Return how many items without gold how many systems invent; bin 0 are the true negatives.

    Places that nobody labels are known among tokens and labels of instances, not among spans;
    there bins begin at 1. There are no rows where every item has gold.
    """
    n = counts.spurious.copy()
    n[0] += unseen
    known = items.empty_is_answer or items.group == "instance"
    frame = _numbered(pl.Series("items", n)).slice(0 if known else 1)
    return frame if n.any() or not known else frame.clear()


def spurious_systems_table(items: Items, counts: BinCounts, ranked: list[str]) -> pl.DataFrame:
    """Return bin, system, spurious, items, share: who predicts the items that k judges invent.

    Bin 0 is there for systems that are no judges: a judge predicts nothing in it. There are no
    rows where no item is spurious.
    """
    row = [items.systems.index(name) for name in ranked]
    first = 0 if set(items.systems) - set(items.judging) else 1
    n = len(counts.spurious)
    frame = pl.DataFrame(
        {
            "bin": np.repeat(np.arange(n), len(ranked)),
            "system": pl.Series(ranked * n, dtype=pl.String),
            "spurious": counts.invented[row].T.reshape(-1),
            "items": np.repeat(counts.spurious, len(ranked)),
        }
    ).filter(pl.col("bin") >= first)
    shared = frame.with_columns(share=ratio_expr(pl.col("spurious"), pl.col("items")))
    return shared if counts.invented.any() else shared.clear()


def _unseen(items: Items) -> int:
    """Return how many (instance, label) pairs nobody proposes, 0 where that is not the question."""
    if items.group != "instance" or not items.group_count:
        return 0
    return items.group_count * len(items.labels) - len(items)


def _numbered(counts: pl.Series) -> pl.DataFrame:
    return counts.to_frame().with_row_index("bin").with_columns(pl.col("bin").cast(pl.Int64))


WORDS = 8


def item_table(corpus: Corpus, items: Items) -> pl.DataFrame:
    """Return the items that gold or some system proposes, the hardest first, inventions last.

    Columns: what the item table has, ``difficulty``, ``spurious``, ``left`` and ``right`` with up
    to eight words of the sentence on either side where there is text, then the systems' answers.
    """
    frame = items.frame()
    text = text_of(corpus)
    sides = ["left", "right"] if text and "sentence" in frame.columns else []
    there = (items.gold != 0) | (frame["spurious"].fill_null(0).to_numpy() > 0)
    if text and sides:
        kept = items.where(there)
        around = [
            before(kept, text, WORDS).rename("left"),
            after(kept, text, WORDS).rename("right"),
        ]
        frame = frame.filter(pl.Series(there)).with_columns(around)
    else:
        frame = frame.filter(pl.Series(there))
    first = [c for c in frame.columns if c not in {*items.systems, *sides, *_OURS}]
    ordered = frame.select(*first, *_OURS, *sides, *items.systems)
    return ordered.sort(
        "difficulty", "spurious", "item", descending=[False, True, False], nulls_last=True
    )


_OURS = ("difficulty", "spurious")


def pair_table(
    bins: pl.DataFrame, tps: pl.DataFrame, pairs: Iterable[tuple[str, str]]
) -> pl.DataFrame:
    """Return before, after, bin, items, both systems' tp and share, and the differences."""
    known = tps["system"].unique(maintain_order=True).to_list()
    return pl.concat([_pair(bins, tps, *_known(pair, known)) for pair in pairs])


def _known(pair: tuple[str, str], systems: list[str]) -> tuple[str, str]:
    for name in pair:
        if name not in systems:
            raise unknown("system", name, systems, where="--pair")
    before, after = pair
    return before, after


def _pair(bins: pl.DataFrame, tps: pl.DataFrame, before: str, after: str) -> pl.DataFrame:
    return (
        bins.select("bin", "items")
        .join(_one(tps, before, "before"), on="bin", maintain_order="left")
        .join(_one(tps, after, "after"), on="bin", maintain_order="left")
        .select(
            pl.lit(before).alias("before"),
            pl.lit(after).alias("after"),
            "bin", "items", "tp_before", "tp_after",
            (pl.col("tp_after") - pl.col("tp_before")).alias("delta"),
            "share_before", "share_after",
            (pl.col("share_after") - pl.col("share_before")).alias("share_delta"),
        )
    )  # fmt: skip


def _one(tps: pl.DataFrame, system: str, name: str) -> pl.DataFrame:
    own = tps.filter(pl.col("system") == system)
    return own.select("bin", pl.col("tp", "share").name.suffix(f"_{name}"))
