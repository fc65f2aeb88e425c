"""Aligning: the k-th token of a system answers for gold's k-th, or words meet by characters.

By position is right when every sentence has as many tokens in both, or when the tokens are the same
and only the sentence breaks are not. Token strings that differ are counted, never fatal, unless
most of them do: then the file answers for another text. Systems that rewrote tokens (other strings,
as many in each sentence) have other characters and are aligned by position too. What neither way
can do is a problem that says where and why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem, is_collecting
from coleval.errors import DataError
from coleval.loading.align.characters import Characters, characters, other_characters
from coleval.loading.align.sentences import MOST, other_sentences
from coleval.loading.align.words import matched
from coleval.loading.readers.ids import listed
from coleval.loading.readers.steps import flat, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.align.characters import Characters
    from coleval.loading.readers.model import TokenFile

    Numbers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well a system's tokens are gold's; ``differ`` numbers the tokens with other strings.

    Where the system has tokens of its own, ``match`` has the gold token of each, -1 for none,
    ``home`` the gold sentence each stands in, and ``characters`` say where that is; else its k-th
    token is gold's k-th.
    """

    differ: NDArray[np.intp]
    breaks_differ: int
    problems: tuple[Problem, ...]
    match: NDArray[np.integer] | None = None
    home: NDArray[np.integer] | None = None
    characters: Characters | None = None

    @property
    def forms_differ(self) -> int:
        """Return how many tokens have another string than gold's."""
        return len(self.differ)


IDENTICAL = Alignment(np.empty(0, np.intp), 0, ())


# Shares of token strings that are not gold's: above them a file is another text, or is shifted.
_FOREIGN = 0.5
_SHIFTED = 0.1
# How many tokens are searched for the one that is lost.
_WINDOW = 1000


def by_position(gold: TokenFile, system: TokenFile) -> Alignment:
    """Compare the two token by token; all problems found are in the result, nothing is raised."""
    if len(gold) != len(system):
        return Alignment(IDENTICAL.differ, 0, _uneven(gold, system))
    unlike = (gold.form != system.form).to_numpy()
    moved = steps(gold.sentence) != steps(system.sentence)
    differ, breaks = np.flatnonzero(unlike), int(moved.sum())
    if breaks and len(differ) > len(gold) * _SHIFTED:
        return Alignment(differ, breaks, _uneven(gold, system))
    at = int(differ[0]) if len(differ) else 0
    token = f"`{system.form[at]}`"
    if len(differ) > len(gold) * _FOREIGN:
        foreign = Problem(
            system.path,
            int(system.line[at]),
            "other text",
            f"{len(differ):,} of {len(gold):,} tokens differ from gold's; the first is {token} "
            f"where {gold.at(at)} has `{gold.form[at]}`",
            "is this the output for another text? Leave it out, or use the gold it belongs to",
        )
        return Alignment(differ, breaks, (foreign,))
    notes = []
    if len(differ):
        text = f"token {token} is `{gold.form[at]}` in gold ({gold.at(at)})"
        remedy = "scored by position; gold's strings are used"
        line = int(system.line[at])
        notes.append(
            Problem(system.path, line, "token strings", text, remedy, len(differ), fatal=False)
        )
    if breaks:
        at = int(moved.argmax())
        text = f"the sentence boundary before `{system.form[at]}` differs from gold"
        remedy, line = "scored with gold's sentences", int(system.line[at])
        notes.append(
            Problem(system.path, line, "sentence breaks", text, remedy, breaks, fatal=False)
        )
    return Alignment(differ, breaks, tuple(notes))


