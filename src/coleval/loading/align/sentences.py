"""Sentences that have ids, or tags alone: brought to gold's order, and given gold's tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.ids import listed
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import TokenFile

    Numbers = NDArray[np.int64]


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
