"""Do the tests keep their level? Two systems that are equally good, many made-up corpora.

    python benchmarks/calibration.py                    # 4,000 corpora, about two minutes
    python benchmarks/calibration.py --corpora 200      # does the harness still run?
    python benchmarks/calibration.py --units 12000      # rows of sentences that are alike

Under the null the share of p < 0.05 must lie between 3.5 and 6.5 %. Beside it stands the bootstrap
that centres |difference| in place of the signed difference, as some programs do; and the power of
each test where one system is better.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.measure import Measure, Ratio, observed, of_rows
from coleval.statistics.paired import mcnemar, p_value, spread, wilcoxon
from coleval.statistics.resampling import Replicates, bootstrap, randomised

LOW, HIGH = 0.035, 0.065
PAIR = np.array([[0, 1]])
Counts = NDArray[np.int64]


def main() -> None:
    """Show both tables; leave with 1 under ``--gate`` if a test does not keep its level."""
    asked = _arguments()
    print(f"{asked.corpora} corpora of {asked.units} sentences, {asked.replicates} replicates")
    null = rejected(asked, 0.0, asked.corpora)
    print("share of p < 0.05 where the systems are equally good:")
    for name, share in null.items():
        print(f"  {name:<28} {100 * share:5.1f} %")
    print("power, by how much likelier one system is to be right:")
    for gain in (0.01, 0.02, 0.03, 0.04, 0.06):
        found = rejected(asked, gain, max(50, asked.corpora // 8))
        print(f"  +{gain:.2f}  " + "  ".join(f"{n} {100 * s:.0f} %" for n, s in found.items()))
    held = all(LOW <= null[name] <= HIGH for name in ("bootstrap", "randomisation"))
    print("bootstrap and randomisation keep their level" if held else "LEVEL NOT KEPT")
    if asked.gate and not held:
        sys.exit(1)


def rejected(asked: argparse.Namespace, gain: float, corpora: int) -> dict[str, float]:
    """Return the share of corpora in which each test finds a difference."""
    found = [
        tests(_corpus(seed, asked.units, gain), seed, asked.replicates) for seed in range(corpora)
    ]
    return {name: float(np.mean([p[name] < 0.05 for p in found])) for name in found[0]}


def tests(counts: Ratio, seed: int, replicates: int) -> dict[str, float]:
    """Return the p value of each test on one corpus."""
    whole = Measure("f1", [lambda: counts])
    (measure,), key = of_rows([whole], keys_of_numbers(np.arange(counts.above.shape[1])))
    how = Replicates(key, seed, replicates)
    value = observed(measure)
    delta = value[:1] - value[1:]
    drawn = bootstrap(measure, how)
    moved = drawn[0] - drawn[1]
    absolute = np.abs(moved)
    common = (absolute - absolute.mean() >= abs(delta[0])).sum()
    units = np.divide(counts.above, counts.below, where=counts.below > 0,
                      out=np.full(counts.above.shape, np.nan))  # fmt: skip
    wins, losses = (int((a > b).sum()) for a, b in ((units[0], units[1]), (units[1], units[0])))
    return {
        "bootstrap": float(spread(drawn, PAIR, delta, 0.05)[3, 0]),
        "randomisation": float(p_value(*randomised(measure, how, PAIR, delta))[0]),
        "wilcoxon": float(wilcoxon(units, PAIR)[0][0]),
        "sign, exact": float(mcnemar(np.array([wins]), np.array([losses]), mid=False)[0]),
        "sign, mid-p": float(mcnemar(np.array([wins]), np.array([losses]), mid=True)[0]),
        "|difference| bootstrap": (common + 1) / (replicates + 1),
    }


def _corpus(seed: int, units: int, gain: float) -> Ratio:
    """Return counts of two systems: sentences differ in difficulty, and errors go together."""
    rng = np.random.default_rng([seed, round(1000 * gain)])
    gold = 1 + rng.poisson(2, units)
    ease = rng.beta(6, 2, units)
    tp = np.stack([rng.binomial(gold, np.minimum(1, ease + more)) for more in (gain, 0.0)])
    answered = tp + rng.poisson(0.6, tp.shape)
    return Ratio(2 * tp, answered + gold)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--corpora", type=int, default=4000)
    add("--units", type=int, default=300)
    add("--replicates", type=int, default=1000)
    add("--gate", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
