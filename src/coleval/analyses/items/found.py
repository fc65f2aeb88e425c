"""What is known of the items of a corpus once their patterns are counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.contexts import PLACE, contexts
from coleval.analyses.counted import counted_patterns
from coleval.analyses.judging import judged
from coleval.corpus.coding import decoded
from coleval.counts.responses import Responses, bins_of, responses, rows_of
from coleval.counts.units import Units, right_of, units_of
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.response import (
    MOST,
    Rasch,
    benjamini_hochberg,
    discriminations,
    is_exact,
    permutation_p,
    rasch,
    totals_of,
)
from coleval.statistics.subset import Stability, block_of, split_half

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.items.spec import Options
    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Rows = NDArray[np.integer]

# Of two systems one solves an item or not: that is no measure of the item.
FEWEST = 3
# As sure as one would like to be before an item is called odd.
ALPHA = 0.05
NEGATIVE, NO_SYSTEM, EVERY, ORDINARY = "negative", "none", "all", ""


@dataclass(frozen=True)
class ItemFindings:
    """Patterns in the order of the systems' names, on which no number depends, and their counts."""

    corpus: Corpus
    parts: Judged
    options: Options
    patterns: Responses

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems, in the order of the patterns."""
        return self.parts.systems

    @property
    def enough(self) -> bool:
        """Return whether there are systems enough to say anything of single items."""
        return len(self.systems) >= FEWEST

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Return which systems solve the items of each pattern."""
        return self.patterns.right

    @cached_property
    def solved_by(self) -> Counts:
        """Return how many systems solve the items of each pattern."""
        return self.patterns.solved_by

    @cached_property
    def totals(self) -> Counts:
        """Return how many items each system solves."""
        return totals_of(self.right, self.patterns.n)

    @cached_property
    def best(self) -> list[int]:
        """Return the systems, the one that solves most first."""
        names = self.systems
        return sorted(range(len(names)), key=lambda s: (-self.totals[s], names[s]))

    @cached_property
    def discrimination(self) -> Floats:
        """Return the discrimination of each pattern, NaN where it is undefined."""
        if not self.enough:
            return np.full(len(self.patterns), np.nan)
        return discriminations(self.right, self.patterns.n)

    @cached_property
    def p(self) -> Floats:
        """Return the p of each discrimination."""
        if not self.enough:
            return np.full(len(self.patterns), np.nan)
        options = self.options
        return permutation_p(self.right, self.patterns.n, options.permutations, options.seed)

    @cached_property
    def p_adjusted(self) -> Floats:
        """Return p adjusted for all items."""
        return benjamini_hochberg(self.p, self.patterns.n)

    @cached_property
    def negative(self) -> NDArray[np.bool_]:
        """Return which patterns worse systems solve rather than better ones."""
        return np.nan_to_num(self.discrimination) < 0

    @property
    def flags(self) -> list[str]:
        """Return what is odd about each pattern."""
        last = len(self.systems)
        named = np.where(self.negative, NEGATIVE, ORDINARY).astype(object)
        named[self.solved_by == last] = EVERY
        named[self.solved_by == 0] = NO_SYSTEM
        return [str(name) for name in named]

    @cached_property
    def bins(self) -> tuple[Counts, Counts]:
        """Return the items of each bin, and how many of them each system solves."""
        return bins_of(self.patterns)

    @cached_property
    def rasch(self) -> Rasch | None:
        """Return what abilities predict, None of too few or too many systems."""
        if not self.enough or len(self.systems) > MOST or not self.patterns.items:
            return None
        return rasch(self.bins[0], self.totals)

    @cached_property
    def units(self) -> Units:
        """Return what random halves are made of."""
        return units_of(self.parts.items)

    @cached_property
    def stability(self) -> Stability:
        """Return how alike random halves of the data rank the systems."""
        if not self.enough or not len(self.parts.items):
            return Stability(None, None, 0)
        units, options = self.units, self.options
        block = block_of(units.key)
        size = int(block.max(initial=-1)) + 1
        keys = units.key if size == len(units) else np.arange(size, dtype=np.uint64)
        drawn = Units(units.kind, keys, block[units.of])
        right = right_of(self.parts.items, drawn, empty_is_answer=False)
        return split_half(right, keys, options.seed, options.splits)

    @property
    def signed(self) -> dict[str, str]:
        """Return what the signature says of how chance was measured."""
        options = self.options
        exact = is_exact(len(self.systems), options.permutations)
        return {
            "p": "exact" if exact else f"permutations/{options.permutations}",
            "correct": "bh",
            "halves": f"{self.units.kind}/{options.splits}",
            "best": str(options.best),
            **({"subset": f"{options.subset}/{options.subset_by}"} if options.subset else {}),
            "seed": str(options.seed),
        }


