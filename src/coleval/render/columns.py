"""What a column means to a reader: its header, how its values are written, which end is good.

One vocabulary for every command: a column has the same header and the same number of digits in
every table. Names that are not here get a header from the name and a form from the type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.declare.columns import VOCABULARY
from coleval.declare.tables import Column, Kind
from coleval.render.sheet import DASH
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

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
