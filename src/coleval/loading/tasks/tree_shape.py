"""Sentences that are no tree: several roots, none, or words that hang on each other in a circle.

Parsers produce them; they are scored like all others, and counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import Problem
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import TokenFile

_KINDS = ("have several roots", "contain a cycle", "have no root")
_SCORED = "they are still scored word by word"


def odd_trees(file: TokenFile) -> tuple[Problem, ...]:
    """Return a note for each way in which sentences of a file are no trees."""
    head = file.columns["head"]
    number, there = head.to_numpy(), np.ones(len(head), np.bool_)
    if head.null_count():
        number, there = head.fill_null(0).to_numpy(), head.is_not_null().to_numpy()
    first = np.flatnonzero(steps(file.sentence))
    size = len(first)
    roots = np.bincount(file.sentence[there & (number == 0)], minlength=size)
    headed = np.bincount(file.sentence[there], minlength=size)
    circle = np.zeros(size, np.bool_)
    circle[file.sentence[_in_circle(number, first[file.sentence])]] = True
    kinds = (roots > 1, circle, (roots == 0) & ~circle & (headed > 0))
    counted = [(int(odd.sum()), int(first[int(odd.argmax())])) for odd in kinds]
    return tuple(
        _note(file, at, f"{n:,} of {size:,} sentences {kind}")
        for kind, (n, at) in zip(_KINDS, counted, strict=True)
        if n
    )


def _in_circle(number: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell the words from which no way up ends at a root; each step doubles the way gone."""
    end = len(number)
    above = np.append(np.where(number > 0, first + number - 1, end), end)
    left = np.flatnonzero(above[:end] != end)
    for _ in range(max(int(number.max(initial=0)), 1).bit_length() + 1):
        above[left] = above[above[left]]
        left = left[above[left] != end]
        if not len(left):
            break
    return above[:end] != end


def _note(file: TokenFile, at: int, text: str) -> Problem:
    told = f"{text}, the first begins here"
    return Problem(file.path, int(file.line[at]), "trees", told, _SCORED, 1, fatal=False)
