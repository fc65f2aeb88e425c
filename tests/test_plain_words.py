"""What users read is in the words of the field: phrases that were dropped do not return."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "coleval"
# Word lists of generated text are data, not sentences.
MADE_OF_WORDS = {"demo/language.py", "demo/words.py"}

# A phrase that only we would use, and what the field says instead.
DROPPED = {
    # `who-alone` is the name of a question in SQL.
    r"\bwhom?\b(?![-_]alone)": "which system, which label",
    r"\b(no|every|any|some)body\b": "no system, all systems, any system",
    r"\b(told|tells?)\b": "shows, lists, is reported; to distinguish",
    r"\bstands?\b": "is, comes, occurs",
    r"\bbehind\b": "after, below, lower",
    r"\breally\b": "significantly",
    r"\bsays? (nothing|something)\b": "has no label; predicts",
    r"\b(nothing|something) (is )?there\b": "outside, no label",
    r"\binvent(s|ed)?\b": "spurious, falsely predicts",
    r"\bwins?\b": "ranks first",
    r"\bmay have had\b": "rank interval",
    r"\bgood and bad\b": "where systems fail",
    r"\bmatters? most\b": "F1 falls by … points (n = …)",
    r"\bcommonest\b": "most frequent",
    r"\bmade[- ]up\b": "generated",
    r"\banew\b": "again",
    r"\bbeside\b": "compared with, next to",
    r"\b(?<!there )(is|are) no (?!longer|more than|(system|label)s?\b)": "is not a …",
    r"\bput into words\b": "described",
    r"\brows with (…|.u2026)": "Filter rows",
    r"\bbroken sequence": "invalid sequence",
    r"\bin sight\b": "shown",
    r"\bnull, overflow\b": "out-of-range values",
    r"\ball the same\b": "still",
    r"\b(a|an) \w+ a (line|row|system|document|table|file|dataset)\b": "one … per line",
}


def _docstrings(tree):
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for inner in body if isinstance(body, list) else ():
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                yield id(inner.value)


def strings(source):
    """Return every literal with a space in it but docstrings, `…` for what f-strings fill in."""
    tree = ast.parse(source)
    skipped = set(_docstrings(tree))
    skipped |= {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
    found = []
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            found.append("".join(getattr(value, "value", "…") if isinstance(value, ast.Constant)
                                 else "…" for value in node.values))  # fmt: skip
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return [text for text in found if " " in text.strip()]


def complaints(texts):
    """Return each text with a dropped phrase, and what to say instead."""
    return [
        f"{found[0]!r} in {text[:120]!r}: {better}"
        for text in texts
        for phrase, better in DROPPED.items()
        if (found := re.search(phrase, text, re.IGNORECASE))
    ]


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(SRC.rglob("*.py")) if p.relative_to(SRC).as_posix() not in MADE_OF_WORDS],
    ids=lambda path: path.relative_to(SRC).as_posix(),
)
def test_no_string_of_a_module_has_a_phrase_that_was_dropped(path):
    assert complaints(strings(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))],
                         ids=lambda path: path.name)  # fmt: skip
def test_no_page_has_a_phrase_that_was_dropped(path):
    assert complaints(re.split(r"\n\n|\n(?=\||- )", path.read_text(encoding="utf-8"))) == []


def test_the_first_lines_of_queries_that_are_listed_have_no_dropped_phrase():
    queries = sorted((ROOT / "sql").rglob("*.sql"))
    texts = [line for p in queries for line in p.read_text(encoding="utf-8").splitlines()
             if line.startswith("--")]  # fmt: skip
    assert queries
    assert complaints(texts) == []


def test_a_dropped_phrase_is_found_in_any_literal():
    assert complaints(strings('x = f"{a} is told " "of spans"')) != []
    assert complaints(strings('"""Nobody reads this."""\nx = "which labels are confused"')) == []
