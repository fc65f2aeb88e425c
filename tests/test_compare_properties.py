"""The same numbers for any order, any part, any number of threads, any block; others for a seed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

import coleval
from coleval.statistics import draws, resampling
from coleval.statistics.exchanges import differing_units
from coleval.statistics.measure import (
    Measure,
    Ratio,
    Strata,
    by_unit,
    informed,
    observed,
    of_rows,
)
from coleval.statistics.pairwise import larger
from coleval.statistics.resampling import Replicates, bootstrap, randomised
from coleval.statistics.tails import p_by_saddlepoint
from coleval.statistics.threads import product


@st.composite
def corpora(draw, systems=3):
    n = draw(st.integers(2, 40))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    columns = {f"s{k}": rng.choice(list("ABC"), n) for k in range(systems)}
    return pl.DataFrame({"id": [f"i{k}" for k in range(n)], "gold": rng.choice(list("ABC"), n),
                         **columns})  # fmt: skip


def load(frame):
    systems = [c for c in frame.columns if c.startswith("s")]
    picks = ",".join(["id=id", "gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(frame, task="label", columns=picks)


def by_pair(report):
    return {frozenset((r["a"], r["b"])): r for r in report.table("pairs").iter_rows(named=True)}


def tables(report):
    return [frame.to_dicts() for frame in report.tables.values()]


@given(corpora(), st.sampled_from(["bootstrap", "randomisation"]),
       st.sampled_from(["accuracy", "macro_f1", "f1:A"]))  # fmt: skip
def test_the_order_of_rows_changes_nothing(frame, test, metric):
    if metric == "f1:A" and "A" not in frame["gold"].to_list():
        return
    mixed = frame.sample(fraction=1, shuffle=True, seed=7)
    one, other = (load(f).compare(test=test, metric=metric, replicates=100) for f in (frame, mixed))
    assert tables(one) == tables(other)


@given(corpora())
def test_the_order_of_systems_changes_signs_at_most(frame):
    other = frame.select("id", "gold", "s2", "s0", "s1")
    one, two = (by_pair(load(f).compare(replicates=100)) for f in (frame, other))
    for key, row in one.items():
        assert two[key]["p"] == pytest.approx(row["p"])
        assert abs(two[key]["delta"]) == pytest.approx(abs(row["delta"]))


@given(corpora())
def test_leaving_out_a_system_does_not_change_what_is_drawn_for_the_others(frame):
    whole, part = (by_pair(load(f).compare(replicates=100)) for f in (frame, frame.drop("s2")))
    key = frozenset(("s0", "s1"))
    for name in ("delta", "low", "high", "p", "effect"):
        assert part[key][name] == whole[key][name]


def counts(seed=0, n=500, systems=4, size=9):
    rng = np.random.default_rng(seed)
    below = rng.integers(0, size, (systems, n))
    return Ratio(rng.binomial(below, 0.7), below)


def how(n, seed=0, replicates=300):
    return Replicates(draws.keys_of_numbers(np.arange(n)), seed, replicates)


def test_partitions_add_up_to_the_whole_exactly():
    table, whole = counts(), how(500)
    start = draws.streams(whole.key, 0)
    rows = [table.above, table.below]
    every = resampling.drawn(rows, start, 0, 300, draws.poisson)
    cut = [slice(0, 123), slice(123, 124), slice(124, 500)]
    parts = [
        resampling.drawn([r[:, c] for r in rows], start[c], 0, 300, draws.poisson) for c in cut
    ]
    assert (sum(parts) == every).all()
    order = np.random.default_rng(1).permutation(500)
    mixed = resampling.drawn([r[:, order] for r in rows], start[order], 0, 300, draws.poisson)
    assert (mixed == every).all()


@pytest.mark.parametrize("block", [64, 128, 1024])
@pytest.mark.parametrize("units", [1, 7, 4096])
def test_blocks_change_nothing(monkeypatch, block, units):
    table, pairs = counts(n=60), np.array([[0, 1], [2, 3]])
    measure = Measure("m", [lambda: table])
    delta = observed(measure)[[0, 2]] - observed(measure)[[1, 3]]
    expected = bootstrap(measure, how(60)), randomised(measure, how(60), pairs, delta)
    monkeypatch.setattr(resampling, "REPLICATES", block)
    monkeypatch.setattr(resampling, "UNITS", units)
    assert (bootstrap(measure, how(60)) == expected[0]).all()
    assert (randomised(measure, how(60), pairs, delta) == expected[1]).all()


def test_more_replicates_begin_with_the_fewer():
    measure = Measure("m", [lambda: counts(n=80)])
    few, many = (bootstrap(measure, how(80, replicates=r)) for r in (100, 1500))
    assert (many[:, :100] == few).all()


def test_counts_beyond_single_precision_are_exact():
    big = np.array([[2**24 + 1, 3]]), np.array([[2**25 + 3, 5]])
    measure = Measure("m", [lambda: Ratio(*big)])
    start = draws.streams(how(2).key, 0)
    weights = draws.poisson(start, 0).astype(np.int64)
    sums = resampling.drawn(list(big), start, 0, 64, draws.poisson)
    assert (sums[0] == big[0][0] @ weights).all()
    assert (sums[1] == big[1][0] @ weights).all()
    assert observed(measure)[0] == (2**24 + 4) / (2**25 + 8)


def test_a_seed_gives_its_numbers_and_another_seed_others():
    corpus = load(pl.DataFrame({"id": [str(k) for k in range(54)], "gold": list("AAAAAB") * 9,
                                "s0": list("ABAABB") * 9, "s1": list("AABBBB") * 9}))  # fmt: skip
    assert tables(corpus.compare(seed=3)) == tables(corpus.compare(seed=3))
    assert tables(corpus.compare(seed=3)) != tables(corpus.compare(seed=4))


def test_the_number_of_threads_changes_nothing(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"s{k}": (rng.random(3000) < 0.5 + k / 20).astype(int) for k in range(5)})
    path = tmp_path / "matrix.csv"
    frame.write_csv(path)
    command = [sys.executable, "-m", "coleval", "compare", str(path), "--task", "matrix", "--as",
               "json", "--replicates", "200", "--test", "randomisation"]  # fmt: skip
    outputs = set()
    for threads in ("1", "2", "3"):
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "POLARS_MAX_THREADS": threads,
               "OMP_NUM_THREADS": threads}  # fmt: skip
        outputs.add(subprocess.run(command, env=env, check=True, capture_output=True).stdout)
    assert len(outputs) == 1


# ------------------------------------------------------------- rows of units that are alike


def alike(seed, units=12_000):
    """Return F1 counts of three systems in sentences of few entities, which are often alike."""
    rng = np.random.default_rng(seed)
    gold = rng.poisson(1.2, units)
    tp = np.stack([rng.binomial(gold, share) for share in (0.8, 0.795, 0.79)])
    answered = tp + rng.poisson(0.2, tp.shape)
    key = draws.keys_of_numbers(np.arange(units))
    return Measure("f1", [lambda: Ratio(2 * tp, answered + gold)]), key


PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_units_have_all_that_is_counted_of_the_units(seed):
    units, key = alike(seed)
    (rows,), keys = of_rows([units], key)
    assert rows.n.sum() == 12_000
    assert len(keys) < 3_000
    assert (observed(rows) == observed(units)).all()
    assert informed(rows) == informed(units)
    assert (differing_units(rows, PAIRS).n == differing_units(units, PAIRS).n).all()
    won = [larger(by_unit(one), PAIRS, 1e-12, one.n) for one in (rows, units)]
    assert np.array_equal(won[0], won[1])
    delta = np.array([0.02, -0.015, 0.015])
    p = [p_by_saddlepoint(one, PAIRS, delta) for one in (rows, units)]
    assert p[0] == pytest.approx(p[1], rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_units_have_the_replicates_of_the_units_but_for_chance(seed):
    units, key = alike(seed)
    (rows,), keys = of_rows([units], key)
    delta = np.diff(observed(units)[PAIRS[:, ::-1]], axis=1)[:, 0]
    moved, p = [], []
    for measure, own in ((units, key), (rows, keys)):
        resampled = Replicates(own, seed, 2000)
        drawn = bootstrap(measure, resampled)
        moved.append(drawn[PAIRS[:, 0]] - drawn[PAIRS[:, 1]])
        p.append(randomised(measure, resampled, PAIRS, delta)[0] / 2000)
    error = moved[0].std(axis=1)
    # Four standard errors of what 2,000 replicates say of a mean, a spread and a share.
    assert np.abs((moved[0].mean(axis=1) - moved[1].mean(axis=1)) / error).max() < 4 / 1000**0.5
    assert np.abs(moved[1].std(axis=1) / error - 1).max() < 4 / 2000**0.5
    assert np.abs(p[0] - p[1]).max() < 4 * (0.25 / 1000) ** 0.5


def test_strata_of_rows_are_those_of_units():
    units, key = alike(0)
    group = np.arange(12_000) % 3
    strata = Strata(tuple(np.flatnonzero(group == at) for at in range(3)))
    units = replace(units, strata=strata)
    (rows,), keys = of_rows([units], key)
    assert observed(rows) == pytest.approx(observed(units))
    errors = [bootstrap(one, Replicates(own, 0, 2000)).std(axis=1)
              for one, own in ((units, key), (rows, keys))]  # fmt: skip
    assert errors[1] == pytest.approx(errors[0], rel=4 / 2000**0.5)


def many(n=12_000, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    answers = {f"s{k}": np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), gold)
               for k in range(3)}  # fmt: skip
    names = np.array(list("ABC"))
    return pl.DataFrame({"gold": names[gold], **{k: names[v] for k, v in answers.items()}})


def compared_many(frame, **options):
    systems = [name for name in frame.columns if name.startswith("s")]
    columns = {"gold": "gold", "system": systems}
    return coleval.load(frame, task="label", columns=columns).compare(replicates=200, **options)


@pytest.mark.parametrize("options", [{"metric": "macro_f1"}, {"test": "randomisation"},
                                     {"metric": "f1:A", "test": "bootstrap"}])  # fmt: skip
def test_of_many_items_neither_their_order_nor_that_of_systems_decides_what_is_drawn(options):
    frame = many()
    mixed = frame.sample(fraction=1, shuffle=True, seed=7).select("gold", "s2", "s0", "s1")
    one, two = (by_pair(compared_many(f, **options)) for f in (frame, mixed))
    for key, row in one.items():
        assert two[key]["p"] == pytest.approx(row["p"])
        assert abs(two[key]["low"]) == pytest.approx(abs(row["low"]))


def test_ranks_of_many_units_are_those_of_scipy():
    frame = many()
    right = [(frame[name] == frame["gold"]).to_numpy().astype(float) for name in ("s0", "s1")]
    row = by_pair(compared_many(frame, test="wilcoxon"))[frozenset(("s0", "s1"))]
    assert row["p"] == pytest.approx(wilcoxon(right[0] - right[1]).pvalue)


_THREADS_OF_BLAS = """
import pathlib
import numpy
blas = list(pathlib.Path("/proc/self/task").iterdir())[1:]
import coleval, polars as pl
rows = numpy.random.default_rng(1).integers(0, 2, (60_000, 8))
frame = pl.DataFrame({"id": range(60_000), "gold": [1] * 60_000}).hstack(pl.DataFrame(rows))
columns = {"id": "id", "gold": "gold", "system": [f"column_{n}" for n in range(8)]}
coleval.load(frame, task="label", columns=columns).compare(correct="none")
clocks = [(task / "stat").read_text().rpartition(")")[2].split()[11:13] for task in blas]
print(len(blas), sum(int(ticks) for clock in clocks for ticks in clock))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the processor time of each thread")
def test_resampling_wakes_no_threads_of_blas_in_a_process_that_has_them():
    """They turn while they wait: 188 hundredths of a second here, for some milliseconds of work."""
    done = subprocess.run([sys.executable, "-c", _THREADS_OF_BLAS], check=True, text=True,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
                          capture_output=True)  # fmt: skip
    threads, ticks = map(int, done.stdout.split())
    if not threads:
        pytest.skip("this numpy has no threads of its own")
    assert ticks <= 10


