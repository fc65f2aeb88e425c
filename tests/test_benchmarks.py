"""The benchmarks cannot rot: a tiny run of all of them, and the harness by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import limits  # noqa: E402
import native  # noqa: E402
import plain  # noqa: E402
import scale  # noqa: E402
import showing  # noqa: E402
from measure import Target, faster, least, skipped  # noqa: E402

# ---------------------------------------------------------------------------------- one tiny run


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> tuple[dict, str]:
    pytest.importorskip("seqeval")
    folder = tmp_path_factory.mktemp("suite")
    command = [sys.executable, str(BENCHMARKS / "suite.py"), "--size", "tiny"]
    done = subprocess.run(
        [*command, "--data", str(folder / "data"), "-o", str(folder)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads((folder / "results-tiny.json").read_text(encoding="utf-8"))
    return result, (folder / "RESULTS.md").read_text(encoding="utf-8")


def test_every_row_of_the_limits_is_measured_or_says_why_not(tiny):
    rows = tiny[0]["parts"]["limits"]
    assert {row["row"] for row in rows} == set(limits.ROWS)
    for row in rows:
        # A slope of times that are nothing but noise may be below 0: then its times are looked at.
        growth = row["name"].startswith("growth of ")
        figures = (row["ours"], row["other"]) if growth else (row["ratio"],)
        assert row["skipped"] or min(figures) > 0, row["name"]
        assert row["skipped"] != "see its script", row["row"]


def test_peers_that_are_not_there_are_named_with_the_way_to_get_them(tiny):
    why = {row["name"]: row["skipped"] for row in tiny[0]["parts"]["peers"]}
    assert why["seqeval ÷ coleval"] == ""
    assert why["CoVal ÷ coleval"] == "--coval DIR: github:andreasvc/coval"
    assert why["UD evaluation ÷ coleval"].startswith("--ud FILE: github:ufal/conll2018")


def test_the_results_say_when_where_and_how_to_repeat_them(tiny):
    result, text = tiny
    assert result["machine"].keys() >= {"cpu", "cores", "python", "polars", "seqeval"}
    assert result["date"][:10] in text
    assert result["command"] in text
    assert "| 20  store on disk |" in text


# ------------------------------------------------------------------------------------ the harness


@pytest.mark.parametrize(
    ("ratio", "at_least", "reached"),
    [(0.9, False, "stretch"), (1.5, False, "must"), (2.5, False, "MISSED"),
     (2.5, True, "must"), (0.5, True, "MISSED")],
)  # fmt: skip
def test_a_figure_reaches_its_stretch_its_must_or_neither(ratio, at_least, reached):
    bound, stretch = (2, 4) if at_least else (2, 1)
    target = Target("x", 1, 1, ratio, bound, at_least=at_least, stretch=stretch)
    assert target.reached == reached
    assert target.met == (reached != "MISSED")


def test_a_figure_that_was_not_measured_misses_nothing():
    assert skipped("x", "no compiler", row=7).reached == "skipped"
    assert skipped("x", "no compiler", row=7).met


def test_the_least_of_each_side_counts_and_a_scaled_other_is_scaled():
    seconds = {"ours": [2.0, 1.0], "other": [4.0, 5.0]}
    assert least("x", seconds, "ours", "other").ratio == 0.25
    assert faster("x", seconds, "ours", "other", scale=10).ratio == 40
    assert least("x", seconds, "ours", "other").noise == 1.0
    assert Target("x", 1, 1, 1).noise is None


def test_a_bound_that_a_tiny_corpus_misses_is_not_called_missed():
    target = Target("x", 1, 1, 100, 2)
    assert target.plain(1_000)["reached"] == "too small"
    assert target.plain(2_000_000)["reached"] == "MISSED"


@pytest.mark.parametrize(
    ("ratio", "bar"), [(2, "██████┃"), (1, "██████┃█"), (4, "████  ┃"), (1e9, "█     ┃")]
)
def test_a_bar_ends_at_the_bound_or_a_cell_for_each_factor_of_the_root_of_two(ratio, bar):
    assert showing.bar(Target("x", 1, 1, ratio, 2).plain(0)) == bar


def test_rows_come_in_order_and_those_without_a_figure_are_not_forgotten():
    found = limits.in_order([Target("b", 1, 1, 1, row=2), Target("a", 1, 1, 1, row=1),
                             Target("beside", 1, 1, 1)])  # fmt: skip
    assert [target.row for target in found] == list(limits.ROWS)
    assert [target.name for target in found[:2]] == ["a", "b"]
    assert all(target.skipped for target in found[2:])


def test_slopes_of_a_power_law_are_its_exponents():
    points = [(t, s, 1e-6 * t**0.9 * s**0.5, 0) for t in (10, 100, 1000) for s in (4, 24, 100)]
    assert scale.fitted(points) == pytest.approx((0.9, 0.5))


def test_growth_is_measured_before_the_rest_of_the_grid():
    points = scale.grid(Namespace(tokens=2_000_000, systems=24))
    assert points[:2] == [(2_000_000, 24), (10_000_000, 24)]
    assert {(100_000, 4), (20_000_000, 100)} <= set(points)
    assert len(points) == len(set(points))


# ----------------------------------------------------------------------- what we are measured with

TAG = st.sampled_from(["O", "O", "B-A", "I-A", "B-B", "I-B"])
LAYERS = st.lists(st.lists(st.tuples(TAG, TAG), min_size=1, max_size=7), max_size=5)


@given(LAYERS)
def test_the_conlleval_loop_and_the_sets_count_the_same_spans(sentences):
    gold, system = ([[pair[k] for pair in sentence] for sentence in sentences] for k in (0, 1))
    assert plain.conlleval(gold, system) == plain.sets(gold, system)


@pytest.mark.skipif(native.library() is None, reason=native.WHY_NOT)
@given(st.integers(1, 5), st.integers(1, 9000), st.integers(0, 9))
def test_the_floor_in_c_counts_what_numpy_counts(systems, n, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n, dtype=np.uint8)
    answers = np.where(rng.random((systems, n)) < 0.7, gold, rng.integers(0, 3, n, dtype=np.uint8))
    items, solved = native.bins(gold, answers)
    right = answers == gold
    bin_, there = right.sum(axis=0), gold != 0
    count = lambda mask: np.bincount(bin_[mask], minlength=systems + 1).tolist()  # noqa: E731
    assert items.tolist() == count(there)
    assert solved.tolist() == [count(there & row) for row in right]
    both, different = native.pairs(gold, answers)
    for a in range(systems):
        for b in range(a + 1, systems):
            assert both[a, b] == (right[a] & right[b]).sum()
            assert different[a, b] == (answers[a] != answers[b]).sum()


@pytest.mark.skipif(native.library() is None, reason=native.WHY_NOT)
def test_the_reader_in_c_reads_labels_and_passes_over_document_lines(tmp_path):
    path = tmp_path / "x.conll"
    path.write_text('-DOCSTART-\tO\n\nAnn\tB-PER\n"\tO\n\nOslo\tB-LOC\n', encoding="utf-8")
    codes, labels = native.read_labels(path, 3)
    assert [labels[code] for code in codes.tolist()] == ["B-PER", "O", "B-LOC"]
