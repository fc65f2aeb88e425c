"""``--by``: an analysis once for each dataset, document or other group of the items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items, selected_items
from coleval.corpus.coverage import ERROR, LEAVE_OUT, WRONG, not_run
from coleval.corpus.coverage import settled as covered
from coleval.corpus.disk import DiskCodes
from coleval.corpus.grid import Grid, corpus_of
from coleval.corpus.spread import check_by_item, each, summed
from coleval.errors import UsageError
from coleval.query.quoting import literal, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Analysis

BY = "by"
# Values of several columns in one name, and what stands for an item without a value.
JOINT, NONE = " · ", "–"
MOST = 2_000


@dataclass(frozen=True, slots=True)
class Group:
    """The items of one value of every column, and the systems that have run on none of them."""

    name: str | None
    corpus: Corpus
    missing: tuple[str, ...] = ()


def groups_of(corpus: Corpus, by: Sequence[str]) -> list[Group]:
    """Return the groups of a corpus in the order of its items; those of numbers rise."""
    found: list[tuple[tuple[str | None, ...], Corpus]] = [((), corpus)]
    for column in by:
        found = [
            ((*names, name), part) for names, one in found for name, part in _parts(one, column)
        ]
    if corpus.scoring.where:
        found = [(names, part) for names, part in found if len(scored_items(part))]
    if not found:
        raise no_groups(by)
    return [_group(names, part) for names, part in found]


def no_groups(by: Sequence[str]) -> UsageError:
    """Return the error that there is nothing to group."""
    return UsageError(
        "there are no items to group",
        where=f"--by {', '.join(by)}",
        remedy="leave it out: neither gold nor a system has anything here",
    )


def _group(names: Sequence[str | None], corpus: Corpus) -> Group:
    name = names[0] if len(names) == 1 else JOINT.join(n or NONE for n in names)
    return Group(name, corpus, _missing(corpus))


def _missing(corpus: Corpus) -> tuple[str, ...]:
    """Return the systems that have run on no file with items of a group, or answer none of them."""
    policy, where = corpus.scoring.missing, corpus.scoring.where
    if policy == ERROR:
        return ()
    if not where:
        return not_run(corpus)
    if corpus.grid is not None and corpus.grid.missing(corpus.systems):
        cells = [corpus.grid.cells[at] for at in sorted(_cells_with_items(corpus))]
        corpus = replace(corpus, grid=Grid(tuple(cells)))
    return not_run(corpus, selected_items(corpus))


def _cells_with_items(corpus: Corpus) -> set[int]:
    """Return the numbers of the gold files of which a filter keeps any item."""
    if corpus.spread is not None:
        found = each(corpus, _cells_with_items)
        both = zip(corpus.spread.parts, found, strict=True)
        return {part.cells[at] for part, own in both for at in own}
    if corpus.grid is None:
        return {0}
    items = selected_items(corpus)
    starts = corpus.grid.starts(corpus.task_kind.source_unit or items.unit)
    return set((np.searchsorted(starts, items.numbers, side="right") - 1).tolist())


def _parts(corpus: Corpus, column: str) -> Iterator[tuple[str | None, Corpus]]:
    """Yield every value of a column with its items: whole files, or what a filter keeps."""
    grid = corpus.grid
    if grid is not None and column in ("dataset", "part") and getattr(grid.cells[0], column):
        for place, cells in grid.numbers(column).items():
            yield place, corpus_of(corpus, cells)
        return
    for name in _values(corpus, column):
        yield name, corpus.with_options(where=_condition(corpus, column, name))


def group_names(corpus: Corpus, by: Sequence[str]) -> pl.Series:
    """Return the group of every item: one column as it is, several as the name of the crossing."""
    columns = [_column(corpus, column) for column in by]
    if len(columns) == 1:
        return columns[0]
    frame = pl.DataFrame([c.cast(pl.String).alias(str(at)) for at, c in enumerate(columns)])
    return frame.select(pl.concat_str(pl.all().fill_null(NONE), separator=JOINT)).to_series()


def _column(corpus: Corpus, text: str) -> pl.Series:
    """Return a column or an expression; columns are kept where answers are: in memory."""
    from coleval.analyses.asking import wide_table
    from coleval.query.expressions import expression_values

    wide = wide_table(corpus)
    name = text.strip()
    if name in wide.names:
        limited = isinstance(wide.items.answers, DiskCodes)
        return wide.makers[name]() if limited else wide.column(name)
    return expression_values(wide, text, "--by")


def _values(corpus: Corpus, column: str) -> list[str | None]:
    if corpus.spread is not None:
        check_by_item(column, "--by")
        values = summed(corpus, partial(_distinct, column), pl.concat)
    else:
        values = _column(corpus, column)
    distinct = values.unique(maintain_order=True)
    if len(distinct) > MOST:
        raise UsageError(
            f"has {len(distinct):,} values: too many groups",
            where=f"--by {column}",
            remedy="group by what has fewer, such as a range: --by 'sentence // 100'",
        )
    order = distinct.sort(nulls_last=True) if distinct.dtype.is_numeric() else distinct
    return order.cast(pl.String).to_list()


def _distinct(column: str, corpus: Corpus) -> pl.Series:
    values = _column(corpus, column).rename("value")
    plain = values if values.dtype.is_numeric() else values.cast(pl.String)
    return plain.unique(maintain_order=True)


def _condition(corpus: Corpus, column: str, value: str | None) -> str:
    """Return the filter that keeps a group, behind the one that there is."""
    exact = column.strip() in _names(corpus)
    written = quoted(column.strip()) if exact else f"({column})"
    own = f"{written}::varchar is not distinct from {literal(value)}"
    before = corpus.scoring.where
    return f"({before}) and {own}" if before else own


def _names(corpus: Corpus) -> tuple[str, ...]:
    from coleval.analyses.asking import wide_table

    if corpus.spread is not None:
        return summed(corpus, _names, _first)
    return wide_table(corpus).names


def _first(parts: list[tuple[str, ...]]) -> tuple[str, ...]:
    return max(parts, key=len)


@dataclass(frozen=True, slots=True)
class Grouping:
    """The first table of an analysis for every group, and the systems that lack whole groups.

    ``of_gold`` is that of one system in groups that nobody has run on wholly: what gold has there.
    """

    table: pl.DataFrame
    missing: frozenset[tuple[str | None, str]]
    of_gold: pl.DataFrame


def grouped(analysis: Analysis[..., Any], corpus: Corpus, options: Any) -> Grouping:
    """Return the first table of an analysis for every group, behind the name of the group."""
    alone = replace(options, by=())
    frames: list[pl.DataFrame] = []
    of_gold = [pl.DataFrame()]
    missing: set[tuple[str | None, str]] = set()
    groups = groups_of(corpus, options.by)[::-1]

    def first_table(group: Group, part: Corpus) -> pl.DataFrame:
        table = _first_table(analysis, part, alone)
        return table.select(pl.lit(group.name, pl.String).alias(BY), pl.all())

    while groups:
        # What was counted of a group goes with it.
        group = groups.pop()
        missing |= {(group.name, system) for system in group.missing}
        if (part := _there(group)).entries:
            frames.append(first_table(group, part))
        if analysis.ranking and corpus.scoring.missing == LEAVE_OUT and not _whole(group):
            whole = group.corpus.scored_by({"missing": WRONG})
            of_gold.append(first_table(group, replace(whole, entries=whole.entries[:1])))
    gold = pl.concat(of_gold, how="diagonal_relaxed")
    table = pl.concat(frames or [gold.clear()], how="diagonal_relaxed")
    return Grouping(_marked(table, missing), frozenset(missing), gold)


def _whole(group: Group) -> bool:
    """Return whether some system has run on all files of a group, so that its counts are gold's."""
    cells = group.corpus.grid.cells if group.corpus.grid else ()
    return any(
        all(name in cell.entries for cell in cells)
        for name in group.corpus.systems
        if name not in group.missing
    )


def _marked(table: pl.DataFrame, missing: Collection[tuple[str | None, str]]) -> pl.DataFrame:
    """Return the table with the rows marked of systems that have not run on a group (``ran``)."""
    if not missing or "system" not in table.columns:
        return table
    absent = pl.DataFrame(list(missing), {BY: pl.String, "system": pl.String}, orient="row")
    absent = absent.with_columns(ran=pl.lit(value=False))
    joined = table.join(absent, [BY, "system"], "left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col("ran").fill_null(value=True))


def _there(group: Group) -> Corpus:
    """Return a group without the systems that have not run on it, if these are left out."""
    if not group.missing or group.corpus.scoring.missing != LEAVE_OUT:
        return group.corpus
    present = [name for name in group.corpus.systems if name not in group.missing]
    entries = tuple(entry for entry in group.corpus.entries if entry.name in present)
    return replace(group.corpus, entries=entries)


def _first_table(analysis: Analysis[..., Any], corpus: Corpus, options: Any) -> pl.DataFrame:
    from coleval.analyses.running import resulting, settled

    chosen, _ = covered(corpus, each=analysis.each)
    tables = resulting(analysis.counted(settled(analysis.name, chosen), options)).tables
    return next(iter(tables.values()))
