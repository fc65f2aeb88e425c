"""The methods of ``Corpus`` about systems: how good they are, how they differ and agree.

Each hands its options to its analysis; ``describing`` adds to its docstring what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from coleval.errors import UsageError
from coleval.python.calling import checked
from coleval.python.keywords import (
    Chance,
    CompareOptions,
    Correction,
    LogBase,
    Names,
    Pairs,
    Resampling,
    ScoreOptions,
    Test,
    TreeOptions,
)
from coleval.python.running import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


@checked
def score(corpus: Corpus, *, intervals: bool = False, **options: Unpack[ScoreOptions]) -> Report:
    """Return the leaderboard: tables ``overall`` and ``labels``, best system first."""
    if intervals:
        from coleval.analyses.compare.calls import scored

        return scored(corpus, options)
    for name in Resampling.__annotations__:
        if name in options:
            raise UsageError(
                "is about intervals, which were not asked for",
                where=f"--{name.replace('_', '-')}",
                remedy="add --intervals",
            )
    return run("score", corpus, options)


@checked
def confusion(corpus: Corpus, **options: Unpack[TreeOptions]) -> Report:
    """Return which labels are confused: table ``confusion``."""
    return run("confusion", corpus, options)


@checked
def changes(  # noqa: PLR0913  - what the command line has
    corpus: Corpus,
    *before_after: tuple[str, str],
    pair: Pairs = (),
    pairs: Pairs = (),
    baseline: str | None = None,
    gate: str | None = None,
    items: bool = False,
    kind: str | None = None,
    label_before: str | None = None,
    label_after: str | None = None,
    **options: Unpack[TreeOptions],
) -> Report:
    """Return what changed from one system to another: ``summary``, ``changes`` and more.

    ``corpus.changes(("a", "b"))`` is ``corpus.changes(pair=("a", "b"))``.
    """
    from coleval.analyses.changes.items import Filter
    from coleval.analyses.pairing import named_pairs

    only = Filter(kind, label_before, label_after)
    chosen = named_pairs(*before_after, pair, pairs)
    own = {"pairs": chosen, "baseline": baseline, "gate": gate, "items": items, "only": only}
    return run("changes", corpus, options, **own)


@checked
def oracle(corpus: Corpus, **options: Unpack[TreeOptions]) -> Report:
    """Return what systems reach together: ``overall``, ``labels``, ``votes`` and more."""
    return run("oracle", corpus, options)


@checked
def compare(
    corpus: Corpus,
    *,
    metric: str = "",
    test: Test = "",
    correct: Correction = "holm",
    baseline: str | None = None,
    group: str = "",
    **options: Unpack[CompareOptions],
) -> Report:
    """Return whether differences are significant: tables ``pairs``, ``ranks``, ``power``."""
    from coleval.analyses.compare.calls import compared

    own = {"metric": metric, "test": test, "correct": correct, "baseline": baseline, "group": group}
    return compared(corpus, {**options, **own})


@checked
def agree(corpus: Corpus, *, chance: Chance = "separate", **options: Unpack[TreeOptions]) -> Report:
    """Return kappa and alpha of systems and gold: tables ``pairs`` and ``overall``."""
    return run("agree", corpus, options, chance=chance)


@checked
def measure(  # noqa: PLR0913  - what the command line has
    corpus: Corpus,
    *,
    correlate: Pairs = (),
    perplexity: str = "",
    log_base: LogBase = "",
    rank: Names = (),
    relevant: str = "",
    at: str | Sequence[int] = (1, 5, 10),
    query: str = "",
    beta: float = 1.0,
    seed: int = 0,
    sample: int = 100_000,
    **options: Unpack[TreeOptions],
) -> Report:
    """Return the classic measures: ``correlation``, ``purity``, ``f_beta``, ``rsa``.

    ``perplexity`` and ``rank`` each add a table.
    """
    from coleval.analyses.compare.calls import measured

    own = {"correlate": correlate, "perplexity": perplexity, "log_base": log_base, "rank": rank,
           "relevant": relevant, "at": at, "query": query, "beta": beta, "seed": seed,
           "sample": sample}  # fmt: skip
    return measured(corpus, {**options, **own})
