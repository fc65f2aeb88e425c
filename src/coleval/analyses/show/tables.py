"""``show``: the items themselves, in their sentences, with what gold and systems say there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.asking import database
from coleval.analyses.counted import scored_items
from coleval.annotate.text import places, text_of
from coleval.errors import UsageError
from coleval.query.cross import ordered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.analyses.show.spec import Options
    from coleval.annotate.text import RunningText
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.query.wide import Wide

    Rows = NDArray[np.integer]


# Words on either side of an item, if its sentence has so many.
FAR = 5_000


def show(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``items``, and ``words``: the sentence of each with the labels under every word.

    Without text there are no ``words``. ``first`` and ``last`` are the item's words there.
    """
    limit, sample, order = options.limit, options.sample, options.order
    if limit < 0 or sample < 0:
        raise UsageError(
            f"{min(limit, sample)} is too small", where="--limit, --sample", remedy="use 0 or more"
        )
    base = database(corpus)
    wide = base.wide()
    rows = np.arange(len(wide))
    if order:
        rows = np.searchsorted(wide.items.numbers, ordered(base, order).to_numpy())
    if sample:
        drawn = np.random.default_rng(options.seed).choice(
            len(rows), min(sample, len(rows)), replace=False
        )
        rows = rows[np.sort(drawn)]
    kept = rows[: (sample or limit)]
    return _tables(corpus, wide, kept, len(rows) if not sample else len(kept))


def _tables(corpus: Corpus, wide: Wide, rows: Rows, there: int) -> dict[str, pl.DataFrame]:
    items = wide.items.where(rows)
    text = text_of(corpus) if "sentence" in items.context.columns else None
    few = wide.where(rows)
    named = [few.column(name) for name in wide.stored]
    frame = pl.DataFrame(named).with_columns(pl.lit(there).alias("of"))
    if text is None or not {"position", "start"} & set(items.context.columns):
        return {"items": frame}
    first, last = places(items, text)
    start = text.first[items.context["sentence"].to_numpy()]
    at = [pl.Series("first", first - start), pl.Series("last", last - start - 1)]
    return {"items": frame.with_columns(at), "words": _words(corpus, items, text)}


def _words(corpus: Corpus, items: Items, text: RunningText) -> pl.DataFrame:
    """Return item, position, form and a label for every layer, a row a word of each sentence.

    Of a sentence longer than any that people wrote, the words around the item are enough.
    """
    sentence = items.context["sentence"].to_numpy()
    begin, end = text.first[sentence], text.first[sentence + 1]
    low, high = places(items, text)
    near = np.maximum(begin, low - FAR)
    size = np.minimum(end, np.minimum(high, low + FAR) + FAR) - near
    owner = np.repeat(np.arange(len(items)), size)
    token = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size - near, size)
    position = token - begin[owner]
    labels = _labels(corpus, items, text, np.unique(token))
    return pl.DataFrame({
        "item": items.numbers[owner], "position": position,
        "form": text.form.gather(pl.Series(token)).cast(pl.String),
        **{f"label {name}": _under(known, token) for name, known in labels.items()},
    })  # fmt: skip


def _under(known: Mapping[int, str], token: Rows) -> pl.Series:
    return pl.Series([known.get(int(t)) for t in token], dtype=pl.String)


def _labels(
    corpus: Corpus, items: Items, text: RunningText, token: Rows
) -> dict[str, dict[int, str]]:
    """Return the label of each word of interest by layer: as it is, or ``B-``, ``I-`` of spans."""
    whole = scored_items(corpus.with_options(where="", unit=items.unit))
    low, high = places(whole, text)
    kept = np.flatnonzero(np.searchsorted(token, high) > np.searchsorted(token, low))
    some = whole.where(kept)
    layers = {"gold": some.gold, **some.answers}
    spans = "start" in some.context.columns
    return {
        name: _by_word(some.labels, codes, low[kept], high[kept], token, spans=spans)
        for name, codes in layers.items()
    }


def _by_word(
    names: tuple[str, ...], codes: Rows, low: Rows, high: Rows, token: Rows, *, spans: bool
) -> dict[int, str]:
    found: dict[int, str] = {}
    for k in np.flatnonzero(codes):
        label = names[int(codes[k]) - 1]
        for at in range(max(int(low[k]), int(token[0])), min(int(high[k]), int(token[-1]) + 1)):
            own = f"{'B' if at == low[k] else 'I'}-{label}" if spans else label
            found[at] = f"{found[at]}|{own}" if at in found else own
    return found
