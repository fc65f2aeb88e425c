"""Bytes that are packed: which they are by their beginning, and what is in them."""

from __future__ import annotations

from coleval.errors import DataError

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}


def decompressed(data: bytes, path: str) -> bytes:
    """Return what is in some bytes, themselves if they are not packed."""
    kind = next((k for magic, k in MAGIC.items() if data.startswith(magic)), None)
    if kind is None:
        return data
    try:
        return _expand(data, kind)
    except _damage(kind) as error:
        raise DataError(
            f"the {kind} data are damaged ({error})", where=path, remedy="fetch the file again"
        ) from None


def _damage(kind: str) -> tuple[type[Exception], ...]:
    """Return the errors by which a decompressor says that its data are damaged."""
    import lzma
    import zlib

    own = {"gzip": (zlib.error,), "xz": (lzma.LZMAError,)}.get(kind, ())
    return (OSError, EOFError, ValueError, *own)


def _expand(data: bytes, kind: str) -> bytes:
    if kind == "gzip":
        import gzip

        return gzip.decompress(data)
    if kind == "bz2":
        import bz2

        return bz2.decompress(data)
    if kind == "xz":
        import lzma

        return lzma.decompress(data)
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        return bytes(stream.read())
