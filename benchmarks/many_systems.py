"""Do corrected tests keep their level over hundreds of pairs? Made-up tasks of 33 systems and more.

    python benchmarks/many_systems.py                             # 46 systems, about half an hour
    python benchmarks/many_systems.py --systems 100 --units 300 --tasks 20

Under the null all systems are equally good, errors go together, F1. Shown are the share of tasks in
which any pair is significant after Holm (should be 5 % at most), pairs left undecided and seconds
a task; and, where abilities are spread out, the share of the pairs that the normal curve calls
significant (with the standard error of the bootstrap) that are found.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from coleval.analyses.compare.plan import DIFFERENCES, MOST, PER_TEST, REPLICATES, Plan
from coleval.analyses.compare.undecided import Counted, counted
from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.exchanges import differing_units
from coleval.statistics.measure import Measure, Ratio, observed
from coleval.statistics.paired import MANY_UNITS, adjusted, p_value, spread
from coleval.statistics.resampling import Replicates, bootstrap, randomised

if TYPE_CHECKING:
    from coleval.analyses.compare.plan import Setting


def main() -> None:
    """Print a line for every number of units."""
    asked = _arguments()
    for units in asked.units:
        began = perf_counter()
        null = [tested(asked, units, seed, 0.0) for seed in range(asked.tasks)]
        took = (perf_counter() - began) / asked.tasks
        power = [tested(asked, units, seed, 0.3) for seed in range(max(2, asked.tasks // 20))]
        wrong = 100 * np.mean([any_ > 0 for any_, _, _ in null])
        found, possible = (sum(row[k] for row in power) for k in (0, 2))
        print(
            f"{asked.systems} systems, {asked.systems * (asked.systems - 1) // 2} pairs, "
            f"{units} units, {asked.test}: any significant {wrong:.1f} % of {asked.tasks} tasks, "
            f"undecided {np.mean([row[1] for row in null]):.2f}, {took:.1f} s; "
            f"spread out: found {found} of {possible}, "
            f"undecided {np.mean([row[1] for row in power]):.1f}",
            flush=True,
        )


def tested(asked: argparse.Namespace, units: int, seed: int, apart: float) -> tuple[int, int, int]:
    """Return how many pairs are significant, undecided, and significant by the normal curve."""
    how = setting(asked, units, seed, apart)
    found, delta, error = tested_pairs(how)
    real = adjusted(found.p, "holm") < 0.05
    normal = adjusted(_normal(delta, error), "holm")
    return int(real.sum()), int(found.undecided.sum()), int((normal < 0.05).sum())


def tested_pairs(how: SimpleNamespace) -> tuple[Counted, np.ndarray, np.ndarray]:
    """Return p of all pairs as ``compare`` has it, their differences and standard errors."""
    first, second = np.triu_indices(len(how.systems), 1)
    pairs = np.stack([first, second], axis=1)
    value = observed(how.measure)
    delta = value[first] - value[second]
    drawn = bootstrap(how.measure, how.resampling)
    _, _, error, p = spread(drawn, pairs, delta, 0.05)
    if how.plan.test == "randomisation" and not how.plan.bounded:
        p = p_value(*randomised(how.measure, how.resampling, pairs, delta))
    differing = differing_units(how.measure, pairs)
    return counted(cast("Setting", how), drawn, pairs, delta, p, differing), delta, error


def _normal(delta: np.ndarray, error: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return 2 * ndtr(-np.abs(delta) / error)


def setting(
    asked: argparse.Namespace | SimpleNamespace, units: int, seed: int, apart: float
) -> SimpleNamespace:
    """Return what is compared: F1 counts, replicates as ``compare`` chooses them."""
    tests = asked.systems * (asked.systems - 1) // 2
    needed = -(-PER_TEST * tests // 1000) * 1000
    bounded = needed > MOST
    formula = bounded and asked.test == "bootstrap" and units >= MANY_UNITS
    most = max(REPLICATES, DIFFERENCES // tests // 1000 * 1000) if formula else MOST
    replicates = min(MOST, needed, most)
    plan = Plan("f1", asked.test, replicates=replicates, extended=True, bounded=bounded,
                formula=formula)  # fmt: skip
    counts = _task(asked.systems, units, seed, apart)
    draws = Replicates(keys_of_numbers(np.arange(units)), seed, replicates)
    names = [f"s{k}" for k in range(asked.systems)]
    return SimpleNamespace(
        plan=plan, measure=Measure("f1", [lambda: counts]), resampling=draws, informed=units,
        units=units, systems=names,
    )  # fmt: skip


def _task(systems: int, units: int, seed: int, apart: float) -> Ratio:
    rng = np.random.default_rng([seed, units, systems])
    gold = 1 + rng.poisson(rng.lognormal(1.0, 0.6, units))
    ability = -apart * np.linspace(0, 1, systems)[:, None]
    share = rng.beta(6, 2, units) + ability + rng.normal(0, 0.05, (systems, units))
    share = np.clip(share, 0.02, 0.98)
    tp = rng.binomial(gold, share)
    return Ratio(2 * tp, tp + rng.poisson((1 - share) * gold) + gold)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=46)
    parser.add_argument("--units", type=int, nargs="+", default=[30, 50, 100, 300, 1000])
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--test", choices=("bootstrap", "randomisation"), default="bootstrap")
    return parser.parse_args()


if __name__ == "__main__":
    main()
