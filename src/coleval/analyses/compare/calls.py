"""From a call to a report: which options are the plan's, and what the signature says of them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from coleval.analyses import notes
from coleval.analyses.compare.plan import Plan, settled
from coleval.analyses.compare.tables import compare
from coleval.analyses.report.cautions import cautions
from coleval.corpus.report import Report
from coleval.corpus.signature import signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.analyses.measure.tables import Asked
    from coleval.corpus.corpus import Corpus

PLANNED = {field.name for field in fields(Plan)}


def compared(corpus: Corpus, options: Mapping[str, Any]) -> Report:
    """Return the report of a comparison; options that are not the plan's are those of scoring."""
    plan_options = {k: v for k, v in options.items() if k in PLANNED}
    rest = {k: v for k, v in options.items() if k not in PLANNED}
    chosen, plan = settled(corpus.scored_by(rest), **plan_options)
    tables = compare(chosen, plan=plan)
    said = signature(chosen, extra=plan.parts())
    about = notes("compare", chosen, metric=plan.metric)
    return Report("compare", tables, said, (*chosen.warnings, *about, *cautions(tables, plan)))


def scored(corpus: Corpus, options: Mapping[str, Any]) -> Report:
    """Return the leaderboard with intervals."""
    from coleval.analyses.score.intervals import few, with_intervals

    planned = {k: v for k, v in options.items() if k in PLANNED}
    chosen = corpus.scored_by({k: v for k, v in options.items() if k not in PLANNED})
    chosen, plan = settled(chosen, **{"correct": "none", **planned})
    told = ("resample", "alpha", "seed")
    said = {"intervals": f"bootstrap/{plan.replicates}"}
    said |= {name: value for name, value in plan.parts().items() if name in told}
    tables = with_intervals(chosen, plan)
    warnings = (*chosen.warnings, *notes("score", chosen), *few(chosen, plan))
    return Report("score", tables, signature(chosen, extra=said), warnings)


def measured(corpus: Corpus, options: Mapping[str, Any]) -> Report:
    """Return the report of the classic measures."""
    from coleval.analyses.measure.tables import Asked, measure, own_options

    names = {field.name for field in fields(Asked)}
    own = {k: v for k, v in options.items() if k in names}
    chosen = corpus.scored_by({k: v for k, v in options.items() if k not in names})
    asked = own_options(**own)
    said = signature(chosen, extra=_different(asked))
    warnings = (*chosen.warnings, *notes("measure", chosen))
    return Report("measure", measure(chosen, asked=asked), said, warnings)


def _different(asked: Asked) -> dict[str, str]:
    """Return what is asked for beyond the defaults, and the seed and the sample of RSA."""
    plain = {
        field.name: getattr(asked, field.name)
        for field in fields(asked)
        if field.name in ("beta", "seed", "sample") or getattr(asked, field.name) != field.default
    }
    return {name: _text(value) for name, value in plain.items()}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(_text(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
