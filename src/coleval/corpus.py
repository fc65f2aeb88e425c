"""A corpus: the item tables of one evaluation, and where everything in them came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.errors import UsageError, unknown
from coleval.options import Reading, Scoring, changed, label_option, reject_unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from coleval.items import Items
    from coleval.problems import Problem
    from coleval.report import Report


@dataclass(frozen=True, slots=True)
class Origin:
    """The file a layer was read from, and its state when it was; empty for data frames."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One system, or gold: its name, its origin, and what reading it brought up."""

    name: str
    origin: Origin
    repairs: int | None = None
    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Corpus:
    """Items by unit (``token``, ``span``, ``instance``, ``row``); the first unit is the task's."""

    task: str
    reading: Reading
    gold: Entry
    entries: tuple[Entry, ...]
    units: Mapping[str, Items]
    scoring: Scoring = field(default_factory=Scoring)
    profile: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def items(self) -> pl.DataFrame:
        """Return the wide item table of the task's unit, with labels."""
        return self.at().frame()

    def at(self, unit: str | None = None) -> Items:
        """Return the items of a unit, the one of the task by default, for the chosen systems."""
        name = next(iter(self.units)) if unit is None else unit
        if name not in self.units:
            raise unknown("unit", name, self.units, where="--unit")
        items = self.units[name]
        return items if items.systems == self.systems else items.chosen(list(self.systems))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the scores should know about the files."""
        from coleval.signature import warnings

        return warnings(self)

    def chosen(self, patterns: str | Sequence[str]) -> Corpus:
        """Return the corpus with only the systems whose names match (``bert*,crf``)."""
        kept = {entry.name: entry for entry in self.entries}
        return replace(self, entries=tuple(kept[n] for n in _matching(self.systems, patterns)))

    def score(self, **options: Any) -> Report:
        """Return the leaderboard: tables ``overall`` and ``labels``."""
        return self._run("score", options)

    def confusion(self, **options: Any) -> Report:
        """Return who is taken for whom: table ``confusion``."""
        return self._run("confusion", options)

    def save(self, path: str | Path) -> Path:
        """Write the corpus as a store, a directory of Parquet; return the directory."""
        from coleval.store import write

        return write(self, Path(path))

    def _run(self, command: str, options: Mapping[str, Any]) -> Report:
        from coleval.analyses import run

        return run(command, self.with_options(**options))

    def with_options(self, **options: Any) -> Corpus:
        """Return the corpus with other scoring options; raise for one that needs a new reading."""
        given = dict(options)
        reject_unknown(given)
        fixed = [k for k in given if not hasattr(Scoring, k)]
        if fixed:
            raise UsageError(
                f"`{fixed[0]}` decides how files are read",
                remedy=f"give it to coleval.load: load(gold, systems, {fixed[0]}=…)",
            )
        labels = given.pop("labels", None)
        if isinstance(labels, str):
            given |= label_option(labels)
        elif labels is not None:
            given["labels"] = tuple(labels)
        return replace(self, scoring=changed(self.scoring, given).checked())


def _matching(systems: Iterable[str], patterns: str | Sequence[str]) -> list[str]:
    from fnmatch import fnmatchcase

    wanted = patterns.split(",") if isinstance(patterns, str) else list(patterns)
    names = list(systems)
    chosen: list[str] = []
    for pattern in (p.strip() for p in wanted):
        found = [n for n in names if n == pattern] or [n for n in names if fnmatchcase(n, pattern)]
        if not found:
            raise unknown("system", pattern, names, where="--systems")
        chosen += [n for n in found if n not in chosen]
    return chosen
