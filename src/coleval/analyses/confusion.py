"""``confusion``: for every system, how often each answer stands where gold has each label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.counted import asked, confusions
from coleval.engines import local

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus import Corpus


def confusion(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return the table ``confusion``: system, gold, answer (null = nothing there), n."""
    return {"confusion": confusions(corpus, asked(corpus), local())}
