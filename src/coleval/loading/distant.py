"""A data frame of Spark: a row for each sentence, with a list of tokens and lists of tags.

Rows are read as corpora where they are, some thousand at a time; here is only what the first row
shows of their columns.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.grid import GridCell, pooled
from coleval.corpus.spread import Absent, Asked, SpreadParts, Work, of_parts
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from coleval.corpus.corpus import Corpus, Entry

_LISTS = ("list", "large_list", "fixed_size_list")


def load_distant(frame: Any, systems: Any, settings: Mapping[str, Any], profile: str) -> Corpus:
    """Return the corpus of a data frame of Spark; its rows are counted where they are."""
    if systems is not None:
        raise UsageError(
            "one frame of Spark has gold and all systems",
            where="systems",
            remedy="join them first: a column for gold, and one for each system",
        )
    from coleval.counts.spark import FrameRunner, first_rows, rows_hash

    table = first_rows(frame)
    read = partial(corpus_of_rows, dict(settings), profile)
    first = read(table)
    _check_lists(first, table)
    _check_whole(frame, first)
    runner = FrameRunner(frame, read)
    empty = replace(first, scoring=replace(first.scoring, engine="spark"))
    found = of_parts(empty, SpreadParts(runner, (Absent("a part"),)))
    found = _with_entries(found)
    # What each batch of rows has is another thing for other batches.
    answers = rows_hash(frame)
    entries = tuple(replace(entry, answers=answers) for entry in found.entries)
    return replace(found, gold=replace(found.gold, answers=answers), entries=entries)


def corpus_of_rows(
    settings: Mapping[str, Any], profile: str, rows: pa.RecordBatch | pa.Table
) -> Corpus:
    """Return the corpus of some rows."""
    from coleval.loading.loading import inputs_of, read, reading_of

    frame = pl.from_arrow(rows)
    reading = reading_of(settings)
    corpus = read(inputs_of(frame, None, reading), reading, lambda _: None)
    scoring = {k: v for k, v in settings.items() if not hasattr(reading, k)}
    return replace(corpus.scored_by(scoring), profile=profile)


def _check_lists(corpus: Corpus, table: pa.Table) -> None:
    """Raise where tokens are rows: which of them are a sentence is not known of each alone."""
    lists = any(str(kind).partition("<")[0] in _LISTS for kind in table.schema.types)
    if corpus.text_unit is not None and not lists:
        raise UsageError(
            "rows are tokens, and sentences would be cut where rows are divided",
            where="the data frame of Spark",
            remedy="collect each sentence into a row of lists: "
            'df.groupBy("sentence").agg(collect_list("token"), …)',
        )


def _check_whole(frame: Any, corpus: Corpus) -> None:
    """Raise if an id has several rows: these would be pieces of a sentence."""
    from coleval.counts.spark import twice

    name = corpus.reading.columns.picks.get("id")
    if not isinstance(name, str):
        return
    if (found := twice(frame, name)) is not None:
        raise DataError(
            f"sentence `{found}` is in several rows: one that is cut is counted wrongly",
            where=f"column {name}",
            remedy="put each sentence into one row",
        )


def _with_entries(corpus: Corpus) -> Corpus:
    """Return the corpus with what reading all rows brought up."""
    spread = corpus.spread
    assert spread is not None  # noqa: S101  - it was given one
    asked = Asked(corpus.scoring, corpus.profile, corpus.systems, None, ())
    parts = spread.runner.run(Work(asked, _entries), spread.parts, None)
    cells = [GridCell("", "", {entry.name: entry for entry in part}) for part in parts]
    names = {name: pooled(name, cells) for name in ("", *corpus.systems)}
    entries = tuple(names[name] for name in corpus.systems)
    return of_parts(replace(corpus, gold=names[""], entries=entries), spread)


def _entries(corpus: Corpus) -> list[Entry]:
    return [replace(corpus.gold, name=""), *corpus.entries]
