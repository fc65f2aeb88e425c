"""All harnesses: a line for each. They are imported when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.model import Harness

# Modules of this folder, each with a tuple HARNESSES.
MODULES: tuple[str, ...] = (
    "reading", "meaning", "names", "killing", "parallel", "sandbox", "signatures",
)  # fmt: skip


def harnesses() -> dict[str, Harness]:
    """Return the harnesses by their names, in the order of the registry."""
    every = [one for name in MODULES for one in import_module(f"fuzz.{name}").HARNESSES]
    return {one.name: one for one in every}
