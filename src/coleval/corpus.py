"""A corpus: the item tables of one evaluation, and where everything in them came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.errors import UsageError, unknown
from coleval.later import Known
from coleval.options import Reading, Scoring, changed, label_option, reject_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from coleval.engines.database import Database
    from coleval.items import Items
    from coleval.limit import Limit
    from coleval.problems import Problem
    from coleval.report import Report
    from coleval.training import Training


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
    """Items by unit (``token``, ``span``, ``instance``, ``row``); the first unit is the task's.

    ``layers`` are other answers beside those of trees: tags of the same words, tokens, sentences.
    ``limit`` is one on memory, for which answers are on disk.
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
    limit: Limit | None = None
    known: Known = field(default_factory=Known, init=False, repr=False, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def items(self) -> pl.DataFrame:
        """Return the wide item table of the task's unit, with labels."""
        return self.at().frame()

    def at(self, unit: str | None = None) -> Items:
        """Return the items of a unit (by default the task's) of the systems and labels chosen.

        They are those of files that have nothing else.
        """
        name = next(iter(self.units)) if unit is None else unit
        if name not in self.units:
            raise unknown("unit", name, self.units, where="--unit")
        return self.known.get(("at", name), lambda: self._at(name))

    def _at(self, name: str) -> Items:
        from coleval.tasks.selecting import selected

        return selected(self, name, self.existing(name))

    def existing(self, unit: str) -> Items:
        """Return the items that gold and the chosen systems have, whatever labels are asked for."""
        from coleval.tasks.selecting import existing

        return self.known.get(("existing", unit), lambda: existing(self, unit))

    def running(self, unit: str) -> Items:
        """Return all tokens of the text, with the labels asked for alone."""
        from coleval.tasks.selecting import relabelled

        return relabelled(self, unit, self.existing(unit))

    def layer(self, name: str) -> Items:
        """Return a layer for the chosen systems."""
        from coleval.tasks.selecting import existing_layer

        return self.known.get(("layer", name), lambda: existing_layer(self, name))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a reader of the scores should know about the files."""
        from coleval.signature import warnings

        return warnings(self)

    def chosen(self, patterns: str | Sequence[str]) -> Corpus:
        """Return the corpus with only the systems whose names match (``bert*,crf``)."""
        from coleval.tasks.selecting import matching

        kept = {entry.name: entry for entry in self.entries}
        return replace(self, entries=tuple(kept[n] for n in matching(self.systems, patterns)))

    def score(self, *, intervals: bool = False, **options: Any) -> Report:
        """Return the leaderboard: tables ``overall`` and ``labels``.

        ``intervals`` adds the ends of bootstrap intervals, under the options of ``compare``.
        """
        if not intervals:
            return self._run("score", options)
        from coleval.analyses.comparing import scored

        return scored(self, options)

    def confusion(self, **options: Any) -> Report:
        """Return who is taken for whom: table ``confusion``."""
        return self._run("confusion", options)

    def bins(
        self,
        *,
        words: str | Sequence[str] = (),
        words_top: int = 0,
        profile: bool = False,
        items: bool = False,
        pair: Sequence[Any] = (),
        percent: bool = False,
        **options: Any,
    ) -> Report:
        """Return items by difficulty: tables ``bins``, ``tps``, ``systems`` and ``spurious``.

        ``words`` or ``words_top``, ``profile``, ``items`` and ``pair`` (of names, or several)
        each ask for one more; ``bins_from`` names the systems that difficulty counts.
        """
        from coleval.analyses.bins import own_options

        own = own_options(words, words_top, profile=profile, items=items, pair=pair)
        report = self._run("bins", options, **own)
        return replace(report, look=frozenset({"percent"})) if percent else report

    def errors(
        self,
        *,
        focus: str = "target",
        weights: str | None = None,
        ignore_punct: str = "",
        pair: Sequence[Any] = (),
        items: bool = False,
        **options: Any,
    ) -> Report:
        """Return span errors: tables ``overall``, ``labels``, ``profile``, ``confusion`` and more.

        ``weights`` is a formula ("BE = 0.5 TP + 0.25 FP + 0.25 FN"), ``ignore_punct`` a column of
        parts of speech; ``pair`` compares two systems, ``items`` lists every error.
        """
        from coleval.analyses.errors import own_options

        own = own_options(focus, weights, ignore_punct, pair, items=items)
        return self._run("errors", options, **own)

    def changes(
        self,
        *pairs: tuple[str, str],
        baseline: str | None = None,
        gate: str | None = None,
        items: bool = False,
        kind: str | None = None,
        label_before: str | None = None,
        label_after: str | None = None,
        **options: Any,
    ) -> Report:
        """Return what changed from A to B: ``summary``, ``changes``, ``labels``, ``flips``.

        ``pairs`` are (before, after), else all pairs; ``baseline`` is before all others. ``gate``
        sets limits (``max_new_errors=20,max_drop=0.5pp``); ``items``, ``kind`` and labels ask for
        the items behind the counts, a label ``_`` being nothing.
        """
        from coleval.analyses.changed_items import Filter

        only = Filter(kind, label_before, label_after)
        own = {"pairs": pairs, "baseline": baseline, "gate": gate, "items": items, "only": only}
        return self._run("changes", options, **own)

    def oracle(self, **options: Any) -> Report:
        """Return what systems reach together: ``overall``, ``labels``, ``ladder`` and ``votes``."""
        return self._run("oracle", options)

    def compare(self, **options: Any) -> Report:
        """Return whether differences are real: tables ``pairs``, ``ranks``, ``power``.

        Options beside those of scoring: ``metric``, ``test``, ``correct``, ``baseline``, ``group``,
        ``replicates``, ``seed``, ``alpha``, ``unit_of_resampling``.
        """
        from coleval.analyses.comparing import compared

        return compared(self, options)

    def agree(self, *, chance: str = "separate", **options: Any) -> Report:
        """Return kappa and alpha of systems and gold: tables ``pairs`` and ``overall``."""
        return self._run("agree", options, chance=chance)

    def measure(self, **options: Any) -> Report:
        """Return the classic measures: ``correlation``, ``purity``, ``f_beta``, ``rsa``.

        ``perplexity`` and ``rank`` name columns of the items and ask for one more table each.
        """
        from coleval.analyses.comparing import measured

        return measured(self, options)

    def buckets(self, *, train: Any = None, train_columns: str = "", **options: Any) -> Report:
        """Return scores by attribute: ``buckets``, ``attributes``, diagnoses and tests.

        ``train`` is the training data, a path or a frame. ``attributes`` are names or
        ``name=expression``; more in ``coleval.analyses.bucket_plan``: ``buckets``, ``edges``,
        ``save_edges``, ``cross``, ``pair``, ``intervals``, ``datasets`` …
        """
        from coleval.analyses.buckets import broken_down
        from coleval.options import split_own

        corpus = self if train is None else self.trained(train, train_columns)
        return broken_down(corpus, *split_own(options))

    def pivot(self, *, find: str | Sequence[str] = (), **options: Any) -> Report:
        """Return one column or SQL expression against another: ``pivot`` and ``totals``.

        ``rows``, ``cols``, ``third``, ``value`` (n, share, accuracy:A, f1:A), ``wide``. ``find``
        names a system, or two: where it is worst, by ``attributes`` with ``least`` items.
        """
        from coleval.analyses.pivot import reported
        from coleval.options import split_own

        scoring, own = split_own(options)
        systems = (find,) if isinstance(find, str) else find
        return reported(self, scoring, {"find": tuple(filter(None, systems)), **own})

    def show(self, **options: Any) -> Report:
        """Return items in their sentences: ``items`` and ``words``.

        ``limit``, ``sample`` (drawn by ``seed``) and ``order``, an SQL expression, say which.
        """
        from coleval.options import split_own

        scoring, own = split_own(options)
        return self._run("show", scoring, **own)

    def report(self, *, baseline: str = "", progress: Any = None, **options: Any) -> Report:
        """Return all analyses that apply: ``story``, then their tables as ``score.overall``.

        ``baseline`` is the system that changes are told from; options are those of ``compare``.
        """
        from coleval.analyses.story import story
        from coleval.options import split_own

        scoring, own = split_own(options)
        return story(self.with_options(**scoring), baseline, progress, **own)

    def sql(self, query: str) -> pl.DataFrame:
        """Return the result of an SQL query over ``item``, ``answer``, ``outcome`` and more."""
        return self._database.frame(query)

    def duckdb(self) -> Any:
        """Return a DuckDB connection that has the tables, ``item`` as ``*`` gives it."""
        return self.database(unsafe=True).everything()

    def database(self, *, memory: str | None = None, threads: int | None = None,
                 unsafe: bool = False) -> Database:  # fmt: skip
        """Return what queries are put to, under some limits."""
        from coleval.analyses.asking import database
        from coleval.engines.database import Limits

        return database(self, Limits(memory or "", threads or 0, unsafe))

    def lazy(self, *columns: str) -> pl.LazyFrame:
        """Return columns of the wide table as a LazyFrame, those that ``*`` gives by default."""
        wide = self._database.wide()
        for name in columns:
            if name not in wide.names:
                raise unknown("column", name, wide.names)
        return wide.frame(columns or wide.stored).lazy()

    @cached_property
    def _database(self) -> Database:
        return self.database()

    def trained(self, train: Any, columns: str = "") -> Corpus:
        """Return the corpus with the training data that attributes are worked out from."""
        from coleval.loading import load_training

        return replace(self, training=load_training(train, self, columns))

    def save(self, path: str | Path) -> Path:
        """Write the corpus as a store, a directory of Parquet; return the directory."""
        from coleval.store import write

        return write(self, Path(path))

    def _run(self, command: str, options: Mapping[str, Any], **own: Any) -> Report:
        from coleval.analyses import run

        return run(command, self.with_options(**options), **own)

    def with_options(self, **options: Any) -> Corpus:
        """Return the corpus with other scoring options; raise for one that needs a new reading."""
        if not options:
            return self
        given = dict(options)
        reject_unknown(given)
        fixed = [k for k in given if not hasattr(Scoring, k)]
        if fixed:
            raise UsageError(
                f"`{fixed[0]}` sets how files are read",
                remedy=f"give it to coleval.load: load(gold, systems, {fixed[0]}=…)",
            )
        if isinstance(given.get("functional"), str):
            given["functional"] = tuple(filter(None, given["functional"].split(",")))
        labels = given.pop("labels", None)
        if isinstance(labels, str):
            given |= label_option(labels)
        elif labels is not None:
            given["labels"] = tuple(labels)
        return replace(self, scoring=changed(self.scoring, given).checked())
