"""The names of a table's columns before it is read, by which formats are recognised."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.loading.readers.source import Source

_KEY = re.compile(r'"(\w+)"\s*:')


def schema_names(source: Source) -> list[str]:
    """Return the names of the columns of a data frame or a Parquet or Arrow file."""
    if source.frame is None:
        read = pl.read_parquet_schema if source.raw.startswith(b"PAR1") else pl.read_ipc_schema
        with suppress(pl.exceptions.PolarsError, OSError):
            return list(read(io.BytesIO(source.raw)))
        return []
    frame = source.frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    names = getattr(frame, "column_names", getattr(frame, "columns", ()))
    # Those of a pandas index need not be text; a column of a larger table has none of its own.
    return [str(name) for name in names] if isinstance(names, Iterable) else []


def names_of(line: bytes) -> list[str]:
    """Return the names of columns in the first line of a table: a header, or an object's keys."""
    text = line.decode("utf-8", "replace").strip("\ufeff\r ")
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            found = json.loads(text)
            return list(found) if isinstance(found, dict) else []
        # Only the beginning of a long line is there.
        return _KEY.findall(text)
    separator = next((s for s in ("\t", ",", ";") if s in text), ",")
    return [name.strip(' "') for name in text.split(separator)]
