"""Calls from Python: which keywords a method takes, and the error for one that it does not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any, TypeVar, cast

from coleval.errors import UsageError
from coleval.python import keywords

F = TypeVar("F", bound=Callable[..., Any])

# What keywords were called before; they keep working.
_FORMER = {"bins": {"profile": "profile_bins"}}


def checked(method: F) -> F:
    """Return a method that raises for a keyword it does not have, with near misses."""

    @wraps(method)
    def call(*given: Any, **options: Any) -> Any:
        former = _FORMER.get(method.__name__, {})
        renamed = {former.get(name, name): value for name, value in options.items()}
        for name in renamed.keys() - accepted(method):
            raise refused(method, name)
        return method(*given, **renamed)

    return cast("F", call)


@cache
def accepted(method: Callable[..., Any]) -> frozenset[str]:
    """Return the names of all keywords of a method: its own, and those it shares."""
    own = (p.name for p in inspect.signature(method).parameters.values() if p.kind in _NAMED)
    return frozenset((*own, *shared(method)))


_NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def shared(method: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the keywords that a method shares with others, in their order."""
    kind = method.__annotations__.get("options", "").removeprefix("Unpack[").removesuffix("]")
    return tuple(getattr(keywords, kind).__annotations__) if kind else ()


def refused(method: Callable[..., Any], name: str) -> UsageError:
    """Return the error for a keyword: what it may have been, or where it belongs."""
    where = called(method)
    if name in _READING:
        remedy = f"give it to coleval.load: load(gold, systems, {name}=…)"
        return UsageError(f"`{name}` sets how files are read", where=where, remedy=remedy)
    names = accepted(method) - {"corpus", "self"}
    remedy = _near(name, names) or _elsewhere(name) or f"there is: {', '.join(sorted(names))}"
    return UsageError(f"unknown option '{name}'", where=where, remedy=remedy)


def called(method: Callable[..., Any]) -> str:
    """Return a method as callers write it: ``corpus.score``."""
    of = "coleval" if method.__name__ == "load" else "corpus"
    return f"{of}.{method.__name__}"


_READING = keywords.LoadOptions.__annotations__.keys() - keywords.CountingOptions.__annotations__


def _near(name: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(names), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


def _elsewhere(name: str) -> str:
    from coleval.python.methods import METHODS

    having = [called(method) for method in METHODS if name in accepted(inspect.unwrap(method))]
    return f"it is an option of {', '.join(having)}" if having else ""
