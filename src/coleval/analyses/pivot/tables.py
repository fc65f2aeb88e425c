"""``pivot``: any column or SQL expression against any other, and where they go together.

Counts come from the engine; expected counts, residuals and scores from them. Cells that nothing
fills are cells too, for that may be the surprise.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.asking import database
from coleval.analyses.pivot.slices import slices
from coleval.analyses.wording import noun_for, number_of
from coleval.corpus.spread import check_by_item, summed
from coleval.declare.analysis import Result
from coleval.errors import UsageError, unknown
from coleval.query.wide import distinct
from coleval.statistics.ratio import null_for_nan, ratio_array, ratio_expr
from coleval.statistics.without_replacement import expected, residual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.analyses.pivot.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.query.cross import Crossed
    from coleval.statistics.measure import Floats

VALUES = ("n", "share", "accuracy", "f1")
GRID, THIN = 20_000, 5


def pivot(corpus: Corpus, options: Options) -> Result:
    """Return ``pivot`` and ``totals``; ``slices`` if ``find`` names one system or two."""
    if options.find:
        attributes = str(options.attributes)
        return Result(slices(corpus, options.find, attributes, options.least))
    keys = keys_of(options.rows, options.cols, options.third)
    kind, systems = _value(corpus, options.value)
    found = _crossed(corpus, keys, systems)
    counted = found.counts
    whole = _scored(_filled(counted, list(keys)), kind, corpus.scoring.zero_division)
    table = _ordered(_surprising(whole, "third" if options.third else None), kind)
    totals = _totals(counted, keys, kind, corpus.scoring.zero_division)
    shown = spread(table, kind) if options.wide else table
    return Result({"pivot": shown, "totals": totals}, warnings=tuple(_notes(found.infinite)))


def _crossed(corpus: Corpus, keys: dict[str, str], systems: list[str]) -> Crossed:
    # ``slices`` asks no database.
    from coleval.query.cross import crossed, crossed_together

    if corpus.spread is None:
        return crossed(database(corpus), keys, systems)
    for text in keys.values():
        check_by_item(text, "--rows, --cols")
    add = partial(crossed_together, keys=list(keys))
    return summed(corpus, partial(_of_part, keys, systems), add)


def _of_part(keys: dict[str, str], systems: list[str], corpus: Corpus) -> Crossed:
    from coleval.query.cross import crossed

    return crossed(database(corpus), keys, systems)


def _notes(infinite: Mapping[str, int]) -> list[str]:
    return [
        f"{name}: {number_of(n, 'value')} {noun_for(n, 'is', 'are')} NaN or infinite and counted "
        "as null"
        for name, n in infinite.items()
        if n
    ]


def keys_of(rows: str, cols: str, third: str) -> dict[str, str]:
    """Return the expressions of rows, columns and layers; raise if rows or columns lack one."""
    if not rows or not cols:
        raise UsageError(
            "a pivot needs two columns",
            where="--rows, --cols",
            remedy="name both: --rows difficulty --cols gold; or --find SYSTEM",
        )
    return {"row": rows, "column": cols, **({"third": third} if third else {})}


def _value(corpus: Corpus, value: str) -> tuple[str, list[str]]:
    kind, _, system = value.partition(":")
    if kind not in VALUES:
        raise unknown("value", kind, VALUES, where="--value")
    if kind in ("n", "share"):
        return kind, []
    if system and system not in corpus.systems:
        raise unknown("system", system, corpus.systems, where="--value")
    return kind, [system] if system else list(corpus.systems)


def _filled(counted: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return the counts with the cells that nothing fills, unless they are too many."""
    known = [counted.select(key).unique(maintain_order=True) for key in keys]
    if np.prod([len(one) for one in known]) > GRID:
        return counted
    grid = known[0]
    for one in known[1:]:
        grid = grid.join(one, how="cross")
    numbers = [name for name in counted.columns if name not in keys]
    joined = grid.join(counted, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col(numbers).fill_null(0))


