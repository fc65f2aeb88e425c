"""What is known of each file of a place: where it is, the state it was in, what was repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.corpus import Entry
from coleval.corpus.lazy import Memo
from coleval.loading.sources import origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.problems import Problem
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs

    Noted = tuple[int, tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class FileEntries(Mapping[str, Entry]):
    """Gold and the systems of a file with what was repaired in it, each made when looked at."""

    inputs: Inputs
    noted: Mapping[str, list[Noted]]
    at: int
    answers: Mapping[str, list[str]]
    _made: Memo = field(default_factory=Memo)

    def __getitem__(self, name: str) -> Entry:
        """Return gold ("") or a system."""
        source = self.inputs.systems[name] if name else self.inputs.gold
        make = partial(file_entry, name, source, self.noted, self.at, self.answers)
        return self._made.get(name, make)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a file of that name; none is looked at."""
        return name == "" or name in self.inputs.systems

    def __iter__(self) -> Iterator[str]:
        """Return gold, then the systems."""
        return iter(("", *self.inputs.systems))

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self.inputs.systems) + 1


def file_entry(
    name: str, source: Source, noted: Mapping[str, list[Noted]], at: int,
    answers: Mapping[str, list[str]],
) -> Entry:  # fmt: skip
    """Return gold or a system of a file, with what was repaired in it."""
    repairs, notes = noted[name][at] if noted else (None, ())
    found = origin(source, hashed=not name)
    return Entry(name, found, repairs, notes, answers=answers[name][at])
