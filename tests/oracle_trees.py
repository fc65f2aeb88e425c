"""Trees again in plain loops: slow, short and obviously right.

A sentence is a list of heads, one a word: 0 is the root, k the k-th word, None nobody knows.
"""

from __future__ import annotations


def length(heads, word):
    """Return the distance of a word (from 1) to its head."""
    head = heads[word - 1]
    if head is None or head == word:
        return None
    return 0 if head == 0 else abs(head - word)


def direction(heads, word):
    head = heads[word - 1]
    if head is None or head == word:
        return None
    return "root" if head == 0 else "left" if head < word else "right"


def depth(heads, word):
    """Return the arcs from the root to a word, None if one meets a word twice on the way."""
    met = []
    while word:
        if word in met or heads[word - 1] is None:
            return None
        met.append(word)
        word = heads[word - 1]
    return len(met)


def arity(heads, word):
    return sum(head == word for head in heads)


def descends(heads, word, ancestor):
    met = set()
    while word and word not in met:
        if word == ancestor:
            return True
        met.add(word)
        word = heads[word - 1]
    return False


def projectivity(heads, word):
    head = heads[word - 1]
    if depth(heads, word) is None:
        return None
    low, high = sorted((head, word))
    under = range(low + 1, high) if head else ()
    return "projective" if all(descends(heads, w, head) for w in under) else "non-projective"


ATTRIBUTES = {
    "arc_length": length,
    "direction": direction,
    "depth": depth,
    "arity": arity,
    "projectivity": projectivity,
}


def counts(gold, system, attribute):
    """Return value → (gold, predicted, tp, tp_predicted) of sentences of (head, relation).

    What gold has counts under the value in gold's tree, what the system says under that in its own.
    """
    told, found = ATTRIBUTES[attribute], {}

    def add(value, place):
        row = found.setdefault(value, [0, 0, 0, 0])
        row[place] += 1

    for theirs, ours in zip(gold, system, strict=True):
        heads, own = [h for h, _ in theirs], [h for h, _ in ours]
        for word, (a, b) in enumerate(zip(theirs, ours, strict=True), 1):
            add(told(heads, word), 0)
            add(told(own, word), 1)
            if a == b:
                add(told(heads, word), 2)
                add(told(own, word), 3)
    return {value: tuple(row) for value, row in found.items()}
