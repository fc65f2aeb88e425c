"""Where counting happens; an engine knows its own driver and nothing else does.

It leaves how things are counted to ``kernels`` and to the queries of ``sql/``. All engines return
the same whole numbers, which add up over disjoint documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.kernels.active_rows import Agreed
    from coleval.kernels.agreement import Raters
    from coleval.kernels.bins import BinCounts
    from coleval.kernels.buckets import BucketCounts, Placed
    from coleval.kernels.combining import LabelCounts, Rung, Votes
    from coleval.kernels.transitions import Pair, PairCounts, TransitionCounts
    from coleval.query.wide import Wide

    Counts = Any


class Engine(Protocol):
    """What every engine can count.

    Equal codes of ``items`` are equal answers; ``shown`` are the same items by what tables show.
    """

    def confusion(self, items: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels, null for nothing) and n."""
        ...

    def error_counts(self, items: Items, shown: Items) -> pl.DataFrame:
        """Return system, gold, answer (labels) and errors: where ``items`` say it is wrong."""
        ...

    def wrong_groups(self, items: Items) -> dict[str, int]:
        """Return how many sentences or instances each system has something wrong in."""
        ...

    def overlaps(self, items: Items) -> pl.DataFrame:
        """Return how many instances have g gold labels, a answers and b of both: system, …, n."""
        ...

    def bins(self, items: Items) -> BinCounts:
        """Return how many items each bin holds, and how many of them each system solves."""
        ...

    def words(self, items: Items, text: pl.Series) -> pl.DataFrame:
        """Return form, bin, n of the items that have a bin, their forms taken from ``text``."""
        ...

    def traits(self, items: Items, columns: list[pl.Series]) -> pl.DataFrame:
        """Return bin, property, total, n: what whole numbers about items sum up to in each bin."""
        ...

    def filtered(self, items: Items, where: str, table: Wide) -> Items:
        """Return the items for which an SQL condition over their wide table holds."""
        ...

    def pairs(self, items: Items) -> PairCounts:
        """Return the counts of all pairs of systems."""
        ...

    def transitions(
        self, items: Items, shown: Items, pairs: Sequence[Pair]
    ) -> Iterable[TransitionCounts]:
        """Return the cells of each pair of systems, which are named by their places."""
        ...

    def flips(self, items: Items) -> list[dict[str, int | str]]:
        """Return what each system but the first breaks that all systems before it have right."""
        ...

    def labels(self, items: Items, shown: Items) -> LabelCounts:
        """Return the counts by the label of gold that is shown."""
        ...

    def groups(self, items: Items, codes: Codes, number: int) -> LabelCounts:
        """Return the same counts by a code of each item, from 1 to the number of groups."""
        ...

    def votes(self, items: Items, order: Sequence[int]) -> Votes:
        """Return the counts of votes; ``order`` has the systems from the best to the worst."""
        ...

    def ladder(self, items: Items) -> list[Rung]:
        """Return the systems in the order of what each adds to those before it."""
        ...

    def lost_groups(self, items: Items) -> int:
        """Return how many sentences or instances have an item that no system has right."""
        ...

    def raters(self, items: Items, *, missing: bool) -> Raters:
        """Return what gold and systems answer as raters; ``missing``: who gives none is none."""
        ...

    def bucketing(self, items: Items) -> Callable[[Placed], BucketCounts]:
        """Return what counts some items in the buckets of one attribute after the other."""
        ...

    def said(self, items: Items) -> Counts:
        """Return how many items each system gives each code: a row a system, 0 is nothing."""
        ...

    def span_events(
        self, items: Items, errors: Iterable[tuple[str, Counts]], kinds: int
    ) -> Iterator[tuple[Counts, Counts]]:
        """Yield for each system the cells of its right spans and errors, and how often each occurs.

        A cell is ``(gold × (labels + 1) + answer) × kinds + kind``; 1 is the kind of what is right.
        """
        ...

    def span_sides(self, items: Items) -> tuple[Counts, Counts]:
        """Return by system and label how many spans of gold are missed, how many are invented."""
        ...

    def agreed(self, parts: tuple[Items, ...], present: Items | None) -> dict[str, Agreed]:
        """Return how many words gold and each system have, how many agree, how many are aligned."""
        ...


def engine_of(corpus: Corpus) -> Engine:
    """Return the engine that a corpus is to be counted by (``--engine``)."""
    if corpus.spread is not None:
        from coleval.engines.in_parts import InParts

        return InParts()
    if corpus.scoring.engine == "sql":
        from coleval.engines.sql import sql_engine

        return sql_engine(corpus.limit)
    return local_engine()


def local_engine() -> Engine:
    """Return the engine of this machine."""
    from coleval.engines.local import Local

    return Local()


def on_engine(corpus: Corpus) -> Corpus:
    """Return a corpus as its engine counts it: for Spark in parts, on a session of its master."""
    scoring = corpus.scoring
    if scoring.engine != "spark":
        if scoring.master:
            raise UsageError(
                "names a cluster, and nothing is counted on one",
                where="--master",
                remedy="add --engine spark",
            )
        return corpus
    if corpus.spread is not None:
        return corpus
    from coleval.engines.spark import LOCAL, check_stored, on_session, session_of

    check_stored(corpus)
    return on_session(corpus, session_of(scoring.master or LOCAL))
