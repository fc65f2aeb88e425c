"""Generated text: a segment an item, whose answers are the texts of the systems.

Gold is the first reference; others are the columns ``reference_2`` and so on. A text is a label
like any other, so that whatever selects, joins and stores items takes texts too. What metrics count
of them are layers: a row of whole numbers is a label as well.
"""

from __future__ import annotations

import glob
from dataclasses import replace
from functools import cache, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import coded
from coleval.corpus.corpus import Corpus, Entry
from coleval.corpus.items import RESERVED, Items
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.corpus.plain_names import settled
from coleval.corpus.problems import Problem
from coleval.counts.extraction import EXTRACTORS
from coleval.counts.segments import REFERENCE, UNIT, counted
from coleval.counts.text_words import text_units
from coleval.errors import DataError, unknown
from coleval.loading.align.ids import rows_of
from coleval.loading.readers.segments import read_segments
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.corpus import Origin
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TableFile
    from coleval.loading.sources import Inputs

    Progress = Callable[[str], None]
    Texts = tuple[TableFile, pl.Series]


def segment_corpus(
    reading: Reading,
    gold: Texts,
    systems: Mapping[str, Texts],
    beside: Mapping[str, Sequence[Source]],
    origins: Mapping[str, Origin],
    progress: Progress,
) -> Corpus:
    """Return the corpus of segments: texts of gold and systems, and files ``beside`` by lines.

    These are further ``references``, the ``form`` (sources) and the ``document`` of each segment.
    """
    if unnamed := set(reading.statistics) - set(EXTRACTORS):
        raise unknown("statistic", min(unnamed), EXTRACTORS, where="--statistics")
    table, first = gold
    lines = {
        name: [_same_length(table, first, read_segments(one, reading.columns)) for one in sources]
        for name, sources in beside.items()
    }
    own = [first]
    if first.dtype == pl.List:
        most = int(np.max(first.list.len().to_numpy(), initial=1))
        own = [first.list.get(at, null_on_oob=True) for at in range(most)]
    references = [*own, *lines.pop("references", ())]
    columns = {"": references[0].fill_null("")}
    columns |= {n: _same_length(table, first, file, texts) for n, (file, texts) in systems.items()}
    codes, labels = _coded(columns)
    more = [one.alias(f"{REFERENCE}{at}") for at, one in enumerate(references[1:], 2)]
    context = _context(table, {name: one for name, (one, *_) in lines.items()}, more)
    items = Items(
        UNIT, context, labels, codes.pop(""), codes, empty_is_answer=True, group="",
    )  # fmt: skip
    entries = tuple(
        Entry(name, origins[name], absent=_without_output(file, columns[name]))
        for name, (file, _) in systems.items()
    )
    kept = {n: cache(partial(counted, items, n, reading.tokenize, progress))
            for n in dict.fromkeys(reading.statistics)}  # fmt: skip
    own_entry = Entry("", origins[""], notes=table.notes)
    return Corpus(
        "text", replace(reading, task="text"), own_entry, entries, text_units(maker_of(items)),
        layers=LazyMapping(kept),
    )  # fmt: skip


def _same_length(
    gold: TableFile, references: pl.Series, file: TableFile, texts: pl.Series | None = None
) -> pl.Series:
    """Return the texts of a file in the order of gold; raise if they are not as many."""
    own = file.columns["text"] if texts is None else texts
    if file is gold:
        return own
    if gold.id is not None and file.id is not None:
        return own.gather(rows_of(gold, file))
    if len(own) == len(references):
        return own
    first = references.list.first() if references.dtype == pl.List else references
    line = parting(first.fill_null("").to_list(), own.fill_null("").to_list())
    raise DataError(
        f"has {len(own):,} segments, {gold.path} has {len(references):,}; by their words and "
        f"lengths they part at {line:,}",
        where=f"{file.path}:{line}",
        remedy="every segment has a line of its own, if an empty one: is one missing or split?",
    )


def parting(texts: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of the first text from which on others are shifted by what they lack.

    It is where both are most alike in all: before it by their places, from it on by their places
    from the end.
    """
    n = min(len(texts), len(others))
    before = np.append(0, np.cumsum([*map(_likeness, texts[:n], others[:n])]))
    backwards = map(_likeness, texts[::-1][:n], others[::-1][:n])
    behind = np.append(0, np.cumsum([*backwards]))
    return int(np.argmax(before + behind[::-1])) + 1


def _likeness(text: str, other: str) -> float:
    """Return how alike two texts are: in words, and by how much one is longer."""
    one, two = set(text.split()), set(other.split())
    shared = len(one & two) / max(len(one | two), 1)
    return shared - abs(float(np.log1p(len(text)) - np.log1p(len(other))))


def _without_output(file: TableFile, texts: pl.Series) -> Problem | None:
    """Return the problem that a system has no output for some segments, none if it has all."""
    if not (n := texts.null_count()):
        return None
    return Problem(
        file.path, None, "missing", f"has no output for {n:,} of {len(texts):,} segments",
        "every segment needs an output, if an empty text", n,
    )  # fmt: skip


def _coded(columns: Mapping[str, pl.Series]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return texts as codes, and all of them; an empty text is one as well."""
    every = pl.concat([one.rename("") for one in columns.values()]).drop_nulls().unique().sort()
    kind = pl.Enum(every)
    return {n: coded(one.cast(kind), every) for n, one in columns.items()}, tuple(every.to_list())


def _context(
    table: TableFile, lines: Mapping[str, pl.Series], references: list[pl.Series]
) -> pl.DataFrame:
    """Return what is known of segments: ids, documents, columns of tables, references, sources."""
    kept = {n: column for n, column in table.context.items() if n not in ("id", *lines)}
    source = next((name for name in ("source", "question") if name in kept), "")
    if source and "form" not in kept and "form" not in lines:
        kept["form"] = kept.pop(source)
    names = settled(kept, {"id", *RESERVED} - {"form", "document", "sentence"})
    columns = [] if table.id is None else [table.id.alias("id")]
    columns += [column.alias(name) for name, column in zip(names, kept.values(), strict=True)]
    columns += [*(column.alias(name) for name, column in lines.items()), *references]
    # Texts stand behind all other columns, and are read from a store when they are looked at.
    columns.sort(key=lambda column: column.name == "form")
    return pl.DataFrame(columns)


def files_beside(inputs: Inputs, reading: Reading) -> dict[str, list[Source]]:
    """Return the files that have a line for each segment too, by what they are."""
    options = {"references": reading.references, "form": (reading.source_text,),
               "document": (reading.documents,)}  # fmt: skip
    found: dict[str, list[Source]] = {"references": list(inputs.references)}
    for name, paths in options.items():
        for path in filter(None, paths):
            known = reduce(lambda text, one: text.replace(f"{{{one[0]}}}", one[1]),
                           inputs.place.items(), path)  # fmt: skip
            there = sorted(glob.glob(known)) or [known]  # noqa: PTH207
            found.setdefault(name, []).extend(Source(one, "", reading.encoding) for one in there)
    return {name: sources for name, sources in found.items() if sources}
