"""The special functions of scipy, without the rest of their package.

To import ``scipy.special`` prepares them for the arrays of other libraries, and brings in test
frameworks and a reader of Fortran: 90 ms, more than all tests of a usual report. The functions
themselves are one module of it, imported in 6 ms: ``from coleval.statistics.special import ndtr``.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_WHOLE, _FUNCTIONS = "scipy.special", "scipy.special._ufuncs"


def __getattr__(name: str) -> Any:
    """Return a function of scipy."""
    if name.startswith("_"):
        raise AttributeError(name)
    found = getattr(_functions(), name, None)
    return getattr(import_module(_WHOLE), name) if found is None else found


@cache
def _functions() -> ModuleType:
    """Return the module of the functions, all of the package if it cannot be had alone."""
    if _WHOLE in sys.modules:
        return sys.modules[_WHOLE]
    try:
        return _alone()
    except (ImportError, AttributeError):
        return import_module(_WHOLE)


def _alone() -> ModuleType:
    """Import the module of the functions, an empty package standing for its own meanwhile."""
    spec = find_spec(_WHOLE)
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError(_WHOLE)
    package = ModuleType(_WHOLE)
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules[_WHOLE] = package
    try:
        return import_module(_FUNCTIONS)
    finally:
        # Whoever wants the package gets its own; a module that was imported stays the same one.
        del sys.modules[_WHOLE]
