"""Gold that is itself lists of entities: nothing is placed, items are strings with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import STRING
from coleval.loading.align.entity_lists import labels_of
from coleval.loading.align.ids import absent_of, rows_of
from coleval.loading.align.listed_records import check_text
from coleval.loading.readers.model import TableFile
from coleval.loading.tasks.strings import Strings, string_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.loading.readers.model import EntityFile


def listed_corpus(
    reading: Reading, files: Mapping[str, EntityFile], origins: Mapping[str, Origin]
) -> Corpus:
    """Return the corpus of lists against lists; gold has the empty name."""
    gold = files[""]
    layers: dict[str, Strings] = {}
    absent: dict[str, Problem | None] = {}
    for name, file in files.items():
        text, absent[name] = _texts(gold, file)
        layers[name] = Strings(text[file.record], file.string, labels_of(file))
    items = string_items(reading, layers, gold.records, gold.id)
    entries = {name: Entry(name, origins[name], absent=absent[name]) for name in files}
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("span", reading, entries[""], systems, {STRING: items})


def _texts(gold: EntityFile, file: EntityFile) -> tuple[NDArray[np.int64], Problem | None]:
    """Return the number of gold's record for each record of a file, and what the file lacks."""
    ours, theirs = _table(gold), _table(file)
    rows = rows_of(ours, theirs)
    place = pl.DataFrame({"row": rows, "text": np.arange(gold.records)}).drop_nulls()
    text = np.zeros(file.records, np.int64)
    text[place["row"].to_numpy()] = place["text"].to_numpy()
    for record in np.flatnonzero(file.text.is_not_null().to_numpy()).tolist():
        if (own := gold.text[int(text[record])]) is not None:
            check_text(file, record, own)
    answered = pl.Series(file.answered).gather(rows)
    return text, absent_of(ours, theirs, rows.set(~answered.fill_null(value=False), None))


def _table(file: EntityFile) -> TableFile:
    """Return the records of a file as rows of a table, to be joined by their ids."""
    return TableFile(file.path, file.id, {"text": file.text}, line=file.line)