def _uneven(gold: TokenFile, system: TokenFile) -> tuple[Problem, ...]:
    """Return a problem for every sentence whose length differs, or one where they stop pairing."""
    a, b = np.bincount(gold.sentence), np.bincount(system.sentence)
    if len(a) == len(b):
        wrong = np.flatnonzero(a != b)
        return tuple(_sentence(gold, system, int(k), a, b) for k in wrong)
    same = np.flatnonzero(a[: len(b)] != b[: len(a)])
    first = int(same[0]) if len(same) else min(len(a), len(b))
    ours, theirs = _first_unlike(gold, system, min(first, len(a) - 1), min(first, len(b) - 1))
    lost = Problem(
        system.path,
        _line(system, theirs),
        "sentence count",
        f"has {len(b):,} sentences and {len(system):,} tokens, gold has {len(a):,} and "
        f"{len(gold):,}; they differ from sentence {first + 1} on: "
        f"{_text(system, theirs)} against {_text(gold, ours)} "
        f"({gold.path}:{_line(gold, ours)})",
        "gold and system must have the same tokens; check for a lost line or a different text",
    )
    if not is_collecting() or max(len(a), len(b)) > MOST:
        return (lost,)
    places = tuple(other_sentences(gold, system))
    # A single stretch is what the problem has said already.
    return (lost, *places) if len(places) > 1 else (lost,)


def _sentence(
    gold: TokenFile, system: TokenFile, k: int, a: NDArray[np.intp], b: NDArray[np.intp]
) -> Problem:
    ours, theirs = _first_unlike(gold, system, k, k)
    return Problem(
        system.path,
        _line(system, theirs),
        "token count",
        f"sentence {k + 1} has {b[k]} tokens, gold has {a[k]} ({gold.at(int(a[:k].sum()))}); the "
        f"first difference is {_text(system, theirs)} against {_text(gold, ours)} "
        f"({gold.path}:{_line(gold, ours)})",
        "add or remove the token; every gold token needs exactly one line",
    )


def _first_unlike(gold: TokenFile, system: TokenFile, k: int, j: int) -> tuple[int, int]:
    """Return the token numbers where one of two sentences has a token more than the other.

    Other strings in one place are no token more, unless there is nothing else.
    """
    from difflib import SequenceMatcher

    (ours, our_end), (theirs, their_end) = (
        np.searchsorted(file.sentence, (at, at + 1)).tolist()
        for file, at in ((gold, k), (system, j))
    )
    both = min(our_end - ours, their_end - theirs)
    unlike = (gold.form[ours : ours + both] != system.form[theirs : theirs + both]).arg_true()
    at = int(unlike[0]) if len(unlike) else both
    a = gold.form[ours + at : min(our_end, ours + at + _WINDOW)].to_list()
    b = system.form[theirs + at : min(their_end, theirs + at + _WINDOW)].to_list()
    for _, low, high, start, stop in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if high - low != stop - start and low < len(a) and start < len(b):
            return ours + at + low, theirs + at + start
    return ours + at, theirs + at


def _line(file: TokenFile, token: int) -> int:
    return int(file.line[min(token, len(file) - 1)])


def _text(file: TokenFile, token: int) -> str:
    return f"`{file.form[token]}`" if token < len(file) else "the end of the file"


def paired(gold: TokenFile, system: TokenFile) -> TokenFile:
    """Return a system's sentences in gold's order where both have ids; with gold's tokens if bare.

    A file of another kind is returned as it is.
    """
    ours, theirs = gold.ids, system.ids
    if ours is not None and theirs is not None and not ours.equals(theirs):
        rows = pl.DataFrame({"id": theirs, "at": np.arange(len(theirs))})
        place = ours.to_frame("id").join(rows, on="id", how="left", maintain_order="left")["at"]
        _check_ids(ours, theirs, ours.filter(place.is_null()), system)
        system = _reordered(system, place.to_numpy())
    return _with_tokens(gold, system) if system.bare else system


def _check_ids(ours: pl.Series, theirs: pl.Series, missing: pl.Series, system: TokenFile) -> None:
    """Raise for ids that only one of the two has."""
    unknown = theirs.filter(~theirs.is_in(ours.implode()))
    if len(unknown):
        row = int(np.searchsorted(system.sentence, int((theirs == unknown[0]).arg_max() or 0)))
        also = f"; of gold's {len(ours):,} it lacks {len(missing):,}" if len(missing) else ""
        several = f"{len(unknown):,} ids are" if len(unknown) > 1 else "1 id is"
        raise DataError(
            f"{several} not in gold: {listed(unknown)}{also}",
            where=system.at(row),
            remedy="is this the output for another text?",
        )
    if len(missing):
        raise DataError(
            f"lacks {len(missing):,} of gold's {len(ours):,} ids: {listed(missing)}",
            where=system.path,
            remedy="every sentence of gold needs a row, with a tag for each token",
        )


