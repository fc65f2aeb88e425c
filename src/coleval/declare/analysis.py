"""An analysis: one declaration, from which its command and its method of ``Corpus`` are made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    ParamSpec,
    Required,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from coleval.declare.options import Option, check, options_of
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from types import ModuleType

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.excerpt import Excerpt, ShownGroups, ShownSystems
    from coleval.corpus.report import Report
    from coleval.declare.tables import Table

    Filtered = Callable[[Corpus, Any], bool]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(eq=False, repr=False)
class Chapter:
    """What an analysis adds to the report: a question, and the tables that are kept.

    ``findings.py`` in its folder words the ``finding`` from these tables and those only ``read``;
    it may ``prepare`` the corpus and the options, ``finish`` the tables, word the ``question``.
    ``place`` orders the chapters: 7.5 is between 7 and 8. One is for at least so many ``systems``;
    of a crowd of them, ``crowded`` tables are not kept. A screen ``leads`` with some tables.
    """

    question: str
    tables: tuple[str, ...]
    place: float
    systems: int = 1
    read: tuple[str, ...] = ()
    crowded: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()


@dataclass(eq=False, repr=False)
class Result:
    """What ``tables.py`` of an analysis gives back where there is more to say than tables.

    ``corpus`` is the one that was counted in the end, ``signed`` what the signature says of the
    options, ``warnings`` what readers should know of the numbers. A screen shows the tables that it
    ``leads`` with, and says how many more there are. Of a lazy mapping, ``late`` tables are made
    when they are looked at. Of a crowd of systems those ``shown``, and of very many groups these
    ``groups``, are chosen here or by what the tables say; ``excerpts`` stand in for tables that are
    too long to be made.
    """

    tables: Mapping[str, pl.DataFrame]
    corpus: Corpus | None = None
    signed: Mapping[str, str] | None = None
    warnings: tuple[str, ...] = ()
    look: frozenset[str] = frozenset()
    leads: tuple[str, ...] = ()
    late: frozenset[str] = frozenset()
    shown: ShownSystems | None = None
    groups: ShownGroups | None = None
    excerpts: Mapping[str, Excerpt] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class Returns(Generic[R]):
    """What the method of an analysis returns, by the name that its signature shows."""

    name: str


REPORT: Returns[Report] = Returns("Report")
FRAME: Returns[pl.DataFrame] = Returns("DataFrame")


class Said(TypedDict, total=False):
    """What an analysis says of itself beside its name and its options.

    ``does`` is the docstring of its method. ``filtered`` tells whether a filter leaves something
    out of its precision; ``verdict`` is the ``module:function`` that may fail a command after its
    tables are printed. Where answers are left out, systems are counted ``each`` on its own, else
    on what they share; ``ranking`` is the function that ranks them by their groups. One option may
    be given by its ``placed`` argument, or by ``several``. ``method`` is what its method is called
    where a corpus has something else of its name. ``examples`` are command lines that its help
    shows; tests run them on a generated corpus. What is ``gold_free`` takes answers without gold.
    Answers that are numbers are counted by a module ``of_numbers``, which has no use for options
    that are for ``right_or_wrong``; without one they are refused, for the reason
    ``not_of_numbers``.
    """

    does: Required[str]
    examples: tuple[str, ...]
    tables: tuple[Table, ...]
    chapter: Chapter
    filtered: Filtered | bool
    each: bool
    by_file: Filtered | bool
    ranking: str
    verdict: str
    gold_free: bool
    of_numbers: str
    of_texts: str
    not_of_numbers: str
    right_or_wrong: str
    placed: str
    several: bool
    method: str


class Analysis(Generic[P, R]):
    """An analysis by its name; as an attribute of ``Corpus`` it is a method with typed options.

    ``tables.py`` in its folder has a function of its name, from a corpus and options to tables.
    """

    @overload
    def __init__(
        self: Analysis[P, Report],
        name: str,
        about: str,
        options: Callable[P, Any],
        **said: Unpack[Said],
    ) -> None: ...
    @overload
    def __init__(
        self,
        name: str,
        about: str,
        options: Callable[P, Any],
        *,
        gives: Returns[R],
        **said: Unpack[Said],
    ) -> None: ...
    def __init__(
        self,
        name: str,
        about: str,
        options: Callable[P, Any],
        *,
        gives: Returns[Any] = REPORT,
        **said: Unpack[Said],
    ) -> None:
        """Keep what is declared; nothing is imported or worked out yet."""
        self.name, self.about, self.does, self.gives = name, about, said["does"], gives
        self.package = f"coleval.analyses.{name}"
        self.options = cast("type", options)
        self.tables, self.examples = said.get("tables", ()), said.get("examples", ())
        self.chapter = said.get("chapter")
        self.filtered = said.get("filtered", False)
        self.each = said.get("each", False)
        self.by_file = said.get("by_file", False)
        self.ranking = said.get("ranking", "")
        self.verdict = said.get("verdict", "")
        self.gold_free = said.get("gold_free", False)
        self.of_numbers = said.get("of_numbers", "")
        self.of_texts = said.get("of_texts", "")
        self.needs_labels = "not_of_numbers" in said and not self.of_texts
        self.not_of_numbers = said.get("not_of_numbers", "numbers are neither right nor wrong")
        self.right_or_wrong = said.get("right_or_wrong", "")
        self.called = said.get("method", name)
        self.placed, self.several = said.get("placed", ""), said.get("several", False)

    @overload
    def __get__(self, corpus: None, owner: type) -> Callable[..., R]: ...
    @overload
    def __get__(self, corpus: object, owner: type) -> Callable[P, R]: ...
    def __get__(self, corpus: object | None, owner: type) -> Callable[..., R]:
        """Return the method: of a corpus, or of all."""
        function = self.method
        return function if corpus is None else function.__get__(corpus, owner)

    @cached_property
    def method(self) -> Any:
        """Return the function behind the method, with its signature and its help."""
        from coleval.declare.describing import method_of

        return method_of(self)

    @cached_property
    def declared(self) -> Mapping[str, Option]:
        """Return the options by name, those that only this analysis has first."""
        every = options_of(self.options)
        own = [name for name in self.options.__annotations__ if name in every]
        return {name: every[name] for name in dict.fromkeys((*own, *every))}

    def chosen(self, given: Mapping[str, Any]) -> Any:
        """Return the options with what is given, settled and checked."""
        read = {name: self.declared[name].about.reads for name in given}
        given = {k: v if (reads := read[k]) is None or v is None else reads(v)
                 for k, v in given.items()}  # fmt: skip
        options = self.options(**given)
        check(options)
        return options

    def run(self, corpus: Corpus, given: Mapping[str, Any], free: Collection[str] = ()) -> R:
        """Return what the analysis makes of a corpus under some options; ``free`` ones may idle."""
        from coleval.analyses.running import check_given, check_gold, report

        options = self.chosen(given)
        check_given(self, corpus, options, {k: v for k, v in given.items() if k not in free})
        if not self.gold_free:
            check_gold(corpus)
        if self.gives is not REPORT:
            return self.counted(corpus, options)
        return report(self, corpus, options)  # type: ignore[return-value]

    def part(self, module: str, function: str = "") -> Any:
        """Return a function of the folder, imported now; say what to write where it is missing."""
        name = function or self.name
        found = getattr(self.module(module), name, None)
        if found is None:
            raise ImportError(f"{self._path(module)} needs a function `{name}`")
        return found

    def module(self, name: str) -> ModuleType:
        """Return a module of the folder, imported now; say what to write where it is missing."""
        place = f"{self.package}.{name}"
        try:
            return import_module(place)
        except ModuleNotFoundError as error:
            if error.name not in (place, self.package):
                raise
            needed = f"the analysis `{self.name}` needs {self._path(name)}"
            raise ImportError(f"{needed} (see CONTRIBUTING.md)") from None

    def placed_in(self, package: str) -> Analysis[P, R]:
        """Return the analysis, its modules being those of a package that is not ours."""
        self.package = package
        return self

    def _path(self, module: str) -> str:
        return f"{self.package.replace('.', '/')}/{module}.py"

    @property
    def counted(self) -> Callable[[Corpus, Any], Any]:
        """Return the function from a corpus and options to tables."""
        return self._counted

    def counts_numbers(self, corpus: Corpus) -> bool:
        """Return whether numbers are counted: answers that are some, or the scores of texts."""
        kind = corpus.task_kind
        scored = kind.as_numbers is not None and self.of_numbers not in ("", "tables")
        return kind.numeric or scored

    def _counted(self, corpus: Corpus, options: Any) -> Any:
        """Return what the analysis counts; raise where it has no use for numbers."""
        if self.of_texts and corpus.task_kind.texts and corpus.scoring.above is None:
            return self.part(self.of_texts)(corpus, options)
        if self.counts_numbers(corpus) and corpus.task_kind.as_numbers is not None:
            found = self._counted(corpus.task_kind.as_numbers(corpus), options)
            # What was counted is signed as the texts that it is of.
            return replace(found, corpus=None) if isinstance(found, Result) else found
        if corpus.task_kind.texts and self.needs_labels:
            raise UsageError(
                corpus.task_kind.unlabelled, where=self.name,
                remedy="score, compare and changes count texts; --unit word counts their words",
            )  # fmt: skip
        if not corpus.task_kind.numeric:
            return self.part("tables")(corpus, options)
        if not self.of_numbers:
            raise no_numbers(self)
        return self.part(self.of_numbers)(corpus, options)


def no_numbers(analysis: Analysis[..., Any]) -> UsageError:
    """Return the error that an analysis is not one of numbers, with those that are."""
    from coleval.analyses.registry import ANALYSES

    able = [name for name, one in ANALYSES.items() if one.of_numbers]
    return UsageError(
        analysis.not_of_numbers,
        where=analysis.name,
        remedy=f"scores are for {', '.join(able)}; --above X counts them as right and wrong",
    )
