"""Whether there is a file, whatever a path is: one that is too long, or has a NUL, names none."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_file(path: str | Path) -> bool:
    """Tell whether there is such a file; pathlib raises for a name that no system allows."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Tell whether there is such a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: str | Path) -> bool:
    """Tell whether there is anything so called."""
    return os.path.exists(path)  # noqa: PTH110
