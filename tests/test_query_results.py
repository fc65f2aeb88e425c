"""What ``sql`` and ``pivot`` give: all columns under their names, NULL as NULL, no NaN."""

from __future__ import annotations

import csv
import io
import json
import math

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError

GOLD = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-LOC\ne\tO\n"
FORMS = ("table", "json", "csv", "tsv", "markdown", "latex", "html")
# Of every type that DuckDB has: what it writes, and what JSON has for it.
VALUES = {
    "null": None, "true": True, "1": 1, "'x'": "x", "1234567": 1234567, "17.3": 17.3,
    "0.1::float": 0.1, "1e20": 1e20, "9223372036854775807": 2**63 - 1,
    "18446744073709551615": 2**64 - 1, "170141183460469231731687303715884105727": 2**127 - 1,
    "340282366920938463463374607431768211455::uhugeint": str(2**128 - 1),
    "sum(2) over ()": 2, "interval 1 day": "1 day", "'\\xff'::blob": "\\xFF",
    "map {'a': 1}": "{a=1}", "'101'::bit": "101", "date '2020-02-29'": "2020-02-29",
    "'infinity'::timestamp": None, "[1, null]": [1, None], "{'a': 1.5}": {"a": 1.5},
    "[interval 1 day]": "[1 day]", "union_value(k := 1)": "1", "'nan'::double": None,
    "[1.5, 'inf'::double]": [1.5, None], "{'a': '-inf'::float}": {"a": None},
    "timestamp '290000-01-01'": None, "[1, 2]::int[2]": [1, 2],
}  # fmt: skip


@pytest.fixture
def store(write, tmp_path):
    corpus = coleval.load(str(write("g.conll", GOLD)), {"s": str(write("s.conll", GOLD))})
    return str(corpus.save(tmp_path / "store"))


def asked(store, text, form, capsys, *more):
    assert main(["sql", store, text, "--as", form, *more]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize("value", VALUES)
def test_values_of_every_type_come_as_duckdb_has_them(store, capsys, value):
    out = asked(store, f"select {value} as x", "json", capsys).out
    assert json.loads(out)["tables"]["result"] == [{"x": pytest.approx(VALUES[value], rel=1e-6)
        if isinstance(VALUES[value], float) else VALUES[value]}]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_type_can_be_written_in_every_form(store, capsys, form, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "600")
    text = "select " + ", ".join(f"{value} as c{k}" for k, value in enumerate(VALUES))
    assert "170141183460469231731687303715884105727" in asked(store, text, form, capsys).out
    for suffix in ("parquet", "csv"):
        assert main(["sql", store, text, "-o", str(tmp_path / f"x.{suffix}"), "--quiet"]) == 0


@pytest.mark.parametrize("form", FORMS)
def test_columns_of_nulls_and_names_that_mean_something_elsewhere_stay(store, capsys, form):
    text = 'select null as empty, 1234567 as f1, 0.25::double as accuracy, 17.3::double as "a_b"'
    out = asked(store, text, form, capsys).out
    for shown in ("empty", "f1", "accuracy", "1234567", "0.25", "17.3"):
        assert shown in out
    assert ("a_b" in out) or (form == "latex" and r"a\_b" in out)
    assert ("NULL" in out) == (form in ("table", "markdown", "latex", "html"))


def test_columns_of_one_name_are_numbered_and_those_of_another_case_are_not(store, capsys):
    out = asked(store, "select 1 as a, 2 as a, 3 as A, 4 as a_2, 5 as a", "csv", capsys).out
    assert out == "a,a_3,A,a_2,a_4\n1,2,3,4,5\n"


@pytest.mark.parametrize("form", FORMS)
def test_infinite_numbers_are_null_in_every_form_and_a_warning_says_so(store, capsys, form):
    text = "select 'nan'::double as x, 'inf'::float as y, ['-inf'::double] as z, 1.5 as fine"
    out, err = asked(store, text, form, capsys)
    for name in "xyz":
        assert f"column `{name}` has NaN or infinity" in err
    assert "fine" not in err
    body = "" if form == "html" else out.partition('"tables"')[2] or out
    # On paper the warnings stand below the table.
    body = "\n".join(line for line in body.splitlines() if "warning:" not in line)
    assert not {"nan", "inf", "-inf", "NaN", "Infinity"} & set(body.replace(",", " ").split())
    if form == "json":
        assert len(json.loads(out)["warnings"]) == 3


def test_infinite_numbers_go_to_no_file(store, tmp_path, capsys):
    text = "select if(range % 7 = 0, 'nan'::double, range) as x from range(250000)"
    for suffix, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
        path = tmp_path / f"x.{suffix}"
        assert main(["sql", store, text, "-o", str(path)]) == 0
        column = read(path)["x"]
        assert column.null_count() == math.ceil(250_000 / 7)
        assert not column.drop_nulls().is_nan().any()
        assert "column `x` has NaN or infinity" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "latex", "table", "tsv", "html"])
