"""Results too large to hold: csv and Parquet written piece by piece, whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

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
        sys.stdout.flush()
        csv(pieces, sys.stdout.buffer)
        return
    _whole(Path(output), pieces, csv if form == "csv" else parquet)


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


def _whole(path: Path, pieces: Pieces, write: Callable[[Pieces, BinaryIO], None]) -> None:
    from coleval.renderers.files import mendable

    part = path.absolute().with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            write(pieces, stream)
        part.replace(path.resolve())
    except OSError as error:
        raise mendable(path, error) from error
    finally:
        part.unlink(missing_ok=True)