def found(corpus: Corpus, options: Options) -> ItemFindings:
    """Return the patterns of the items that gold answers."""
    whole = judged(corpus)
    parts = whole.chosen(sorted(whole.systems))
    counted = counted_patterns(corpus, parts.items, parts.shown)
    return ItemFindings(corpus, parts, options, responses(counted))


_ORDER = {NEGATIVE: 0, NO_SYSTEM: 1, ORDINARY: 2, EVERY: 3}


def item_table(known: ItemFindings) -> pl.DataFrame:
    """Return the items to look at first: negative discrimination, solved by none, then the rest."""
    order, limit = _order(known), known.options.limit or known.patterns.items
    enough = int(np.searchsorted(np.cumsum(known.patterns.n[order]), limit)) + 1
    wanted = order[:enough]
    rows, pattern = rows_of(known.parts.items, known.patterns, wanted)
    place = np.empty(len(known.patterns), np.int64)
    place[wanted] = np.arange(len(wanted))
    first = np.argsort(place[pattern], kind="stable")[:limit]
    return placed(known, rows[first]).with_columns(_of_patterns(known, pattern[first]))


def _order(known: ItemFindings) -> NDArray[np.intp]:
    """Return the patterns by what is odd about them: of negative ones the surest first."""
    kind = np.array([_ORDER[flag] for flag in known.flags], np.int64)
    sure = np.where(kind == _ORDER[NEGATIVE], known.p_adjusted, 0.0)
    return np.lexsort((np.nan_to_num(known.discrimination), np.nan_to_num(sure), kind))


def placed(known: ItemFindings, rows: Rows) -> pl.DataFrame:
    """Return some items with where they are, the words around them and gold's label."""
    some, shown = known.parts.items.where(rows), known.parts.shown
    gold = decoded(shown.gold[rows], shown.labels, "gold")
    there = [some.context[name] for name in PLACE if name in some.context.columns]
    item = pl.Series("item", some.numbers.astype(np.int64))
    text = contexts(known.corpus, some)
    return pl.DataFrame([item, *there, text, gold.cast(pl.String)])


def _of_patterns(known: ItemFindings, pattern: Rows) -> list[pl.Series]:
    solved = known.solved_by[pattern]
    flags = np.array(known.flags, object)[pattern]
    return [
        pl.Series("solved_by", solved),
        pl.Series("share", solved / max(1, len(known.systems))),
        null_for_nan(known.discrimination[pattern]).rename("discrimination"),
        null_for_nan(known.p[pattern]).rename("p"),
        null_for_nan(known.p_adjusted[pattern]).rename("p_adjusted"),
        pl.Series("flag", flags.tolist(), dtype=pl.String),
        pl.Series("systems", _solvers(known, pattern), dtype=pl.String),
    ]


def _solvers(known: ItemFindings, pattern: Rows) -> list[str | None]:
    """Return the systems that solve each item, the best first; null for none."""
    distinct, back = np.unique(pattern, return_inverse=True)
    systems = known.systems
    best = [systems[s] for s in known.best]
    right = np.ascontiguousarray(known.right[known.best][:, distinct].T)
    names = [", ".join(compress(best, row)) for row in right.tolist()]
    return [names[k] or None for k in back.tolist()]


def pattern_table(known: ItemFindings) -> pl.DataFrame:
    """Return every pattern as digits, a place for each system as given, and how many share it."""
    given = [known.systems.index(name) for name in known.corpus.systems]
    digits = known.right[given].astype(np.uint8).T + ord("0")
    text = [bytes(row).decode() for row in np.ascontiguousarray(digits)]
    frame = pl.DataFrame(
        {
            "pattern": pl.Series(text, dtype=pl.String),
            "n": known.patterns.n,
            "solved_by": known.solved_by,
            "discrimination": null_for_nan(known.discrimination),
            "p": null_for_nan(known.p),
            "p_adjusted": null_for_nan(known.p_adjusted),
        }
    )
    return frame.sort("n", "pattern", descending=[True, False])
