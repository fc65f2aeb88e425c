"""What a declared table does for its readers: bars, totals, digits, and what does not fit."""

from __future__ import annotations

import polars as pl
import pytest

from coleval.corpus.report import Report
from coleval.declare.tables import Shaped, Table, WideForm, bar, count, decimal, text
from coleval.render.console import render
from coleval.render.listing import written
from coleval.render.views import _shown

FRAME = pl.DataFrame({"name": ["a", "b"], "n": [40, 10], "at": ["x", "y"]})


def shown(table: Table, width: int, frame: pl.DataFrame = FRAME) -> list[list[list[str]]]:
    sheets = _shown(Report("x", {"t": frame}, ""), table, frame, width, alone=False)
    return [[[cell.text for cell in row] for row in sheet.rows] for sheet in sheets]


def halved(report: Report) -> Shaped:
    frame = report.table("t").with_columns(pl.col("n") // 2)
    return Shaped(frame, (text("at"),), ("in halves",), "half of all")


def test_bars_take_the_room_that_columns_leave_and_none_where_it_is_little():
    table = Table("t", "", (text("name"), count("n"), bar("n")))
    assert shown(table, 100) == [[["a", "40", "█" * 30], ["b", "10", "█" * 7 + "▌"]]]
    assert shown(table, 30) == [[["a", "40", "█" * 20], ["b", "10", "█" * 5]]]
    assert shown(table, 12) == [[["a", "40"], ["b", "10"]]]


def test_a_table_may_be_shaped_for_those_who_read_it():
    table = Table("t", "all", (text("name"), count("n")), shaped_by=f"{__name__}:halved")
    assert shown(table, 100) == [[["a", "20", "x"], ["b", "5", "y"]]]
    (sheet,) = _shown(Report("x", {"t": FRAME}, ""), table, FRAME, 100, alone=False)
    assert (sheet.title, sheet.notes) == ("half of all", ("in halves",))


def test_a_screen_says_how_many_lists_it_leaves_out_and_paper_leaves_out_none():
    table = Table("t", "{name}", (count("n"),), apart=("name",), screens=1)
    (sheet,) = _shown(Report("x", {"t": FRAME}, ""), table, FRAME, 100, alone=False)
    assert sheet.notes == ("… and 1 more: --as csv --table t",)
    assert len(shown(table, 1_000_000)) == 2


def test_a_wide_table_sums_a_count_over_each_row():
    frame = pl.DataFrame({"r": ["p", "p", "q"], "c": ["x", "y", "x"], "n": [1, 2, 5]})
    table = Table("t", "", wide=WideForm("r", "c", count("n"), total=count("n", "all")))
    assert shown(table, 100, frame) == [[["p", "3", "1", "2"], ["q", "5", "5", "–"]]]


def test_a_column_may_have_fewer_digits_than_usual():
    assert written(decimal("x", "x", 2), {"x": 0.12345}) == "0.12"
    assert written(decimal("x", "x"), {"x": 0.12345}) == "0.1235"


def test_a_system_may_be_called_as_a_column_of_the_upper_bound():
    labels = pl.DataFrame({"label": ["L"], "items": [4], "oracle_correct": [3], "oracle": [0.75],
                           "best": [0.5], "gain": [0.25], "best_system": ["best"]})  # fmt: skip
    own = pl.DataFrame({"label": ["L", "L"], "system": ["best", "b"], "accuracy": [0.5, 0.1]})
    tables = {"labels": labels, "ladder": own, "systems": own}
    line = next(x for x in render(Report("oracle", {**tables}, "")).splitlines() if x[:2] == "L ")
    assert line.split() == ["L", "4", "3", "75.00", "50.00", "+25.00", "50.00", "10.00"]


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(0.00083, 2, "0.00083"), (0.000021, 2, "2.1e-05"), (-0.0049, 2, "-0.0049"), (0.006, 2, "0.01"),
     (0.0, 2, "0.00"), (-1e-17, 2, "0.00"), (0.04, 1, "0.0"), (0.00001, 4, "1.0e-05")],
)  # fmt: skip
def test_a_small_number_is_not_shown_as_0_unless_rounding_left_it(value, digits, shown):
    assert written(decimal("x", "x", digits), {"x": value}) == shown
