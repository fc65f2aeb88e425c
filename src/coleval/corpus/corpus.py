"""A corpus: the item tables of one evaluation, and where everything in them came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from coleval.analyses.registry import Analyses
from coleval.corpus.lazy import Memo
from coleval.corpus.options import OF_STRUCTURES, Reading, Scoring, counted_by
from coleval.corpus.tasks import task_named
from coleval.declare.counting import COUNTING_OPTIONS
from coleval.declare.describing import checked
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from coleval.corpus.grid import Grid
    from coleval.corpus.items import Items
    from coleval.corpus.limit import MemoryLimit
    from coleval.corpus.places import Places
    from coleval.corpus.problems import Problem
    from coleval.corpus.spread import PartSource, SpreadParts
    from coleval.corpus.task import Task
    from coleval.corpus.training import Training
    from coleval.declare.keywords import CountingOptions
    from coleval.query.database import Database


@dataclass(frozen=True, slots=True)
class Origin:
    """The file a layer was read from, and its state when it was; empty for data frames."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One system, or gold: its name, its origin, and what reading it brought up.

    ``absent`` are instances without an answer, which is fatal unless ``--missing`` says otherwise.
    ``overlap`` is of mentions that are sets of words: how many words those of a system have in
    common with gold's, and how many words they have.
    ``places`` is what became of entities that came without places: how many have each status.
    ``answers`` is a hash of the answers as they were read, whatever file or store they come from.
    """

    name: str
    origin: Origin
    repairs: int | None = None
    notes: tuple[Problem, ...] = ()
    absent: Problem | None = None
    overlap: tuple[int, int] | None = None
    places: Places = ()
    answers: str = ""


@dataclass(frozen=True, repr=False)
class Corpus(Analyses):
    """Items by unit (``token``, ``span``, ``instance``, ``row``); the first unit is the task's.

    ``layers`` are other answers beside those of trees: tags of the same words, tokens, sentences.
    ``limit`` is one on memory, for which answers are on disk; ``grid`` the files of a corpus that
    was read from several golds. ``source`` says how to cut it into parts, ``spread`` which parts it
    is counted in.
    """

    task: str
    reading: Reading
    gold: Entry
    entries: tuple[Entry, ...]
    units: Mapping[str, Items]
    scoring: Scoring = field(default_factory=Scoring)
    profile: str = ""
    training: Training | None = None
    layers: Mapping[str, Items] = field(default_factory=dict)
    limit: MemoryLimit | None = None
    grid: Grid | None = None
    source: PartSource | None = None
    spread: SpreadParts | None = None
    memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return tuple(entry.name for entry in self.entries)

    @property
    def task_kind(self) -> Task:
        """Return the task, which says what answers are and what is done with them."""
        kind = task_named(self.task)
        return kind.by_unit.get(self.scoring.unit or "", kind)

    @property
    def has_gold(self) -> bool:
        """Return whether there is gold, which a table of single labels may lack.

        Where there is some, the very first instance has a label of it.
        """
        if "instance" not in self.units or self.spread is not None:
            return True
        items = self.existing("instance")
        return bool(items.group) or not len(items.gold) or bool(items.gold[0])

    @property
    def text_unit(self) -> str | None:
        """Return the unit whose items are the running text, None where files have only spans."""
        unit = self.task_kind.text_unit
        return unit if unit in self.units else None

    @cached_property
    def items(self) -> pl.DataFrame:
        """Return the wide item table of the task's unit, with labels."""
        return self.at().frame()

    def at(self, unit: str | None = None) -> Items:
        """Return the items of a unit (by default the task's) of the systems and labels chosen.

        They are those of files that have nothing else.
        """
        name = self.unit_named(unit)
        return self.memo.get(("at", name), lambda: self._at(name))

    def unit_named(self, unit: str | None = None) -> str:
        """Return a unit, by default the task's; raise if there is none of this name."""
        name = next(iter(self.units)) if unit is None else unit
        if name == "edge":
            raise UsageError(
                "edges of enhanced graphs have no columns to filter, group or show by",
                where=f"--metric {self.scoring.metric}",
                remedy="score, compare, bins, changes and oracle count them; elsewhere use las",
            )
        if name not in self.units:
            raise unknown("unit", name, self.units, where="--unit")
        return name

    def _at(self, name: str) -> Items:
        if self.spread is not None:
            return self._elsewhere("at", name)
        from coleval.loading.tasks.selecting import selected

        return selected(self, name, self.existing(name))

    def existing(self, unit: str) -> Items:
        """Return the items that gold and the chosen systems have, whatever labels are asked for."""
        if self.spread is not None:
            return self._elsewhere("existing", unit)
        from coleval.loading.tasks.selecting import existing

        return self.memo.get(("existing", unit), lambda: existing(self, unit))

    def running(self, unit: str) -> Items:
        """Return all tokens of the text, with the labels asked for alone."""
        if self.spread is not None:
            return self._elsewhere("running", unit)
        from coleval.loading.tasks.selecting import relabelled

        return relabelled(self, unit, self.existing(unit))

    def layer(self, name: str) -> Items:
        """Return a layer for the chosen systems."""
        if self.spread is not None:
            return self._elsewhere("layer", name)
        from coleval.loading.tasks.selecting import existing_layer

        return self.memo.get(("layer", name), lambda: existing_layer(self, name))

    def _elsewhere(self, method: str, name: str) -> Items:
        """Return what a method gives of each part."""
        from operator import methodcaller

        from coleval.corpus.far import elsewhere

        make = methodcaller(method, name)
        return self.memo.get(("elsewhere", method, name), lambda: elsewhere(self, make))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the scores should know about the files."""
        from coleval.corpus.signature import warnings

        return warnings(self)

    def chosen(self, patterns: str | Sequence[str]) -> Corpus:
        """Return the corpus with only the systems whose names match (``bert*,crf``)."""
        from coleval.loading.tasks.selecting import matching

        kept = {entry.name: entry for entry in self.entries}
        return replace(self, entries=tuple(kept[n] for n in matching(self.systems, patterns)))

    def duckdb(self) -> Any:
        """Return a DuckDB connection that has the tables, ``item`` as ``*`` gives it."""
        return self.database(unsafe=True).everything()

    def database(self, *, memory: str | None = None, threads: int | None = None,
                 timeout: float | None = None, unsafe: bool = False,
                 tables: Mapping[str, Any] | None = None) -> Database:  # fmt: skip
        """Return what queries are put to, under some limits, with further tables."""
        from coleval.analyses.asking import database
        from coleval.query.database import Limits

        limits = Limits(memory or "", threads or 0, unsafe, timeout or 0.0, tables or {})
        return database(self, limits)

    def lazy(self, *columns: str) -> pl.LazyFrame:
        """Return columns of the wide table as a LazyFrame, those that ``*`` gives by default."""
        wide = self.default_database.wide()
        for name in columns:
            if name not in wide.names:
                raise unknown("column", name, wide.names)
        return wide.frame(columns or wide.stored).lazy()

    @cached_property
    def default_database(self) -> Database:
        """Return what queries are put to where no limits are set."""
        return self.database()

    def trained(self, train: Any, columns: str = "") -> Corpus:
        """Return the corpus with the training data that attributes are worked out from."""
        from coleval.loading.loading import load_training

        return replace(self, training=load_training(train, self, columns))

    def with_table(self, table: Any) -> Corpus:
        """Return the corpus with the columns of a table (a path or a frame), joined by id."""
        from coleval.loading.sources import gold_source
        from coleval.loading.tasks.instances import with_table

        return with_table(self, gold_source(table, self.reading.encoding))

    def save(self, path: str | Path) -> Path:
        """Write the corpus as a store, a directory of Parquet; return the directory."""
        from coleval.store.writing import write

        return write(self, Path(path))

    @checked
    def with_options(self, **options: Unpack[CountingOptions]) -> Corpus:
        """Return the corpus with other scoring options, which all its methods go by."""
        from coleval.corpus.effects import Call, check_effects

        check_effects(Call("", self, options), COUNTING_OPTIONS, options)
        return self.scored_by(options)

    def scored_by(self, options: Mapping[str, Any]) -> Corpus:
        """Return the corpus under scoring options that were checked; ``systems`` are chosen."""
        given = {name: value for name, value in options.items() if name != "systems"}
        systems = options.get("systems")
        corpus = self if systems is None else self.chosen(systems)
        metric, known = given.get("metric"), self.task_kind.metrics
        if metric and known and metric not in known:
            raise unknown("metric", metric, known, where="--metric")
        if metric and not known and metric not in OF_STRUCTURES:
            from coleval.metrics.registry import metric_named

            metric_named(metric, corpus)
        if not given:
            return corpus
        corpus = replace(corpus, scoring=counted_by(corpus.scoring, given))
        if corpus.scoring.above is None or not corpus.task_kind.numeric:
            return corpus
        from coleval.corpus.numbers import right_or_wrong

        return right_or_wrong(corpus)

    def __repr__(self) -> str:
        """Return what a Python prompt shows: task, items, systems, warnings and next calls."""
        from coleval.corpus.views import corpus_text

        return corpus_text(self)

    def _repr_html_(self) -> str:
        """Return the same as notebooks show it."""
        from coleval.corpus.views import corpus_html

        return corpus_html(self)
