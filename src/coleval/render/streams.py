"""Results too large to hold: csv and Parquet written piece by piece, whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from coleval.corpus.output import whole, written
from coleval.errors import UsageError
from coleval.render.delimited import flat
from coleval.render.parquet import storable

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

Pieces = Iterable["pl.DataFrame"]


def streams(form: str | None, output: str | None) -> str:
    """Return the form that a result can be written in piece by piece, nothing if it cannot."""
    chosen = form or ({".csv": "csv", ".parquet": "parquet"}.get(Path(output or "").suffix, ""))
    if chosen not in ("csv", "parquet") or (output and output.endswith(("/", os.sep))):
        return ""
    return chosen if output or chosen == "csv" else ""


def write(pieces: Pieces, form: str, output: str | None) -> None:
    """Write all pieces to a file, or csv to stdout."""
    if output is None:
        with written("standard output", option="-o FILE"):
            sys.stdout.flush()
            csv(pieces, sys.stdout.buffer)
            sys.stdout.flush()
        return
    with written(output), whole(Path(output)) as stream:
        (csv if form == "csv" else parquet)(pieces, stream)


def csv(pieces: Pieces, stream: BinaryIO) -> None:
    """Write pieces as csv, one header."""
    for number, frame in enumerate(pieces):
        text = flat(frame).write_csv(include_header=number == 0)
        stream.write(text.encode())


def parquet(pieces: Pieces, stream: BinaryIO) -> None:
    """Write pieces as the row groups of one Parquet file."""
    import pyarrow.parquet as pq

    writer = None
    try:
        for frame in pieces:
            table = storable(frame).to_arrow()
            writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(_alike(table, writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _alike(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a piece as the first one is typed; raise for numbers that are too large for that."""
    import pyarrow as pa

    try:
        return table if table.schema.equals(schema) else table.cast(schema)
    except pa.ArrowInvalid as error:
        raise UsageError(
            f"a later value does not have the type of the first: {error}",
            remedy="cast the column, for example ::double or ::varchar",
        ) from None
