"""What holds for stretches of rows: documents by a column of their names, comments above rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.plain_names import settled
from coleval.errors import DataError
from coleval.loading.readers.frames import texts
from coleval.loading.readers.names import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray


# `# genre = news`, in some corpora `# meta::genre = news`; but not what names or repeats the text.
_COMMENT = r"^#\s*(?:[^=\s]*:)?([\w.-]+)\s*=\s*(.*)$"
_TEXT = r"^#\s*(?:\w+:document_id|sent_id|newdoc|newpar|global\.|text(?:_\w{2,3})?\s*=)"


# What items of several files are called by.
_GRID = ("dataset", "part")


def documents_of(
    column: pl.Series, where: Callable[[int], str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the number of each row's document, and the names of all; ``where`` places a row."""
    changes = column.ne_missing(column.shift(1)).to_numpy() & (np.arange(len(column)) > 0)
    first = np.concatenate([[0], np.flatnonzero(changes)])
    names = texts(column).fill_null("").gather(first)
    for again in names.is_first_distinct().not_().arg_true()[:1]:
        raise DataError(
            f"the document `{names[int(again)]}` continues after another one",
            where=where(int(first[int(again)])),
            remedy="sort the rows by document",
        )
    return np.cumsum(changes, dtype=np.int32), unique(names.to_list())


def comment_columns(
    comments: pl.DataFrame,
    line: NDArray[np.uint32],
    document: NDArray[np.int32],
    sentence: NDArray[np.int32] | None = None,
    taken: Collection[str] = (),
) -> dict[str, pl.Series]:
    """Return ``# key = value`` comments (``line``, ``text``) as columns of the rows below them.

    A value holds until the document ends or has another. Where ``sentence`` is given too, a key
    that is also elsewhere than above the first sentence of a document is of its sentence alone,
    and left out if nearly every sentence has its own.
    """
    about = comments.filter(~pl.col("text").str.contains(_TEXT))
    pairs = about.select("line", pl.col("text").str.extract_groups(_COMMENT).struct.unnest())
    pairs.columns = ["line", "key", "value"]
    pairs = pairs.with_columns(
        pl.col("value").str.strip_chars_end(),
        row=np.searchsorted(line, pairs["line"].to_numpy()),
    ).filter(pl.col("key").is_not_null() & (pl.col("row") < len(line)))
    found: dict[str, pl.Series] = {}
    opens = np.diff(document, prepend=-1) != 0
    for (key,), of_key in pairs.group_by("key", maintain_order=True):
        rows, value = of_key["row"].to_numpy(), of_key["value"]
        group = document if sentence is None or opens[rows].all() else sentence
        if group is sentence and 2 * value.n_unique() > len(value):
            continue
        last = np.searchsorted(rows, np.arange(len(line)), side="right") - 1
        holds = (last >= 0) & (group[rows[last]] == group)
        names = value.unique(maintain_order=True)
        codes = value.cast(pl.Enum(names)).gather(pl.Series(np.where(holds, last, 0)))
        found[str(key)] = codes.set(pl.Series(~holds), None)
    names_free = settled(found, {*_GRID, *taken})
    return {n: c.alias(n) for n, c in zip(names_free, found.values(), strict=True)}
