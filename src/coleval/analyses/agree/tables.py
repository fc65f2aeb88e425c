"""``agree``: how far systems and gold agree beyond chance, two by two and all together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import counted_patterns, scored_items
from coleval.analyses.wording import noun_for, number_of
from coleval.counts.crowded import crowded, met, slotted_anew
from coleval.counts.raters import GOLD, RaterPairs, Raters, apart_on_scale, raters_of
from coleval.errors import UsageError
from coleval.statistics.agreement import (
    WEIGHTS,
    Agreement,
    band,
    cohen,
    fleiss,
    krippendorff,
    weighted,
)
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.agree.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.crowded import Run

    Weighing = Callable[[RaterPairs], dict[str, Any]]

_WEIGHTED = {"weighted_kappa": pl.Float64, "weighted_band": pl.String}
_PAIRS = {"a": pl.String, "b": pl.String, "items": pl.Int64, "agreed": pl.Int64,
          "observed": pl.Float64, "expected": pl.Float64, "kappa": pl.Float64,
          "note": pl.String, "band": pl.String}  # fmt: skip
_OVERALL = {"who": pl.String, "raters": pl.Int64, "items": pl.Int64, "observed": pl.Float64,
            "expected": pl.Float64, "fleiss": pl.Float64, "alpha": pl.Float64,
            "note": pl.String, "band": pl.String}  # fmt: skip


def agree(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``pairs`` (gold first, then systems as given) and ``overall``.

    ``chance`` is from the answers of each (Cohen) or of both pooled. A system that leaves instances
    out is compared where it answers; where there are spans, nothing is an answer too, but not for
    two that both give none.
    """
    items = scored_items(corpus)
    missing = _missing(corpus, items)
    runs = crowded(items, forms=corpus.reading.forms)
    found = _raters(corpus, items, missing=missing)
    weigh = weighing(found, items.labels, options)
    pooled = options.chance == "pooled"
    met = [_block(p, pooled=pooled, weigh=weigh) for p in _meeting(corpus, found, items, runs)]
    groups = {"systems": items.systems, "gold and systems": found.names}
    overall = [
        _overall(who, (_several(corpus, items, names, runs) if runs else found).only(list(names)))
        for who, names in groups.items()
    ]
    return {
        "pairs": pl.concat([pl.DataFrame(schema=_PAIRS | _WEIGHTED if weigh else _PAIRS), *met]),
        "overall": pl.DataFrame(overall, schema=_OVERALL),
    }


def _missing(corpus: Corpus, items: Items) -> bool:
    """Tell whether who gives no answer does not rate: where each item has one label of a list."""
    limited = bool(corpus.scoring.labels or corpus.scoring.exclude)
    kind = corpus.task_kind
    single = kind.label_sets and items.group != "instance"
    return single or (kind.own_labels and kind.covers_text and limited)


def _raters(corpus: Corpus, items: Items, *, missing: bool = False) -> Raters:
    covered = items.empty_is_answer and items.unit in ("token", "row")
    counted = counted_patterns(corpus, items)
    return raters_of(counted, len(items.labels), missing=missing, covered=covered)


def _meeting(
    corpus: Corpus, counted: Raters, items: Items, runs: Sequence[Run]
) -> Iterator[RaterPairs]:
    """Yield pairs of raters; two systems' equal labels of one crowded extent meet in it."""
    for pairs in counted.pairs():
        if not runs or pairs.a == GOLD:
            yield pairs
            continue
        for other in pairs.others:
            own = met(items, (pairs.a, other), runs)
            yield from _raters(corpus, own).only([pairs.a, other]).pairs()


def _block(pairs: RaterPairs, *, pooled: bool, weigh: Weighing | None) -> pl.DataFrame:
    """Return the rows of a rater and others."""
    observed, expected, kappa, notes = cohen(pairs.agreed, pairs.first, pairs.second, pooled=pooled)
    columns = {
        "a": [pairs.a] * len(pairs.others),
        "b": pairs.others,
        "items": pairs.items,
        "agreed": pairs.agreed,
        "observed": null_for_nan(observed),
        "expected": null_for_nan(expected),
        "kappa": null_for_nan(kappa),
        "note": notes,
        "band": list(map(band, null_for_nan(kappa))),
        **(weigh(pairs) if weigh else {}),
    }
    return pl.DataFrame(columns, schema=_PAIRS | _WEIGHTED if weigh else _PAIRS)


def _several(corpus: Corpus, items: Items, names: Sequence[str], runs: Sequence[Run]) -> Raters:
    """Return answers to extents with several labels: of two raters as a pair's, else by label."""
    if len(names) > 2:
        return _raters(corpus, slotted_anew(items, by_label=True))
    two = GOLD not in names and len(names) == 2
    own = met(items, (names[0], names[1]), runs) if two else items
    return _raters(corpus, own)


def _overall(who: str, found: Raters) -> dict[str, object]:
    """Return Fleiss' kappa, where everybody answers everything, and alpha."""
    counts = found.counts()
    alpha = krippendorff(counts.items, counts.agreed, counts.answers)
    last = counts.raters
    missing = int(counts.items[:last].sum())
    by_all = fleiss(last, int(counts.items[last]), int(counts.agreed[last]), counts.answers[last])
    if missing:
        lacking = f"{number_of(missing, 'item')} {noun_for(missing, 'lacks', 'lack')} an answer"
        by_all = Agreement(None, None, None, f"{lacking}: Fleiss' kappa is undefined")
    return {
        "who": who,
        "raters": last,
        "items": found.items,
        "observed": by_all.observed,
        "expected": by_all.expected,
        "fleiss": by_all.kappa,
        "alpha": alpha.kappa,
        "note": by_all.note or alpha.note,
        "band": band(alpha.kappa),
    }


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
