"""What a test has workers do for some time; they find it by PYTHONPATH."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items
from coleval.counts.patterns import patterns
from coleval.counts.systems import BinCounts, bin_counts

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def slow_bins(corpus: Corpus, *, marks: str, seconds: float) -> BinCounts:
    """Count bins, not too fast; leave a mark that the work has begun, and in which process."""
    Path(marks, f"{time.monotonic_ns()}-{os.getpid()}").touch()
    time.sleep(seconds)
    return bin_counts(patterns(scored_items(corpus)))
