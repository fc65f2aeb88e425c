"""How an attribute's values are cut into buckets: three ways, said in a few words.

``quantile 4``: so many buckets of about equal count. ``interval 0,0.5,1``: between given edges,
open below and closed above, the lowest edge belonging to the first. ``discrete`` or ``discrete
6``: a bucket for each value, or for the most frequent. ``apart 0,1`` sets values apart first.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from coleval.errors import UsageError

WAYS = ("quantile", "interval", "discrete")
_SPEC = re.compile(r"^(\w+)(?:\s+([^a-z]\S*|inf\S*))?(?:\s+apart\s+(\S+))?$")


@dataclass(frozen=True, slots=True)
class Cutting:
    """A way, its number of buckets (0: all) or its edges, and the values set apart.

    ``shrink`` gives one quantile less for each value set apart that gold has (InterpretEval).
    """

    way: str
    n: int = 0
    edges: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()
    shrink: bool = False


def parsed(text: str) -> Cutting:
    """Return the way of cutting that a text says; raise for one that says none."""
    found = _SPEC.match(" ".join(text.replace(":", " ").split()))
    if not found or found[1] not in WAYS:
        raise _unclear(text)
    way, what, apart = found.groups()
    try:
        # A value that is named twice is one bucket.
        single = tuple(dict.fromkeys(_numbers(apart or "")))
        cutting = Cutting(way, *_amount(way, what or ""), apart=single)
    except ValueError:
        raise _unclear(text) from None
    _check(cutting, text)
    return cutting


def _amount(way: str, what: str) -> tuple[int, tuple[float, ...]]:
    if way == "interval":
        return 0, _numbers(what)
    if what and int(what) < 1:
        raise ValueError(what)
    return (int(what) if what else 0), ()


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(",") if part)


def _check(cutting: Cutting, text: str) -> None:
    edges, interval = cutting.edges, cutting.way == "interval"
    few = (interval and len(edges) < 2) or (cutting.way == "quantile" and cutting.n < 1)
    rising = list(edges) == sorted(set(edges)) and not any(map(math.isnan, edges))
    # What is neither a number nor infinite is in no bucket, and infinite values are null.
    single = all(map(math.isfinite, cutting.apart))
    if few or not rising or not single or (cutting.way == "discrete" and cutting.apart):
        raise _unclear(text)


def _unclear(text: str) -> UsageError:
    return UsageError(
        f"`{text}` does not say how to form buckets",
        where="--buckets",
        remedy=(
            "for example: quantile 4; quantile 3 apart 0; interval 0,0.5,1 apart 0,1; discrete; "
            "discrete 6"
        ),
    )
