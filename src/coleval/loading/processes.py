"""Gold files with their runs, read by several processes: threads of Python wait for each other.

Each process keeps what it has read. What is counted file by file is counted there, and items are
brought here only if somebody looks at them.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from stat import S_ISREG
from threading import Lock
from typing import TYPE_CHECKING, Any

from coleval.corpus.joined import CellCorpus
from coleval.corpus.lazy import LazyColumn, LazyMapping, Memo
from coleval.errors import DataError
from coleval.loading.reader_process import (
    CountCells,
    Failed,
    ReadFiles,
    SendItems,
    SendTexts,
    received,
    send,
)
from coleval.loading.readers.source import PACKED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future

    import polars as pl

    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.corpus.spread import Work
    from coleval.loading.cells import Cells
    from coleval.loading.reader_process import Question, Told
    from coleval.loading.templates import Place

# Below so many bytes in all, a process has begun when one has read them.
_WORTH = 1 << 25
# How many times smaller a packed file is.
_PACKED = 5
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from coleval.loading.reader_process import serve; serve()"
)
# Seconds after which an interruption is noticed.
_MOMENT = 0.1
# What tells libraries how many threads to start.
_THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Memory that one file was read in serves the next one, and what is large goes back at once: what
# is kept of a file is some fifth of what it takes to read it. glibc alone looks at these.
_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": f"{1 << 19}",
    "MALLOC_TRIM_THRESHOLD_": f"{1 << 20}",
}


def processes_for(cells: Cells, reading: Reading, most: int | None) -> int:
    """Return how many processes read some files, 1 for this one alone."""
    if reading.task is None or not reading.task_kind.trees or sys.platform == "win32":
        return 1
    number = min(cores() if most is None else most, len(cells.inputs))
    inputs = cells.inputs.values()
    sources = [source for one in inputs for source in (one.gold, *one.systems.values())]
    if number < 2 or any(source.frame is not None or source.is_stream for source in sources):
        return 1
    sizes = [_bytes(source.path) for source in sources]
    # A pipe that this process was given (`<(zcat …)`) is no other's.
    return number if None not in sizes and sum(size or 0 for size in sizes) > _WORTH else 1


def _bytes(path: str) -> int | None:
    """Return about how many bytes a file has once it is unpacked, None for what is no file."""
    try:
        state = os.stat(path)  # noqa: PTH116  - there may be very many, and Path is slow
    except OSError:
        return None
    packed = _PACKED if path.endswith(PACKED) else 1
    return state.st_size * packed if S_ISREG(state.st_mode) else None


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_by_processes(
    cells: Cells, reading: Reading, progress: Callable[[str], None], number: int
) -> list[CellCorpus]:
    """Return the corpus of each gold file, which is in one of so many processes."""
    readers = Readers.started(number)
    try:
        return readers.read(cells, reading, progress)
    except BaseException:
        readers.close()
        raise


@dataclass(eq=False)
class _Process:
    """One process, which is asked one thing at a time; the numbers of the files it has read."""

    running: subprocess.Popen[bytes]
    held: set[int] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    def ask(self, question: Question, about: str) -> Any:
        """Return the answer to a question; raise the error that it came to."""
        pipes = self.running
        assert pipes.stdin is not None and pipes.stdout is not None  # noqa: S101, PT018
        try:
            with self.lock:
                send(pipes.stdin, question)
                answer = received(pipes.stdout)
        except (EOFError, OSError):
            raise self._lost(about) from None
        if isinstance(answer, Failed):
            raise answer.error
        return answer

    def _lost(self, about: str) -> DataError:
        code = self.running.wait()
        return DataError(
            f"the process that read it has ended ({_ending(code)})",
            where=about,
            remedy="was memory used up? --threads 1 reads one gold file after the other",
        )


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _start(threads: int) -> _Process:
    """Start a process whose libraries have so many threads."""
    command = [sys.executable, "-c", _CODE, json.dumps(sys.path)]
    environment = {**_MEMORY, **os.environ, **dict.fromkeys(_THREADS, str(threads))}
    pipe = subprocess.PIPE
    # It is this program, with what it has itself looked up for its imports.
    return _Process(subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment))  # noqa: S603


def _stop(processes: Collection[_Process]) -> None:
    """End processes, whatever they are at."""
    for process in processes:
        process.running.kill()
    for process in processes:
        # Something may still be on its way to it.
        with suppress(OSError), process.running:
            pass


@dataclass(eq=False)
class Readers:
    """Processes that read gold files and keep them; they end with whoever holds this."""

    processes: tuple[_Process, ...]
    names: dict[int, str] = field(default_factory=dict)
    _ended: Any = field(default=None, repr=False)

    @classmethod
    def started(cls, number: int) -> Readers:
        """Return so many processes, which share the cores."""
        threads = max(1, cores() // number)
        found = cls(tuple(_start(threads) for _ in range(number)))
        found._ended = weakref.finalize(found, _stop, found.processes)
        return found

    def close(self) -> None:
        """End the processes."""
        self._ended()

    def read(
        self, cells: Cells, reading: Reading, progress: Callable[[str], None]
    ) -> list[CellCorpus]:
        """Return the corpus of each gold file, the largest read first.

        Of several that cannot be read it is the first that an error is about, as if they were read
        one after the other.
        """
        places = list(cells.inputs)
        self.names.update(enumerate(map(str, places)))
        waiting = sorted(range(len(places)), key=lambda at: _size(cells, places[at]))
        told: dict[int, Told] = {}
        failed: dict[int, Exception] = {}
        lock = Lock()

        def next_one() -> int | None:
            with lock:
                while waiting:
                    at = waiting.pop()
                    if at < min(failed, default=len(places)):
                        return at
            return None

        def work(process: _Process) -> None:
            while (at := next_one()) is not None:
                place = places[at]
                question = ReadFiles(at, place, cells.inputs[place], reading)
                try:
                    told[at] = process.ask(question, str(place))
                except Exception as error:  # noqa: BLE001  - raised below, if it is the first
                    failed[at] = error
                process.held.add(at)
                progress(str(place))

        self._each(work)
        if failed:
            raise failed[min(failed)]
        return [self._cell(at, place, told[at]) for at, place in enumerate(places)]

    def _cell(self, at: int, place: Place, told: Told) -> CellCorpus:
        """Return a gold file whose items are brought here when they are looked at."""
        found = Distant(at, self)
        units = {name: partial(found.items, name) for name in told.units}
        layers = {name: partial(found.items, name) for name in told.layers}
        corpus = replace(told.corpus, units=LazyMapping(units), layers=LazyMapping(layers))
        return CellCorpus(place.dataset, place.part, corpus, elsewhere=found)

    def counted(
        self, work: Work[Any], numbers: Sequence[int],
        question: Callable[[Work[Any], tuple[int, ...]], Question] = CountCells,
    ) -> Sequence[Any] | None:  # fmt: skip
        """Return what is counted of some gold files, None if that cannot be asked of processes."""
        try:
            pickle.dumps(work)
        except (AttributeError, TypeError, pickle.PicklingError):
            return None
        found: dict[int, Any] = {}

        def ask(process: _Process) -> None:
            own = tuple(at for at in numbers if at in process.held)
            if own:
                answers = process.ask(question(work, own), self.names[own[0]])
                found.update(zip(own, answers, strict=True))

        self._each(ask)
        return [found[at] for at in numbers]

    def ask_one(self, at: int, question: Question) -> Any:
        """Return the answer of the process that has read a gold file."""
        process = next(one for one in self.processes if at in one.held)
        return process.ask(question, self.names[at])

    def _each(self, work: Callable[[_Process], None]) -> None:
        """Do something with all processes at once."""
        with ThreadPoolExecutor(len(self.processes)) as pool:
            asked = [pool.submit(work, process) for process in self.processes]
            try:
                _wait(asked)
            except BaseException:
                # What they are at is of no use any more, and would be waited for.
                self.close()
                raise


def _wait(asked: Collection[Future[None]]) -> None:
    """Wait for all; raise the first error, or that somebody interrupts."""
    left = set(asked)
    while left:
        # Polars has an interruption wait for what itself waits without an end.
        done, left = wait(left, timeout=_MOMENT, return_when=FIRST_EXCEPTION)
        for one in done:
            one.result()


@dataclass(frozen=True, slots=True, eq=False)
class Distant:
    """A gold file with its runs that another process has read."""

    at: int
    readers: Readers
    memo: Memo = field(default_factory=Memo)

    def counted(self, work: Work[Any], numbers: Sequence[int]) -> Sequence[Any] | None:
        """Return what is counted of several gold files, None if that has to be done here."""
        return self.readers.counted(work, numbers)

    def items(self, name: str) -> Items:
        """Return the items of a unit or a layer, their texts when somebody asks for them."""
        items: Items
        items, late = self.readers.ask_one(self.at, SendItems(self.at, name))
        form = LazyColumn.of_whole(partial(self.forms, name))
        return replace(items, lazy_form=form) if late else items

    def forms(self, name: str) -> pl.Series:
        """Return the texts of items, which are brought once."""
        ask = partial(self.readers.ask_one, self.at, SendTexts(self.at, name))
        found: pl.Series = self.memo.get(name, ask)
        return found


def _size(cells: Cells, place: Place) -> int:
    return _bytes(cells.inputs[place].gold.path) or 0
