"""Whether there is a file, whatever a path is: one that is too long, or has a NUL, names none.

And which sources are no paths but addresses: ``duckdb:FILE#TABLE``, ``https://…``.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path

_ADDRESS = re.compile(r"(duckdb|sqlite|postgres(?:ql)?):|(https?|s3)://")
# Of connections and of addresses that somebody has signed.
_SECRET = re.compile(
    r"(?i)\b((?:password|sig|[\w-]*(?:token|signature|secret))=)('[^']*'|[^\s&#]+)"
)


def is_file(path: str | Path) -> bool:
    """Tell whether there is such a file; pathlib raises for a name that no system allows."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Tell whether there is such a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: str | Path) -> bool:
    """Tell whether there is anything so called."""
    return os.path.exists(path)  # noqa: PTH110


def is_address(path: str) -> bool:
    """Return whether a source is an address; a file that is called so is a file."""
    return _ADDRESS.match(path) is not None and not is_file(path)


def without_password(text: str) -> str:
    """Return a word of a command without passwords and tokens, if it has an address."""
    if "://" not in text and "postgres" not in text:
        return text
    text = re.sub(r"(://[^/@:\s]*):[^/@\s]*@", r"\1:***@", text)
    return re.sub(_SECRET, r"\1***", text)


def address_name(address: str) -> str:
    """Return what an address is of: a table without its schema, or the name of a file."""
    if "://" not in address or address.startswith("postgres"):
        return address.rpartition("#")[2].rpartition(".")[2]
    return Path(address.partition("?")[0].partition("#")[0]).name
