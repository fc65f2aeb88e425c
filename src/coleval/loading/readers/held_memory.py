"""Arrays in memory of C, which is let go when none of them is needed any more."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class HeldMemory:
    """Memory that a function lets go, which is given the structure that says where it is."""

    def __init__(self, free: Callable[[Any], Any], said: ctypes.Structure, *needed: object) -> None:
        """Hold what was found, and what else is needed to let it go."""
        weakref.finalize(self, _let_go, free, said, needed).atexit = False

    def array(self, address: int, kind: str, size: int) -> NDArray[Any]:
        """Return so many numbers of a kind, which are in the memory."""
        return np.asarray(_Shared(self, address, kind, size)) if size else np.zeros(0, kind)


def _let_go(free: Callable[[Any], Any], said: ctypes.Structure, _needed: object) -> None:
    free(ctypes.byref(said))


class _Shared:
    """What numpy takes for an array, in memory that is held as long as that is there."""

    def __init__(self, memory: HeldMemory, address: int, kind: str, size: int) -> None:
        """Look at so many numbers of a kind."""
        self._memory = memory
        self.__array_interface__ = {
            "data": (address, False), "shape": (size,), "typestr": kind, "version": 3,
        }  # fmt: skip
