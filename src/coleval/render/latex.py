r"""Tables to be included in a paper; a comment at the top says what its preamble needs.

What is printed follows no option of the document: a table that is wider than a line is made
narrower, a wider one is turned, one that is longer than a page goes on over the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.form import AS_IT_IS, Paper
from coleval.render.latex_table import booktabs_table, noted
from coleval.render.latex_text import escaped, only_in_t1, unknown_letters
from coleval.render.paper import Printed, hidden, printed, said
from coleval.render.sheet import Prose
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report

# What the text uses of a package, beside the line that loads it.
_PACKAGES = {
    r"\toprule": r"\usepackage{booktabs}",
    r"\resizebox": r"\usepackage{graphicx}",
    r"\rotatebox": r"\usepackage{graphicx}",
    "{sidewaystable}": r"\usepackage{rotating}",
    "{longtable}": r"\usepackage{longtable}",
    "{landscape}": r"\usepackage{pdflscape}",
    r"\cellcolor": r"\usepackage[table]{xcolor}",
}
# What stands for a package that a paper does not load: its tables are wider, and there.
_WITHOUT = {
    r"\resizebox": r"\providecommand{\resizebox}[3]{#3}",
    r"\rotatebox": r"\providecommand{\rotatebox}[3][]{#3}",
    "{sidewaystable}": r"\ifdefined\sidewaystable\else"
    r"\newenvironment{sidewaystable}{\begin{table}}{\end{table}}\fi",
    "{landscape}": r"\ifdefined\landscape\else\newenvironment{landscape}{}{}\fi",
}
_SHOWN = 20
_FLOATS = 15


def render(report: Report, table: str | None = None, paper: Paper = AS_IT_IS) -> str:
    """Return all tables, or the one named; the best of a column is bold."""
    shown = printed(report, table, paper.caption)
    body = "\n".join(_with_breaks([_part(one, tint=paper.tint) for one in shown]))
    others = [] if table else hidden(report, shown)
    return "\n".join([*_top(report, body, others, tint=paper.tint), "", body])


def _with_breaks(parts: Sequence[str]) -> list[str]:
    """Return parts with ends of pages: LaTeX gives up where too many tables look for a place."""
    ends = range(_FLOATS, len(parts), _FLOATS)
    return [f"\\clearpage\n{part}" if at in ends else part for at, part in enumerate(parts)]


def _top(report: Report, body: str, others: Sequence[str], *, tint: bool) -> list[str]:
    """Return comments: the signature, what the preamble needs, what is not here."""
    packages = [line for sign, line in _PACKAGES.items() if sign in body]
    packages += [_PACKAGES[r"\cellcolor"]] if tint else []
    letters = _letters(body)
    packages += [r"\usepackage[T1]{fontenc}"] if only_in_t1(body) and not letters else []
    names = ", ".join(map(visible, others))
    return [
        f"% {visible(report.signature)}",
        *(f"% {line}" for line in said(report)),
        *(["% The preamble needs:"] if packages else []),
        *(f"%   {line}" for line in dict.fromkeys(packages)),
        *letters,
        *([f"% Printed where they are asked for by name: {names}"] if others else []),
        *(line for sign, line in _WITHOUT.items() if sign in body),
    ]


def _letters(body: str) -> list[str]:
    letters = unknown_letters(body)
    if not letters:
        return []
    shown = "".join(letters[:_SHOWN]) + ("…" if len(letters) > _SHOWN else "")
    return [
        f"% pdflatex does not have these letters: {shown}",
        "% Compile with XeLaTeX or LuaLaTeX (fontspec), in a font that has them.",
    ]


def _part(one: Printed, *, tint: bool) -> str:
    view = one.view
    if isinstance(view, Prose):
        return _prose(view, one.caption)
    if not view.heads:
        lines = map(escaped, (one.caption, *view.notes))
        return "\n".join(rf"\noindent {line}\par" for line in lines) + "\n"
    return booktabs_table(view, one.caption, one.label, tint=tint)


def _prose(view: Prose, caption: str) -> str:
    lines = [rf"\noindent\textbf{{{escaped(visible(caption))}}}\par"]
    for paragraph in view.paragraphs:
        remedy = rf" $\rightarrow$ {escaped(paragraph.remedy)}" if paragraph.remedy else ""
        body = f" {escaped(paragraph.body)}" if paragraph.body else ""
        lines.append(rf"{{\sloppy\noindent {escaped(paragraph.head)}{body}{remedy}\par}}")
    lines += [] if view.paragraphs else [r"\noindent none\par"]
    lines += map(noted, view.notes)
    return "\n".join(lines) + "\n"
