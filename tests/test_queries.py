"""Every shipped query does what its header says, on an empty table too."""

from __future__ import annotations

import re

import duckdb
import pytest

from coleval.errors import UsageError
from coleval.query.database import VIEWS
from coleval.query.shipped import called, names, parse, query

# What the engine offers to queries: two systems are enough to see the shape.
TABLES = {
    "answers": "item int, run_set int, gold varchar, s0 varchar, s1 varchar",
    "grouped": "unit int, run_set int, gold varchar, s0 varchar, s1 varchar",
    "system": "number int, system varchar, column_name varchar, judge boolean",
    "corpus": "task varchar, unit varchar, empty_is_answer boolean, metric varchar",
    "run": "dataset varchar, part varchar, system varchar, status varchar, run_set int",
    "item": "item int, dataset varchar, document varchar, sentence int, form varchar, "
    "gold varchar, s0 varchar, s1 varchar, difficulty int, spurious int",
    "sentence": "sentence int, tokens int, text varchar",
    "word": "item int, form varchar, bin int",
    "trait": "bin int, capital int, digits int",
    "error": "system varchar, item int, gold varchar, answer varchar, kind varchar",
    "chosen": "system varchar",
}
ROWS = {
    "answers": "(1, 0, 'A', 'A', 'B'), (2, 0, 'A', null, 'A'), (3, 0, null, 'B', null)",
    "grouped": "(1, 0, 'A', 'A', 'B'), (1, 0, 'A', null, 'A'), (2, 0, null, 'B', null)",
    "system": "(1, 'one', 's0', true), (2, 'two', 's1', true)",
    "corpus": "('span', 'span', false, 'f1')",
    "run": "(null, null, 'one', 'run', 0), (null, null, 'two', 'run', 0)",
    "item": "(1, 'd', 'x', 0, 'a b', 'A', 'A', 'B', 1, null), "
            "(2, 'd', 'x', 0, 'a b', 'A', null, 'A', 1, null), "
            "(3, 'e', 'y', 1, 'c', null, 'B', null, null, 1)",
    "sentence": "(0, 3, 'a b a'), (1, 1, 'c')",
    "word": "(1, 'a b', 1), (2, 'a b', 1)",
    "trait": "(1, 1, 0), (1, null, 1)",
    "error": "('one', 2, 'A', null, 'fn')",
    "chosen": "('two')",
}  # fmt: skip


@pytest.fixture(params=["empty", "filled"])
def con(request):
    with duckdb.connect() as con:
        for table, columns in TABLES.items():
            con.execute(f"create table {table} ({columns})")
            if request.param == "filled":
                con.execute(f"insert into {table} values {ROWS[table]}")
        for view in VIEWS:
            con.execute(f"create view {view} as {query(f'views/{view}').text}")
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


@pytest.mark.parametrize("name", names())
def test_a_query_returns_the_columns_it_says(con, name):
    found = query(name)
    got = con.execute(found.text, dict(found.defaults) or None)
    columns = tuple(column[0] for column in got.description)
    assert columns[: len(found.returns)] == found.returns
    assert columns[len(found.returns) :] == (("s0", "s1") if name == "views/pattern" else ())
    got.fetchall()


@pytest.mark.parametrize("name", names())
def test_a_query_reads_the_tables_and_columns_it_says_and_takes_what_it_says(name):
    found = query(name)
    said = dict(re.findall(r"(\w+) \(([^)]*)\)", re.search(r"-- reads: +(.*)", found.text)[1]))
    assert set(said) == set(found.reads)
    code = "\n".join(line for line in found.text.splitlines() if not line.startswith("--"))
    tables = set(re.findall(r"(?:from|join)\s+([a-z_]+)\b(?!\()", code))
    known = {*TABLES, *VIEWS}
    own = set(re.findall(r"(?:with|,)\s+([a-z_]+) as \(", code))
    assert tables & (known - own) == set(said), code
    for table, columns in said.items():
        for column in columns.split(", "):
            if column.startswith(("one column", "answers")):
                continue
            assert re.search(rf"\b{column}\b", code) or "*" in code, (table, column)
    assert set(re.findall(r"\$(\w+)", code)) == set(found.params)


def test_defaults_of_parameters_are_numbers_words_and_texts():
    found = parse(
        "x/y", "-- Y?\n-- params:  a, b = 3, c = 'it''s, so', d = true, e = 0.5\nselect 1"
    )
    assert found.defaults == {"a": None, "b": 3, "c": "it's, so", "d": True, "e": 0.5}


@pytest.mark.parametrize(("values", "told"), [
    ({"sytem": "A"}, "`system`"), ({"system": "oen"}, "`one`"), ({"limit": "x"}, "whole number"),
])  # fmt: skip
def test_a_wrong_parameter_is_told_with_its_neighbours(values, told):
    with pytest.raises(UsageError) as error:
        query("questions/who-alone").given(values, ["one", "two"])
    assert told in str(error.value)


def test_values_are_read_as_the_default_is():
    found = query("questions/who-alone").given({"limit": "7", "system": "one"}, ["one"])
    assert found == {"limit": 7, "system": "one"}


@pytest.mark.parametrize("con", ["filled"], indirect=True)
def test_confusion_counts_every_answer_but_none_where_gold_has_none(con):
    rows = con.execute(query("analyses/confusion").text).fetchall()
    assert rows == [
        ("one", "A", "A", 1), ("one", "A", None, 1), ("one", None, "B", 1),
        ("two", "A", "A", 1), ("two", "A", "B", 1),
    ]  # fmt: skip
    con.execute("update corpus set empty_is_answer = true")
    assert ("two", None, None, 1) in con.execute(query("analyses/confusion").text).fetchall()


@pytest.mark.parametrize("con", ["filled"], indirect=True)
def test_wrong_groups_counts_units_not_items(con):
    text = query("analyses/score-sentences").text
    assert con.execute(text).fetchall() == [("one", 2), ("two", 1)]


def test_a_misspelt_query_names_its_neighbours():
    with pytest.raises(UsageError, match="analyses/confusion"):
        query("analyses/confusions")


def test_a_query_is_found_without_its_room_too():
    assert called("analyses/confusion") == called("confusion") == "analyses/confusion"
    assert called("views/answer") == "views/answer"
    # What a table is called does not run the view behind it.
    assert called("answer") is None
    assert called("confusions") is None
