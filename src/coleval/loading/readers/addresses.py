"""Addresses as sources: tables of databases, and files of the web or of S3, as bytes.

``duckdb:FILE#TABLE``, ``sqlite:FILE#TABLE``, ``postgres:…#TABLE``, ``https://…``, ``s3://…``: what
comes back is what a file would hold, so that every format and command reads them.
"""

from __future__ import annotations

from coleval.corpus.paths import without_password
from coleval.errors import DataError
from coleval.version import __version__

# Seconds without an answer.
_PATIENCE = 60


def fetched(address: str) -> bytes:
    """Return the bytes of an address."""
    kind = address.partition(":")[0]
    if kind == "s3":
        return _of_s3(address)
    if kind in ("http", "https"):
        return _of_web(address)
    from coleval.query.databases import table_stream

    place, mark, table = address.partition(":")[2].rpartition("#")
    if not mark:
        place, table = table, ""
    if kind.startswith("postgres"):
        kind, place = "postgres", f"postgresql:{place}" if place.startswith("//") else place
    return table_stream(kind, place, table, without_password(address))


def _of_web(address: str) -> bytes:
    """Return what a web server sends; a page for people, which is what GitHub shows, is no data."""
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    shown = without_password(address)
    request = Request(address, headers={"User-Agent": f"coleval/{__version__}"})  # noqa: S310
    try:
        with urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310  - http, by `is_address`
            data: bytes = answer.read()
            is_page = answer.headers.get_content_type() == "text/html"
    except HTTPError as error:
        remedy = "check the address" if error.code in (404, 410) else "download it by other means"
        problem = f"the server answers {error.code} {error.reason}"
        raise DataError(problem, where=shown, remedy=f"{remedy}, and name the file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DataError(
            f"cannot be fetched ({reason})", where=shown,
            remedy="check the address and the network, or download it and name the file",
        ) from None  # fmt: skip
    if is_page:
        raise DataError(
            "is a page for people, not data", where=shown,
            remedy="name the address of the file itself (GitHub: that of `Raw`)",
        )  # fmt: skip
    return data


def _of_s3(address: str) -> bytes:
    """Return an object of S3; keys, region and endpoint are those of AWS_… and ~/.aws."""
    from pyarrow import ArrowException

    try:
        from pyarrow.fs import FileSystem

        system, path = FileSystem.from_uri(address)
        with system.open_input_file(path) as file:
            data: bytes = file.readall()
    except FileNotFoundError:
        raise DataError("no such object", where=address, remedy="check bucket and key") from None
    except (ImportError, OSError, ArrowException) as error:
        raise DataError(
            f"cannot be fetched ({str(error).partition(chr(10))[0]})", where=address,
            remedy="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_REGION, "
            "AWS_ENDPOINT_URL), or download it and name the file",
        ) from None  # fmt: skip
    return data
