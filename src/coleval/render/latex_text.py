"""Text that LaTeX prints and never obeys, in letters that pdflatex has.

Symbols become commands or mathematics, accents that inputenc does not know become accents of TeX.
What is left, letters of other scripts, stays as it is: XeLaTeX and LuaLaTeX print it.
"""

from __future__ import annotations

import re
import unicodedata

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
