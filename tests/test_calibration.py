"""Confidences: calibration error, Brier score, risk by coverage, held against plain loops."""

from __future__ import annotations

import random

import polars as pl
import pytest

import coleval


def table(seed, n=60):
    rng = random.Random(seed)
    gold = [rng.choice("XYZ") for _ in range(n)]
    sure = [round(rng.random(), rng.choice([1, 3])) for _ in range(n)]
    answers = [
        g if rng.random() < c else rng.choice("XYZ") for g, c in zip(gold, sure, strict=True)
    ]
    columns = {"id": [str(k) for k in range(n)], "gold": gold, "system_s": answers,
               "confidence_system_s": sure}  # fmt: skip
    right = [float(a == g) for a, g in zip(answers, gold, strict=True)]
    return pl.DataFrame(columns), sure, right


def error(sure, right):
    """Return the expected calibration error over ten bins, open below but for the first."""
    total = 0.0
    for k in range(10):
        here = [(c, r) for c, r in zip(sure, right, strict=True)
                if k / 10 < c <= (k + 1) / 10 or (k == 0 and c == 0)]  # fmt: skip
        total += abs(sum(r - c for c, r in here))
    return total / len(sure)


def risk(sure, right):
    """Return the mean risk over coverages; answers of one confidence share their errors."""
    found = []
    for k in range(1, len(sure) + 1):
        least = sorted(sure, reverse=True)[k - 1]
        above = [r for c, r in zip(sure, right, strict=True) if c > least]
        tied = [r for c, r in zip(sure, right, strict=True) if c == least]
        wrong = above.count(0.0) + (k - len(above)) * tied.count(0.0) / len(tied)
        found.append(wrong / k)
    return found


def load(frame):
    return coleval.load(frame, columns={"gold": "gold", "system": "system_s", "id": "id"})


@pytest.mark.parametrize("seed", range(40))
def test_calibration_is_that_of_plain_loops(seed):
    frame, sure, right = table(seed)
    found = load(frame).score()
    row = found["calibration"].row(0, named=True)
    assert row["ece"] == pytest.approx(error(sure, right))
    assert row["brier"] == pytest.approx(
        sum((c - r) ** 2 for c, r in zip(sure, right, strict=True)) / 60
    )
    risks = risk(sure, right)
    assert row["aurc"] == pytest.approx(sum(risks) / 60)
    half = found["selective"].filter(coverage=0.5).row(0, named=True)
    assert (half["items"], half["accuracy"]) == (30, pytest.approx(1 - risks[29]))
    assert found["reliability"]["items"].sum() == 60


def test_what_is_no_probability_is_said_and_left_out():
    frame = table(1)[0].with_columns(pl.col("confidence_system_s") * 100)
    with pytest.warns(UserWarning, match="not between 0 and 1"):
        found = load(frame).score()
    assert "calibration" not in found.tables


def test_long_tables_have_a_column_of_confidences(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,system,gold,answer,confidence\n1,s,A,A,0.9\n2,s,B,A,0.6\n"
                    "1,t,A,B,0.2\n2,t,B,B,0.7\n")  # fmt: skip
    found = coleval.load(path).score()["calibration"]
    assert dict(found.select("system", "confidence").iter_rows()) == pytest.approx(
        {"s": 0.75, "t": 0.45}
    )
