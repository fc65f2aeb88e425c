"""Names of strangers in LaTeX: every letter is printed, none is obeyed, what is lacking is said."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coleval.render.latex import escaped, number, only_in_t1, unknown_letters

SIGNS = "≥≤▲▼–×·→κσρζ½…∅±−²₂“”‘’€°µ≠∞←↑↓✗●◐○"
LATIN = "éüßñçøåŁőşșţżđÞªếạẽṃ"
# What is left of a text when all that `escaped` may write on its own is taken out.
COMMAND = re.compile(r"\\[a-zA-Z]+|\\[&%$#_{}\"'`^~=.,]|\$|\{|\}|\^|_|~")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & 50% #1 $", r"a\_b \& 50\% \#1 \$"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("--", "-{}-"),
        ("---x``''", "-{}-{}-x" + r"\textasciigrave{}{}\textasciigrave{}" + "{}'{}'"),
        ('"[*]"', "{\\char34}{[}{*}{]}{\\char34}"),
        ("≥ 4 → κ", r"$\geq$ 4 $\rightarrow$ $\kappa$"),
        ("e\u0301", "é"),
        ("ế", r"\'{\^{e}}"),
        ("x\u0304", r"\={x}"),
        ("规", "规"),
    ],
)
def test_a_letter_is_written_so_that_latex_prints_it(text, written):
    assert escaped(text) == written


def test_a_minus_is_as_long_as_a_plus():
    assert (number("-0.42"), number("+0.42"), number("–"), number("-")) == (
        "$-$0.42", "+0.42", "--", "-",
    )  # fmt: skip


@pytest.mark.parametrize("text", [SIGNS, LATIN, "".join(map(chr, range(32, 127)))])
def test_pdflatex_has_these(text):
    assert unknown_letters(text) == []


def test_letters_of_other_scripts_are_told_once_each():
    assert unknown_letters("规a则规 Ж≥é 🚀") == ["规", "则", "Ж", "🚀"]


def test_letters_that_only_t1_has_are_known():
    assert only_in_t1("Đurđa «a»")
    assert not only_in_t1("Renée ≥ 4")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
def test_nothing_of_a_name_is_obeyed(text):
    written = escaped(text)
    # A backslash is the beginning of a command of ours; braces and dollars come in pairs.
    assert not COMMAND.sub("", written).count("\\")
    assert len(re.findall(r"(?<!\\)\$", written)) % 2 == 0
    assert len(re.findall(r"(?<!\\)\{", written)) == len(re.findall(r"(?<!\\)\}", written))
    assert not re.search(r"(?<!\\)[&%#]", written)


@given(st.text(alphabet=st.characters(max_codepoint=0x2200, exclude_categories=["Cs", "Cc"])))
def test_what_is_not_ascii_afterwards_is_latin_or_told(text):
    left = set(re.sub(r"[\x00-\x7f]", "", escaped(text)))
    told = set("".join(unknown_letters(text)))
    assert all(c in told or "LATIN" in unicodedata.name(c, "") or ord(c) < 256 for c in left)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_pdflatex_has_every_letter_that_is_not_told(tmp_path):
    letters = [chr(c) for c in range(32, sys.maxunicode) if chr(c).isprintable()]
    known = [c for c in letters if not unknown_letters(c)]
    assert len(known) > 600
    boxes = "\n".join(rf"\setbox0\hbox{{{escaped(c)}x{escaped(c * 2)}}}" for c in known)
    plain = "\n".join(rf"\setbox0\hbox{{{escaped(c)}}}" for c in known if not only_in_t1(c))
    for preamble, content in ((r"\usepackage[T1]{fontenc}", boxes), ("", plain)):
        document = (
            rf"\documentclass{{article}}{preamble}\begin{{document}}{content}x\end{{document}}"
        )
        (tmp_path / "a.tex").write_text(document, encoding="utf-8")
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "a.tex"],
            cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        log = (tmp_path / "a.log").read_text(encoding="utf-8", errors="replace")
        assert [line for line in log.splitlines() if line.startswith("!")] == []
