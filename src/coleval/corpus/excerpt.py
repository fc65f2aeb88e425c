"""What is shown of a crowd of systems, or of groups: both ends, and the rows of tables on these.

Nobody reads a thousand rows, or half a million pairs. Of more than ``MOST`` systems, or datasets,
screens, pages and papers show an excerpt and say of how much; whoever asks for the whole gets it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from coleval.corpus.lazy import maker_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars as pl

# So many systems are all shown; of more, so many of either end.
MOST, BEST, WORST = 60, 20, 5
# A report of more systems keeps longer tables than this as excerpts.
ROWS = 10_000
# Tables that order the systems, the best first, or by their column of ranks.
_RANK = "rank"
_RANKED = ("ranking", "overall", "ranks", "leaderboard", "systems")
# Tables with rows for each group, the column that names it, and what tells which is hard.
_GROUPED, _BY, _MEANS = ("by", "by_systems"), "by", ("accuracy", "f1", "oracle", "kappa")
# What a row is about: the system of a column, or the pair of two.
_NAMED = (("system",), ("before", "after"), ("a", "b"))
# Scores of both systems of a pair, the first of which that is known orders them.
_SCORES = ("f1", "accuracy", "value", "correct")


@dataclass(frozen=True, slots=True)
class ShownSystems:
    """The systems that are shown ``of`` so many: those of either end, and those ``named``.

    ``ranked``: the ends are the best and the worst, not the first and the last as given.
    """

    systems: tuple[str, ...]
    of: int
    ranked: bool
    named: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return which systems these are."""
        ends = ("best", "worst") if self.ranked else ("first", "last")
        *parts, last = f"the {BEST} {ends[0]}", f"the {WORST} {ends[1]}", *self.named
        return f"{', '.join(parts)} and {last}"


@dataclass(frozen=True, slots=True)
class ShownGroups:
    """The groups that are shown ``of`` so many, the hardest first by the mean of a ``score``.

    Without a score they are the first and the last.
    """

    names: tuple[str | None, ...]
    of: int
    score: str

    def __str__(self) -> str:
        """Return how many these are, and which."""
        which = f"the {BEST} first and the {WORST} last"
        if self.score:
            low, high = f"{BEST} with the lowest", f"the {WORST} with the highest"
            which = f"the {low} and {high} mean {self.score}"
        return f"{len(self.names):,} of {self.of:,} groups: {which}"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some rows of a table that has so many ``rows``; all of them are made when they are asked for.

    ``note`` says in words which rows these are.
    """

    frame: pl.DataFrame
    rows: int
    note: str
    whole: Callable[[], pl.DataFrame] = field(compare=False)


def shown_of(
    order: Sequence[str], *, ranked: bool = True, named: Iterable[str] = ()
) -> ShownSystems | None:
    """Return which systems of a crowd are shown, the best first; None if all of them can be."""
    if len(order) <= MOST:
        return None
    ends = [*order[:BEST], *order[-WORST:]]
    also = tuple(name for name in dict.fromkeys(named) if name in order and name not in ends)
    return ShownSystems((*ends, *also), len(order), ranked, also)


def shown_in(tables: Mapping[str, pl.DataFrame], *, ranked: bool = True) -> ShownSystems | None:
    """Return which systems are shown of some tables, as one that ranks them says, or their pairs.

    Tables that do not rank have them as they were given.
    """
    for name in _RANKED if ranked else ():
        if name in tables and "system" in tables[name].columns:
            frame = tables[name]
            # In the order given (--order), rows have their ranks.
            best_first = frame.sort(_RANK, maintain_order=True) if _RANK in frame.columns else frame
            return shown_of(best_first["system"].unique(maintain_order=True).to_list())
    for frame in tables.values():
        if "system" in frame.columns:
            return _shown_of_cells(frame)
        if {"a", "b", "kappa"} <= set(frame.columns):
            return _shown_of_raters(frame)
        if found := _order_of_pairs(frame):
            return shown_of(found[0], ranked=found[1])
    return None


def _shown_of_cells(frame: pl.DataFrame) -> ShownSystems | None:
    """Return the systems with the most cells of a confusion matrix on its diagonal, and the least.

    Of other tables they are those as given.
    """
    import polars as pl

    given = frame["system"].unique(maintain_order=True).to_list()
    if not {"gold", "answer", "n"} <= set(frame.columns):
        return shown_of(given, ranked=False)
    right = pl.col("n").filter(pl.col("gold").eq_missing(pl.col("answer"))).sum()
    own = frame.group_by("system", maintain_order=True).agg(right)
    return shown_of(own.sort("n", descending=True, maintain_order=True)["system"].to_list())


def _shown_of_raters(frame: pl.DataFrame) -> ShownSystems | None:
    """Return the raters that agree most and least with the first one, which is shown too."""
    import polars as pl

    if frame.is_empty():
        return None
    first = frame["a"][0]
    own = frame.filter(pl.col("a") == first)
    ordered = own.sort("kappa", descending=True, nulls_last=True, maintain_order=True)
    found = shown_of(ordered["b"].to_list())
    return found and replace(found, systems=(first, *found.systems), named=(first,))


def groups_in(tables: Mapping[str, pl.DataFrame]) -> ShownGroups | None:
    """Return which groups are shown of tables that have a row for each; None if all can be."""
    import polars as pl

    frame = next((tables[name] for name in _GROUPED if name in tables), None)
    if frame is None or frame[_BY].n_unique() <= MOST:
        return None
    known = (n for n in _MEANS if n in frame.columns and frame[n].null_count() < frame.height)
    score = next(known, "")
    value = pl.col(score).mean() if score else pl.lit(0)
    each = frame.group_by(_BY, maintain_order=True).agg(value.alias("value"))
    order = each.sort("value", nulls_last=True, maintain_order=True)[_BY].to_list()
    return ShownGroups((*order[:BEST], *order[-WORST:]), len(order), score.replace("f1", "F1"))


def _order_of_pairs(frame: pl.DataFrame) -> tuple[list[str], bool] | None:
    """Return the systems of pairs, best first if their scores are there too; None of no pairs."""
    import polars as pl

    sides = naming(frame)
    if len(sides) != 2:
        return None
    scores = (score for score in _SCORES if f"{score}_{sides[0]}" in frame.columns)
    known = next((s for s in scores if frame[f"{s}_{sides[0]}"].null_count() < frame.height), "")
    own = pl.concat(
        frame.select(
            pl.col(side).alias("system"),
            (pl.col(f"{known}_{side}") if known else pl.lit(0)).alias("score"),
        )
        for side in sides
    ).unique("system", keep="first", maintain_order=True)
    ordered = own.sort("score", descending=True, nulls_last=True, maintain_order=True)
    return ordered["system"].to_list(), bool(known)


def naming(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns that name the system or the pair that a row is about, if it is."""
    return next((names for names in _NAMED if set(names) <= set(frame.columns)), ())