def test_infinite_keys_of_a_pivot_are_null_and_a_warning_says_so(store, capsys, form):
    key = "case item when 0 then 'nan'::double when 1 then 'inf'::double end"
    assert main(["pivot", store, "--rows", key, "--cols", "gold", "--as", form]) == 0
    out, err = capsys.readouterr()
    assert "2 values are NaN or infinite" in err
    if form == "csv":
        assert {row["row"] for row in csv.DictReader(io.StringIO(out))} == {""}
    if form == "json":
        assert "NaN or infinite" in json.loads(out)["warnings"][0]


def test_a_value_that_comes_late_and_is_too_large_is_an_error(store, tmp_path):
    text = "select if(range < 200000, 1::hugeint, 170141183460469231731687303715884105727) as x \
            from range(300000)"
    assert main(["sql", store, text, "-o", str(tmp_path / "x.parquet"), "--quiet"]) == 2
    assert main(["sql", store, text, "-o", str(tmp_path / "x.csv"), "--quiet"]) == 0
    assert (tmp_path / "x.csv").read_text().endswith("\n170141183460469231731687303715884105727\n")


def test_a_query_may_be_longer_than_the_name_of_a_file(store, capsys):
    text = f"select {' + '.join('1' * 300)} as n"
    assert asked(store, text, "csv", capsys).out == "n\n300\n"


@pytest.mark.parametrize("how", [
    "quantile 2 apart nan", "quantile 2 apart inf", "quantile 2 apart x", "quantile", "quantile 0",
    "quantile -1", "quantile 2.5", "quantile nan", "interval", "interval 1", "interval 2,1",
    "interval 1,1", "interval 0,nan", "interval nan,1", "interval inf,-inf", "interval a,b",
    "interval 0,1 apart nan", "discrete 0", "discrete -1", "discrete inf", "discrete 2 apart 1", "",
])  # fmt: skip
def test_buckets_that_cannot_be_are_an_error(store, how):
    with pytest.raises(UsageError, match="how to form buckets"):
        coleval.open(store).buckets(attributes="eLen", buckets={"eLen": how})


@pytest.mark.parametrize(("edges", "names"), [
    ("-inf,1,inf", ["≤1", "≥2"]), ("0.2,0.7,5", ["[0.2, 0.7]", "1–5"]), ("0,1,2", ["0–1", "2"]),
    ("-inf,inf", ["≥-∞"]), ("1,2,3 apart 2,2", ["1", "2", "3"]),
    ("0.5,0.6,0.7", ["[0.5, 0.6]", "(0.6, 0.7]"]),
])  # fmt: skip
def test_intervals_of_whole_numbers_have_names_of_numbers_that_are_in_them(store, edges, names):
    report = coleval.open(store).buckets(attributes="eLen", buckets=[f"eLen=interval {edges}"])
    found = report.table("buckets")["bucket"].unique(maintain_order=True).to_list()
    assert [name for name in found if name[0] != "(" or "," in name] == names


def test_names_have_no_quantiles_and_buckets_are_of_attributes_asked_for(store):
    corpus = coleval.open(store)
    with pytest.raises(UsageError, match="without an order"):
        corpus.buckets(attributes="label", buckets={"label": "quantile 2"})
    with pytest.raises(UsageError, match="did you mean `eLen`"):
        corpus.buckets(attributes="eLen", buckets={"eLne": "quantile 2"})


def test_edges_of_numbers_are_not_for_names(store, tmp_path):
    from coleval.errors import DataError

    corpus, path = coleval.open(store), str(tmp_path / "edges.json")
    corpus.buckets(attributes=["x=eLen"], save_edges=path)
    with pytest.raises(DataError, match="buckets of numbers there, and names"):
        corpus.buckets(attributes=["x=gold"], edges=path)
    corpus.buckets(attributes=["x=gold"], save_edges=path)
    with pytest.raises(DataError, match="buckets of names there, and numbers"):
        corpus.buckets(attributes=["x=eLen"], edges=path)
