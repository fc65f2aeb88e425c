"""What programs that call coleval read: its schema, errors as JSON, tables as Arrow and pandas."""

from __future__ import annotations

import json

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import coleval
from coleval.cli.main import main
from coleval.cli.overview import COMMANDS

GOLD = "w1 B-PER\nw2 O\n\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.conll").write_text(GOLD, encoding="utf-8")
    (tmp_path / "sys.conll").write_text(GOLD.replace("B-PER", "O"), encoding="utf-8")
    return [str(tmp_path / "gold.conll"), str(tmp_path / "sys.conll")]


def test_the_schema_has_every_command_with_its_options(capsys):
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(schema["commands"]) == set(COMMANDS)
    for command in schema["commands"].values():
        assert command["description"]
        for flag, option in command["options"]["properties"].items():
            assert flag.startswith("-")
            assert option["type"] in ("boolean", "string", "integer", "number", "array")
            assert option["description"]


def test_the_schema_of_a_command_has_types_and_columns(capsys):
    assert main(["schema", "compare"]) == 0
    compare = json.loads(capsys.readouterr().out)["commands"]["compare"]
    options = compare["options"]["properties"]
    assert options["--replicates"]["type"] == "integer"
    assert options["--where"]["type"] == "string"
    assert options["--quiet"]["type"] == "boolean"
    assert "table" in options["--as"]["description"]
    assert compare["tables"]["pairs"]["p"]


def test_columns_of_the_schema_are_those_that_tables_have(files, capsys):
    assert main(["schema", "score"]) == 0
    declared = json.loads(capsys.readouterr().out)["commands"]["score"]["tables"]
    report = coleval.load(*files).score()
    for name in report:
        assert set(report[name].columns) <= set(declared[name]), name


def test_an_unknown_command_is_an_error(capsys):
    assert main(["schema", "scores"]) == 2
    assert "did you mean `score`" in capsys.readouterr().err


@pytest.mark.parametrize("form", [["--as", "json"], ["--as=json"]])
def test_errors_of_data_and_of_calls_are_json(files, form, capsys):
    assert main(["score", files[0], "missing.conll", *form]) == 1
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert error == {
        "kind": "data",
        "where": "missing.conll",
        "problem": "no such file",
        "remedy": "check the path",
    }
    # People who look at the terminal read the same.
    assert printed.err == "error: missing.conll: no such file\n  check the path\n"
    assert main(["score", *files, "--metrik", "f1", *form]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "usage"
    assert "--metrik" in error["problem"]


def test_without_json_nothing_is_printed_on_standard_output(files, capsys):
    assert main(["score", files[0], "missing.conll"]) == 1
    assert capsys.readouterr().out == ""


def test_used_up_memory_is_json_too(files, capsys, monkeypatch):
    def fail(*_: object) -> int:
        raise MemoryError("2 GB")

    monkeypatch.setattr("coleval.cli.main._run", fail)
    assert main(["score", *files, "--as", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "memory"


def test_a_report_is_an_arrow_stream_and_a_pandas_frame(files):
    report = coleval.load(*files).score()
    overall = report["overall"]
    assert pa.table(report).to_pydict() == overall.to_dict(as_series=False)
    assert pl.DataFrame(report).equals(overall)
    assert duckdb.sql("from report").fetchall() == overall.rows()
    assert report.to_pandas("labels")["fn"].to_list() == [1]
    assert list(report.to_pandas().columns) == overall.columns
