"""Every shipped query does what its header says, on an empty table too."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coleval.corpus.items import Items
from coleval.engines import local_engine
from coleval.errors import UsageError
from coleval.query.shipped import called, names, query

# What the engine offers to queries: two systems are enough to see the shape.
TABLES = {
    "answers": "item int, gold varchar, s0 varchar, s1 varchar",
    "grouped": "unit int, gold varchar, s0 varchar, s1 varchar",
}
ROWS = {
    "answers": "(1, 'A', 'A', 'B'), (2, 'A', null, 'A'), (3, null, 'B', null)",
    "grouped": "(1, 'A', 'A', 'B'), (1, 'A', null, 'A'), (2, null, 'B', null)",
}


@pytest.fixture(params=["empty", "filled"])
def con(request):
    with duckdb.connect() as con:
        for table, columns in TABLES.items():
            con.execute(f"create table {table} ({columns})")
            if request.param == "filled":
                con.execute(f"insert into {table} values {ROWS[table]}")
        yield con


@pytest.mark.parametrize("name", names())
def test_a_query_has_a_whole_header(name):
    found = query(name)
    assert found.about.endswith((".", "?"))
    assert found.reads
    assert found.returns
    sorted_ = re.search(r"order\s+by[^;]*nulls last", found.text, re.DOTALL | re.IGNORECASE)
    assert sorted_ or name.startswith("views/")  # a view is sorted by who reads it
    assert found.text.count(";") == 0


@pytest.mark.parametrize("name", [n for n in names() if set(query(n).reads) <= set(TABLES)])
def test_a_query_returns_the_columns_it_says(con, name):
    found = query(name)
    got = con.execute(found.text, dict.fromkeys(found.params) or None)
    assert tuple(column[0] for column in got.description) == found.returns
    got.fetchall()


def test_confusion_counts_every_answer_of_every_system():
    with duckdb.connect() as con:
        con.execute(f"create table answers ({TABLES['answers']})")
        con.execute(f"insert into answers values {ROWS['answers']}")
        rows = con.execute(query("counts/confusion").text).fetchall()
    assert ("s0", "A", "A", 1) in rows
    assert ("s0", "A", None, 1) in rows
    assert ("s0", None, "B", 1) in rows
    assert ("s1", None, None, 1) in rows
    assert sum(n for *_, n in rows) == 6


def test_wrong_groups_counts_units_not_items():
    with duckdb.connect() as con:
        con.execute(f"create table grouped ({TABLES['grouped']})")
        con.execute(f"insert into grouped values {ROWS['grouped']}")
        assert con.execute(query("counts/wrong_groups").text).fetchall() == [("s0", 2), ("s1", 1)]


LABELS = ["A", "B", "C"]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_the_kernels_count_what_the_queries_count(data):
    n = data.draw(st.integers(0, 40))
    codes = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    unit = np.sort(np.array(data.draw(codes), np.uint32))
    gold, *systems = (np.array(data.draw(codes), np.uint8) for _ in range(3))
    items = Items(
        "token", pl.DataFrame({"sentence": unit}), tuple(LABELS), gold,
        {f"s{k}": answers for k, answers in enumerate(systems)}, empty_is_answer=True,
    )  # fmt: skip
    answers = items.frame(()).drop("sentence")
    grouped = answers.drop("item").insert_column(0, pl.Series("unit", unit))
    with duckdb.connect() as con:
        con.register("answers", answers.cast({pl.Enum: pl.String}).to_arrow())
        con.register("grouped", grouped.cast({pl.Enum: pl.String}).to_arrow())
        cells = set(con.execute(query("counts/confusion").text).fetchall())
        wrong = dict(con.execute(query("counts/wrong_groups").text).fetchall())
    assert set(local_engine().confusion(items).rows()) == cells
    assert local_engine().wrong_groups(items) == wrong


def test_a_misspelt_query_names_its_neighbours():
    with pytest.raises(UsageError, match="counts/confusion"):
        query("counts/confusions")


def test_a_query_is_found_without_its_room_too():
    assert called("counts/confusion") == called("confusion") == "counts/confusion"
    assert called("views/answer") == "views/answer"
    # What a table is called does not run the view behind it.
    assert called("answer") is None
    assert called("confusions") is None