def rows_shown(frame: pl.DataFrame, shown: ShownSystems) -> pl.DataFrame:
    """Return the rows of the systems shown; all of them where they are of no crowd.

    A system that all pairs are with, such as a baseline, need not be one of those shown.
    """
    import polars as pl

    sides = [side for side in naming(frame) if frame[side].n_unique() > 1]
    several = pl.concat([frame[side].rename("system") for side in sides]) if sides else pl.Series()
    if several.n_unique() <= MOST:
        return frame
    own = pl.all_horizontal(pl.col(side).is_in(list(shown.systems)) for side in sides)
    kept = frame.filter(own)
    return kept if kept.height else frame


def groups_shown(frame: pl.DataFrame, groups: ShownGroups) -> pl.DataFrame:
    """Return the rows of the groups shown, the hardest group first."""
    import polars as pl

    place = pl.DataFrame({_BY: pl.Series(groups.names, dtype=frame.schema[_BY])}).with_row_index()
    joined = frame.join(place, on=_BY, nulls_equal=True, maintain_order="left")
    return joined.sort("index", maintain_order=True).drop("index")


def excerpt_of(
    name: str,
    frame: pl.DataFrame,
    shown: ShownSystems | None,
    groups: ShownGroups | None = None,
    *,
    longer: int = 0,
) -> Excerpt | None:
    """Return what is shown of a table with more rows than ``longer``; None if that is all of it."""
    if frame.height <= longer:
        return None
    kept, notes = frame, []
    if shown is not None:
        kept = rows_shown(kept, shown)
        notes.append(note_on(kept, frame.height, shown))
    if groups is not None and name in _GROUPED and _BY in frame.columns:
        kept = groups_shown(kept, groups)
        notes.append(str(groups))
    note = "; ".join(filter(None, notes))
    return Excerpt(kept, frame.height, note, maker_of(frame)) if note else None


def note_on(kept: pl.DataFrame, rows: int, shown: ShownSystems) -> str:
    """Return which rows of how many are kept; nothing if all are."""
    if kept.height == rows:
        return ""
    if len(naming(kept)) == 1:
        return f"{len(shown.systems):,} of {shown.of:,} systems: {shown}"
    return f"{kept.height:,} of {rows:,} pairs: those of {shown} of {shown.of:,} systems"
