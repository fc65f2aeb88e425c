"""The whole report as one JSON object: full precision, null for undefined, a row on a line."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

from coleval.render.exact import checked, exact_frames
from coleval.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


def plain(value: object) -> object:
    """Return what JSON has no value for as it has one: decimals as numbers, dates as texts."""
    return float(value) if isinstance(value, Decimal) else str(value)


# One for all rows: ``json.dumps`` makes a new one for each.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=plain)


def render(report: Report, table: str | None = None) -> str:
    """Return the object; a number that is not finite is a bug and raises ``ValueError``."""
    tables = ",\n".join(
        f"    {_value(name)}: {_rows(checked(frame, name))}"
        for name, frame in exact_frames(report, table)
    )
    kept = {name: {"rows": part.frame.height, "of": part.rows, "shown": part.note}
            for name, part in report.excerpts.items()} if table is None else {}  # fmt: skip
    parts = [
        f'  "coleval": {_value(__version__)}',
        f'  "command": {_value(report.command)}',
        f'  "signature": {_value(report.signature)}',
        f'  "warnings": {_lines([_value(text) for text in report.warnings], "  ")}',
        *([f'  "excerpts": {_value(kept)}'] if kept else []),
        f'  "tables": {{\n{tables}\n  }}' if tables else '  "tables": {}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rows(frame: pl.DataFrame) -> str:
    return _lines([_value(row) for row in frame.iter_rows(named=True)], "    ")


def _lines(values: list[str], indent: str) -> str:
    """Return an array with one value a line."""
    inner = f",\n{indent}  ".join(values)
    return f"[\n{indent}  {inner}\n{indent}]" if values else "[]"


def _value(value: object) -> str:
    return _ENCODER.encode(value)
