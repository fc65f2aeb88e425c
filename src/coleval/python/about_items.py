"""The methods of ``Corpus`` about items: which are hard, where systems err, what they are like.

Each hands its options to its analysis; ``describing`` adds to its docstring what they mean.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from coleval.python.calling import checked
from coleval.python.running import apart, run, unusual

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.python.keywords import (
        BucketOptions,
        BucketScore,
        Correction,
        ErrorOptions,
        Focus,
        Names,
        Pairs,
        ReportOptions,
        TreeOptions,
    )


@checked
def bins(
    corpus: Corpus,
    *,
    words: Names = (),
    words_top: int = 0,
    profile_bins: bool = False,
    items: bool = False,
    pair: Pairs = (),
    pairs: Pairs = (),
    percent: bool = False,
    **options: Unpack[TreeOptions],
) -> Report:
    """Return items by difficulty: tables ``bins``, ``tps``, ``systems`` and ``spurious``.

    ``words`` or ``words_top``, ``profile_bins``, ``items`` and ``pair`` each add a table.
    """
    from coleval.analyses.bins.tables import own_options

    own = own_options(words, words_top, (pair, pairs), profile=profile_bins, items=items)
    report = run("bins", corpus, options, **own)
    return replace(report, look=frozenset({"percent"})) if percent else report


@checked
def errors(
    corpus: Corpus,
    *,
    focus: Focus = "target",
    weights: str | None = None,
    ignore_punct: str = "",
    pair: Pairs = (),
    pairs: Pairs = (),
    items: bool = False,
    **options: Unpack[ErrorOptions],
) -> Report:
    """Return span errors: tables ``overall``, ``labels``, ``profile``, ``confusion`` and more.

    ``pair`` adds ``comparison`` and ``moves``, ``items`` a row for every error.
    """
    from coleval.analyses.errors.tables import own_options

    own = own_options(focus, weights, ignore_punct, (pair, pairs), items=items)
    return run("errors", corpus, options, **own)


@checked
def buckets(  # noqa: PLR0913  - what the command line has
    corpus: Corpus,
    *,
    train: Any = None,
    train_columns: str = "",
    attributes: Names = (),
    vocabulary: Any = "",
    buckets: Mapping[str, str] | Names = (),
    edges: Any = "",
    save_edges: Any = "",
    by: BucketScore = "f1",
    cross: Pairs = (),
    pair: Pairs = (),
    pairs: Pairs = (),
    correct: Correction = "holm",
    intervals: bool = False,
    datasets: Mapping[str, Corpus] | None = None,
    name: str = "",
    **options: Unpack[BucketOptions],
) -> Report:
    """Return scores by attribute: ``buckets``, ``attributes``, ``tests`` and more.

    ``pair`` adds ``comparison`` and ``differences``, ``cross`` adds ``crossed``.
    """
    from coleval.analyses.buckets.tables import broken_down

    own = {"attributes": attributes, "vocabulary": vocabulary, "buckets": buckets, "edges": edges,
           "save_edges": save_edges, "by": by, "cross": cross, "pair": (pair, pairs),
           "correct": correct, "intervals": intervals, "datasets": datasets,
           "name": name}  # fmt: skip
    drawn, scoring = apart(options)
    chosen = corpus if train is None else corpus.trained(train, train_columns)
    return broken_down(chosen, scoring, {**own, **drawn})


@checked
def pivot(  # noqa: PLR0913  - what the command line has
    corpus: Corpus,
    *,
    rows: str = "",
    cols: str = "",
    third: str = "",
    value: str = "n",
    wide: bool = False,
    find: Names = (),
    attributes: Names = "",
    least: int = 20,
    **options: Unpack[TreeOptions],
) -> Report:
    """Return one column or SQL expression against another: ``pivot`` and ``totals``.

    With ``find`` it is where a system is worst: ``slices`` and ``tried``.
    """
    from coleval.analyses.pivot.tables import pivot as analysis
    from coleval.analyses.pivot.tables import reported

    names = attributes if isinstance(attributes, str) else ",".join(attributes)
    own = {"rows": rows, "cols": cols, "third": third, "value": value, "wide": wide,
           "attributes": names, "least": least}  # fmt: skip
    systems = (find,) if isinstance(find, str) else tuple(find)
    found = {"find": tuple(filter(None, systems)), **unusual(analysis, own)}
    return reported(corpus, options, found)


@checked
def show(
    corpus: Corpus,
    *,
    limit: int = 20,
    sample: int = 0,
    order: str = "",
    seed: int = 0,
    **options: Unpack[TreeOptions],
) -> Report:
    """Return items in their sentences: ``items`` and ``words``."""
    from coleval.analyses.show.tables import show as analysis

    own = {"limit": limit, "sample": sample, "order": order, "seed": seed}
    return run("show", corpus, options, **unusual(analysis, own))


@checked
def report(
    corpus: Corpus,
    *,
    baseline: str = "",
    progress: Callable[[str], None] | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Return all analyses that apply: ``story``, then their tables as ``score.overall``."""
    from coleval.analyses.report.tables import story

    drawn, scoring = apart(options)
    return story(corpus.scored_by(scoring), baseline, progress, **drawn)


@checked
def sql(
    corpus: Corpus,
    query: str,
    *,
    memory: str | None = None,
    threads: int | None = None,
    unsafe: bool = False,
    **options: Unpack[TreeOptions],
) -> pl.DataFrame:
    """Return the result of an SQL query over ``item``, ``answer``, ``outcome`` and more.

    ``query`` is SQL, or the name of a query that comes with coleval (``counts/bins``).
    """
    from coleval.query import shipped as queries

    named = "/" in query and query in queries.names()
    text = queries.query(query).text if named else query
    if not (options or memory or threads or unsafe):
        return corpus.default_database.frame(text)
    chosen = corpus.with_options(**options)
    return chosen.database(memory=memory, threads=threads, unsafe=unsafe).frame(text)
