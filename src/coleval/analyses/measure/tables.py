"""``measure``: the classic measures that other commands have no place for.

What needs nothing but gold and systems is always told: correlation of systems, purity, F-beta and
RSA; what needs a column of the items when it is named: perplexity, precision and recall at k.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items
from coleval.analyses.measure.columns import correlation, perplexity, ranking
from coleval.analyses.measure.labels import f_table, purity_table, rsa
from coleval.analyses.pairing import named_pairs
from coleval.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.corpus import Corpus

BASES = ("", "e", "2", "10")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is measured; columns by name, empty for none."""

    correlate: tuple[tuple[str, str], ...] = ()
    perplexity: str = ""
    log_base: str = ""
    rank: tuple[str, ...] = ()
    relevant: str = ""
    at: tuple[int, ...] = (1, 5, 10)
    query: str = ""
    beta: float = 1.0
    seed: int = 0
    sample: int = 100_000


def own_options(**given: object) -> Asked:
    """Return what is asked for; lists may be texts with commas."""
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in ("rank", "at"):
        if isinstance(value := chosen.get(name), str):
            chosen[name] = tuple(filter(None, (part.strip() for part in value.split(","))))
    if "at" in chosen:
        chosen["at"] = tuple(_whole(k) for k in chosen["at"])  # type: ignore[attr-defined]
    if "correlate" in chosen:
        chosen["correlate"] = named_pairs(chosen["correlate"], option="--correlate")
    asked = Asked(**chosen)  # type: ignore[arg-type]
    if not 0 < asked.beta < inf:
        raise UsageError(
            f"{asked.beta:g} is not a finite number above 0",
            where="--beta",
            remedy="for example --beta 2",
        )
    if asked.log_base not in BASES:
        raise UsageError(
            f"logarithms to the base {asked.log_base}",
            where="--log-base",
            remedy="e, 2 or 10; without it the column holds probabilities",
        )
    return asked


def _whole(k: object) -> int:
    try:
        number = int(str(k))
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"`{k}` is not a number of ranks", where="--at", remedy="--at 1,5,10")
    return number


def measure(corpus: Corpus, *, asked: Asked | None = None) -> dict[str, pl.DataFrame]:
    """Return the tables asked for; labels are left out where there are none, as in a matrix."""
    asked = asked or Asked()
    items = scored_items(corpus)
    tables = {"correlation": correlation(corpus, items, asked.correlate)}
    if items.unit != "row":
        tables["purity"] = purity_table(items)
        tables["f_beta"] = f_table(items, asked.beta, corpus.scoring.zero_division)
    tables["rsa"] = rsa(items, asked.seed, asked.sample)
    if asked.perplexity:
        tables["perplexity"] = perplexity(items, asked.perplexity, asked.log_base)
    if asked.rank:
        ranks = ranking(items, asked, corpus.scoring.zero_division)
        tables["ranking"] = ranks
    return tables
