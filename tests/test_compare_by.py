"""``compare --by``: means over groups, against plain loops over items, groups and replicates."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.errors import UsageError
from coleval.statistics.draws import BLOCK, coins, keys_of_names, poisson, streams
from coleval.statistics.paired import widened
from conftest import seeds

R = 128


def case(seed: int, groups: int = 4, systems: int = 3, units: int = 14) -> tuple[pl.DataFrame, int]:
    """Return items of documents of groups whose sizes differ much."""
    rng = random.Random(seed)
    rows = []
    for n in range(units):
        group = f"g{min(groups - 1, int(rng.expovariate(0.7)))}"
        good = [rng.random() for _ in range(systems)]
        for _ in range(rng.randint(1, 5)):
            gold = rng.choice("ab")
            answers = [gold if rng.random() < g else rng.choice("ab") for g in good]
            rows.append((f"i{len(rows)}", f"d{n:02}", group, gold, *answers))
    names = ["id", "text", "group", "gold", *(f"s{k}" for k in range(systems))]
    return pl.DataFrame(rows, schema=names, orient="row"), systems


def compared(frame: pl.DataFrame, systems: int, **options):
    picks = ["id=id", "gold=gold", "text=text", "group=group"]
    picks += [f"system=s{k}" for k in range(systems)]
    found = coleval.load(frame, task="label", columns=",".join(picks))
    asked = {"metric": "accuracy", **options}
    return found.compare(unit_of_resampling="text", by="group", **asked)


def mean_of(scores):
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else float("nan")


def macro(frame: pl.DataFrame, answers, weight) -> float:
    """Return the mean over groups of the weighted share that is right; ``answers`` by item."""
    sums: dict[str, list[float]] = {}
    for row, answer in zip(frame.iter_rows(named=True), answers, strict=True):
        part = sums.setdefault(row["group"], [0.0, 0.0])
        part[0] += weight(row) * (answer == row["gold"])
        part[1] += weight(row)
    return mean_of(right / size if size else None for right, size in sums.values())


def weights(frame: pl.DataFrame, column: str, draw, purpose: int):
    """Return the weight of each value of a column in each replicate."""
    names = sorted(set(frame[column]))
    start = streams(keys_of_names(names), 0, purpose=purpose)
    drawn = np.concatenate([draw(start, block) for block in range(R // BLOCK)], axis=1)
    return {name: drawn[at] for at, name in enumerate(names)}


@pytest.mark.parametrize("seed", seeds(5, 25))
def test_scores_and_intervals_are_those_of_loops_over_groups(seed):
    frame, systems = case(seed)
    table = compared(frame, systems, replicates=R, test="bootstrap")["ranks"]
    drawn = weights(frame, "text", poisson, 0)
    for row in table.iter_rows(named=True):
        answers = frame[row["system"]].to_list()
        assert row["value"] == pytest.approx(macro(frame, answers, lambda _: 1), abs=1e-12)
        every = [macro(frame, answers, lambda r, at=at: drawn[r["text"]][at]) for at in range(R)]
        units = frame["text"].n_unique()
        level = widened(0.05, units)
        low, high = np.quantile(every, [level / 2, 1 - level / 2])
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)


def macro_f1_of_a(frame: pl.DataFrame, answers, weight) -> float:
    """Return the mean F1 of label a over the groups in which gold has it, in units drawn."""
    sums: dict[str, list[float]] = {}
    for row, answer in zip(frame.iter_rows(named=True), answers, strict=True):
        gold, said, w = row["gold"] == "a", answer == "a", weight(row)
        part = sums.setdefault(row["group"], [0.0, 0.0, 0.0])
        for at, one in enumerate((gold and said, gold, said)):
            part[at] += w * one
    return mean_of(2 * tp / (gold + said) for tp, gold, said in sums.values() if gold)


@pytest.mark.parametrize("seed", range(12))
def test_a_group_is_in_no_mean_of_a_replicate_in_which_gold_has_nothing(seed):
    frame, systems = case(seed, units=9)
    ask = {"metric": "f1:a", "replicates": R, "test": "bootstrap"}
    table = compared(frame, systems, **ask)["ranks"]
    drawn = weights(frame, "text", poisson, 0)
    has_a = (pl.col("gold") == "a").any().over("group")
    for row in table.iter_rows(named=True):
        answers = frame[row["system"]].to_list()
        assert row["value"] == pytest.approx(macro_f1_of_a(frame, answers, lambda _: 1), abs=1e-12)
        every = [
            macro_f1_of_a(frame, answers, lambda r, at=at: drawn[r["text"]][at]) for at in range(R)
        ]
        known = [score for score in every if score == score]  # noqa: PLR0124  - NaN
        said = frame.filter(
            has_a, (pl.col("gold") == "a") | pl.any_horizontal(pl.col("^s.$") == "a")
        )
        level = widened(0.05, said["text"].n_unique())
        low, high = np.quantile(known, [level / 2, 1 - level / 2])
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("seed", seeds(5, 25))
def test_exchanges_of_units_are_those_of_loops_over_groups(seed):
    frame, systems = case(seed, units=20)
    pairs = compared(frame, systems, replicates=R, test="randomisation", correct="none")["pairs"]
    drawn = weights(frame, "text", coins, 1)
    for row in pairs.iter_rows(named=True):
        a, b = frame[row["a"]].to_list(), frame[row["b"]].to_list()
        delta = macro(frame, a, lambda _: 1) - macro(frame, b, lambda _: 1)
        assert row["delta"] == pytest.approx(delta, abs=1e-12)
        if row["p_from"] == "exact":
            continue
        far = 0
        for at in range(R):
            swapped = [drawn[text][at] for text in frame["text"]]
            one = [y if s else x for x, y, s in zip(a, b, swapped, strict=True)]
            two = [x if s else y for x, y, s in zip(a, b, swapped, strict=True)]
            after = macro(frame, one, lambda _: 1) - macro(frame, two, lambda _: 1)
            far += abs(after) >= abs(delta) - 1e-12
        assert row["p"] == pytest.approx((far + 1) / (R + 1), abs=1e-12)


def all_exchanges(frame, a, b, column):
    """Return p over every way to exchange two systems in whole values of a column."""
    names = sorted(set(frame[column]))
    delta = macro(frame, a, lambda _: 1) - macro(frame, b, lambda _: 1)
    far = 0
    for case_ in range(1 << len(names)):
        swap = {name: case_ >> at & 1 for at, name in enumerate(names)}
        swapped = [swap[value] for value in frame[column]]
        one = [y if s else x for x, y, s in zip(a, b, swapped, strict=True)]
        two = [x if s else y for x, y, s in zip(a, b, swapped, strict=True)]
        after = macro(frame, one, lambda _: 1) - macro(frame, two, lambda _: 1)
        far += abs(after) >= abs(delta) - 1e-12
    return far / (1 << len(names))


@pytest.mark.parametrize("seed", seeds(4, 12))
@pytest.mark.parametrize(("resample", "column"), [("", "text"), ("groups", "group")])
def test_few_exchanges_are_all_gone_through(seed, resample, column):
    frame, systems = case(seed, units=8)
    pairs = compared(frame, systems, test="randomisation", resample=resample)["pairs"]
    for row in pairs.iter_rows(named=True):
        assert row["p_from"] == "exact"
        a, b = frame[row["a"]].to_list(), frame[row["b"]].to_list()
        assert row["p"] == pytest.approx(all_exchanges(frame, a, b, column), abs=1e-12)


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_whole_groups_are_drawn_for_statements_about_others(seed):
    frame, systems = case(seed, units=30)
    table = compared(frame, systems, replicates=R, test="bootstrap", resample="groups")["ranks"]
    # Groups come in the order of the items.
    names = frame["group"].unique(maintain_order=True).to_list()
    start = streams(keys_of_names(names), 0, purpose=0)
    drawn = np.concatenate([poisson(start, block) for block in range(R // BLOCK)], axis=1)
    for row in table.iter_rows(named=True):
        scores = []
        for name in names:
            part = frame.filter(pl.col("group") == name)
            scores.append(float((part[row["system"]] == part["gold"]).mean()))
        every = [
            sum(w * s for w, s in zip(drawn[:, at], scores, strict=True)) / drawn[:, at].sum()
            for at in range(R)
            if drawn[:, at].sum()
        ]
        level = widened(0.05, len(names))
        low, high = np.quantile(every, [level / 2, 1 - level / 2])
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)


def test_wilcoxon_ranks_the_groups():
    from scipy.stats import wilcoxon

    frame, systems = case(3, groups=9, units=60)
    pairs = compared(frame, systems, test="wilcoxon", resample="groups", correct="none")["pairs"]
    for row in pairs.iter_rows(named=True):
        gaps = []
        for _, part in frame.group_by("group", maintain_order=True):
            gaps.append(float((part[row["a"]] == part["gold"]).mean()
                              - (part[row["b"]] == part["gold"]).mean()))  # fmt: skip
        there = np.round([gap for gap in gaps if abs(gap) > 1e-12], 12)
        assert row["p"] == pytest.approx(float(wilcoxon(there).pvalue), abs=1e-12)
        assert row["units"] == len(gaps)


def test_one_group_is_the_same_as_none():
    frame, systems = case(5, groups=1, units=30)
    one = compared(frame, systems, replicates=R, test="bootstrap")
    picks = ["id=id", "gold=gold", "text=text", *(f"system=s{k}" for k in range(systems))]
    found = coleval.load(frame.drop("group"), task="label", columns=",".join(picks))
    other = found.compare(
        metric="accuracy", unit_of_resampling="text", replicates=R, test="bootstrap"
    )
    for name in ("pairs", "ranks"):
        assert one[name].drop("mean_over", "groups").equals(other[name])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"test": "mcnemar"}, "McNemar"),
        ({"test": "wilcoxon"}, "--resample groups|resample"),
    ],
)
def test_tests_that_take_no_mean_are_refused(options, said):
    frame, systems = case(1)
    with pytest.raises(UsageError, match=said):
        compared(frame, systems, **options)


def test_a_unit_of_several_groups_is_refused():
    frame, systems = case(1)
    mixed = frame.with_columns(group=pl.Series(["x", "y"] * len(frame)).head(len(frame)))
    with pytest.raises(UsageError, match="several groups"):
        compared(mixed, systems)


def test_groups_to_draw_have_to_be_named():
    frame, systems = case(1)
    picks = ["id=id", "gold=gold", *(f"system=s{k}" for k in range(systems))]
    found = coleval.load(frame.select("id", "gold", *(f"s{k}" for k in range(systems))),
                         task="label", columns=",".join(picks))  # fmt: skip
    with pytest.raises(UsageError, match="no groups"):
        found.compare(metric="accuracy", resample="groups")
