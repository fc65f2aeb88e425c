"""``coleval validate`` of logs: what is wrong with each file, and with them as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from coleval.corpus.corpus import Origin
from coleval.corpus.problems import Problem, of_error
from coleval.errors import ColevalError
from coleval.loading.tasks.log_records import (
    ERROR,
    FIRST,
    check_runs,
    conflicts,
    gathered,
    noted,
    unexpected,
)
from coleval.loading.tasks.logs import corpus_of, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import LongFile, TableFile
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.log_records import LogRecords


@dataclass(slots=True)
class CheckedLogs:
    """What checking logs brought up: of gold, and of each system with its path."""

    gold: list[Problem] = field(default_factory=list)
    systems: dict[tuple[str, str], list[Problem]] = field(default_factory=dict)
    instances: int | None = None


def check_logs(
    sources: Sequence[Source],
    reading: Reading,
    progress: Callable[[str], None],
    gold: TableFile | None = None,
) -> CheckedLogs:
    """Return every problem that can be found without settling another one first."""
    found = CheckedLogs()
    files: dict[Source, LongFile] = {}
    for source in sources:
        progress(source.name)
        try:
            files[source] = read_log(source, reading)
        except ColevalError as error:
            found.systems[source.name, source.path] = [of_error(error, source.path)]
        finally:
            source.forget()
    if files:
        _of_all(found, files, reading, gold)
    return found


def _of_all(
    found: CheckedLogs,
    files: dict[Source, LongFile],
    reading: Reading,
    gold: TableFile | None,
) -> None:
    path = next(iter(files)).path
    try:
        records = gathered(files, gold)
    except ColevalError as error:
        found.gold.append(of_error(error, path))
        return
    for system, file in (
        records.rows.unique("system", maintain_order=True).select("system", "file").iter_rows()
    ):
        found.systems[system, records.files[file].path] = []
    differing = list(conflicts(records))
    found.gold += (
        differing if reading.conflicting == ERROR else noted(differing, reading.conflicting)
    )
    found.gold += unexpected(records)
    corpus = _corpus(found, records, reading, path)
    if corpus is not None:
        found.instances = len(corpus.at())
        paths = dict(found.systems.keys())
        for entry in corpus.entries:
            if entry.absent is not None:
                found.systems[entry.name, paths[entry.name]].append(entry.absent)


def _corpus(found: CheckedLogs, records: LogRecords, reading: Reading, path: str) -> Corpus | None:
    """Return the corpus of what is expected, None if something else keeps it from being one."""
    known = replace(records, rows=records.rows.filter(records.rows["item"].is_not_null()))
    policy = FIRST if reading.conflicting == ERROR else reading.conflicting
    try:
        check_runs(known)
        return corpus_of(replace(reading, conflicting=policy), known, {"": Origin(path)})
    except ColevalError as error:
        found.gold.append(of_error(error, path))
        return None
