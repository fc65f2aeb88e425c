"""From a method's options to its analysis: those of scoring, of resampling, and its own."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from coleval.python.keywords import Resampling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def run(name: str, corpus: Corpus, options: Mapping[str, Any], **own: Any) -> Report:
    """Return the report of an analysis over the corpus under some scoring options."""
    from coleval import analyses

    return analyses.run(name, corpus.scored_by(options), **own)


def apart(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that say how units are drawn, and all others."""
    drawn = {k: v for k, v in options.items() if k in Resampling.__annotations__}
    return drawn, {k: v for k, v in options.items() if k not in drawn}


def unusual(analysis: Callable[..., Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are not as they are by default, which a signature leaves out."""
    usual = inspect.signature(analysis).parameters
    return {name: value for name, value in own.items() if value != usual[name].default}
