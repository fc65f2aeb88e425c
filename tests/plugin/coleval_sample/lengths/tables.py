"""``lengths``: the items that each system answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval_sample.lengths.spec import Options


def lengths(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return the table ``lengths``."""
    answers = corpus.at().answers
    table = pl.DataFrame(
        {"system": list(answers), "items": [int((codes != 0).sum()) for codes in answers.values()]}
    )
    return {"lengths": table.filter(pl.col("items") >= options.least)}
