"""A process that counts the numbers of segments: chunks come by standard input, as pickles."""

from __future__ import annotations

import pickle
import sys

from coleval.counts.extraction import EXTRACTORS, count_chunk


def run(statistic: str, tokenize: str) -> None:
    """Answer every chunk with its numbers, until there are no more."""
    extractor = EXTRACTORS[statistic](tokenize)
    while True:
        try:
            chunk = pickle.load(sys.stdin.buffer)  # noqa: S301  - of the process that began this
        except EOFError:
            return
        pickle.dump(count_chunk(extractor, chunk), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    run(*sys.argv[1:])
