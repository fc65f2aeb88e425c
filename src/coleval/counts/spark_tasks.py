"""What runs on the workers of a cluster: parts are read, counted, and come back as one small row.

It needs no Spark itself. An error that a user can mend comes back as a row as well: to try again
would not help.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from coleval.errors import ColevalError
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.spread import Asked, CorpusPart, Work

SCHEMA = "task bigint, part bigint, result binary"
# Answers that a worker keeps for the next question, in all parts together.
_KEPT = 1 << 25
WHOLE = -1


@dataclass(frozen=True, slots=True)
class Tasks:
    """The numbers of the parts of each task, what is done with each part, and how sums are made."""

    parts: tuple[CorpusPart, ...]
    shares: tuple[tuple[int, ...], ...]
    work: Work[Any]
    add: Callable[[list[Any]], Any] | None


def packed(thing: Any) -> bytes:
    """Return a thing as bytes that are sent."""
    return zlib.compress(pickle.dumps(thing, protocol=5), 1)


def unpacked(text: bytes) -> Any:
    """Return the thing again; what arrives was sent by this program."""
    return pickle.loads(zlib.decompress(text))  # noqa: S301


def counted(payload: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what comes of the tasks whose numbers arrive."""
    tasks = _tasks(payload)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for part, result in _answered(tasks, number):
                yield _row(number, part, result)


@lru_cache(maxsize=2)
def _tasks(payload: bytes) -> Tasks:
    found: Tasks = unpacked(payload)
    return found


def _answered(tasks: Tasks, number: int) -> Iterator[tuple[int, Any]]:
    try:
        found = [(at, _of_part(tasks.work, tasks.parts[at])) for at in tasks.shares[number]]
        if tasks.add is not None:
            found = [(WHOLE, tasks.add([result for _, result in found]))]
    except ColevalError as error:
        found = [(WHOLE, error)]
    yield from found


def _of_part(work: Work[Any], part: CorpusPart) -> Any:
    return work.count(_corpus(work.asked, part))


_corpora: OrderedDict[bytes, tuple[int, Corpus]] = OrderedDict()


def _corpus(asked: Asked, part: CorpusPart) -> Corpus:
    """Return a part as it is to be counted; the last ones are kept with what is known of them."""
    key = pickle.dumps((asked, part), protocol=5)
    if key in _corpora:
        _corpora.move_to_end(key)
        return _corpora[key][1]
    found = asked.of(part())
    _corpora[key] = part.rows * (len(asked.systems) + 1), found
    while len(_corpora) > 1 and sum(size for size, _ in _corpora.values()) > _KEPT:
        _corpora.popitem(last=False)
    return found


def called(payload: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what a function returns of the things whose numbers arrive."""
    function, things = unpacked(payload)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            if number < len(things):
                try:
                    result = function(things[number])
                except ColevalError as error:
                    result = error
                yield _row(number, number, result)


def counted_rows(payload: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what is counted of the sentences that arrive, each batch of them as a corpus."""
    read, work, add = unpacked(payload)
    found: list[Any] = []
    try:
        for batch in batches:
            if batch.num_rows:
                found.append(work.count(work.asked.of(read(batch))))
                if add is not None:
                    found = [add(found)]
    except ColevalError as error:
        found = [error]
    for result in found:
        yield _row(0, WHOLE, result)


def added(add: Callable[[list[Any]], Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    """Yield the sum of the rows that arrive, so that the driver gets few of them."""
    found = [unpacked(row) for batch in batches for row in batch.column(2).to_pylist()]
    error = next((one for one in found if isinstance(one, ColevalError)), None)
    if found:
        yield _row(0, WHOLE, error or add(found))


def _row(task: int, part: int, result: Any) -> pa.RecordBatch:
    import pyarrow as pa

    columns = {
        "task": pa.array([task], pa.int64()),
        "part": pa.array([part], pa.int64()),
        "result": pa.array([packed(result)], pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def probed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield which coleval and which Python a worker has."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _row(number, WHOLE, (__version__, f"{sys.version_info[0]}.{sys.version_info[1]}"))
