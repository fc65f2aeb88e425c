"""Whether there is something at a path, for texts that may be no path at all.

``Path`` raises for what is too long for a name, or has a null in it: nothing is there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_there(text: str | Path) -> bool:
    """Tell whether a text names anything there is."""
    return os.path.exists(text)  # noqa: PTH110


def is_file(text: str | Path) -> bool:
    """Tell whether a text names a file."""
    return os.path.isfile(text)  # noqa: PTH113
