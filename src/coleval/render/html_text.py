"""Text that a page shows and never obeys, and the words on it that need explaining.

What acts on a reader without being seen is made visible first; a run of words that is written
from right to left is set apart, so that what stands before it stays before it.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from coleval.render.visible import shortened, visible

LONG, SHOWN = 160, 60
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


def safe(text: str) -> str:
    """Return ``text`` as markup that shows it, nothing for nothing."""
    shown = visible(text) if text else ""
    if not _RIGHT_TO_LEFT.search(shown):
        return escape(shown)
    runs = ((turned, escape(" ".join(run))) for turned, run in groupby(shown.split(" "), _turned))
    return " ".join(f"<bdi>{run}</bdi>" if turned else run for turned, run in runs)


def _turned(word: str) -> bool:
    return bool(_RIGHT_TO_LEFT.search(word))


def quoted(text: str) -> str:
    """Return ``text`` for within the quotes of an attribute, nothing for nothing."""
    return escape(visible(text)) if text else ""


def clipped(text: str) -> str:
    """Return markup that opens on demand where ``text`` is very long."""
    if len(text) <= LONG:
        return safe(text)
    short = f"{safe(shortened(text, SHOWN))} <small>{len(text):,} characters</small>"
    return f"<details><summary>{short}</summary>{safe(text)}</details>"


def readable(text: str) -> str:
    """Return a sentence in which very long names are short, and whole when a pointer rests."""
    words = (
        safe(word) if len(word) <= SHOWN else
        f'<span title="{quoted(word)}">{safe(shortened(word, SHOWN // 2))}</span>'
        for word in text.split(" ")
    )  # fmt: skip
    return " ".join(words)


def anchor(name: str) -> str:
    """Return ``name`` as an id that no other name has."""
    return re.sub(r"[^\w.]", lambda found: f"-{ord(found[0]):x}-", name) or "-"


# One meaning each: the same words are used on the screen, in files and in the documentation.
TERMS = {
    "item": "one thing gold and systems can disagree about: a token, a span, a word in a tree, a "
    "mention, an instance",
    "solved": "the system's answer equals gold's; also: right, correct",
    "bin": "difficulty: the number of systems that solve an item; bin 0: none, last bin: all",
    "missed": "in gold only: the system has no label there",
    "spurious": "in the system only: gold has no label there",
    "bucket": "the items whose attribute lies in one range",
    "slice": "the items with one value of one or two attributes",
    "correction": "from wrong to right",
    "new error": "from right to wrong",
    "changed error": "wrong before and after, in another way",
    "upper bound": "what a perfect choice between systems would reach (oracle)",
    "interval": "where the score lies in 95 % of resampled test sets",
    "group": "systems in one group of ties do not differ significantly; a group is "
    "significantly better than every lower group",
    "discrimination": "whether the better systems solve an item more often than the worse ones",
    "residual": "how far a count is from what is expected, in standard deviations",
    "suspect": "a place where systems agree with one another against gold",
    "coverage": "the share of items a system was run on and gave a usable answer for",
    "repair": "a tag sequence that its scheme does not allow, and how it was read",
    "support": "the number of gold items",
}
_WORD = re.compile(rf"\b({'|'.join(sorted(TERMS, key=len, reverse=True))})(s?)\b", re.IGNORECASE)


# Words that a sentence of a finding may have as labels, or in another sense.
_USUAL = {"group", "item"}


def explained(text: str, *, finding: bool = False) -> str:
    """Return ``text`` as markup in which the first use of each term leads to its meaning."""
    parts, at, seen = [], 0, set(_USUAL) if finding else set()
    for found in _WORD.finditer(text):
        term = found[1].lower()
        if term in seen:
            continue
        seen.add(term)
        link = f'<a class="term" href="#{_place(term)}" title="{safe(TERMS[term])}">'
        parts += [safe(text[at : found.start()]), f"{link}{safe(found[0])}</a>"]
        at = found.end()
    return "".join([*parts, safe(text[at:])])


def glossary() -> str:
    """Return all terms with their meanings."""
    rows = "".join(
        f'<dt id="{_place(term)}">{safe(term)}</dt><dd>{safe(meaning)}</dd>\n'
        for term, meaning in TERMS.items()
    )
    head = "<summary><h2>Glossary</h2></summary>"
    return f'<details class="chapter" id="-glossary">\n{head}\n<dl>\n{rows}</dl></details>\n'


def _place(term: str) -> str:
    return f"-term-{term.replace(' ', '-')}"
