"""Token items: a row a token, the answer is its label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.disk import DiskCodes, recoded
from coleval.corpus.items import NOT_IN_GOLD, RESERVED, Items
from coleval.corpus.plain_names import settled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.loading.readers.model import TokenFile


def token_items(
    gold: TokenFile,
    codes: Codes,
    layers: Mapping[str, Codes],
    labels: list[str],
    context: Mapping[str, pl.Series],
    *,
    recode: Codes | None = None,
) -> Items:
    """Return the tokens as items; tokens without a label count as answered by nothing.

    ``recode`` gives the place among ``labels`` of codes that mean labels as they are written.
    """
    if recode is not None:
        codes, layers = recode[codes], recoded(layers, recode)
    own = [column for name, column in context.items() if name == NOT_IN_GOLD]
    context = {name: column for name, column in context.items() if name != NOT_IN_GOLD}
    columns = [*place(gold), gold.form.rename("form"), *context_columns(context), *own]
    items = Items(
        "token",
        pl.DataFrame(columns),
        (),
        codes.astype(width(len(labels)), copy=False),
        _of_one_width(layers, len(labels)),
        empty_is_answer=True,
        group_count=int(gold.sentence[-1]) + 1,
    )
    return items.sorted_labels(labels)


def _of_one_width(layers: Mapping[str, Codes], labels: int) -> Mapping[str, Codes]:
    if isinstance(layers, DiskCodes):
        return layers.recoded(np.arange(labels + 1, dtype=width(labels)))
    # Imported now: items of a store need no readers.
    from coleval.loading.tasks.layers import same_width

    return same_width(layers, labels)


def place(gold: TokenFile) -> list[pl.Series]:
    """Return the columns that say where each token stands: document, sentence, position."""
    document = [] if gold.document is None else [documents(gold.document, gold.documents)]
    sentence = gold.sentence.astype(np.uint32)
    position = positions(gold.sentence)
    return [*document, pl.Series("sentence", sentence), pl.Series("position", position)]


def documents(number: NDArray[np.int32], names: tuple[str, ...]) -> pl.Series:
    """Return document numbers as a dictionary column of their names."""
    return pl.Series("document", number.astype(np.uint32)).cat.to(pl.Enum(names))


def positions(sentence: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Return each token's place in its sentence, from 0."""
    place = np.arange(len(sentence), dtype=np.uint32)
    starts = np.diff(sentence, prepend=np.int32(-1)) != 0
    return place - np.maximum.accumulate(np.where(starts, place, np.uint32(0)))


def context_columns(context: Mapping[str, pl.Series]) -> list[pl.Series]:
    """Return the columns to keep, with an underscore behind a name that coleval uses itself."""
    names = settled(context, RESERVED)
    return [column.rename(name) for name, column in zip(names, context.values(), strict=True)]


def joined_words(
    form: pl.Series, word: NDArray[np.integer], owner: NDArray[np.integer]
) -> pl.Series:
    """Return the text of each owner of some words: these with spaces between, in their order."""
    frame = pl.DataFrame({"owner": owner, "word": form.gather(pl.Series(word))})
    return frame.group_by("owner", maintain_order=True).agg(pl.col("word").str.join(" "))["word"]
