"""Logs without a file of gold: each is read in its own format, and gold is what all of them say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.loading.sources import origin
from coleval.loading.tasks.logs import log_corpus, read_logs

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Reading
    from coleval.loading.loading import Progress
    from coleval.loading.sources import Inputs


def read_log_corpus(inputs: Inputs, reading: Reading, progress: Progress) -> Corpus:
    """Return the corpus of logs; no file needs to be hashed for a gold that all of them have."""
    origins = {path: origin(source) for path, source in inputs.systems.items()}
    origins |= dict.fromkeys(("", inputs.gold.path), origin(inputs.gold))
    return log_corpus(reading, read_logs(inputs, reading, progress), origins)
