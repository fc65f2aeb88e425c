"""Counts with their nouns: 1 error, 2 errors, 1,770 tests."""

from __future__ import annotations


def number_of(n: float, noun: str, plural: str = "") -> str:
    """Return a count and its noun, in the singular for 1."""
    return (
        f"{n:,g} {noun_for(n, noun, plural)}" if n % 1 else f"{n:,.0f} {noun_for(n, noun, plural)}"
    )


def noun_for(n: float, noun: str, plural: str = "") -> str:
    """Return a noun in the number that a count asks for."""
    return noun if n == 1 else plural or f"{noun}s"
