"""Difficulty bins again, in plain loops: slow, short and obviously right. Knows nothing of coleval.

An item is a pair (gold, answers by system); None stands for "nothing here".
"""

from __future__ import annotations

from collections import Counter


def difficulty(gold, answers):
    """Return how many answers are gold's, None where gold has none."""
    return None if gold is None else sum(answer == gold for answer in answers.values())


def spurious(gold, answers):
    """Return how many answers there are where gold has none, None elsewhere."""
    return sum(answer is not None for answer in answers.values()) if gold is None else None


def tables(items, systems, judges=None):
    """Return items by bin, true positives by (bin, system), inventions by how many share them."""
    judges = judges or systems
    bins, tps, invented = Counter(), Counter(), Counter()
    for gold, answers in items:
        judged = {name: answers[name] for name in judges}
        if gold is None:
            invented[spurious(gold, judged)] += 1
            continue
        bin_ = difficulty(gold, judged)
        bins[bin_] += 1
        for name in systems:
            tps[bin_, name] += answers[name] == gold
    return bins, tps, invented


def spurious_systems(items, systems, judges=None):
    """Return how many items without gold each system answers, by how many judges do so too."""
    found = Counter()
    for gold, answers in items:
        shared = spurious(gold, {name: answers[name] for name in judges or systems})
        for name in systems:
            if gold is None and answers[name] is not None:
                found[shared, name] += 1
    return found


def words(tokens):
    """Return how often each form stands in each bin; a token is (form, gold, answers)."""
    found = Counter()
    for form, gold, answers in tokens:
        if gold is not None:
            found[form, difficulty(gold, answers)] += 1
    return found


def hapaxes(tokens):
    """Return the forms that stand once."""
    return {form for form, n in Counter(form for form, _, _ in tokens).items() if n == 1}


def labelled_hapaxes(tokens):
    """Return the forms that gold labels once, wherever else they stand."""
    labelled = Counter(form for form, gold, _ in tokens if gold is not None)
    return {form for form, n in labelled.items() if n == 1}


def ambiguous(tokens):
    """Return the forms that gold gives a label in one place and none in another."""
    labelled = {form for form, gold, _ in tokens if gold is not None}
    return labelled & {form for form, gold, _ in tokens if gold is None}