@pytest.mark.parametrize("shape", [(3, 0, 5), (0, 7, 5), (24, 5000, 64), (70, 4099, 130)])
def test_a_product_in_pieces_is_that_of_numpy(shape):
    rows, size, columns = shape
    left = np.arange(rows * size).reshape(rows, size) % 7.0
    right = np.arange(size * columns).reshape(size, columns) % 5.0
    assert (product(left, right) == left @ right).all()


def test_documents_are_resampled_where_there_are_several_and_sentences_by_choice(tmp_path):
    text = "-DOCSTART- O\n\na B-X\n\nb O\n\n-DOCSTART- O\n\nc B-X\n\n-DOCSTART- O\n\nd O\n"
    gold = tmp_path / "gold"
    gold.write_text(text)
    system = tmp_path / "system"
    system.write_text(text.replace("c B-X", "c O").replace("d O", "d B-X"))
    corpus = coleval.load(gold, {"a": gold, "b": system}, task="span")
    report = corpus.compare(replicates=50)
    assert "resample:document" in report.signature
    assert any("only" in warning for warning in report.warnings)
    by_sentence = corpus.compare(replicates=50, unit_of_resampling="sentence")
    assert "resample:sentence" in by_sentence.signature
    assert by_sentence.table("pairs")["units"][0] == 4
