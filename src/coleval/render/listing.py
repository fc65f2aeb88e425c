"""A frame row for row; what its columns mean, and which cells are best and worst."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from coleval.declare.columns import VOCABULARY
from coleval.declare.tables import Column, Kind, end_of
from coleval.render.fitting import taken
from coleval.render.sheet import BEST, DASH, PAGE, WORST, Cell, Head, Sheet, filled
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.declare.tables import Table


Row = Mapping[str, object]
# Cells of the longest bar, how few are too few for bars, and cells of the words that a screen
# shows on either side of an item.
BAR, SHORTEST, NEAR = 30, 4, 22
# The column of places among all rows, where only some are shown.
PLACE = "#"


def listing(
    frame: pl.DataFrame,
    *,
    name: str,
    title: str,
    columns: Sequence[Column] = (),
    ranked_by: str = "",
    limit: int | None = None,
    width: int = 0,
    table: Table | None = None,
) -> Sheet:
    """Return one line a row, cut after ``limit``; all columns that hold anything by default.

    A ``table`` may declare which items the numbers count.
    """
    chosen = _holding(
        frame, columns or [column_for(key, frame.schema[key]) for key in frame.columns]
    )
    rows = frame.head(limit).to_dicts() if limit else frame.to_dicts()
    plain = [column for column in chosen if column.kind != "bar"]
    cells = [_cells(column, rows, width, compare=bool(columns)) for column in plain]
    if table is not None and table.counts and width == PAGE:
        cells = [
            [
                replace(cell, counts=table.counted(column.name, row))
                for cell, row in zip(below, rows, strict=True)
            ]
            for column, below in zip(plain, cells, strict=True)
        ]
    heads = [_head(column, below) for column, below in zip(plain, cells, strict=True)]
    if ranked_by in frame.columns and len(rows) > 1:
        heads.insert(0, Head("#"))
        known = PLACE in frame.columns
        places = [row[PLACE] for row in rows] if known else places_of(frame[ranked_by].to_list())
        cells.insert(0, [Cell(str(place), dim=True) for place in places[: len(rows)]])
    sheet = Sheet(
        name, title, tuple(heads), tuple(zip(*cells, strict=True)),
        _more(len(rows), frame.height, name), among="of its column",
    )  # fmt: skip
    for column in (column for column in chosen if column.kind == "bar"):
        sheet = _barred(sheet, frame[column.name].to_list(), width)
    return sheet


def _barred(sheet: Sheet, values: Sequence[object], width: int) -> Sheet:
    """Return a sheet with bars in the room that its columns leave, without any if it is little."""
    room = min(BAR, width - taken(sheet)) if sheet.heads else 0
    if room < SHORTEST:
        return sheet
    sizes = [value if isinstance(value, int | float) else 0 for value in values]
    most = max(sizes, default=0)
    bars = [Cell(bar(size, most, room), bar=filled(size, most)) for size in sizes]
    rows = tuple((*row, own) for row, own in zip(sheet.rows, bars, strict=False))
    return replace(sheet, heads=(*sheet.heads, Head("", right=False)), rows=rows)


def _holding(frame: pl.DataFrame, columns: Sequence[Column]) -> list[Column]:
    """Return the columns there are, without those that hold nothing but nulls."""
    there = [column for column in columns if column.name in frame.columns]
    return [c for c in there if frame.is_empty() or frame[c.name].null_count() < frame.height]


def _cells(column: Column, rows: Sequence[Row], width: int, *, compare: bool) -> list[Cell]:
    values = [_comparable(column, row) for row in rows]
    signs = marks(values, column.better if compare else "")
    texts = [written(column, row) for row in rows]
    if column.kind in ("before", "after") and width < PAGE:
        texts = [near(text, column.kind) for text in texts]
    return [Cell(text, sign) for text, sign in zip(texts, signs, strict=True)]


def bar(size: float, longest: float, room: int = BAR) -> str:
    """Return a bar as long as ``size`` is of ``longest``; a sliver for what would be invisible."""
    if not size or not longest:
        return ""
    eighths = max(1, round(8 * room * size / longest))
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]


def near(text: str, side: str) -> str:
    """Return the words that stand next to an item: far words go before near ones."""
    if len(text) <= NEAR + 1:
        return text
    return f"…{text[-NEAR:]}" if side == "before" else f"{text[:NEAR]}…"


def _comparable(column: Column, row: Row) -> float | None:
    value = row[column.name]
    if not isinstance(value, int | float):
        return None
    if column.kind != "share":
        return value
    whole = row.get(column.whole)
    return value / whole if isinstance(whole, int) and whole else None


def _head(column: Column, cells: Sequence[Cell]) -> Head:
    return Head(
        column.title,
        right=not column.textual,
        elastic=column.kind in ("text", "prose", "before", "after"),
        marked=any(cell.mark for cell in cells),
        prose=column.kind == "prose",
        column=column.name,
    )


def places_of(values: Sequence[object]) -> list[int]:
    """Return places from 1; neighbours with equal values share one."""
    places: list[int] = []
    for at, value in enumerate(values):
        tied = at > 0 and value is not None and value == values[at - 1]
        places.append(places[-1] if tied else at + 1)
    return places


def _more(shown: int, there: int, name: str) -> tuple[str, ...]:
    if shown == there:
        return ()
    return (f"… and {there - shown:,} more rows: --as csv --table {name}",)


# Shares of 1 and differences of such, with what may follow in the name of a column.
_SHARES = ("share", "coverage", "oracle", "best", "macro", "pooled", "aligned_accuracy")
_POINTS = ("delta", "gain", "loss")
# Digits of a number whose column does not say how many.
_USUAL = 4
_ENDING = re.compile(r"_(before|after|low|high|a|b)$")


def column_for(name: str, dtype: pl.DataType) -> Column:
    """Return what is known of a column, or what its name and its type say."""
    title, kind = visible(name.replace("_", " ")), _kind(dtype)
    if name in VOCABULARY and (VOCABULARY[name].textual or kind != "text"):
        return VOCABULARY[name]
    if kind != "decimal":
        return Column(name, title, kind)
    return Column(name, *_with_unit(_ENDING.sub("", name), title))


def _with_unit(stem: str, title: str) -> tuple[str, Kind]:
    """Return the title and the kind of a column of fractions, whose unit its name says."""
    known = VOCABULARY.get(stem)
    if stem in _SHARES or stem.startswith("share_") or (known and known.kind == "ratio"):
        return f"{title} %", "ratio"
    if stem in _POINTS or stem.endswith("_delta"):
        return f"{title}\npoints", "points"
    return title, "decimal"


def _kind(dtype: pl.DataType) -> Kind:
    if dtype.is_integer():
        return "count"
    if dtype.is_float() or dtype.is_decimal():
        return "decimal"
    return "flag" if str(dtype) == "Boolean" else "text"


def written(column: Column, row: Mapping[str, object]) -> str:
    """Return the value of ``column`` in ``row`` as a person reads it, a dash for undefined."""
    value = row[column.name]
    if value is None:
        return DASH
    if column.names is not None:
        return column.names.get(str(value), visible(str(value)))
    if column.kind in ("share", "pair"):
        return _part(column.kind, value, row.get(column.whole))
    if column.kind == "flag":
        return "yes" if value else "no"
    if isinstance(value, int | float) and not column.textual:
        return _number(column.kind, value, column.digits)
    return _text(value)[: 12 if column.kind == "digest" else None]


def _part(kind: Kind, part: object, whole: object) -> str:
    if not isinstance(part, int) or not isinstance(whole, int):
        return DASH
    if kind == "pair":
        return f"{part:,}/{whole:,}"
    return ratio(part / whole) if whole else DASH


def _number(kind: Kind, value: float, digits: int | None) -> str:
    if kind == "count":
        return f"{value:,}"
    if kind == "ratio":
        return ratio(value, 2 if digits is None else digits)
    if kind == "points":
        return _without_minus_zero(f"{100 * value:+.2f}")
    return _decimal(value, _USUAL if digits is None else digits)


def scores_of(frame: pl.DataFrame) -> Callable[[object], str]:
    """Return how the scores of a frame are written: in percent, or as the numbers they are."""
    return plain if end_of(frame) else ratio


def plain(value: object) -> str:
    """Return a number, a dash for undefined."""
    return _decimal(value, _USUAL) if isinstance(value, int | float) else DASH


def ratio(value: object, digits: int = 2) -> str:
    """Return a share of 1 in percent, a dash for undefined."""
    if not isinstance(value, int | float):
        return DASH
    return _without_minus_zero(f"{100 * value:.{digits}f}")


def whole(value: object) -> str:
    """Return a count with its thousands apart, a dash for undefined."""
    return f"{value:,}" if isinstance(value, int) else DASH


def _decimal(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    if value == 0 or text.strip("-0.,"):
        return _without_minus_zero(text)
    if digits == _USUAL:
        return f"{value:.1e}"
    # Nearer to 0 than this is what rounding leaves of a sum.
    small = digits >= 2 and abs(value) > 1e-9
    return f"{value:.2g}" if small else _without_minus_zero(text)


def _without_minus_zero(text: str) -> str:
    return text if text.strip("+-0.,") else text.lstrip("+-")


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(part) for part in value)
    return visible(str(value))


# What the marks mean where they are signs.
_SIGNS = {BEST: f"{BEST} best", WORST: f"{WORST} worst"}


def marks(values: Sequence[float | None], better: Literal["high", "low", ""]) -> list[str]:
    """Return a mark or nothing for each value; equal values share theirs.

    Nothing is marked where all are equal; the worst only where more than two can be compared, and
    not where more than three share it.
    """
    known = [value for value in values if value is not None]
    if not better or len(set(known)) < 2:
        return [""] * len(values)
    best, worst = max(known), min(known)
    if better == "low":
        best, worst = worst, best
    last = {worst: WORST} if len(known) > 2 and known.count(worst) <= 3 else {}
    signs = {best: BEST} | last
    return ["" if value is None else signs.get(value, "") for value in values]


def legend(cells: Iterable[Cell], among: str, words: Mapping[str, str] = _SIGNS) -> tuple[str, ...]:
    """Return the line that explains the marks and dashes in ``cells``, none if there are none."""
    signs, texts = set[str](), set[str]()
    for cell in cells:
        signs.add(cell.mark)
        texts.add(cell.text)
    said = ", ".join(word for sign, word in words.items() if sign in signs)
    marked = [f"{said} {among}".strip()] if said else []
    undefined = [f"{DASH} undefined"] if DASH in texts else []
    return (" · ".join([*marked, *undefined]),) if marked or undefined else ()


def shortened_heads(names: Sequence[str], cells: int, *, marked: bool = False) -> list[Head]:
    """Return a head for each name in at most ``cells``, with the name in full behind it."""
    shown = [visible(name) for name in names]
    short = distinct(shown, cells)
    return [Head(short[name], marked=marked, full=name) for name in shown]


def systems_of(report: Report, frame: pl.DataFrame) -> list[str]:
    """Return the systems of ``frame``, each once, as a leaderboard orders them if there is one."""
    here = dict.fromkeys(str(name) for name in frame["system"].unique(maintain_order=True))
    tables = report.tables
    ranked = next((tables[name] for name in ("ranking", "overall") if name in tables), None)
    if ranked is None or "system" not in ranked.columns:
        return list(here)
    best_first = dict.fromkeys(str(name) for name in ranked["system"])
    return [name for name in best_first if name in here] + [n for n in here if n not in best_first]
