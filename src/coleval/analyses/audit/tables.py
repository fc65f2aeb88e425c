"""``audit``: votes of the systems about gold, without probabilities (DEFINITIONS 12)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.audit.second_gold import (
    corrected_table,
    decided,
    found_table,
    hits_table,
    precision_table,
    rescored_by_decisions,
    rescored_table,
    write,
)
from coleval.analyses.audit.suspects import AuditFindings, audited, kind_names
from coleval.analyses.audit.views import suspect_table
from coleval.analyses.wording import listed, number_of
from coleval.corpus.excerpt import MOST
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.signature import file_hash
from coleval.declare.analysis import Result
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.analyses.audit.spec import Options
    from coleval.corpus.corpus import Corpus

# Of a crowd of systems, so many groups with one vote are named.
_TOLD = 3


def audit(corpus: Corpus, options: Options) -> Result:
    """Return the suspects, and with a second gold or decisions what they come to."""
    known = audited(corpus, options)
    makers: dict[str, Callable[[AuditFindings], pl.DataFrame]] = {
        "suspects": suspect_table, "overall": _overall,
    }  # fmt: skip
    if known.second is not None:
        makers |= {"hits": hits_table, "precision": precision_table, "found": found_table,
                   "rescored": rescored_table}  # fmt: skip
    if options.decisions:
        new = decided(known, options.decisions)
        makers |= {
            "rescored": partial(rescored_by_decisions, decisions=new),
            "corrected": partial(corrected_table, decisions=new),
        }
        if options.corrected:
            write(corrected_table(known, decisions=new), options.corrected)
    elif options.corrected:
        raise UsageError("there is nothing to correct gold by", where="--corrected",
                         remedy="name the list with --decisions FILE")  # fmt: skip
    tables = LazyMapping({name: partial(make, known) for name, make in makers.items()})
    return Result(tables, signed=_signed(known), warnings=tuple(_warnings(known)))


def _overall(known: AuditFindings) -> pl.DataFrame:
    """Return how many suspects there are of each kind, by votes."""
    parts = [pl.DataFrame({"kind": part.kind, "votes": part.votes}) for part in known.votes.kinds]
    grouped = pl.concat(parts).group_by("kind", "votes").len("suspects")
    named = grouped.with_columns(kind_names(grouped["kind"]), pl.col("suspects").cast(pl.Int64))
    return named.sort("votes", "kind", descending=[True, False])


def _signed(known: AuditFindings) -> dict[str, str]:
    options = known.options
    return {
        "least": str(known.least),
        "alike": f"{options.alike:g}",
        "votes": str(known.ballots.voters),
        **({"decisions": file_hash(options.decisions)} if options.decisions else {}),
    }


def _warnings(known: AuditFindings) -> list[str]:
    """Return which systems vote as one, and what few votes are worth."""
    voter, names = known.ballots.voter.tolist(), known.items.systems
    groups: dict[int, list[str]] = {}
    for name, one in zip(names, voter, strict=True):
        groups.setdefault(one, []).append(name)
    share = f"{100 * known.options.alike:g} %"
    several = [group for group in groups.values() if len(group) > 1]
    told = several if len(names) <= MOST else several[:_TOLD]
    said = [
        f"{number_of(len(group), 'system')} have one vote together ({listed(group)}): they answer "
        f"alike in more than {share} of the items where either errs"
        for group in told
    ]
    if len(told) < len(several):
        rest = number_of(len(several) - len(told), "more group")
        said.append(f"{rest} of systems that answer alike have one vote each")
    if len(groups) < 2:
        said.append("there is one vote: all that differs from gold is a suspect")
    return said
