"""Modules of the standard library that others import and a command does not need.

Polars and numpy import them when they are imported themselves, and use them in functions that no
command calls: to ask for credentials, to find plugins, to pickle. They are imported when somebody
looks at what is in them, so that a short run does without (a thirtieth of it).
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import Lock
from types import ModuleType
from typing import Any

# Each with what imports it; those that it imports in turn (email, zipfile, socket …) stay out too.
LATE = (
    "importlib.metadata",  # polars.io.iceberg
    "uuid",  # polars.io.iceberg
    "subprocess",  # polars.io.cloud
    "pickle",  # numpy._core
)
_LOCK = Lock()


class _LateModule(ModuleType):
    """What stands for a module until somebody looks at what is in it, and passes on what is."""

    def __getattr__(self, name: str) -> Any:
        with _LOCK:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_late(names: tuple[str, ...] = LATE) -> None:
    """Let modules be imported when they are used; those that are there already stay as they are."""
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is None:
            continue
        module = module_from_spec(spec)
        module.__class__ = _LateModule
        sys.modules[name] = module
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, module)
