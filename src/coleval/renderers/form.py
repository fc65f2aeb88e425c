"""What a form of output is: a name, the suffixes that ask for it, and who writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from coleval.report import Report

Renderer = Callable[["Report", str | None], str | bytes]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a report; ``one_table`` if a file of it holds a single table."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    renderer: str
    one_table: bool = False

    def render(self, report: Report, table: str | None = None) -> str | bytes:
        """Return the text or the bytes of a file holding ``table``, or all there is room for."""
        return cast("Renderer", resolve_name(self.renderer))(report, table)
