"""Whether a query takes all columns there are: ``*``, ``columns(…)``, or ``from item`` alone."""

from __future__ import annotations

import re

_STRINGS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_STAR = re.compile(r"(?:\bselect\b|\bdistinct\b|,|\.|(?<!count)\()\s*\*|\bcolumns\s*\(")
_WHOLE = re.compile(r"\b(?:describe|summarize|unpivot|pivot|pivot_wider|pivot_longer|show)\b")


def bare(text: str) -> str:
    """Return a query in lower case without its comments and strings."""
    return _STRINGS.sub(" ", text).lower()


def takes_all(text: str) -> bool:
    """Tell whether a query may want columns that it does not name."""
    plain = bare(text)
    if _STAR.search(plain) or _WHOLE.search(plain):
        return True
    return len(re.findall(r"\bfrom\b", plain)) > len(re.findall(r"\bselect\b", plain))
