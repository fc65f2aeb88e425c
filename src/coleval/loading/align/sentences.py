"""Sentences that two files do not share, where one has more of them: every place, for validation.

Whole sentences are compared, so that what follows a lost line is compared with its own again.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.loading.readers.model import TokenFile

# Longer files are compared up to where they part: sentences that come again and again take time.
MOST = 50_000
_SHOWN = 5
_REMEDY = "gold and system must have the same sentences; was a line lost, added or split here?"


def other_sentences(gold: TokenFile, system: TokenFile) -> Iterator[Problem]:
    """Yield a problem for each stretch of sentences that only one of two files has, or splits."""
    ours, theirs = _sentences(gold), _sentences(system)
    starts = [np.searchsorted(file.sentence, np.arange(len(texts) + 1))
              for file, texts in ((gold, ours), (system, theirs))]  # fmt: skip
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        line = int(system.line[min(int(starts[1][c]), len(system) - 1)])
        at = gold.at(min(int(starts[0][a]), len(gold) - 1))
        counts = _tokens(starts[0][b] - starts[0][a]), _tokens(starts[1][d] - starts[1][c])
        if tag == "delete":
            said = f"gold's {_count(b - a)} `{_first(ours[a])}` ({at}) is missing before this line"
        elif tag == "insert":
            said = f"{_count(d - c)} `{_first(theirs[c])}` is not in gold ({at} follows)"
        else:
            said = (f"{_count(d - c)} of {counts[1]} `{_first(theirs[c])}` where gold has "
                    f"{_count(b - a)} of {counts[0]} `{_first(ours[a])}` ({at})")  # fmt: skip
        yield Problem(system.path, line, "sentences", said, _REMEDY, max(b - a, d - c))


def _sentences(file: TokenFile) -> list[str]:
    frame = pl.DataFrame({"sentence": file.sentence, "form": file.form.cast(pl.String)})
    texts = frame.group_by("sentence", maintain_order=True).agg(pl.col("form").str.join(" "))
    return texts["form"].to_list()


def _count(n: int) -> str:
    return "sentence" if n == 1 else f"{n:,} sentences"


def _tokens(n: int) -> str:
    return "1 token" if n == 1 else f"{n:,} tokens"


def _first(text: str) -> str:
    words = text.split(" ")
    return " ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else "")
