"""Logs of evaluations as items: an instance a row, with what each system answered and was scored.

Where comparing answers with gold says what the scores say, instances have labels; else the scores
say what is right, and it is a matrix (``--task`` settles it).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.problems import Problem, raise_first
from coleval.corpus.statuses import KIND, NOT_RUN, score_column, status_column
from coleval.errors import DataError, UsageError
from coleval.loading.readers.formats import Format, detect, format_named
from coleval.loading.readers.ids import listed
from coleval.loading.readers.model import TableFile
from coleval.loading.readers.records import OR
from coleval.loading.tasks.label import instance_corpus, matrix_corpus
from coleval.loading.tasks.log_records import (
    ERROR,
    FACT,
    SCORE,
    check_runs,
    conflicts,
    gathered,
    golds,
    noted,
    unexpected,
)
from coleval.loading.tasks.numbers import number_corpus
from coleval.loading.tasks.segments import segment_corpus
from coleval.loading.tasks.verdicts import one_each, settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.log_records import LogRecords
    from coleval.loading.tasks.verdicts import Verdicts


def log_corpus(
    reading: Reading,
    files: Mapping[Source, LongFile],
    origins: Mapping[str, Origin],
    gold: TableFile | None = None,
) -> Corpus:
    """Return the corpus of some logs; ``gold`` is a table that says which instances there are."""
    records = gathered(files, gold)
    raise_first(unexpected(records))
    check_runs(records)
    differing = tuple(conflicts(records))
    if reading.conflicting == ERROR:
        raise_first(differing)
    return corpus_of(reading, records, origins, differing)


def corpus_of(
    reading: Reading,
    records: LogRecords,
    origins: Mapping[str, Origin],
    differing: tuple[Problem, ...] = (),
) -> Corpus:
    """Return the corpus of records that were checked."""
    right = golds(records, reading.conflicting)
    # Texts are answers, as labels are.
    texts = reading.task_kind.texts
    verdicts = settled(records, replace(reading, task="label") if texts else reading, right)
    rows = one_each(records, verdicts.rows, reading.epochs)
    verdicts = replace(verdicts, rows=rows)
    if verdicts.averaged:
        verdicts = verdicts.by_share(reading)
    table = _table(records, verdicts, right)
    made = _numbers if verdicts.numeric else _labels if verdicts.labelled else _matrix
    made = _texts if texts else made
    # Statuses are known by now: no column of the table is to be read for them.
    corpus = made(replace(reading, status=""), table, records, origins)
    lacking = {entry.name: entry.absent for entry in corpus.entries}
    gold = replace(corpus.gold, notes=noted(differing, reading.conflicting))
    return replace(
        corpus,
        reading=reading,
        gold=gold if records.gold is not None else _hashed(gold, records, right),
        entries=tuple(
            replace(entry, absent=entry.absent or lacking[entry.name])
            for entry in _entries(records, table, origins)
        ),
    )


def _hashed(gold: Entry, records: LogRecords, right: pl.Series) -> Entry:
    """Return the entry of gold with a hash of what it is, which no file has by itself."""
    columns = (records.items["task"], records.items["id"], right.fill_null(""))
    text = "\n".join("\0".join(column.to_list()) for column in columns)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return replace(gold, origin=replace(gold.origin, sha256=digest))


def _table(records: LogRecords, verdicts: Verdicts, gold: pl.Series) -> TableFile:
    """Return instances with a column of gold, one of each system, and all else as context."""
    wide = _WideRecords(records, verdicts)
    label = verdicts.labelled
    answers = {name: wide.column(name, verdicts.answer) for name in wide.places}
    context: dict[str, pl.Series] = dict(wide.facts())
    if records.gold is not None:
        context = {**records.gold.context, **context}
    if records.items["task"].n_unique() > 1:
        context = {"task": records.items["task"], **context}
    if not label and gold.null_count() < len(gold):
        context["target"] = gold
    more = dict(wide.of_systems(answers=not label, apart=verdicts.answer))
    context = {_apart(name, (*more, *answers)): column for name, column in context.items()}
    return TableFile(
        records.files[0].path, records.items["id"], {"gold": gold, **answers}, context | more
    )


def _apart(name: str, taken: tuple[str, ...]) -> str:
    return f"{name}_" if name in taken else name


class _WideRecords:
    """Columns of instances out of rows of records: where each system has its row."""

    def __init__(self, records: LogRecords, verdicts: Verdicts) -> None:
        self.records, self.rows = records, verdicts.rows
        self.places = {name: self._places(name) for name in records.systems}
        self.of_items = [name for name in records.facts if self._agreed(name)]

    def _places(self, system: str) -> pl.Series:
        """Return the row of each instance, null for those that the system has none of."""
        mine = (self.rows["system"] == system).arg_true()
        place = np.full(len(self.records.items), -1, np.int64)
        place[self.rows["item"].gather(mine).to_numpy()] = mine.to_numpy()
        places = pl.Series(place)
        return places.set(places < 0, None)

    def column(self, system: str, name: str) -> pl.Series:
        """Return what a system has of something, by instance."""
        return self.rows[name].gather(self.places[system])

    def of_systems(self, *, answers: bool, apart: str) -> Iterator[tuple[str, pl.Series]]:
        """Yield answers as text, scores, facts that differ between systems, and statuses.

        What is ``apart`` is what items are made of.
        """
        own = [name for name in self.records.facts if name not in self.of_items]
        for system in self.places:
            if answers and self.rows["answer"].null_count() < len(self.rows):
                yield score_column(system, "answer"), self.column(system, "answer")
            for name in (n for n in self.records.scores if f"{SCORE}{n}" != apart):
                yield score_column(system, name), self.column(system, f"{SCORE}{name}")
            for name in own:
                yield score_column(system, name), self.column(system, f"{FACT}{name}")
            status = self.column(system, "status").fill_null(NOT_RUN)
            yield status_column(system), status.cast(KIND)

    def facts(self) -> Iterator[tuple[str, pl.Series]]:
        """Yield the facts that all records of an instance agree on."""
        for name in self.of_items:
            said = self.records.rows.select("item", f"{FACT}{name}").drop_nulls()
            said = said.unique("item", keep="first", maintain_order=True)
            every = self.records.items.select("item")
            rows = every.join(said, on="item", how="left", maintain_order="left")
            yield name, rows[f"{FACT}{name}"]

    def _agreed(self, name: str) -> bool:
        said = self.records.rows.select("item", f"{FACT}{name}").drop_nulls()
        return len(said.unique()) == said["item"].n_unique()


def _labels(
    reading: Reading, table: TableFile, records: LogRecords, origins: Mapping[str, Origin]
) -> Corpus:
    _check_gold(table, records)
    systems = {name: (table, name) for name in table.columns if name != "gold"}
    whole = dict.fromkeys(systems, origins[""])
    return instance_corpus(reading, table, systems, {**whole, "": origins[""]})


def _texts(
    reading: Reading, table: TableFile, records: LogRecords, origins: Mapping[str, Origin]
) -> Corpus:
    _check_gold(table, records)
    texts = {name: (table, column) for name, column in table.columns.items() if name != "gold"}
    gold = table.columns["gold"].str.split(OR)
    whole = dict.fromkeys((*texts, ""), origins[""])
    return segment_corpus(reading, (table, gold), texts, {}, whole, lambda _: None)


def _check_gold(table: TableFile, records: LogRecords) -> None:
    """Raise for instances of which no record says what gold is."""
    gold = table.columns["gold"]
    lacking = gold.is_null() | (gold.str.strip_chars() == "").fill_null(value=True)
    if lacking.any():
        items = lacking.arg_true()
        names = pl.Series([records.id_of(int(item)) for item in items])
        raise DataError(
            f"nothing says what gold is of {len(names):,} of {len(gold):,} instances: "
            f"{listed(names)}",
            where=table.path,
            remedy="name a file of gold first, or count by the scores of the log: --task matrix",
        )


def _matrix(
    reading: Reading, table: TableFile, _: LogRecords, origins: Mapping[str, Origin]
) -> Corpus:
    right = {n: column.cast(pl.UInt8) for n, column in table.columns.items() if n != "gold"}
    return matrix_corpus(reading, replace(table, columns=right), origins)


def _numbers(
    reading: Reading, table: TableFile, _: LogRecords, origins: Mapping[str, Origin]
) -> Corpus:
    own = {name: column for name, column in table.columns.items() if name != "gold"}
    return number_corpus(reading, replace(table, columns=own), origins)


def _entries(
    records: LogRecords, table: TableFile, origins: Mapping[str, Origin]
) -> Iterator[Entry]:
    """Yield the systems, each with the file of its first record and what it lacks."""
    first = records.rows.unique("system", keep="first", maintain_order=True)
    for system, file in first.select("system", "file").iter_rows():
        path = records.files[file].path
        yield Entry(system, origins.get(path, origins[""]), absent=_lacking(records, table, system))


def _lacking(records: LogRecords, table: TableFile, system: str) -> Problem | None:
    gone = (table.context[status_column(system)] == NOT_RUN).arg_true()
    if not len(gone):
        return None
    names = pl.Series([records.id_of(int(item)) for item in gone])
    file = records.rows.filter(system=system)["file"][0]
    return Problem(
        records.files[file].path,
        None,
        "missing",
        f"`{system}` was not run on {len(gone):,} of {len(table.context[status_column(system)]):,} "
        f"instances: {listed(names)}",
        "every instance needs a record",
        len(gone),
    )


_TABLE = "long"


def read_logs(
    inputs: Inputs, reading: Reading, progress: Callable[[str], None]
) -> dict[Source, LongFile]:
    """Return the records of all files."""
    found = {}
    for source in (inputs.gold, *inputs.systems.values()):
        progress(source.name)
        found[source] = read_log(source, reading)
        source.forget()
    return found


def read_log(source: Source, reading: Reading) -> LongFile:
    """Return the records of a file; raise if it is no log."""
    form = log_format(source, reading)
    if form is None:
        raise UsageError(
            "is not a log of answers, as the other files are",
            where=source.path,
            remedy="a file of gold comes first; logs bring gold along",
        )
    assert form.long is not None  # noqa: S101  - log_format() has made sure
    scores = tuple(filter(None, (name.strip() for name in reading.score.split(","))))
    picks = dict(reading.columns.picks)
    if reading.status:
        picks["status"] = reading.status
    if picks and form.name != _TABLE:
        option = "--status" if reading.status else "--columns"
        raise UsageError(
            f"the format `{form.name}` says itself what its fields are",
            where=f"{source.path}: {option}",
            remedy="leave the option out; --score chooses among the scores of a log",
        )
    file = form.long(source, replace(reading.columns, picks=picks), scores)
    if not len(file):
        raise DataError("holds no records", where=source.path, remedy="is it the right file?")
    return file


def log_format(source: Source, reading: Reading) -> Format | None:
    """Return the format of a log, None for another file."""
    if reading.format is not None:
        form = format_named(reading.format)
    else:
        form = detect(source, reading.task, selection=reading.selection)
    return form if form.long is not None else None
