"""Runs of a team, seeds of a system: what a group scores on average, and tests between groups.

Two questions are kept apart. ``p``: with these very runs, would another test set show the
difference of the means (units resampled)? ``p_runs``: on this very test set, would other runs show
it (Welch's test over the runs)?
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.undecided import UNDECIDED, of_groups
from coleval.analyses.wording import listed
from coleval.statistics.paired import adjusted, spread, widened
from coleval.statistics.ratio import null_for_nan, ratio_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.compare.plan import Setting
    from coleval.statistics.measure import Floats

    Members = Mapping[str, Sequence[int]]


def members(systems: Sequence[str], pattern: str) -> dict[str, list[int]]:
    """Return the systems of each group; one that the pattern does not match is its own group.

    A group is called as the first bracket matches, or else as the whole pattern does.
    """
    found: dict[str, list[int]] = {}
    for at, name in enumerate(systems):
        match = re.search(pattern, name)
        group = name if match is None else match.group(1 if match.re.groups else 0)
        found.setdefault(group or name, []).append(at)
    return found


def group_tables(how: Setting, value: Floats, drawn: Floats) -> dict[str, pl.DataFrame]:
    """Return ``groups`` (mean, sd, n) and ``group_pairs``, the best group first."""
    grouped = members(how.systems, how.plan.group)
    mean = {name: _mean(value[rows]) for name, rows in grouped.items()}
    sign = -1 if how.measure.lower else 1
    better = {name: np.nan_to_num(sign * one, nan=-np.inf) for name, one in mean.items()}
    order = sorted(grouped, key=lambda name: (-better[name], name))
    rows = [_row(how, name, grouped[name], value) for name in order]
    numbers = dict.fromkeys(("mean", "sd", "min", "max"), pl.Float64)
    kinds = {"group": pl.String, "n": pl.Int64, **numbers, "runs": pl.Int64, "note": pl.String}
    table = pl.DataFrame(rows, schema=kinds)
    return {
        "groups": table,
        "group_pairs": _pairs(how, {n: grouped[n] for n in order}, value, drawn),
    }


def _row(how: Setting, name: str, rows: Sequence[int], value: Floats) -> dict[str, object]:
    """Return a group: ``n`` of its ``runs`` have a score, and the others are in no mean."""
    known = value[rows][~np.isnan(value[rows])]
    n = len(known)
    lost = [how.systems[k] for k in rows if np.isnan(value[k])]
    return {
        "group": name,
        "n": n,
        "mean": float(known.mean()) if n else None,
        "sd": float(known.std(ddof=1)) if n > 1 else None,
        "min": float(known.min()) if n else None,
        "max": float(known.max()) if n else None,
        "runs": len(rows),
        "note": f"{how.plan.metric} of {listed(lost)} is undefined: left out" if lost else None,
    }


def _pairs(how: Setting, grouped: Members, value: Floats, drawn: Floats) -> pl.DataFrame:
    names = list(grouped)
    every = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
    pairs = np.array(every, np.intp).reshape(-1, 2)
    numbers = _tested(how, value, pairs, drawn, grouped)
    still = numbers.pop("undecided")
    why = zip(numbers["p"], numbers["p_runs"], still, strict=True)
    frame = {
        "a": pl.Series([names[a] for a, _ in pairs], dtype=pl.String),
        "b": pl.Series([names[b] for _, b in pairs], dtype=pl.String),
        "metric": pl.Series([how.plan.metric] * len(pairs), dtype=pl.String),
        **{name: null_for_nan(column) for name, column in numbers.items()},
        "note": pl.Series([_why(*both) for both in why], dtype=pl.String),
    }
    return pl.DataFrame(frame)


def _tested(
    how: Setting, value: Floats, pairs: NDArray[np.intp], drawn: Floats, grouped: Members
) -> dict[str, Floats]:
    """Return means, their difference and both p values of each pair of groups."""
    runs = [value[rows] for rows in grouped.values()]
    means = np.array([_mean(values) for values in runs])
    a, b = means[pairs[:, 0]], means[pairs[:, 1]]
    low, high, p = np.full((3, len(pairs)), np.nan)
    still = np.zeros(len(pairs))
    if drawn.shape[1]:
        rows = [_defined(each, value) for each in grouped.values()]
        averaged = partial(_averaged, groups=rows)
        level = widened(how.plan.alpha, how.informed)
        low, high, _, _ = spread(averaged(drawn), pairs, a - b, level)
        result = of_groups(how, averaged, drawn, pairs, a - b)
        p, still = result.p, result.undecided.astype(np.float64)
    p = np.where(np.isnan(a - b), np.nan, p)
    over = np.array([_welch(runs[i], runs[j]) for i, j in pairs], np.float64)
    found = {"value_a": a, "value_b": b, "delta": a - b, "low": low, "high": high}
    found |= {"p": p, "p_adjusted": adjusted(p, how.plan.correct)}
    found |= {"p_runs": over, "p_runs_adjusted": adjusted(over, how.plan.correct)}
    return found | {"undecided": still}


def _defined(rows: Sequence[int], value: Floats) -> list[int]:
    return [k for k in rows if not np.isnan(value[k])]


def _averaged(scores: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    return np.stack([averages(scores[list(rows)]) for rows in groups])


def averages(values: Floats) -> Floats:
    """Return the mean of each column over the runs that are defined in it, NaN without any."""
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    total = np.where(there, values, 0.0).sum(axis=0)
    return ratio_array(total, n)


def _why(p: float, p_runs: float, still: float) -> str | None:
    """Return why a test of two groups has no answer."""
    if np.isnan(p):
        return "a score is undefined, or nothing can be resampled"
    if still:
        return f"{UNDECIDED}: these replicates are too few"
    return (
        "each group needs two runs that differ for a test over runs" if np.isnan(p_runs) else None
    )


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _welch(a: Floats, b: Floats) -> float:
    """Return p of Welch's t test, NaN where a group has one run or runs do not differ at all."""
    from scipy.special import stdtr

    known = [x[~np.isnan(x)] for x in (a, b)]
    if min(map(len, known)) < 2:
        return float("nan")
    parts = [float(x.var(ddof=1)) / len(x) for x in known]
    if sum(parts) <= 0:
        return float("nan")
    t = abs(known[0].mean() - known[1].mean()) / np.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(v * v / (len(x) - 1) for v, x in zip(parts, known, strict=True))
    return float(2 * stdtr(freedom, -t))
