"""Labels of instances, one or a set each: classification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.task import Task

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def _headline(_corpus: Corpus, items: Items) -> str:
    return "f1" if items.group == "instance" else "accuracy"


TASK = Task(
    "label",
    units=("instance",),
    own_labels=True,
    label_sets=True,
    of_tables=True,
    headline=_headline,
)
