"""The compiled functions, if there are any: ``COLEVAL_NATIVE=0`` does without them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

FILE = Path(__file__).with_name("_native.so")
# Raised where functions or their arguments change: a file of another build is not used.
VERSION = 9


@cache
def library() -> CDLL | None:
    """Return the functions, which let go of Python's lock while they run; None without any."""
    if os.environ.get("COLEVAL_NATIVE") == "0" or not FILE.exists():
        return None
    from ctypes import CDLL

    try:
        found = CDLL(str(FILE))
        return found if found.coleval_version() == VERSION else None
    except (OSError, AttributeError):
        # Made for another machine, or of another version.
        return None
