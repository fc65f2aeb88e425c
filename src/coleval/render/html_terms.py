"""The words that need explaining, as a list at the end of a page and as links to it."""

from __future__ import annotations

import re

from coleval.render.html_text import safe

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
