r"""One table as csv or tsv: a header, full precision, and nothing but data.

csv quotes as RFC 4180 does; null is empty, an empty string is ``""``. tsv escapes instead: a TAB
is ``\t``, a newline ``\n``, a carriage return ``\r``, a backslash ``\\``; null is empty.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coleval.render.exact import checked
from coleval.render.json_object import plain

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report

_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def csv(report: Report, table: str | None = None) -> str:
    """Return ``table``, the first one by default, with commas."""
    return _flat(report, table).write_csv()


def tsv(report: Report, table: str | None = None) -> str:
    """Return ``table``, the first one by default, with TABs."""
    import polars as pl

    frame = _flat(report, table).cast({pl.Enum: pl.String, pl.Categorical: pl.String})
    escaped = frame.with_columns(_escaped(pl.col(pl.String))).rename(_escaped_name)
    return escaped.write_csv(separator="\t", quote_style="never")


def _flat(report: Report, table: str | None) -> pl.DataFrame:
    return flat(checked(report.table(table), table or next(iter(report.tables))))


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with lists and structs as JSON, for there is no room for them in csv."""
    import polars as pl

    nested = [key for key, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.Series(key, [_json(value) for value in frame[key].to_list()], pl.String)
        for key in nested
    )


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=plain)


def _escaped(text: pl.Expr) -> pl.Expr:
    for character, escape in _ESCAPES.items():
        text = text.str.replace_all(chr(character), escape, literal=True)
    return text


def _escaped_name(name: str) -> str:
    return name.translate(_ESCAPES)
