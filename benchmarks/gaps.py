"""Test whether the test of best against worst buckets keeps its level.

    python benchmarks/gaps.py ../shared/data

Real answers are put into buckets at random: each item by itself, each string, each sentence. So
there is no difference between buckets, however small they are (60, 30, 8 and 2 % of the units).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import coleval
from coleval.statistics.blocks import DealtUnits, gap_p

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus

SHARES = (0.6, 0.3, 0.08, 0.02)
DEALS, REPLICATES = 1000, 199


def corpora(data: Path) -> dict[str, Corpus]:
    """Return W-NUT 2017 and CoNLL-2003."""
    first, second = sorted((data / "interpreteval/conll03/results").glob("*.txt"))
    wnut = data / "wnut17"
    return {
        "W-NUT 2017": coleval.load(
            wnut / "gold/emerging.test.annotated", f"{wnut}/submissions/*", task="span"
        ),
        "CoNLL-2003": coleval.load(first, [second], merged=True,
                                   columns="form=1,gold=2,system=3"),
    }  # fmt: skip


def rejected(
    unit: NDArray[np.intp], right: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often p is below .05 if items are dealt out, and if units are."""
    alone = np.arange(len(unit))
    found = []
    for _ in range(DEALS):
        bucket = rng.choice(len(SHARES), size=int(unit.max()) + 1, p=SHARES)
        by_item = DealtUnits(bucket[unit], np.ones_like(alone), right[None, :].astype(np.int64))
        summed = np.bincount(unit, right).astype(np.int64)[None, :]
        by_unit = DealtUnits(bucket, np.bincount(unit), summed)
        seed = int(rng.integers(1 << 31))
        found.append([gap_p(one, REPLICATES, seed)[0] for one in (by_item, by_unit)])
    items, units = (np.array(found) <= 0.05).mean(axis=0)
    return float(items), float(units)


def main() -> None:
    """Print the share of p < .05 of each corpus and kind of unit."""
    rng = np.random.default_rng(0)
    for name, corpus in corpora(Path(sys.argv[1])).items():
        items = corpus.at("span")
        gold = items.gold != 0
        right = (items.answers[items.systems[0]] == items.gold)[gold]
        form = items.form()
        assert form is not None  # noqa: S101  - these are texts
        units = {
            "item": np.arange(len(right)),
            "string": form.str.to_lowercase().to_numpy()[gold],
            "sentence": items.context["sentence"].to_numpy()[gold],
        }
        for kind, values in units.items():
            number = np.unique(values, return_inverse=True)[1]
            found = rejected(number, right, rng)
            print(f"{name}, {kind}, {number.max() + 1} units: items {found[0]:.1%}, "
                  f"units {found[1]:.1%}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
