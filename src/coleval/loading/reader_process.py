"""A process that reads gold files with their runs, keeps them, and counts them when it is asked.

It is started by ``processes``; each question is a function of what it has read so far.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Protocol

from coleval.corpus.joined import CellCorpus, corpus_of_parts
from coleval.corpus.lazy import LazyMapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.corpus.spread import Work
    from coleval.loading.sources import Inputs
    from coleval.loading.templates import Place

# What says how long a message is.
_LENGTH = 8
Held = dict[int, CellCorpus]


class Question(Protocol):
    """Something that is asked of a process."""

    def __call__(self, held: Held) -> Any:
        """Return the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Told:
    """A corpus without its items, and the names of its units and layers."""

    corpus: Corpus
    units: tuple[str, ...]
    layers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Read a gold file with its runs, and keep it by its number."""

    at: int
    place: Place
    inputs: Inputs
    reading: Reading

    def __call__(self, held: Held) -> Told:
        """Return what is known of it."""
        from coleval.loading.loading import read_inputs

        corpus = read_inputs(self.inputs, self.reading)
        held[self.at] = CellCorpus(self.place.dataset, self.place.part, corpus)
        bare = replace(corpus, units={}, layers=LazyMapping({}))
        return Told(bare, tuple(corpus.units), tuple(corpus.layers))


@dataclass(frozen=True, slots=True)
class CountCells:
    """Count some gold files as a corpus each."""

    work: Work[Any]
    cells: tuple[int, ...]

    def __call__(self, held: Held) -> list[Any]:
        """Return what is counted of each."""
        return [self._counted(held[at]) for at in self.cells]

    def _counted(self, cell: CellCorpus) -> Any:
        corpus = corpus_of_parts([cell], self.work.asked.systems)
        return self.work.count(self.work.asked.of(corpus))


@dataclass(frozen=True, slots=True)
class SendItems:
    """Send the items of a unit or a layer of a gold file."""

    at: int
    name: str

    def __call__(self, held: Held) -> tuple[Items, bool]:
        """Return the items without texts that are made late, and whether they have such."""
        items = _table(held[self.at].corpus, self.name)
        answers = {name: items.answers[name] for name in items.answers}
        return replace(items, answers=answers, lazy_form=None), items.lazy_form is not None


@dataclass(frozen=True, slots=True)
class SendTexts:
    """Send the texts of items, None where they have none."""

    at: int
    name: str

    def __call__(self, held: Held) -> pl.Series | None:
        """Return a text for each item."""
        return _table(held[self.at].corpus, self.name).form()


def _table(corpus: Corpus, name: str) -> Items:
    tables: Mapping[str, Items] = corpus.units if name in corpus.units else corpus.layers
    return tables[name]


@dataclass(frozen=True, slots=True)
class Failed:
    """The error that a question came to."""

    error: Exception


def send(stream: IO[bytes], thing: Any) -> None:
    """Write a thing behind its length."""
    text = pickle.dumps(thing, protocol=5)
    stream.write(len(text).to_bytes(_LENGTH, "little"))
    stream.write(text)
    stream.flush()


def received(stream: IO[bytes]) -> Any:
    """Return the next thing; what arrives was sent by this program. Raise EOFError at the end."""
    head = stream.read(_LENGTH)
    size = int.from_bytes(head, "little")
    text = stream.read(size) if len(head) == _LENGTH else b""
    if len(head) < _LENGTH or len(text) < size:
        raise EOFError
    return pickle.loads(text)  # noqa: S301


def serve() -> None:
    """Answer questions until there are no more."""
    # An interruption is for the process that asks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions = sys.stdin.buffer
    with os.fdopen(os.dup(1), "wb") as answers:
        # What libraries print is for people.
        os.dup2(2, 1)
        held: Held = {}
        try:
            while True:
                send(answers, _answered(received(questions), held))
        except (EOFError, BrokenPipeError):
            # Without anybody who asks there is nothing left to be done, not even tidying up.
            os._exit(0)


def _answered(question: Question, held: Held) -> Any:
    try:
        return question(held)
    except Exception as error:  # noqa: BLE001  - whatever it is, who asks has to know
        return Failed(_portable(error))


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent: itself, or one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001  - errors of libraries may be made of anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
