"""A share or ratio is computed in one place; 0/0 is null, None or NaN, or what the user says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coleval.statistics.ratio import null_for_nan, ratio_array, ratio_expr, ratio_of

SRC = Path(__file__).parents[1] / "src" / "coleval"
# Another way to say what 0/0 is: a division under `when`, into an array, or where `if` allows it.
OTHERS = re.compile(
    r"np\.divide\(|\.then\([^\n]* / "
    r"|return [^\n]* / [a-z_]\w*\)? if \w+ else (None|\w*undefined|\w*filler)"
)
COUNTS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 3)), min_size=1, max_size=20)


def test_no_other_module_of_counts_and_scores_says_what_nothing_by_nothing_is():
    rooms = ("statistics", "analyses", "annotate", "counts")
    found = [
        path.relative_to(SRC).as_posix()
        for room in rooms
        for path in sorted((SRC / room).rglob("*.py"))
        if OTHERS.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["statistics/ratio.py"]


@given(COUNTS, st.sampled_from([None, 0.0, 1.0]))
def test_the_three_forms_are_one(pairs, zero_division):
    plain = [a / b if b else zero_division for a, b in pairs]
    above, below = (np.array(column) for column in zip(*pairs, strict=True))
    frame = pl.DataFrame({"a": above, "b": below})
    expr = ratio_expr(pl.col("a"), pl.col("b"), zero_division)
    assert [ratio_of(a, b, zero_division) for a, b in pairs] == plain
    assert frame.select(expr).to_series().to_list() == plain
    assert null_for_nan(ratio_array(above, below, zero_division)).to_list() == plain


def test_a_column_of_undefined_ratios_is_still_one_of_numbers():
    frame = pl.DataFrame({"a": [0], "b": [0]}).select(x=ratio_expr(pl.col("a"), pl.col("b")))
    assert (frame.schema["x"], frame["x"].to_list()) == (pl.Float64, [None])


def test_one_row_of_divisors_serves_all_rows():
    found = ratio_array(np.array([[1, 2], [3, 4]]), np.array([[2, 0]]))
    assert found[:, 0].tolist() == [0.5, 1.5]
    assert np.isnan(found[:, 1]).all()


@pytest.mark.parametrize(("spread", "defined"), [(1e-13, False), (1e-3, True)])
def test_a_sum_that_is_0_but_for_rounding_divides_nothing(spread, defined):
    found = ratio_array(np.array([1.0]), np.array([spread]), least=1e-12)
    assert np.isfinite(found[0]) == defined
