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
from coleval.loading.readers.formats import Format, detect, format_named, need
from coleval.loading.readers.json_records import OR
from coleval.loading.readers.model import FACT, SCORE, TableFile
from coleval.loading.tasks.label import instance_corpus, matrix_corpus
from coleval.loading.tasks.log_records import (
    ERROR,
    check_runs,
    conflicts,
    gathered,
    golds,
    noted,
    unexpected,
)
from coleval.loading.tasks.numbers import number_corpus
from coleval.loading.tasks.segments import segment_corpus
from coleval.loading.tasks.verdicts import LABEL, MAIN, NUMBER, by_share, one_each, settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.log_records import LogRecords


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
    rows, task = settled(records, replace(reading, task=LABEL) if texts else reading, right)
    rows = one_each(records, rows, reading.epochs)
    if "share" in rows.columns and task != NUMBER:
        rows = by_share(rows, reading, records.files[0].path)
    answer = {LABEL: "answer", NUMBER: MAIN}.get(task, "right")
    table = _table(records, rows, right, answer)
    # Statuses are known by now: no column of the table is to be read for them.
    plain = replace(reading, status="")
    if task == LABEL:
        to_corpus = _texts if texts else _label_corpus
        corpus = to_corpus(plain, table, records, origins)
    else:
        answers = {n: column for n, column in table.columns.items() if n != "gold"}
        if task == NUMBER:
            corpus = number_corpus(plain, replace(table, columns=answers), origins)
        else:
            answers = {n: column.cast(pl.UInt8) for n, column in answers.items()}
            corpus = matrix_corpus(plain, replace(table, columns=answers), origins)
    # A number that is not there is none; an answer without a verdict is wrong.
    numeric = task == NUMBER
    lacking = {entry.name: entry.absent for entry in corpus.entries}
    gold = replace(corpus.gold, notes=noted(differing, reading.conflicting))
    return replace(
        corpus,
        reading=reading,
        gold=gold if records.gold is not None else _hashed(gold, records, right),
        entries=tuple(
            replace(entry, absent=entry.absent or (lacking[entry.name] if numeric else None))
            for entry in _entries(records, table, origins)
        ),
    )


def _hashed(gold: Entry, records: LogRecords, right: pl.Series) -> Entry:
    """Return the entry of gold with a hash of what it is, which no file has by itself."""
    columns = (records.items["task"], records.items["id"], right.fill_null(""))
    text = "\n".join("\0".join(column.to_list()) for column in columns)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return replace(gold, origin=replace(gold.origin, sha256=digest))


def _table(records: LogRecords, rows: pl.DataFrame, gold: pl.Series, answer: str) -> TableFile:
    """Return instances with a column of gold, one of each system, and all else as context.

    Answers are the column of that name: a label, a score, or whether it is right.
    """
    labelled = answer == "answer"
    places = {name: _places(records, rows, name) for name in records.systems}
    shared = _shared_facts(records)
    answers = {name: rows[answer].gather(place) for name, place in places.items()}
    more: dict[str, pl.Series] = {}
    for system, place in places.items():
        if not labelled and rows["answer"].null_count() < len(rows):
            more[score_column(system, "answer")] = rows["answer"].gather(place)
        for kind, names in ((SCORE, records.scores), (FACT, records.facts)):
            for name in names:
                if f"{kind}{name}" == answer or (kind == FACT and name in shared):
                    continue
                more[score_column(system, name)] = rows[f"{kind}{name}"].gather(place)
        status = rows["status"].gather(place).fill_null(NOT_RUN)
        more[status_column(system)] = status.cast(KIND)
    context = shared if records.gold is None else {**records.gold.context, **shared}
    if records.items["task"].n_unique() > 1:
        context = {"task": records.items["task"], **context}
    if not labelled and gold.null_count() < len(gold):
        context["target"] = gold
    taken = {*more, *answers}
    context = {f"{n}_" if n in taken else n: column for n, column in context.items()}
    return TableFile(
        records.files[0].path, records.items["id"], {"gold": gold, **answers}, context | more
    )


def _places(records: LogRecords, rows: pl.DataFrame, system: str) -> pl.Series:
    """Return the row of each instance, null for those that the system has none of."""
    mine = (rows["system"] == system).arg_true()
    place = np.full(len(records.items), -1, np.int64)
    place[rows["item"].gather(mine).to_numpy()] = mine.to_numpy()
    places = pl.Series(place)
    return places.set(places < 0, None)


def _shared_facts(records: LogRecords) -> dict[str, pl.Series]:
    """Return the facts that all records of an instance agree on, by instance."""
    shared, items = {}, records.items.select("item")
    for name in records.facts:
        facts = records.rows.select("item", f"{FACT}{name}").drop_nulls()
        facts = facts.unique(maintain_order=True)
        if len(facts) == facts["item"].n_unique():
            rows = items.join(facts, on="item", how="left", maintain_order="left")
            shared[name] = rows.to_series(1)
    return shared


def _label_corpus(
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
        raise DataError(
            f"nothing says what gold is of {len(items):,} of {len(gold):,} instances: "
            f"{records.names_of(items)}",
            where=table.path,
            remedy="name a file of gold first, or count by the scores of the log: --task matrix",
        )


def _entries(
    records: LogRecords, table: TableFile, origins: Mapping[str, Origin]
) -> Iterator[Entry]:
    """Yield the systems, each with the file of its first record and what it lacks."""
    first = records.rows.unique("system", keep="first", maintain_order=True)
    for system, file in first.select("system", "file").iter_rows():
        path = records.files[file].path
        yield Entry(system, origins.get(path, origins[""]), absent=_lacking(records, table, system))


def _lacking(records: LogRecords, table: TableFile, system: str) -> Problem | None:
    statuses = table.context[status_column(system)]
    gone = (statuses == NOT_RUN).arg_true()
    if not len(gone):
        return None
    file = records.files[records.rows.filter(system=system)["file"][0]]
    return Problem(
        file.path,
        None,
        "missing",
        f"`{system}` was not run on {len(gone):,} of {len(statuses):,} instances: "
        f"{records.names_of(gone)}",
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
    columns = replace(reading.columns, picks=picks)
    file: LongFile = need(form, "long", source)(source, columns, scores)
    if not len(file.rows):
        raise DataError("holds no records", where=source.path, remedy="is it the right file?")
    return file


def log_format(source: Source, reading: Reading) -> Format | None:
    """Return the format of a log, None for another file."""
    if reading.format is not None:
        form = format_named(reading.format)
    else:
        form = detect(source, reading.task, selection=reading.selection)
    return form if form.long is not None else None
