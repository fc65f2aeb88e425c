"""Results too large to hold: csv and Parquet written piece by piece, whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from coleval.output import whole, written

if TYPE_CHECKING:
    import polars as pl

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
        text = frame.write_csv(include_header=number == 0)
        stream.write(text.encode())


def parquet(pieces: Pieces, stream: BinaryIO) -> None:
    """Write pieces as the row groups of one Parquet file."""
    import pyarrow.parquet as pq

    writer = None
    try:
        for frame in pieces:
            table = frame.to_arrow()
            writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
