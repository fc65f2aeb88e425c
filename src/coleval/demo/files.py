"""The made-up shared task as files: two columns, TAB between, a blank line between sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from coleval.demo.chance import Codes
    from coleval.demo.corpus import DemoCorpus

_DOCUMENT = "-DOCSTART-\tO\n\n"


def write(corpus: DemoCorpus, directory: str | Path) -> list[Path]:
    """Write ``gold.conll`` and one file a system, and return their paths, gold first."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    token = _tokens(corpus)
    label = pl.Series(corpus.labels, dtype=pl.Enum(corpus.labels))
    columns = {"gold": corpus.gold, **corpus.systems}
    paths = [folder / f"{name}.conll" for name in columns]
    for path, codes in zip(paths, columns.values(), strict=True):
        _write(path, token, label, codes)
    return paths


def _tokens(corpus: DemoCorpus) -> pl.Series:
    """Return the forms, each with what stands between it and the line above."""
    sentence = np.diff(corpus.sentence, prepend=0) != 0
    document = np.diff(corpus.document, prepend=-1) != 0
    between = pl.Series(["", "\n", "\n" + _DOCUMENT, _DOCUMENT])
    which = np.where(document, 2, sentence.astype(np.intp))
    which[0] = 3
    return pl.select(pl.concat_str(between.gather(which), corpus.form)).to_series()


def _write(path: Path, token: pl.Series, label: pl.Series, codes: Codes) -> None:
    frame = pl.DataFrame({"token": token, "label": label.gather(codes)})
    frame.write_csv(path, include_header=False, separator="\t", quote_style="never")
