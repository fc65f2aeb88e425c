"""See how systems differ: evaluation of very large shared tasks over one item table.

Everything is imported when it is first used, so that ``import coleval`` costs nothing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from coleval.errors import ColevalError, ColevalWarning
from coleval.version import __version__

if TYPE_CHECKING:
    from coleval import seqeval
    from coleval.analyses.errors.library import (
        SpanError,
        SpanScores,
        fair_scores,
        overlap,
        span_errors,
    )
    from coleval.answers import assert_no_regression, score
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.loading.loading import load
    from coleval.store.opening import open_store as open  # noqa: A004

__all__ = [
    "ColevalError", "ColevalWarning", "Corpus", "Report", "SpanError", "SpanScores", "__version__",
    "assert_no_regression", "fair_scores", "load", "open", "overlap", "score", "seqeval",
    "span_errors",
]  # fmt: skip

_LISTS = "coleval.analyses.errors.library"

_LATER = {
    "Corpus": ("coleval.corpus.corpus", "Corpus"),
    "Report": ("coleval.corpus.report", "Report"),
    "load": ("coleval.loading.loading", "load"),
    "open": ("coleval.store.opening", "open_store"),
    "assert_no_regression": ("coleval.answers", "assert_no_regression"),
    "score": ("coleval.answers", "score"),
    "seqeval": ("coleval.seqeval", ""),
    **{
        name: (_LISTS, name)
        for name in ("SpanError", "SpanScores", "fair_scores", "overlap", "span_errors")
    },
}


def __dir__() -> list[str]:
    """Return the public names, those too that nobody has used yet."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Return a public name, importing its module now."""
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(f"module 'coleval' has no attribute {name!r}")
    module, attribute = _LATER[name]
    found = getattr(import_module(module), attribute) if attribute else import_module(module)
    _described()
    globals()[name] = found
    return found


@cache
def _described() -> None:
    """Complete the help of all methods, once; the command line has no need of it."""
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Loading, Reading, Scoring
    from coleval.declare.counting import (
        BucketRule,
        Engined,
        ErrorNames,
        Keys,
        RankedCounting,
    )
    from coleval.declare.describing import describe, every_option
    from coleval.loading.loading import load

    counting = dict(every_option(RankedCounting, Engined, Keys, ErrorNames, BucketRule))
    # What no option says of a corpus, a new one has as by default.
    usual = {name: each.by_default(Scoring) for name, each in counting.items() if name != "systems"}
    describe(load, {**dict(every_option(Loading, Reading)), **usual})
    describe(Corpus.with_options, counting)
