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


WAYS = ("placed", "placed without spaces", "placed ignoring case")


def first_places(entries, found):
    """Return the place of each entry that gets one: free of others, or else of its label."""
    taken, covered, chosen = set(), set(), {}
    for way in WAYS:
        for k, (name, places) in enumerate(found):
            if name != way:
                continue
            free = [at for at in places if not covered & set(range(*at))]
            left = [at for at in places if (entries[k][1], at) not in taken]
            if free or left:
                chosen[k] = (free or left)[0]
                taken.add((entries[k][1], chosen[k]))
                covered |= set(range(*chosen[k]))
    return chosen


def spans_of(tags):
    """Return (start, end, label) of IOB2 tags in characters of the tokens joined by spaces."""
    spans, at = [], 0
    for token, tag in tags:
        if tag.startswith("B-"):
            spans.append([at, at + len(token), tag[2:]])
        elif tag.startswith("I-"):
            spans[-1][1] = at + len(token)
        at += len(token) + 1
    return {tuple(span) for span in spans}


def predicted(tags, entries, policy, *, fold=False):
    """Return the spans that a list means in one sentence, and strings that are nowhere in it."""
    text = " ".join(token for token, _ in tags)
    starts, ends = token_boundaries([token for token, _ in tags])
    found = [
        places_of(text, string, lambda s, e: s in starts and e in ends, fold=fold)
        for string, _ in entries
    ]
    nowhere = {
        ("".join(string.casefold().split() if fold else string.split()), label)
        for (string, label), (name, _) in zip(entries, found, strict=True)
        if name in ("inside words", "not in text")
    }
    if policy == "all":
        spans = {
            (*at, label) for (_, label), (_, at_all) in zip(entries, found, strict=True)
            for at in at_all
        }  # fmt: skip
    elif policy == "first":
        spans = {(*at, entries[k][1]) for k, at in first_places(entries, found).items()}
    else:
        every = choices(entries, found)
        best = {"best": max, "worst": min}[policy](
            every, key=lambda taken: agreement(taken, spans_of(tags))
        )
        spans = {(*at, label) for label, at in best}
    return spans, nowhere


def counts(sentences, lists, policy, *, fold=False):
    """Return tp, fp and fn over all sentences."""
    tp = fp = fn = 0
    for tags, entries in zip(sentences, lists, strict=True):
        gold = spans_of(tags)
        spans, nowhere = predicted(tags, entries, policy, fold=fold)
        tp += len(gold & spans)
        fp += len(spans - gold) + len(nowhere)
        fn += len(gold - spans)
    return tp, fp, fn


def string_counts(sentences, lists):
    """Return tp, fp and fn of strings with labels, wherever they are in their sentence."""
    tp = fp = fn = 0
    for tags, entries in zip(sentences, lists, strict=True):
        text = " ".join(token for token, _ in tags)
        gold = {("".join(text[s:e].split()), label) for s, e, label in spans_of(tags)}
        own = {("".join(string.split()), label) for string, label in entries} - {
            ("", label) for _, label in entries
        }
        tp, fp, fn = tp + len(gold & own), fp + len(own - gold), fn + len(gold - own)
    return tp, fp, fn
