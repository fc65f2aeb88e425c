"""Labels on a scale: which order they have, and kappa that weighs how far two are apart on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.counts.raters import apart_on_scale
from coleval.errors import UsageError
from coleval.statistics.agreement import WEIGHTS, band, weighted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.agree.spec import Options
    from coleval.counts.raters import RaterPairs, Raters

    Weighing = Callable[[RaterPairs], dict[str, Any]]

# The square of a larger one is not safe from being too large for a number.
_LARGEST = 1e100


def weighing(found: Raters, labels: Sequence[str], options: Options) -> Weighing | None:
    """Return what gives the weighted columns of pairs, None if no weights are asked for."""
    if not options.weights:
        if options.label_order:
            raise UsageError(
                "is about weighted kappa, which was not asked for",
                where="--label-order",
                remedy="choose the weights too: linear or quadratic",
            )
        return None
    places = _places(found, labels, list(options.label_order))
    apart = apart_on_scale(places, WEIGHTS[options.weights])
    return partial(_weighted, found, apart, options.chance == "pooled")


def _weighted(
    found: Raters, apart: NDArray[np.float64], pooled: bool, pairs: RaterPairs
) -> dict[str, Any]:
    counts = zip(pairs.others, pairs.first, pairs.second, strict=True)
    kappas = [
        weighted(found.apart(pairs.a, other, apart), first, second, apart, pooled=pooled)
        for other, first, second in counts
    ]
    return {"weighted_kappa": kappas, "weighted_band": list(map(band, kappas))}


def _places(found: Raters, labels: Sequence[str], order: list[str]) -> NDArray[np.float64]:
    """Return the place on the scale of each code that occurs."""
    given = found.used()
    if given[0] and not found.missing:
        raise UsageError(
            "items may have no label, and no label has no place on a scale",
            where="--weights",
            remedy="use weights where each item has one label: --task label or --task tag",
        )
    used = [name for name, n in zip(labels, given[1:], strict=True) if n]
    scale = _steps(order, used) if order else _numbers(used)
    return np.array([0, *(scale.get(name, 0) for name in labels)], np.float64)


def _steps(order: list[str], used: list[str]) -> dict[str, float]:
    """Return the labels of an order one step apart; it has all that occur, and none twice."""
    twice = [name for at, name in enumerate(order) if name in order[:at]]
    lacking = [name for name in used if name not in order]
    if not twice and not lacking:
        return {name: float(at) for at, name in enumerate(order)}
    problem = f"`{twice[0]}` is named twice" if twice else f"the label `{lacking[0]}` is not there"
    raise UsageError(
        problem,
        where="--label-order",
        remedy=f"name each label once, in the order of the scale; there are {', '.join(used[:8])}",
    )


def _numbers(used: list[str]) -> dict[str, float]:
    """Return labels that are numbers, as far apart as these are."""
    scale = {name: number for name in used if (number := _number(name)) is not None}
    if lacking := [name for name in used if name not in scale]:
        raise UsageError(
            f"the label `{lacking[0]}` is not a number, so the order of labels is not known",
            where="--weights",
            remedy=f"give the order: --label-order {','.join(used[:8])}",
        )
    return scale


def _number(name: str) -> float | None:
    try:
        number = float(name)
    except ValueError:
        return None
    return number if abs(number) < _LARGEST else None
