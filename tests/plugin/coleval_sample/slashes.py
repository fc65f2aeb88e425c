"""The format ``slashes``: ``the/DT dog/NN``, one sentence per line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.formats import Format
from coleval.loading.readers.model import TokenFile

if TYPE_CHECKING:
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

_TAGGED = re.compile(rb"[^\s/]+/[^\s/]+( [^\s/]+/[^\s/]+)+\s*$")


def read(source: Source, _: Selection, role: str) -> TokenFile:
    """Return the tokens; a tag is what follows the last slash."""
    lines = source.text.decode().splitlines()
    words = [word.rpartition("/") for line in lines for word in line.split()]
    sentence = np.repeat(np.arange(len(lines)), [len(line.split()) for line in lines])
    return TokenFile(
        path=source.path,
        form=pl.Series("form", [form for form, _, _ in words]),
        sentence=sentence.astype(np.int32),
        line=sentence.astype(np.uint32) + 1,
        columns={role: pl.Series([tag for _, _, tag in words])},
    )


SLASHES = Format(
    "slashes",
    "one sentence per line, the tag of each word after a slash",
    (".pos",),
    "tag",
    lambda beginning: _TAGGED.match(beginning.line) is not None,
    tokens=read,
)
