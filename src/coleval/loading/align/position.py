"""Aligning by position: the k-th token of a system answers for the k-th token of gold.

That is right when every sentence has as many tokens in both, or when the tokens are the same and
only the sentence breaks are not. Token strings that differ are counted, never fatal, unless
most of them do: then the file answers for another text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem, is_collecting
from coleval.errors import DataError
from coleval.loading.align.sentences import MOST, other_sentences
from coleval.loading.readers.ids import listed
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.align.characters import Characters
    from coleval.loading.readers.model import TokenFile

    Numbers = NDArray[np.int64]


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


def align(gold: TokenFile, system: TokenFile) -> Alignment:
    """Compare the two token by token; all problems found are in the result, nothing is raised."""
    if len(gold) != len(system):
        return Alignment(IDENTICAL.differ, 0, _uneven(gold, system))
    unlike = (gold.form != system.form).to_numpy()
    moved = _starts(gold.sentence) != _starts(system.sentence)
    differ, breaks = np.flatnonzero(unlike), int(moved.sum())
    if breaks and len(differ) > len(gold) * _SHIFTED:
        return Alignment(differ, breaks, _uneven(gold, system))
    if len(differ) > len(gold) * _FOREIGN:
        return Alignment(differ, breaks, (_foreign(gold, system, unlike),))
    return Alignment(differ, breaks, _notes(gold, system, unlike, moved))


def _starts(sentence: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.diff(sentence, prepend=np.int32(-1)) != 0


def _foreign(gold: TokenFile, system: TokenFile, differ: NDArray[np.bool_]) -> Problem:
    at = int(differ.argmax())
    return Problem(
        system.path,
        int(system.line[at]),
        "other text",
        f"{differ.sum():,} of {len(gold):,} tokens differ from gold's; the first is "
        f"`{system.form[at]}` where {gold.at(at)} has `{gold.form[at]}`",
        "is this the output for another text? Leave it out, or use the gold it belongs to",
    )


def _notes(
    gold: TokenFile, system: TokenFile, differ: NDArray[np.bool_], moved: NDArray[np.bool_]
) -> tuple[Problem, ...]:
    notes = []
    if differ.any():
        at = int(differ.argmax())
        text = f"token `{system.form[at]}` is `{gold.form[at]}` in gold ({gold.at(at)})"
        remedy = "scored by position; gold's strings are used"
        notes.append(_note(system, differ, "token strings", text, remedy))
    if moved.any():
        text = (
            f"the sentence boundary before `{system.form[int(moved.argmax())]}` differs from gold"
        )
        remedy = "scored with gold's sentences"
        notes.append(_note(system, moved, "sentence breaks", text, remedy))
    return tuple(notes)


def _note(
    system: TokenFile, where: NDArray[np.bool_], kind: str, text: str, remedy: str
) -> Problem:
    line = int(system.line[int(where.argmax())])
    return Problem(system.path, line, kind, text, remedy, int(where.sum()), fatal=False)


def _uneven(gold: TokenFile, system: TokenFile) -> tuple[Problem, ...]:
    """Return a problem for every sentence whose length differs, or one where they stop pairing."""
    a, b = _lengths(gold), _lengths(system)
    if len(a) == len(b):
        wrong = np.flatnonzero(a != b)
        return tuple(_sentence(gold, system, int(k), a, b) for k in wrong)
    same = np.flatnonzero(a[: len(b)] != b[: len(a)])
    first = int(same[0]) if len(same) else min(len(a), len(b))
    lost = _lost(gold, system, first, a, b)
    if not is_collecting() or max(len(a), len(b)) > MOST:
        return (lost,)
    places = tuple(other_sentences(gold, system))
    # A single stretch is what the problem has said already.
    return (lost, *places) if len(places) > 1 else (lost,)


def _lengths(file: TokenFile) -> NDArray[np.intp]:
    return np.bincount(file.sentence)


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


def _lost(
    gold: TokenFile, system: TokenFile, k: int, a: NDArray[np.intp], b: NDArray[np.intp]
) -> Problem:
    ours, theirs = _first_unlike(gold, system, min(k, len(a) - 1), min(k, len(b) - 1))
    return Problem(
        system.path,
        _line(system, theirs),
        "sentence count",
        f"has {len(b):,} sentences and {len(system):,} tokens, gold has {len(a):,} and "
        f"{len(gold):,}; they differ from sentence {min(k, len(a), len(b)) + 1} on: "
        f"{_text(system, theirs)} against {_text(gold, ours)} "
        f"({gold.path}:{_line(gold, ours)})",
        "gold and system must have the same tokens; check for a lost line or a different text",
    )


def _first_unlike(gold: TokenFile, system: TokenFile, k: int, j: int) -> tuple[int, int]:
    """Return the token numbers where one of two sentences has a token more than the other."""
    ours, theirs = _of(gold, k), _of(system, j)
    both = min(len(ours), len(theirs))
    a = gold.form.gather(ours[:both]).to_numpy()
    b = system.form.gather(theirs[:both]).to_numpy()
    unlike = np.flatnonzero(a != b)
    at = int(unlike[0]) if len(unlike) else both
    return _shift(gold, system, ours[at:], theirs[at:]) or (int(ours[0]) + at, int(theirs[0]) + at)


def _shift(
    gold: TokenFile, system: TokenFile, ours: NDArray[np.intp], theirs: NDArray[np.intp]
) -> tuple[int, int] | None:
    """Return where the first token is lost or added: other strings in one place are no shift."""
    from difflib import SequenceMatcher

    a = gold.form.gather(ours[:_WINDOW]).to_list()
    b = system.form.gather(theirs[:_WINDOW]).to_list()
    for _, low, high, start, stop in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if high - low != stop - start and low < len(a) and start < len(b):
            return int(ours[low]), int(theirs[start])
    return None


def _of(file: TokenFile, sentence: int) -> NDArray[np.intp]:
    low, high = np.searchsorted(file.sentence, (sentence, sentence + 1))
    return np.arange(low, high)


def _line(file: TokenFile, token: int) -> int:
    return int(file.line[min(token, len(file) - 1)])


def _text(file: TokenFile, token: int) -> str:
    return f"`{file.form[token]}`" if token < len(file) else "the end of the file"


def paired(gold: TokenFile, system: TokenFile) -> TokenFile:
    """Return a system's sentences in gold's order where both have ids; with gold's tokens if bare.

    A file of another kind is returned as it is.
    """
    if gold.ids is not None and system.ids is not None:
        system = _by_id(gold, system)
    return _with_tokens(gold, system) if system.bare else system


def _by_id(gold: TokenFile, system: TokenFile) -> TokenFile:
    assert gold.ids is not None and system.ids is not None  # noqa: S101, PT018
    if len(gold.ids) == len(system.ids) and (gold.ids == system.ids).all():
        return system
    theirs = pl.DataFrame({"id": system.ids, "at": np.arange(len(system.ids))})
    place = gold.ids.to_frame("id").join(theirs, on="id", how="left", maintain_order="left")["at"]
    _check_ids(gold, system, place)
    return _reordered(system, place.to_numpy())


def _check_ids(gold: TokenFile, system: TokenFile, place: pl.Series) -> None:
    """Raise for ids that only one of the two has."""
    assert gold.ids is not None and system.ids is not None  # noqa: S101, PT018
    missing = gold.ids.filter(place.is_null())
    unknown = system.ids.filter(~system.ids.is_in(gold.ids.implode()))
    if len(unknown):
        at = int((system.ids == unknown[0]).arg_max() or 0)
        row = int(np.searchsorted(system.sentence, at))
        also = f"; of gold's {len(gold.ids):,} it lacks {len(missing):,}" if len(missing) else ""
        raise DataError(
            f"{_ids(unknown)} not in gold: {listed(unknown)}{also}",
            where=system.at(row),
            remedy="is this the output for another text?",
        )
    if len(missing):
        raise DataError(
            f"lacks {len(missing):,} of gold's {len(gold.ids):,} ids: {listed(missing)}",
            where=system.path,
            remedy="every sentence of gold needs a row, with a tag for each token",
        )


def _tags(n: int) -> str:
    return "1 tag" if n == 1 else f"{n:,} tags"


def _ids(ids: pl.Series) -> str:
    return f"{len(ids):,} ids are" if len(ids) > 1 else "1 id is"


def _reordered(file: TokenFile, order: Numbers) -> TokenFile:
    """Return a file with its sentences in another order; documents are gold's to say."""
    size = np.bincount(file.sentence)
    first = np.cumsum(size) - size
    size = size[order]
    token = np.repeat(first[order] - np.cumsum(size) + size, size) + np.arange(len(file))
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
    raise DataError(
        f"{_tags(int(theirs[at]))} for the {ours[at]:,} tokens of gold's sentence{named} at "
        f"{gold.at(a)}" + (sentences if len(ours) != len(theirs) else ""),
        where=system.at(b),
        remedy="a file without tokens needs a row for each sentence of gold, and a tag for each "
        "token",
    )
