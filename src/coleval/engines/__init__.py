"""Spark as an engine: its sessions, and the parts of a corpus that its workers count.

Every engine groups items into the same patterns (``counts``); this is the one that others run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def on_engine(corpus: Corpus) -> Corpus:
    """Return a corpus as its engine counts it: for Spark in parts, on a session of its master."""
    scoring = corpus.scoring
    if scoring.engine != "spark":
        if scoring.master:
            raise UsageError(
                "names a cluster, and nothing is counted on one",
                where="--master",
                remedy="add --engine spark",
            )
        return corpus
    if corpus.spread is not None:
        return corpus
    from coleval.engines.spark import LOCAL, check_stored, on_session, session_of

    check_stored(corpus)
    return on_session(corpus, session_of(scoring.master or LOCAL))
