"""Which way to align: by position where the tokens are gold's, else by characters.

Systems that rewrote tokens (other strings, as many in each sentence) have other characters and
are aligned by position too. What neither way can do is a problem that says where and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import Problem
from coleval.loading.align import position
from coleval.loading.align.characters import Characters, characters, other_characters
from coleval.loading.align.position import IDENTICAL, Alignment
from coleval.loading.align.words import matched
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import Multiwords, TokenFile

    Numbers = NDArray[np.integer]


@dataclass(frozen=True)
class GoldText:
    """Gold's tokens and, once some system needs them, their places among the characters."""

    file: TokenFile

    @cached_property
    def characters(self) -> Characters:
        """Return the places of gold's words."""
        return characters(self.file)


def align(gold: GoldText, system: TokenFile) -> Alignment:
    """Compare gold and a system; all problems found are in the result, nothing is raised."""
    if gold.file.form is system.form and gold.file.sentence is system.sentence:
        # Columns of one table.
        return IDENTICAL
    if _same_tokens(gold.file, system):
        return position.align(gold.file, system)
    theirs = characters(system)
    if gold.characters.text == theirs.text:
        return _by_characters(gold, system, theirs)
    if (found := other_characters(gold.file, gold.characters, system, theirs)) is not None:
        return Alignment(np.empty(0, np.intp), 0, (found,))
    return position.align(gold.file, system)


def _same_tokens(gold: TokenFile, system: TokenFile) -> bool:
    """Tell whether the words and the multiword tokens are the same."""
    if len(gold) != len(system) or not _same_multiwords(gold.multiwords, system.multiwords):
        return False
    return bool((gold.form == system.form).all())


def _same_multiwords(ours: Multiwords | None, theirs: Multiwords | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    same = np.array_equal(ours.first, theirs.first) and np.array_equal(ours.end, theirs.end)
    return same and bool((ours.form == theirs.form).all())


def _by_characters(gold: GoldText, system: TokenFile, theirs: Characters) -> Alignment:
    """Return the alignment of two tokenisations of one text, whose places are ``theirs``."""
    ours = gold.characters
    match = matched(ours, theirs)
    moved = _in_one(ours.sentences, theirs.sentences)
    notes = (*_words(gold.file, system, match), *_breaks(system, ours, theirs, moved))
    return Alignment(np.empty(0, np.intp), moved, notes, match, _home(gold, match, theirs), theirs)


def _in_one(ours: Numbers, theirs: Numbers) -> int:
    """Return how many sentences begin or end in one of two texts only."""
    every = np.concatenate([ours[steps(ours)], theirs[steps(theirs)]])
    every.sort(kind="stable")
    return len(every) - 2 * int(np.count_nonzero(every[1:] == every[:-1]))


def _home(gold: GoldText, match: Numbers, theirs: Characters) -> Numbers:
    """Return the gold sentence of every system word: that of its match, or of its first place."""
    starts = gold.characters.sentences[:-1]
    home = gold.file.sentence[match]
    alone = np.flatnonzero(match < 0)
    there = np.searchsorted(starts, theirs.start[alone], side="right") - 1
    home[alone] = np.maximum(there, 0)
    return home


def _words(gold: TokenFile, system: TokenFile, match: Numbers) -> tuple[Problem, ...]:
    """Return the note that some words have no counterpart, and which is the first."""
    alone = np.flatnonzero(match < 0)
    missed = len(gold) - (len(system) - len(alone))
    if not len(alone) and not missed:
        return ()
    at = int(alone[0]) if len(alone) else 0
    return (
        Problem(
            system.path,
            int(system.line[at]),
            "tokens",
            f"aligned by characters: {len(system) - len(alone):,} of {len(system):,} words match "
            f"gold's, {missed:,} of gold's {len(gold):,} are missed; the first without a match is "
            f"`{system.form[at]}`",
            "words without a counterpart count as missed and spurious",
            len(alone) + missed,
            fatal=False,
        ),
    )


def _breaks(
    system: TokenFile, ours: Characters, theirs: Characters, moved: int
) -> tuple[Problem, ...]:
    if not moved:
        return ()
    starts = theirs.sentences[:-1]
    place = np.searchsorted(ours.sentences, starts)
    wrong = np.flatnonzero(ours.sentences[place] != starts)
    at = int(np.flatnonzero(theirs.breaks)[wrong[0]]) if len(wrong) else 0
    text = (
        f"the sentence break before `{system.form[at]}` is not in gold"
        if len(wrong)
        else "sentence breaks of gold are missing"
    )
    remedy = "scored with gold's sentences"
    line = int(system.line[at])
    return (Problem(system.path, line, "sentence breaks", text, remedy, moved, fatal=False),)
