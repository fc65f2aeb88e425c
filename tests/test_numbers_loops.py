"""What commands make of scores, held against plain loops over many small random tables."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import fmean, median, pstdev

import polars as pl
import pytest

import coleval

CASES = 25
NAMES = ("a", "b", "c", "d")


def table(seed):
    """Return ids with topics, and the numbers of some systems; some have gaps, some many ties."""
    rng = random.Random(seed)
    n, systems = rng.randint(3, 14), NAMES[: rng.randint(3, 4)]
    draw = [lambda: float(rng.randint(1, 3)), lambda: rng.gauss(0, 2), rng.random]
    one, gaps = rng.choice(draw), rng.choice([0.0, 0.0, 0.3])
    rows = {name: [None if rng.random() < gaps else one() for _ in range(n)] for name in systems}
    topics = [rng.choice("xy") for _ in range(n)]
    return rng, topics, rows


def corpus_of(topics, rows, **options):
    columns = {f"score_{name}": pl.Series(row, dtype=pl.Float64) for name, row in rows.items()}
    frame = pl.DataFrame({"id": [str(k) for k in range(len(topics))], "topic": topics, **columns})
    return coleval.load(frame, task="score", missing="leave-out", **options)


def shared(topics, rows):
    """Return the items that all systems answered, if they are any."""
    kept = [k for k in range(len(topics)) if all(row[k] is not None for row in rows.values())]
    return [topics[k] for k in kept], {name: [row[k] for k in kept] for name, row in rows.items()}


def cases():
    """Yield tables, those of which all systems answered some item as they are counted."""
    for seed in range(CASES):
        rng, topics, rows = table(seed)
        if all(any(one is not None for one in row) for row in rows.values()):
            own_topics, own = shared(topics, rows)
            if own_topics and 20 * len(own_topics) >= len(topics):
                yield rng, corpus_of(topics, rows), rows, own_topics, own


def test_leaderboards():
    for _, corpus, rows, _, _ in cases():
        for found in corpus.score()["overall"].to_dicts():
            known = [x for x in rows[found["system"]] if x is not None]
            assert found["answered"] == len(known)
            assert found["value"] == pytest.approx(fmean(known), abs=1e-9)
            assert found["median"] == pytest.approx(median(known))
            assert (found["min"], found["max"]) == (min(known), max(known))


def test_oracles_and_what_each_system_adds():
    for rng, corpus, _, _, rows in cases():
        lower = rng.random() < 0.5
        best, sign = (min, -1) if lower else (max, 1)
        found = corpus.oracle(lower=lower)
        items = list(zip(*rows.values(), strict=True))
        row = found["overall"].row(0, named=True)
        assert row["value"] == pytest.approx(fmean(map(best, items)))
        assert row["best_value"] == pytest.approx(best(map(fmean, rows.values())))
        for one in found["leave_one_out"].to_dicts():
            others = [[x for name, x in zip(rows, item, strict=True) if name != one["system"]]
                      for item in items]  # fmt: skip
            assert one["value"] == pytest.approx(fmean(map(best, others)))
            own = rows[one["system"]]
            assert one["alone"] == sum(sign * x > sign * best(rest) + 1e-12
                                       for x, rest in zip(own, others, strict=True))  # fmt: skip
        taken, left = [], list(rows)
        for step in found["ladder"].to_dicts():
            reached = {name: fmean(best(rows[k][at] for k in [*taken, name])
                                   for at in range(len(items))) for name in left}  # fmt: skip
            assert step["value"] == pytest.approx(best(reached.values()))
            assert reached[step["system"]] == pytest.approx(step["value"])
            taken.append(step["system"])
            left.remove(step["system"])


def test_changes_beyond_a_tolerance():
    for rng, corpus, _, _, rows in cases():
        epsilon, lower = rng.choice([0.0, 0.5, 1.0]), rng.random() < 0.5
        found = corpus.changes(epsilon=epsilon, lower=lower, items=True)
        for row in found["summary"].to_dicts():
            both = zip(rows[row["before"]], rows[row["after"]], strict=True)
            gaps = [(y - x) * (-1 if lower else 1) for x, y in both]
            up = sum(gap > epsilon + 1e-12 for gap in gaps)
            down = sum(gap < -epsilon - 1e-12 for gap in gaps)
            assert (row["improved"], row["declined"]) == (up, down)
            assert row["equal"] == len(gaps) - up - down
            assert row["delta"] == pytest.approx(fmean(gaps) * (-1 if lower else 1), abs=1e-12)
        assert found["items"].height == found["summary"].select(
            (pl.col("improved") + pl.col("declined")).sum()
        ).item()  # fmt: skip


def correlation(x, y):
    a, b = fmean(x), fmean(y)
    above = sum((p - a) * (q - b) for p, q in zip(x, y, strict=True))
    below = (sum((p - a) ** 2 for p in x) * sum((q - b) ** 2 for q in y)) ** 0.5
    return above / below if below > 1e-12 else None


def test_discrimination_is_the_correlation_with_all_other_items():
    for _, corpus, _, _, rows in cases():
        systems = list(rows.values())
        for row in corpus.item_statistics()["items"].to_dicts():
            at = row["item"]
            if len(systems[0]) < 2:
                continue
            rest = [fmean(x for k, x in enumerate(own) if k != at) for own in systems]
            want = correlation([own[at] for own in systems], rest)
            if want is None or row["discrimination"] is None:
                # Spread is next to nothing in both, or the other is none but for rounding.
                assert want is None or abs(pstdev(rest)) < 1e-9
                continue
            assert row["discrimination"] == pytest.approx(want, abs=1e-6)


def test_buckets_and_pivots_are_means_over_groups():
    for _, corpus, _, topics, rows in cases():
        for row in corpus.buckets(attributes="topic")["buckets"].to_dicts():
            own = [x for x, topic in zip(rows[row["system"]], topics, strict=True)
                   if topic == row["bucket"]]  # fmt: skip
            assert row["items"] == len(own)
            assert row["value"] == pytest.approx(fmean(own), abs=1e-9)
        name = next(iter(rows))
        cells = corpus.pivot(rows="topic", cols="item % 2", value=f"mean:{name}")["pivot"]
        for cell in cells.to_dicts():
            own = [x for k, (x, topic) in enumerate(zip(rows[name], topics, strict=True))
                   if topic == cell["row"] and k % 2 == cell["column"]]  # fmt: skip
            assert (cell["n"], cell["score"]) == (len(own), pytest.approx(fmean(own)))


def test_bins_hold_all_items_in_the_order_of_their_means():
    for rng, corpus, _, _, rows in cases():
        found = corpus.bins(quantiles=rng.randint(2, 4))
        items = sorted(fmean(item) for item in zip(*rows.values(), strict=True))
        bins = found["bins"].to_dicts()
        assert [row["bin"] for row in bins] == list(range(1, len(bins) + 1))
        assert sum(row["items"] for row in bins) == len(items)
        weighted = {}
        for row in found["means"].to_dicts():
            if row["value"] is not None:
                weighted.setdefault(row["system"], []).append(row["value"] * row["items"])
        for name, parts in weighted.items():
            assert sum(parts) == pytest.approx(sum(rows[name]), abs=1e-6)


def test_thresholds_count_what_loops_count():
    for rng, corpus, _, _, rows in cases():
        least, lower = rng.choice([0.5, 1.0, 2.0]), rng.random() < 0.5
        found = corpus.bins(above=least, lower=lower)["bins"].to_dicts()
        solved = [sum((x <= least) if lower else (x >= least) for x in item)
                  for item in zip(*rows.values(), strict=True)]  # fmt: skip
        assert [row["items"] for row in found] == [solved.count(k) for k in range(len(rows) + 1)]


def test_wins_of_pairs_are_those_of_loops():
    for _, corpus, _, _, rows in cases():
        if len(next(iter(rows.values()))) < 2:
            continue
        found = corpus.compare(replicates=20)["pairs"]
        assert found.height == len(list(combinations(rows, 2)))
        for row in found.to_dicts():
            a, b = rows[row["a"]], rows[row["b"]]
            assert row["a_better"] == sum(x > y + 1e-12 for x, y in zip(a, b, strict=True))
            assert row["delta"] == pytest.approx(fmean(a) - fmean(b), abs=1e-9)
