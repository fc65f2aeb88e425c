"""Tables to be included in a paper; a comment at the top says what its preamble needs.

What is printed follows no option of the document: a table that is wider than a line is made
narrower, a wider one is turned, one that is longer than a page goes on over the next.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.render.form import AS_IT_IS, Paper
from coleval.render.paper import Printed, cell_text, head_text, hidden, printed, said
from coleval.render.sheet import BEST, Cell, Head, Prose, Sheet, by_day, two_sided
from coleval.render.visible import visible
from coleval.render.visible import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


LINE, FULL, TURNED = 70, 90, 120
_GAP = 2.5
# Rows of a page; letters of a text that never wraps; the fewest and the most of a line of others.
PAGE_ROWS, SHORT, NARROW, WRAPPED = 42, 32, 16, 42
# A table over many pages cannot be made narrower, its letters can be smaller.
_SIZES = ((70, ""), (78, r"\small"), (90, r"\footnotesize"), (105, r"\scriptsize"))
_SMALLEST = r"\tiny"
# Where a line is too long, names over narrower columns stand upright if they are many.
_MANY = 4
_END = r" \tabularnewline"


@dataclass(frozen=True, slots=True)
class Look:
    """How wide the columns with long texts are (0: as wide as the text), names, letters a line."""

    wraps: tuple[int, ...]
    upright: bool
    letters: float


def booktabs_table(sheet: Sheet, caption: str, label: str, *, tint: bool) -> str:
    """Return the table with its caption above and its notes below."""
    look = _look(sheet)
    columns = "".join(map(_kind, sheet.heads, look.wraps))
    header = _row(_header(head, upright=look.upright) for head in sheet.heads)
    rows = [_cells(sheet, row, look.wraps, tint=tint) for row in sheet.rows]
    rows = rows or [rf"\multicolumn{{{len(sheet.heads)}}}{{l}}{{no rows}}{_END}"]
    called = rf"\caption{{{escaped(visible(caption))}}}\label{{{label}}}"
    draw = _long if len(rows) > PAGE_ROWS else _floating
    lines = draw(columns, header, rows, called, look.letters, _notes(sheet.notes))
    return "\n".join(lines) + "\n"


def _look(sheet: Sheet) -> Look:
    """Return how a table gets as narrow as it must be: names upright, then texts that wrap."""
    below = [
        max((cells_of(cell_text(row[at])) for row in sheet.rows), default=0)
        for at in range(len(sheet.heads))
    ]
    above = [max(map(cells_of, head_text(head).split("\n"))) for head in sheet.heads]
    named = [at for at, head in enumerate(sheet.heads) if head.full]
    upright = (
        len(named) >= _MANY
        and sum(map(max, below, above)) + _GAP * len(below) > FULL
        and sum(above[at] - below[at] for at in named) > len(named)
    )
    if upright:
        above = [1 if head.full else wide for head, wide in zip(sheet.heads, above, strict=True)]
    wide = list(map(max, below, above))
    return _wrapped(sheet, wide, upright=upright)


def _wrapped(sheet: Sheet, wide: Sequence[int], *, upright: bool) -> Look:
    """Return the table with what room there is for each of the texts that are long."""
    long = [not head.right and n > SHORT for head, n in zip(sheet.heads, wide, strict=True)]
    rest = sum(n for n, wraps in zip(wide, long, strict=True) if not wraps) + _GAP * len(wide)
    room = max(NARROW, min(WRAPPED, round((FULL - rest) / max(1, sum(long)))))
    wraps = [min(n, room) if wrap and n > room else 0 for n, wrap in zip(wide, long, strict=True)]
    letters = _GAP * len(wide) + sum(wrap or n for n, wrap in zip(wide, wraps, strict=True))
    return Look(tuple(wraps), upright, letters)


def _floating(
    columns: str, header: str, rows: list[str], called: str, letters: float, notes: list[str]
) -> list[str]:
    """Return a table on one page, as wide as a line at most; turned if it is very wide."""
    place = ("sidewaystable", "") if letters > TURNED else ("table", "[htbp]")
    tabular = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule", header, r"\midrule", *rows, r"\bottomrule",
        r"\end{tabular}",
    ]  # fmt: skip
    if letters > LINE:
        fit = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
        tabular = [rf"\resizebox{{{fit}}}{{!}}{{%", *tabular[:-1], tabular[-1] + "}"]
    name, where = place
    return [
        rf"\begin{{{name}}}{where}",
        r"\centering",
        called,
        *tabular,
        *notes,
        rf"\end{{{name}}}",
    ]


def _long(
    columns: str, header: str, rows: list[str], called: str, letters: float, notes: list[str]
) -> list[str]:
    """Return a table over several pages, its header on each; turned if it is very wide."""
    turned = letters > TURNED
    room = letters * LINE / TURNED if turned else letters
    size = next((size for most, size in _SIZES if room <= most), _SMALLEST)
    close = r"\setlength{\tabcolsep}{2pt}" if size == _SMALLEST else ""
    head = [r"\toprule", header, r"\midrule"]
    body = [
        rf"\begingroup{size}{close}",
        rf"\begin{{longtable}}{{{columns}}}",
        called + _END, *head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot",
        *rows,
        r"\end{longtable}",
        *notes,
        r"\endgroup",
    ]  # fmt: skip
    return [r"\begin{landscape}", *body, r"\end{landscape}"] if turned else body


def _notes(notes: Sequence[str]) -> list[str]:
    return [r"\par\smallskip", *map(noted, notes)] if notes else []


def noted(note: str) -> str:
    """Return a line below a table or a text."""
    return rf"{{\footnotesize\noindent {escaped(note)}\par}}"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + _END


def _cells(sheet: Sheet, row: Sequence[Cell], wraps: Sequence[int], *, tint: bool) -> str:
    columns = zip(sheet.heads, row, wraps, strict=True)
    return _row(_cell(head, cell, wrap=wrap, tint=tint) for head, cell, wrap in columns)


def _cell(head: Head, cell: Cell, *, wrap: int, tint: bool) -> str:
    text = cell_text(cell)
    shown = number(text) if head.right else escaped(text)
    shown = rf"\textbf{{{shown}}}" if cell.mark == BEST else shown
    if wrap and max(map(cells_of, text.split(" "))) > wrap:
        shown = _breakable(shown)
    shown = rf"\raggedright {shown}" if wrap else shown
    return _tinted(shown, cell) if tint and cell.shade is not None else shown


def _breakable(text: str) -> str:
    """Return text whose paths and addresses may be broken between lines."""
    return text.replace("/", r"/\allowbreak{}").replace(r"\_", r"\_\allowbreak{}")


def _tinted(text: str, cell: Cell) -> str:
    shade = cell.shade or 0.0
    style = two_sided(shade).split(" on ") if cell.signed else by_day(shade)
    letters, ground = (color[1:].upper() for color in style)
    dark = letters != "000000"
    text = rf"\textcolor[HTML]{{{letters}}}{{{text}}}" if dark else text
    return rf"\cellcolor[HTML]{{{ground}}}{text}"


def _header(head: Head, *, upright: bool) -> str:
    """Return a header: upright, or a line over the other."""
    lines = [escaped(line) for line in head_text(head).split("\n")]
    if upright and head.full:
        return rf"\rotatebox{{90}}{{{' '.join(lines)}}}"
    if len(lines) == 1:
        return lines[0]
    side = "r" if head.right else "l"
    over = r"\\".join(line or "~" for line in lines)
    return rf"\shortstack[{side}]{{{over}}}"


def _kind(head: Head, wrap: int) -> str:
    if wrap:
        return f"p{{{wrap / 2:g}em}}"
    return "r" if head.right else "l"


_SPECIAL = {
    **{character: f"\\{character}" for character in "{}$&#%_"},
    # Special at the start of a row: `\\[` and `\\*` take them as options.
    **{character: f"{{{character}}}" for character in "[]*"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
}
_TEXT = {
    "…": r"\ldots{}", "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''",
    "\u00a0": "~", "\u202f": r"\,", "\u2009": r"\,", "\u200c": "{}", "\u200d": "",
    "‐": "-", "‑": "-", "•": r"\textbullet{}", "†": r"\dag{}", "‡": r"\ddag{}", "€": r"\texteuro{}",
    "▏": r"\textbar{}", "█": r"\rule{1ex}{1.5ex}",
}  # fmt: skip
_GREEK_CAPITALS = "ΓΔΘΛΞΠΣΥΦΨΩ"
_LATIN = "ABEZHIKMNPTX"
_SIGNS = {
    "−": "-", "±": r"\pm", "×": r"\times", "·": r"\cdot", "÷": r"\div", "½": r"\frac{1}{2}",
    "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}", "°": r"^{\circ}", "≤": r"\leq", "≥": r"\geq",
    "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "∞": r"\infty", "√": r"\surd", "∑": r"\sum",
    "∏": r"\prod", "∂": r"\partial", "∈": r"\in", "∉": r"\notin", "∅": r"\emptyset",
    "∩": r"\cap", "∪": r"\cup", "⊂": r"\subset", "⊆": r"\subseteq", "∀": r"\forall",
    "∃": r"\exists", "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg", "⊥": r"\bot", "⊤": r"\top",
    "→": r"\rightarrow", "←": r"\leftarrow", "↑": r"\uparrow", "↓": r"\downarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow",
    "▲": r"\bigtriangleup", "▼": r"\bigtriangledown", "●": r"\bullet", "○": r"\circ",
    "◐": r"\odot", "✗": r"\times", "✓": r"\surd", "′": r"\prime", "∆": r"\Delta",
    "µ": r"\mu", "ϕ": r"\phi", "ϵ": r"\epsilon", "ℓ": r"\ell",
    "⟨": r"\langle", "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "─": "-",
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d",
    "\u0326": "textcommabelow", "\u0327": "c", "\u0331": "b",
}  # fmt: skip
# What inputenc and the encoding T1 have of the letters behind ASCII.
_KNOWN = re.compile("[¡-ĥĨ-ķĹ-ľŁ-ňŊ-ťŨ-žƒǍ-ǔǦ-ǫ]")
_ONLY_IN_T1 = re.compile("[«»ÐÞðþĄąĐđĘęĮįŊŋŲųǪǫ]")
# Two of these become one sign in a font of TeX.
_LIGATURES = re.compile(r"(?<=[-'`,?!])(?=[-'`,])")


def _greek(letter: str) -> str:
    """Return the command for a Greek letter; capitals that look Latin are Latin ones."""
    name = unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
    if name == "omicron":
        return "o" if letter.islower() else r"\mathrm{O}"
    if letter.islower():
        return r"\varsigma" if letter == "ς" else f"\\{name}"
    return f"\\{name.capitalize()}" if letter in _GREEK_CAPITALS else _like_latin(letter)


def _like_latin(letter: str) -> str:
    return rf"\mathrm{{{_LATIN['ΑΒΕΖΗΙΚΜΝΡΤΧ'.index(letter)]}}}"


_GREEK = {chr(code): _greek(chr(code)) for code in (*range(0x391, 0x3A2), *range(0x3A3, 0x3AA),
                                                  *range(0x3B1, 0x3CA))}  # fmt: skip
_MATHEMATICS = {
    **{sign: f"${command}$" for sign, command in (_SIGNS | _GREEK).items()},
    **{sign: f"$^{{{digit}}}$" for sign, digit in _RAISED.items()},
    **{sign: f"$_{{{digit}}}$" for sign, digit in _LOWERED.items()},
}
_COMMANDS = _SPECIAL | _TEXT | _MATHEMATICS

_OF_ASCII = str.maketrans(_SPECIAL | {"\0": "{}"})
# A letter behind ASCII, and any with the accents that follow it.
_FOREIGN = re.compile("[^\\x00-\\x7f][\\u0300-\\u036f]*|[A-Za-z][\\u0300-\\u036f]+")


def escaped(text: str) -> str:
    """Return ``text`` so that LaTeX prints it and obeys none of it."""
    if text.isascii():
        return _LIGATURES.sub("\0", text).translate(_OF_ASCII)
    apart = _LIGATURES.sub("\0", unicodedata.normalize("NFC", text))
    return "".join(map(_written, _clusters(apart))).replace("\0", "{}")


def number(text: str) -> str:
    """Return a number so that LaTeX prints it, its minus as long as its plus."""
    return f"$-${escaped(text[1:])}" if text[:1] == "-" and len(text) > 1 else escaped(text)


def unknown_letters(text: str) -> list[str]:
    """Return the letters of ``text`` that pdflatex does not have, each once."""
    foreign = [] if text.isascii() else _FOREIGN.findall(unicodedata.normalize("NFC", text))
    return [one for one in dict.fromkeys(foreign) if _unknown(one)]


def only_in_t1(text: str) -> bool:
    """Return whether ``text`` has letters that the encoding T1 has and the older OT1 has not."""
    return bool(_ONLY_IN_T1.search(unicodedata.normalize("NFC", text)))


def _clusters(text: str) -> list[str]:
    """Return the letters of ``text``, each with the accents that follow it."""
    found: list[str] = []
    for character in text:
        if found and unicodedata.combining(character):
            found[-1] += character
        else:
            found.append(character)
    return found


def _written(cluster: str) -> str:
    known = _COMMANDS.get(cluster)
    if known is not None:
        return known
    if cluster.isascii() or _KNOWN.fullmatch(cluster):
        return cluster
    return _accented(cluster) or cluster


def _unknown(cluster: str) -> bool:
    return cluster not in _COMMANDS and not _KNOWN.fullmatch(cluster) and not _accented(cluster)


def _accented(cluster: str) -> str:
    """Return a Latin letter with accents in TeX's way, nothing if there is no such way."""
    base, *accents = list(unicodedata.normalize("NFD", cluster))
    if not (base.isascii() and base.isalpha() and all(a in _ACCENTS for a in accents)):
        return ""
    for accent in accents:
        base = f"\\{_ACCENTS[accent]}{{{base}}}"
    return base
