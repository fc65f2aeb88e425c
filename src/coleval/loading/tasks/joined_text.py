"""Tagged tokens as a text and the spans on it, to meet files that place spans by characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.model import OffsetFile, WordPlaces
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.schemes import Spans
    from coleval.loading.readers.model import TokenFile

    Numbers = NDArray[np.int64]


def joined_text(
    file: TokenFile, spans: Spans, labels: Sequence[str], notes: tuple[Problem, ...] = ()
) -> OffsetFile:
    """Return the tokens with spaces between them, a line a sentence and a record a document."""
    document = np.zeros(len(file), np.int32) if file.document is None else file.document
    opens = np.flatnonzero(steps(document))
    size = file.form.str.len_chars().to_numpy().astype(np.int64)
    place = np.cumsum(size + 1) - size - 1
    start = place - place[opens][document]
    names = pl.Series(["", *labels], dtype=pl.String)
    return OffsetFile(
        path=file.path,
        texts=_texts(file, document, opens),
        ids=None,
        line=file.line[opens],
        document=document[spans.start],
        start=start[spans.start],
        end=start[spans.end - 1] + size[spans.end - 1],
        label=names.gather(pl.Series(spans.kind.astype(np.uint32))),
        span_line=file.line[spans.start],
        words=WordPlaces(document, start, start + size, file.sentence),
        joined=True,
        notes=notes,
    )


def _texts(file: TokenFile, document: NDArray[np.int32], opens: NDArray[np.intp]) -> pl.Series:
    """Return the text of every document."""
    last = np.append(steps(file.sentence)[1:], True)
    ends = pl.Series(np.where(last, "\n", " "))
    text = (file.form + ends).alias("text")
    if len(opens) == 1:
        return pl.Series([text.str.join("")[0][:-1]], dtype=pl.String)
    frame = pl.DataFrame({"document": document, "text": text})
    joined = frame.group_by("document", maintain_order=True).agg(pl.col("text").str.join(""))
    return joined["text"].str.slice(0, joined["text"].str.len_chars() - 1)
