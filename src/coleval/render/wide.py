"""A long table as the wide one that people print: a row a system, a column a label, or turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.listing import marks, shortened_heads, systems_of, written
from coleval.render.sheet import DASH, PAGE, PAPER, Cell, Head, Sheet
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.declare.tables import CountedItems, Table, WideForm

Values = dict[tuple[str, str], object]
# Cells of a column's name; where columns are few, more of it.
_NARROW, _ROOMY, _FEW = 12, 24, 6
# A range of scores narrower than this is not stretched over the whole scale.
_SPAN = 0.05


def wide_sheet(
    report: Report,
    table: Table,
    wide: WideForm,
    frame: pl.DataFrame,
    width: int,
    *,
    whole: pl.DataFrame | None = None,
    limit: int | None = None,
    summed: pl.DataFrame | None = None,
) -> Sheet:
    """Return the wide table of a frame; on screens of many columns, turned if it may be.

    Parts of a ``whole`` frame have their rows in the same order; there are rows up to a ``limit``.
    Totals are of the rows ``summed``, where these are more than those shown.
    """
    down, sizes = _names(report, wide.down, frame), _sizes(report, wide, frame)
    if whole is not None:
        there = set(down)
        down = [name for name in _names(report, wide.down, whole) if name in there]
    keys = frame.select(wide.down, wide.across).rows()
    cells = frame[wide.cell.name].to_list()
    values = {(_key(a), _key(b)): value for (a, b), value in zip(keys, cells, strict=True)}
    counts = {
        (_key(row[wide.down]), _key(row[wide.across])): table.counted(wide.cell.name, row)
        for row in (frame.iter_rows(named=True) if table.counts and width == PAGE else ())
    }
    drawing = _Drawing(table, wide, values, sizes, counts)
    if wide.turned and _tall(len(down), len(sizes), width):
        return drawing.turned(down, limit)
    return drawing.upright(down, _totals(wide, frame if summed is None else summed), limit)


class _Drawing:
    """What both ways to draw a wide table go by."""

    def __init__(
        self, table: Table, wide: WideForm, values: Values, sizes: Mapping[str, int | None],
        counts: Mapping[tuple[str, str], CountedItems | None],
    ) -> None:  # fmt: skip
        """Work out the shades."""
        self.table, self.wide, self.values, self.sizes = table, wide, values, sizes
        self.counts = counts
        self.signed = wide.shaded and wide.cell.kind == "points"
        shades = _differences if self.signed else _shades
        self.shades = shades(values) if wide.shaded else {}

    def upright(self, names: Sequence[str], totals: Mapping[str, int], limit: int | None) -> Sheet:
        """Return a row for each of ``names``."""
        down = names[:limit]
        columns = [self._cells([(row, name) for row in down]) for name in self.sizes]
        first = [[Cell(visible(row)) for row in down]]
        first += [[Cell(f"{totals[row]:,}", dim=True) for row in down]] if self.wide.total else []
        return Sheet(
            self.table.name,
            self.table.title,
            (Head(self.wide.down, right=False, elastic=True),
             *([Head(self.wide.total.title)] if self.wide.total else []), *self._heads(columns)),
            tuple(zip(*first, *columns, strict=True)),
            (*self._more(len(names) - len(down), "row"), *self.table.notes),
            among=self.wide.among,
            crowd=self.wide.crowd,
        )  # fmt: skip

    def _more(self, rest: int, what: str) -> tuple[str, ...]:
        more = f"… and {rest:,} more {what}s: --as csv --table {self.table.name}"
        return (more,) if rest else ()

    def _heads(self, columns: Sequence[Sequence[Cell]]) -> list[Head]:
        unit = f" {self.wide.headed}" if self.wide.headed else ""
        usual = _ROOMY if len(self.sizes) <= _FEW else _NARROW
        short = distinct(map(visible, self.sizes), self.wide.cells or usual)
        heads = [
            (_below(self._broken(short[visible(name)]) + unit, size),
             _below(self._broken(visible(name)) + unit, size))
            for name, size in self.sizes.items()
        ]  # fmt: skip
        shortened = any(text != full for text, full in heads) or not unit
        return [
            Head(text, marked=any(cell.mark for cell in cells), full=full if shortened else "")
            for (text, full), cells in zip(heads, columns, strict=True)
        ]

    def _broken(self, name: str) -> str:
        return name.replace(self.wide.broken, "\n") if self.wide.broken else name

    def turned(self, down: Sequence[str], limit: int | None) -> Sheet:
        """Return a column for each of ``down``: easier to read where the others are many."""
        wide, shown = self.wide, list(self.sizes)[:limit]
        rows = [
            (Cell(visible(name)), *self._size(name), *self._cells([(row, name) for row in down]))
            for name in shown
        ]
        heads = (
            Head(wide.across, right=False, elastic=True),
            *([Head(wide.below)] if wide.below else []),
        )
        return Sheet(
            self.table.name,
            self.table.title.replace(f"({wide.below} below)", f"(most {wide.below} first)"),
            (*heads, *shortened_heads(down, 16, marked=True)),
            tuple(rows),
            (*self._more(len(self.sizes) - len(shown), wide.across), *self.table.notes),
            among=wide.among,
            crowd=f"{wide.down}s",
        )

    def _size(self, name: str) -> tuple[Cell, ...]:
        size = self.sizes[name]
        return () if size is None else (Cell(f"{size:,}"),)

    def _cells(self, keys: Sequence[tuple[str, str]]) -> list[Cell]:
        """Return the cells of one column, of which the best is marked."""
        cell = self.wide.cell
        known = [self.values.get(key) for key in keys]
        numbers = [value if isinstance(value, int | float) else None for value in known]
        texts = [written(cell, {cell.name: value}) for value in known]
        return [
            Cell(text, sign, self.shades.get(value) if value is not None else None,
                 dim=value is None, signed=self.signed, counts=self.counts.get(key))
            for key, text, sign, value in zip(
                keys, texts, marks(numbers, cell.better), numbers, strict=True
            )
        ]  # fmt: skip


def _names(report: Report, name: str, frame: pl.DataFrame) -> list[str]:
    if name == "system":
        return systems_of(report, frame)
    return [_key(value) for value in frame[name].unique(maintain_order=True)]


def _key(value: object) -> str:
    """Return what stands before a row or over a column: a dash for items without a value."""
    return DASH if value is None else str(value)


def _sizes(report: Report, wide: WideForm, frame: pl.DataFrame) -> dict[str, int | None]:
    """Return what stands at the head of the columns, with the counts below them."""
    if not wide.below:
        return dict.fromkeys(_names(report, wide.across, frame))
    sizes: dict[str, int | None] = {}
    for name, size in frame.select(wide.across, wide.below).iter_rows():
        sizes[_key(name)] = max(sizes.get(_key(name)) or 0, size or 0)
    if not wide.sorted:
        return sizes
    return dict(sorted(sizes.items(), key=lambda pair: -(pair[1] or 0)))


def _totals(wide: WideForm, frame: pl.DataFrame) -> dict[str, int]:
    """Return the sum of a count over each row."""
    found: dict[str, int] = {}
    if wide.total is None:
        return found
    for name, n in frame.select(wide.down, wide.total.name).iter_rows():
        found[_key(name)] = found.get(_key(name), 0) + n
    return found


def _below(name: str, size: int | None) -> str:
    return name if size is None else f"{name}\n{size:,}"


def _tall(down: int, across: int, width: int) -> bool:
    """Return whether columns become rows: a screen scrolls, paper has more room down."""
    if width >= PAPER and across > 8:
        return across > down
    return down <= _FEW and across > 8


def _differences(values: Values) -> dict[float, float]:
    """Return the shade of each difference: half for none, less for a loss, more for a gain."""
    known = [value for value in values.values() if isinstance(value, int | float)]
    most = max(map(abs, known), default=0.0)
    return {value: (1 + value / most) / 2 if most else 0.5 for value in known}


def _shades(values: Values) -> dict[float, float]:
    """Return how strongly to tint a value; a twentieth at either end does not stretch the scale."""
    known = sorted(value for value in values.values() if isinstance(value, int | float))
    if not known:
        return {}
    low, high = known[len(known) // 20], known[-1 - len(known) // 20]
    span = max(high - low, _SPAN)
    return {value: min(1.0, max(0.0, (value - low) / span)) for value in known}