def _reordered(file: TokenFile, order: Numbers) -> TokenFile:
    """Return a file with its sentences in another order; documents are gold's to say."""
    size = np.bincount(file.sentence)
    end = np.cumsum(size)[order]
    size = size[order]
    token = flat(end - size, end)
    rows = pl.Series(token)
    return replace(
        file,
        form=file.form.gather(rows),
        sentence=np.repeat(np.arange(len(order), dtype=np.int32), size),
        line=file.line[token],
        columns={name: column.gather(rows) for name, column in file.columns.items()},
        document=None,
        documents=(),
        context={name: column.gather(rows) for name, column in file.context.items()},
        ids=None if file.ids is None else file.ids.gather(pl.Series(order)),
    )


def _with_tokens(gold: TokenFile, system: TokenFile) -> TokenFile:
    """Return tags alone with gold's tokens; raise where a sentence has more or fewer of them."""
    ours, theirs = np.bincount(gold.sentence), np.bincount(system.sentence)
    both = min(len(ours), len(theirs))
    wrong = np.flatnonzero(ours[:both] != theirs[:both])
    if not len(wrong) and len(ours) == len(theirs):
        return replace(system, form=gold.form, bare=False)
    at = int(wrong[0]) if len(wrong) else both - 1
    a, b = (int(np.flatnonzero(steps(file.sentence))[at]) for file in (gold, system))
    named = "" if gold.ids is None else f" (id `{gold.ids[at]}`)"
    sentences = f"; it has {len(theirs):,} sentences, gold {len(ours):,}"
    tags = "1 tag" if theirs[at] == 1 else f"{theirs[at]:,} tags"
    raise DataError(
        f"{tags} for the {ours[at]:,} tokens of gold's sentence{named} at "
        f"{gold.at(a)}" + (sentences if len(ours) != len(theirs) else ""),
        where=system.at(b),
        remedy="a file without tokens needs a row for each sentence of gold, and a tag for each "
        "token",
    )


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
        return by_position(gold.file, system)
    theirs = characters(system)
    if gold.characters.text == theirs.text:
        return _by_characters(gold, system, theirs)
    if (found := other_characters(gold.file, gold.characters, system, theirs)) is not None:
        return Alignment(np.empty(0, np.intp), 0, (found,))
    return by_position(gold.file, system)


def _same_tokens(gold: TokenFile, system: TokenFile) -> bool:
    """Tell whether the words and the multiword tokens are the same."""
    ours, theirs = gold.multiwords, system.multiwords
    if ours is None or theirs is None:
        same = ours is theirs
    else:
        same = np.array_equal(ours.first, theirs.first) and np.array_equal(ours.end, theirs.end)
        same = same and ours.form.equals(theirs.form)
    return same and len(gold) == len(system) and bool((gold.form == system.form).all())


def _by_characters(gold: GoldText, system: TokenFile, theirs: Characters) -> Alignment:
    """Return the alignment of two tokenisations of one text, whose places are ``theirs``."""
    ours, match = gold.characters, matched(gold.characters, theirs)
    # A word stands in the sentence of its match, else in that of its first place.
    home, alone = gold.file.sentence[match], np.flatnonzero(match < 0)
    there = np.searchsorted(ours.sentences[:-1], theirs.start[alone], side="right") - 1
    home[alone] = np.maximum(there, 0)
    # So many sentences begin or end in one of the two texts only.
    moved = len(np.setxor1d(ours.sentences, theirs.sentences))
    notes = list(_breaks(system, ours, theirs, moved))
    both, n = len(system) - len(alone), len(gold.file)
    if len(alone) or both != n:
        at = int(alone[0]) if len(alone) else 0
        unmatched = Problem(
            system.path,
            int(system.line[at]),
            "tokens",
            f"aligned by characters: {both:,} of {len(system):,} words match gold's, {n - both:,} "
            f"of gold's {n:,} are missed; the first without a match is `{system.form[at]}`",
            "words without a counterpart count as missed and spurious",
            len(alone) + n - both,
            fatal=False,
        )
        notes.insert(0, unmatched)
    return Alignment(np.empty(0, np.intp), moved, tuple(notes), match, home, theirs)


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
