"""``agree``: how far systems and gold agree beyond chance, two by two and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.counted import limited
from coleval.engines.agreement import GOLD, Ratings, pairs, ratings, together
from coleval.errors import unknown
from coleval.scores.agreement import CHANCE, Agreement, cohen, fleiss, krippendorff

if TYPE_CHECKING:
    from coleval.corpus import Corpus

_NUMBERS = dict.fromkeys(("observed", "expected", "kappa", "fleiss", "alpha"), pl.Float64)
_PAIRS = {"a": pl.String, "b": pl.String, "items": pl.Int64, "agreed": pl.Int64,
          "observed": pl.Float64, "expected": pl.Float64, "kappa": pl.Float64,
          "note": pl.String}  # fmt: skip
_OVERALL = {"who": pl.String, "raters": pl.Int64, "items": pl.Int64, "observed": pl.Float64,
            "expected": pl.Float64, "fleiss": pl.Float64, "alpha": pl.Float64,
            "note": pl.String}  # fmt: skip


def agree(corpus: Corpus, *, chance: str = "separate") -> dict[str, pl.DataFrame]:
    """Return ``pairs`` (gold first, then systems as given) and ``overall``.

    ``chance``: from the answers of each (Cohen) or of both pooled. A system that leaves instances
    out is compared where it answers; where there are spans, nothing is an answer too, but not for
    two that both give none.
    """
    if chance not in CHANCE:
        raise unknown("way of chance agreement", chance, CHANCE, where="--chance")
    found = ratings(limited(corpus))
    rows = [
        {"a": p.a, "b": p.b, "items": p.items, "agreed": p.agreed,
         **_numbers(cohen(p.agreed, p.first, p.second, pooled=chance == "pooled"))}
        for p in pairs(found)
    ]  # fmt: skip
    systems = [name for name in found.names if name != GOLD]
    overall = [
        _overall("systems", found.only(systems)),
        _overall("gold and systems", found),
    ]
    return {
        "pairs": pl.DataFrame(rows, schema=_PAIRS),
        "overall": pl.DataFrame(overall, schema=_OVERALL),
    }


def _numbers(found: Agreement) -> dict[str, object]:
    return {
        "observed": found.observed,
        "expected": found.expected,
        "kappa": found.kappa,
        "note": found.note,
    }


def _overall(who: str, found: Ratings) -> dict[str, object]:
    """Return Fleiss' kappa, where everybody answers everything, and alpha."""
    counts = together(found)
    alpha = krippendorff(counts.items, counts.agreed, counts.answers)
    last = counts.raters
    missing = int(counts.items[:last].sum())
    by_all = fleiss(last, int(counts.items[last]), int(counts.agreed[last]), counts.answers[last])
    if missing:
        by_all = Agreement(None, None, None, f"{missing:,} items lack an answer: no Fleiss' kappa")
    return {
        "who": who,
        "raters": last,
        "items": found.items,
        "observed": by_all.observed,
        "expected": by_all.expected,
        "fleiss": by_all.kappa,
        "alpha": alpha.kappa,
        "note": by_all.note or alpha.note,
    }
