"""A piece of a corpus as peers want it: files of tokens and tags, and plain lists of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import decoded

if TYPE_CHECKING:
    from pathlib import Path

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

Tags = list[list[str]]


@dataclass(frozen=True, slots=True)
class Sample:
    """The first sentences of gold and one system, as two files."""

    gold: Path
    system: Path
    tokens: int
    task: str

    def read(self) -> tuple[Tags, Tags]:
        """Return the tags of gold and of the system by sentence, read in a plain loop."""
        return tags_of(self.gold), tags_of(self.system)


def sampled(corpus: Corpus, tokens: int, directory: Path) -> Sample:
    """Write about so many tokens, whole sentences, of gold and the first system."""
    items = corpus.at("token")
    sentence = items.context["sentence"].to_numpy()
    n = int(np.searchsorted(sentence, sentence[min(tokens, len(sentence)) - 1], side="right"))
    part = items.where(np.arange(n))
    name = corpus.systems[0]
    paths = [directory / "sample-gold.conll", directory / "sample-system.conll"]
    for path, codes in zip(paths, (part.gold, part.answers[name]), strict=True):
        path.write_text(_lines(part, codes), encoding="utf-8", newline="\n")
    return Sample(paths[0], paths[1], n, corpus.task)


def tags_of(path: Path) -> Tags:
    """Return the tags of each sentence of a file of two columns."""
    sentences: Tags = []
    tags: list[str] = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line == "\n":
                sentences.append(tags)
                tags = []
            else:
                tags.append(line[line.rindex("\t") + 1 : -1])
    return [*sentences, tags] if tags else sentences


def _lines(items: Items, codes: np.ndarray) -> str:
    """Return a line a token; what stands for nothing is O."""
    sentence = items.context["sentence"].to_numpy()
    breaks = pl.Series(np.where(np.diff(sentence, prepend=sentence[:1]) != 0, "\n", ""))
    forms = items.form()
    form = pl.repeat("-", len(items), eager=True) if forms is None else forms.cast(pl.String)
    tags = decoded(codes, items.labels, "tag").cast(pl.String).fill_null("O")
    line = pl.select(pl.concat_str([breaks, form, pl.lit("\t"), tags])).to_series()
    return "\n".join(line.to_list()) + "\n"
