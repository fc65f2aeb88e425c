"""The made-up shared task as files: two columns, TAB between, a blank line between sentences.

Trees are written as CoNLL-U, ten columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.output import written
from coleval.demo.language import TAGS

if TYPE_CHECKING:
    from coleval.demo.chance import Codes
    from coleval.demo.corpus import DemoCorpus
    from coleval.demo.trees import Parse

_DOCUMENT = "-DOCSTART-\tO\n\n"


def write(corpus: DemoCorpus, directory: str | Path) -> list[Path]:
    """Write ``gold.conll`` and one file a system, and return their paths, gold first."""
    folder = Path(directory)
    with written(folder, option="--keep"):
        folder.mkdir(parents=True, exist_ok=True)
        return _write_files(corpus, folder)


def _write_files(corpus: DemoCorpus, folder: Path) -> list[Path]:
    if corpus.parses:
        return _write_trees(corpus, folder)
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


def _write_trees(corpus: DemoCorpus, folder: Path) -> list[Path]:
    sentence = np.diff(corpus.sentence, prepend=0) != 0
    first = np.flatnonzero(np.diff(corpus.sentence, prepend=-1))
    size = np.diff(np.append(first, len(corpus)))
    number = pl.Series(np.arange(len(corpus)) - np.repeat(first, size) + 1)
    document = np.diff(corpus.document, prepend=-1) != 0
    opening = pl.Series(["", "\n", "\n# newdoc\n", "# newdoc\n"])
    which = np.where(document, 2, sentence.astype(np.intp))
    which[0] = 3
    word = pl.select(pl.concat_str(opening.gather(which), number)).to_series()
    paths = []
    for name, parse in corpus.parses.items():
        paths.append(folder / f"{name or 'gold'}.conllu")
        _tree_frame(corpus, word, parse).write_csv(
            paths[-1], include_header=False, separator="\t", quote_style="never"
        )
        with paths[-1].open("a", encoding="utf-8") as file:
            file.write("\n")
    return paths


def _tree_frame(corpus: DemoCorpus, word: pl.Series, parse: Parse) -> pl.DataFrame:
    """Return the ten columns; the lemma is the form in lower case, there are no features."""
    nothing = pl.lit("_")
    tag = pl.Series(TAGS, dtype=pl.Enum(TAGS)).gather(parse.tag)
    relation = pl.Series(corpus.labels, dtype=pl.Enum(corpus.labels)).gather(parse.relation)
    return pl.select(
        id=word, form=corpus.form, lemma=corpus.form.str.to_lowercase(), upos=tag, xpos=nothing,
        feats=nothing, head=pl.Series(parse.head), deprel=relation, deps=nothing, misc=nothing,
    )  # fmt: skip
