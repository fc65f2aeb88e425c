"""One table with its types; the signature is in the file's metadata as ``coleval.signature``."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from coleval.render.exact import checked
from coleval.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


def render(report: Report, table: str | None = None) -> bytes:
    """Return ``table``, the first one by default."""
    name = table or next(iter(report.tables))
    metadata = {
        "coleval": __version__,
        "coleval.command": report.command,
        "coleval.table": name,
        "coleval.signature": report.signature,
    }
    file = BytesIO()
    frame = storable(checked(report.table(table), name))
    frame.write_parquet(file, compression="zstd", metadata=metadata)
    return file.getvalue()


def storable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with whole numbers beyond 64 bits as floating-point ones, as DuckDB does."""
    import polars as pl

    return frame.cast({pl.Int128: pl.Float64})