def _surprising(cells: pl.DataFrame, third: str | None) -> pl.DataFrame:
    """Return share (of the row), expected and residual, each layer of the third by itself."""
    layer = [third] if third else []
    n = pl.col("n")
    sums = cells.with_columns(
        n.sum().over(["row", *layer]).alias("_row"),
        n.sum().over(["column", *layer]).alias("_column"),
        (n.sum().over(layer) if layer else n.sum()).alias("_whole"),
    )
    row, column, whole = (_floats(sums[name]) for name in ("_row", "_column", "_whole"))
    found = {
        "share": ratio_array(_floats(cells["n"]), row),
        "expected": expected(row, column, whole),
        "residual": residual(_floats(cells["n"]), row, column, whole),
    }
    new = [null_for_nan(values).rename(name) for name, values in found.items()]
    score = ["score"] if "score" in cells.columns else []
    return cells.select("row", "column", *layer, "n", *score).with_columns(new).select(
        "row", "column", *layer, "n", *(s.name for s in new), *score
    )  # fmt: skip


def _floats(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).to_numpy()


def _scored(cells: pl.DataFrame, kind: str, zero_division: float | None) -> pl.DataFrame:
    if kind in ("n", "share"):
        return cells
    top, below = ("right_", pl.col("there")) if kind == "accuracy" else (
        "hits", (pl.col("said") + pl.col("wanted")) / 2)  # fmt: skip
    return cells.with_columns(ratio_expr(pl.col(top), below, zero_division).alias("score"))


def _ordered(cells: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return what is surprising first, cells of a handful behind; of scores, the worst."""
    if kind in ("accuracy", "f1"):
        few = pl.col("n") < THIN
        down = [False, False, True]
        return cells.sort(few, "score", "n", descending=down, nulls_last=True, maintain_order=True)
    thin = pl.max_horizontal(pl.col("n").cast(pl.Float64), "expected") < THIN
    strength = pl.col("residual").abs()
    down = [False, True, True]
    return cells.sort(thin, strength, "n", descending=down, nulls_last=True, maintain_order=True)


def _totals(
    counted: pl.DataFrame, keys: dict[str, str], kind: str, zero_division: float | None
) -> pl.DataFrame:
    """Return what every row, column and layer sums up to; ``all`` is everything."""
    numbers = [name for name in counted.columns if name not in keys]
    parts = []
    for axis in keys:
        sums = counted.group_by(axis, maintain_order=True).agg(pl.col(numbers).sum())
        named = sums.select(
            pl.lit(axis).alias("axis"), pl.col(axis).cast(pl.String).alias("value"), *numbers
        )
        parts.append(named.sort("n", descending=True, maintain_order=True))
    null = pl.lit(None, dtype=pl.String).alias("value")
    parts.append(
        counted.select(pl.lit("all").alias("axis"), null, *(pl.col(n).sum() for n in numbers))
    )
    table = _scored(pl.concat(parts), kind, zero_division)
    return table.select("axis", "value", "n", *(["score"] if "score" in table.columns else []))


def spread(table: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return a column for each value of ``column``, rows and columns in their order, with sums."""
    shown = {"n": "n", "share": "share"}.get(kind, "score")
    keys = [key for key in ("third", "row") if key in table.columns]
    known = table.select("column").unique().sort("column", nulls_last=True)["column"].to_list()
    names = distinct(["∅" if v is None else str(v) for v in known], [*keys, "total"])
    cells = [_picked(v, shown).alias(name) for v, name in zip(known, names, strict=True)]
    frame = table.group_by(keys).agg(*cells, pl.col("n").sum().alias("total"))
    return frame.sort(keys, nulls_last=True)


def _picked(value: Any, shown: str) -> pl.Expr:
    column = pl.col("column")
    here = column.is_null() if value is None else column == value
    return pl.col(shown).filter(here).first()
