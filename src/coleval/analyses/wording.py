"""Numbers as sentences have them: points, shares, counts with nouns; and what words findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Analysis


def number_of(n: float, noun: str, plural: str = "") -> str:
    """Return a count and its noun, in the singular for 1: 1 error, 2 errors, 1,770 tests."""
    return f"{n:,.0f} {noun_for(n, noun, plural)}"


def noun_for(n: float, noun: str, plural: str = "") -> str:
    """Return a noun in the number that a count asks for."""
    return noun if n == 1 else plural or f"{noun}s"


def points(value: float | None) -> str:
    """Return a score of 1 as one of 100."""
    return "undefined" if value is None else f"{100 * value:.2f}"


def percent(value: float | None) -> str:
    """Return a share of 1 as per cent."""
    return "undefined" if value is None else f"{100 * value:.1f} %"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, and how many there are more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def first_sentence(text: str) -> str:
    """Return the first sentence of a finding, which ends before a capital."""
    return re.split(r"(?<=[a-z0-9)%])\. (?=[A-Z])", text, maxsplit=1)[0].removesuffix(".") + "."


def worded(analysis: Analysis[..., Any], corpus: Corpus) -> ModuleType:
    """Return the module that words the finding of an analysis; that of numbers is by itself."""
    own = analysis.counts_numbers(corpus) and analysis.name != "compare"
    return analysis.module("numbers" if own else "findings")
