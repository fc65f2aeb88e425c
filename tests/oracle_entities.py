"""Placing lists of entities in plain loops: every place tried, every choice of places tried."""

from __future__ import annotations

import unicodedata
from itertools import product


def is_boundary(text, at):
    """Tell whether a word may end here; for letters, digits and white space of Latin scripts."""
    if at in (0, len(text)):
        return True
    marked = unicodedata.combining(text[at])
    return not marked and not (text[at - 1].isalnum() and text[at].isalnum())


def token_boundaries(tokens):
    """Return starts and ends of tokens that are joined by spaces."""
    starts, ends, at = set(), set(), 0
    for token in tokens:
        starts.add(at)
        ends.add(at + len(token))
        at += len(token) + 1
    return starts, ends


def places_of(text, string, allowed, *, fold):
    """Return how a string is found and where, by trying every start and end."""
    string = string.strip()
    if not string:
        return "empty", []

    def bare(given):
        return "".join(given.split())

    ways = [("placed", lambda given: given), ("placed without spaces", bare)]
    if fold:
        ways.append(("placed ignoring case", lambda given: bare(given).casefold()))
    anywhere = False
    for name, seen in ways:
        found = []
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                piece = text[start:end]
                if piece == piece.strip() and seen(piece) == seen(string):
                    anywhere = True
                    if allowed(start, end):
                        found.append((start, end))
        if found:
            return name, found
    return ("inside words" if anywhere else "not in text"), []


def choices(entries, found):
    """Yield every way to give entries places that no entry of the label has; as many as go."""
    options = [[None, *places] for _, places in found]
    every = []
    for choice in product(*options):
        taken = [(entries[k][1], place) for k, place in enumerate(choice) if place]
        if len(set(taken)) == len(taken):
            every.append(taken)
    most = max(map(len, every))
    return [taken for taken in every if len(taken) == most]


def agreement(taken, gold):
    """Return how many chosen places are gold's, with their labels."""
    return sum((start, end, label) in gold for label, (start, end) in taken)
