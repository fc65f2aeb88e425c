"""Parquet of columns of labels, its pages made here: a sixth of the time that a library takes.

Libraries look at every row. Here one bit a row says whether there is a label, the codes of those
that there are follow as they are, and both are packed. Files are smaller too, and any program
reads them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.store.pages import TEXTS, Chunk, PageColumn, data_page, dictionary_page, write_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from coleval.corpus.coding import Codes
    from coleval.store.pages import Page


def write_labels(
    path: Path, columns: Mapping[str, Codes], schema: pa.Schema, labels: Sequence[str],
    groups: Sequence[int],
) -> None:  # fmt: skip
    """Write codes as columns of labels, null for 0, in row groups that begin at ``groups``."""
    page = texts_page(labels)
    every = [label_column(name, codes, len(labels), page) for name, codes in columns.items()]
    write_pages(path, every, schema, pairwise(groups))


def label_column(name: str, codes: Codes, labels: int, page: Page) -> PageColumn:
    """Return a column of labels, of which a page has the texts."""

    def chunk(low: int, high: int) -> Chunk:
        own = codes[low:high]
        there = own != 0
        return Chunk(page, data_page(np.compress(there, own) - 1, labels, there), high - low)

    return PageColumn(name, TEXTS, chunk)


def texts_page(texts: Sequence[str]) -> Page:
    """Return the page of some texts."""
    data = [one.encode() for one in texts]
    plain = b"".join(len(one).to_bytes(4, "little") + one for one in data)
    return dictionary_page(plain, len(data))
