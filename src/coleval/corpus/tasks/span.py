"""Labelled spans of tokens: named entities, chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.task import Task

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def _headline(_corpus: Corpus, items: Items) -> str:
    return "f1" if items.of_spans else "accuracy"


TASK = Task(
    "span",
    # Files that place spans by characters have the unit `character` too, those that list strings
    # without places the unit `string`.
    units=("span", "token"),
    text_unit="token",
    spans_of_tags=True,
    own_labels=True,
    tagged_text=True,
    headline=_headline,
)
