"""Numbers as items: a row an item, with the number that each system was given, or answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items, check_name
from coleval.corpus.numbers import coded_numbers
from coleval.errors import UsageError
from coleval.loading.readers.scores import read_scores
from coleval.loading.tasks.label import context_of, unanswered
from coleval.loading.tasks.layers import same_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TableFile
    from coleval.loading.sources import Inputs


def table_of_numbers(inputs: Inputs, reading: Reading, origins: Mapping[str, Origin]) -> Corpus:
    """Return the corpus of a table of numbers, whose columns are the systems."""
    if inputs.systems:
        raise UsageError(
            f"a table of scores has its systems as columns; there are {1 + len(inputs.systems)} "
            "files",
            where=inputs.gold.path,
            remedy="name one table, or files with the columns `id` and `score`, each of a system",
        )
    table = read_scores(inputs.gold, reading.selection)
    for name in table.columns:
        if name != "gold":
            check_name(name, inputs.gold.path, column=True)
    return number_corpus(reading, table, dict.fromkeys(("", *table.columns), origins[""]))


def number_corpus(reading: Reading, table: TableFile, origins: Mapping[str, Origin]) -> Corpus:
    """Return the corpus of columns of numbers; an item without one was not answered."""
    labels, coded = coded_numbers(table.columns)
    codes = same_width(coded, len(labels))
    gold = codes.pop("gold", None)
    nothing = np.zeros(len(table), next(iter(codes.values())).dtype)
    items = Items(
        "instance", context_of(table), (), nothing if gold is None else gold, codes,
        empty_is_answer=True, group="", numeric=True,
    )  # fmt: skip
    entries = tuple(
        Entry(name, origins.get(name, origins[""]), absent=unanswered(table, name))
        for name in codes
    )
    units = {"instance": items.sorted_labels(labels)}
    return Corpus("score", reading, Entry("", origins[""], notes=table.notes), entries, units)
