"""``measure``: the classic measures that other commands have no place for.

What needs nothing but gold and systems is always told: correlation of systems, purity, F-beta and
RSA; what needs a column of the items when it is named: perplexity, ranked lists,
the trade-off of precision and recall, means of item scores, minimal pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items
from coleval.analyses.measure.columns import correlation, perplexity
from coleval.analyses.measure.labels import f_table, purity_table, rsa
from coleval.analyses.measure.means import means
from coleval.analyses.measure.minimal_pairs import minimal_pairs
from coleval.analyses.measure.ranking import ranking_tables
from coleval.analyses.measure.spec import MEASURE, Options
from coleval.analyses.measure.trade_off import trade_off
from coleval.analyses.measure.vectors import identity, named_files, vectors_of
from coleval.analyses.running import own
from coleval.declare.analysis import Result
from coleval.declare.reading import named_pairs
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus


def measure(corpus: Corpus, options: Options) -> Result:
    """Return the tables asked for; labels are left out where there are none, as in a matrix.

    A table without systems has nothing but columns to be measured.
    """
    items = scored_items(corpus)
    tables: dict[str, pl.DataFrame] = {}
    if options.minimal_pairs:
        tables["minimal_pairs"] = minimal_pairs(
            corpus, items, options.minimal_pairs, corpus.scoring.zero_division
        )
    elif options.by:
        raise UsageError(
            "measure groups minimal pairs alone",
            where=f"--by {', '.join(options.by)}",
            remedy="name their column (--minimal-pairs), or choose one group with --where",
        )
    if items.systems or options.correlate:
        tables |= correlation(corpus, items, named_pairs(options.correlate))
    if items.systems and items.unit != "row":
        tables["purity"] = purity_table(items)
        tables["f_beta"] = f_table(items, options.beta, corpus.scoring.zero_division)
    vectors = vectors_of(corpus, items, named_files(options.vectors))
    if items.systems:
        tables["rsa"] = rsa(items, options.seed, options.sample, vectors, options.distance)
    if options.perplexity:
        tables["perplexity"] = perplexity(items, options.perplexity, options.log_base)
    if options.rank:
        tables |= ranking_tables(items, options, corpus.scoring.zero_division)
    if options.scores:
        tables |= trade_off(items, options)
    if options.means:
        tables |= means(items, options.means, options.seed)
    known = {"vectors": identity(vectors)} if vectors else {}
    return Result(tables, signed=_signed(options) | known, warnings=_unpaired(tables))


def _unpaired(tables: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Return a warning if minimal pairs were asked for and there is none."""
    pairs = tables["minimal_pairs"]["pairs"] if "minimal_pairs" in tables else None
    if pairs is None or pairs.sum():
        return ()
    return ("there is no minimal pair: no item that was made from another is left",)


def _signed(options: Options) -> dict[str, str]:
    """Return what is asked for beyond the defaults, and the seed and the sample of RSA."""
    usual = own(MEASURE, Options())
    return {
        name: _text(value)
        for name, value in own(MEASURE, options).items()
        if name in ("beta", "seed", "sample") or value != usual[name]
    }


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_text(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
