"""One table with its types; the signature is in the file's metadata as ``coleval.signature``."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from coleval.renderers.exact import checked
from coleval.version import __version__

if TYPE_CHECKING:
    from coleval.report import Report


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
    checked(report.table(table), name).write_parquet(file, compression="zstd", metadata=metadata)
    return file.getvalue()
