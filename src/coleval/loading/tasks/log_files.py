"""Reading logs: each file in its own format, all with the scores that were chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.errors import DataError, UsageError
from coleval.loading.readers.formats import Format, detect, format_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs

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
