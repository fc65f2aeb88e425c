"""What a form of output is: a name, the suffixes that ask for it, and who writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.corpus.report import Report


@dataclass(frozen=True, slots=True)
class Paper:
    """What a printed table is called instead of its title, and whether its cells are tinted."""

    caption: str = ""
    tint: bool = False


AS_IT_IS = Paper()


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a report; ``one_table`` if a file of it holds a single table.

    A form that is ``printed`` takes a caption, one that is ``tinted`` has cells with a background;
    one that is ``drawn`` is for tables that have figures. One ``of_scores`` holds those of systems,
    and a directory has a file for each of them.
    """

    name: str
    suffixes: tuple[str, ...]
    about: str
    renderer: str
    one_table: bool = False
    printed: bool = False
    tinted: bool = False
    drawn: bool = False
    of_scores: bool = False

    def render(
        self, report: Report, table: str | None = None, paper: Paper = AS_IT_IS
    ) -> str | bytes:
        """Return the text or the bytes of a file holding ``table``, or all there is room for."""
        self.check(paper)
        draw = resolve_name(self.renderer)
        content: str | bytes = draw(report, table, paper) if self.printed else draw(report, table)
        return content

    def check(self, paper: Paper) -> None:
        """Raise if this form has no captions or no tints and is asked for them."""
        from coleval.render import FORMS

        if paper.caption and not self.printed:
            able = " or ".join(sorted(form.name for form in FORMS.values() if form.printed))
            raise UsageError(f"a table as {self.name} has no caption", remedy=f"choose {able}")
        if paper.tint and not self.tinted:
            able = " or ".join(sorted(form.name for form in FORMS.values() if form.tinted))
            raise UsageError(f"{self.name} has no tints to choose", remedy=f"choose {able}")
