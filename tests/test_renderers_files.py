"""Where output goes, and what each form promises a program that reads it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from coleval.corpus.report import Report
from coleval.declare.meanings import meaning_of
from coleval.errors import DataError, UsageError
from coleval.render import FORMS, emit, save
from coleval.version import __version__

GOLDEN = Path(__file__).parent / "golden"

NAMES = ['say "hi", |', "two\nlines\tback\\slash", "[bold]规则_🚀", "\x1b[31m*{}$&#%_^~<>"]


@pytest.fixture(autouse=True)
def _at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all records of one time: some forms say when they were made."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def small() -> Report:
    """Return four systems with every kind of name that could break a form."""
    overall = pl.DataFrame(
        {
            "system": NAMES,
            "items": [1000, 1000, 1000, 1000],
            "tp": [900, 800, 700, 0],
            "fp": [50, 60, 1234, 0],
            "fn": [100, 200, 300, 1000],
            "precision": [900 / 950, 800 / 860, 700 / 1934, None],
            "recall": [0.9, 0.8, 0.7, 0.0],
            "f1": [0.9230769230769231, 0.8602150537634409, 0.47716428084526246, 0.0],
            "sentences": [50, 50, 50, 50],
            "sentences_correct": [40, 41, 7, 0],
            "repairs": [0, 3, 0, 0],
        }
    )
    labels = pl.DataFrame(
        {
            "system": [NAMES[0], NAMES[0], NAMES[1], NAMES[1]],
            "label": pl.Series(["PER", "", "PER", ""], dtype=pl.Enum(["PER", ""])),
            "f1": [0.95, 1 / 3, 0.9, None],
            "support": [900, 100, 900, 100],
            "parts": [["a", "b"], [], None, ["c"]],
        }
    )
    return Report(
        "score",
        {"overall": overall, "labels": labels},
        "coleval:0.1.0|task:span|unit:span",
        warnings=("2 systems have the same name: “a”",),
    )


def rendered(form: str, table: str | None = None) -> str:
    text = FORMS[form].render(small(), table)
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("form", [name for name in FORMS if name not in ("parquet", "duckdb")])
def test_a_form_is_byte_for_byte_what_it_was(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # COLEVAL_UPDATE_GOLDEN=1 pytest tests/test_renderers_files.py writes tests/golden/ anew.
    monkeypatch.delenv("COLUMNS", raising=False)
    golden = GOLDEN / f"small{FORMS[form].suffixes[0]}"
    text = rendered(form).encode()
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        golden.write_bytes(text)
    assert text == golden.read_bytes()


def test_json_is_one_object_with_everything_in_full() -> None:
    read = json.loads(rendered("json"))
    assert list(read) == ["coleval", "command", "signature", "warnings", "tables"]
    assert read["coleval"] == __version__
    assert read["warnings"] == ["2 systems have the same name: “a”"]
    assert read["tables"]["overall"] == small().tables["overall"].to_dicts()
    assert read["tables"]["labels"][0]["label"] == "PER"
    assert read["tables"]["labels"][0]["parts"] == ["a", "b"]


def test_json_has_a_row_a_line_and_is_not_escaped() -> None:
    lines = rendered("json").splitlines()
    assert sum(line.startswith('      {"system"') for line in lines) == 8
    assert "规则_🚀" in rendered("json")
    assert rendered("json").endswith("}\n")


def test_json_of_a_report_without_rows_or_tables_is_json() -> None:
    assert json.loads(str(FORMS["json"].render(Report("score", {}, ""))))["tables"] == {}
    nothing = Report("score", {"overall": pl.DataFrame(schema={"system": pl.String})}, "")
    assert json.loads(str(FORMS["json"].render(nothing)))["tables"] == {"overall": []}


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "parquet", "duckdb"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_a_bug_and_never_written(form: str, number: float) -> None:
    report = Report("score", {"overall": pl.DataFrame({"f1": [0.5, None, number]})}, "")
    with pytest.raises(ValueError, match="table overall, column f1"):
        FORMS[form].render(report)


def test_csv_is_read_back_as_it_was() -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv"), newline="")))
    assert [row["system"] for row in rows] == NAMES
    assert float(rows[0]["f1"]) == 0.9230769230769231
    assert rows[3]["precision"] == ""


def test_tsv_has_a_line_a_row_and_a_tab_a_column() -> None:
    lines = rendered("tsv").splitlines()
    assert len(lines) == 5
    assert {line.count("\t") for line in lines} == {10}
    assert lines[2].startswith(r"two\nlines\tback\\slash" + "\t")


def test_lists_are_json_in_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", "labels"), newline="")))
    assert [row["parts"] for row in rows] == ['["a", "b"]', "[]", "", '["c"]']


def test_markdown_keeps_a_row_a_line_whatever_the_name() -> None:
    rows = [line for line in rendered("markdown", "overall").splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert {len(row.replace(r"\|", "").split("|")) for row in rows} == {12}


def test_latex_obeys_nothing_in_a_name() -> None:
    text = rendered("latex", "overall")
    assert r"{[}bold{]}" in text
    assert r"{*}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}" in text
    assert "% coleval:0.1.0|task:span|unit:span" in text


def test_parquet_keeps_types_and_carries_the_signature() -> None:
    data = FORMS["parquet"].render(small(), "labels")
    assert isinstance(data, bytes)
    assert pl.read_parquet(io.BytesIO(data)).equals(small().tables["labels"])
    metadata = pl.read_parquet_metadata(io.BytesIO(data))
    assert metadata["coleval.signature"] == "coleval:0.1.0|task:span|unit:span"


def test_pyarrow_and_duckdb_read_the_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    save(small(), tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 4
    total = duckdb.read_parquet(str(tmp_path / "a.parquet")).aggregate("sum(tp)")
    assert total.fetchall() == [(2400,)]


def test_a_database_has_all_tables_with_their_meanings_and_the_signature(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.duckdb")
    with duckdb.connect(tmp_path / "a.duckdb", read_only=True) as database:
        for name, frame in small().tables.items():
            assert database.table(name).fetchall() == frame.rows()
        comments = "select column_name, comment from duckdb_columns() where table_name = 'labels'"
        assert ("support", meaning_of("score", "labels", "support")) in database.sql(
            comments
        ).fetchall()
        told = dict(database.table("coleval.report").fetchall())
    assert told["signature"] == "coleval:0.1.0|task:span|unit:span"
    assert told["warning"] == "2 systems have the same name: “a”"


def test_a_database_of_one_table_has_columns_that_differ_in_case_alone(
    tmp_path: Path,
) -> None:
    table = pl.DataFrame({"PER": [1], "per": [2]})
    save(Report("pivot", {"a": table, "b": table}, ""), tmp_path / "a.duckdb", table="b")
    with duckdb.connect(tmp_path / "a.duckdb", read_only=True) as database:
        tables = "select table_name from duckdb_tables() where schema_name = 'main'"
        assert database.sql(tables).fetchall() == [("b",)]
        columns = "select column_name, comment from duckdb_columns() where table_name = 'b'"
        assert database.sql(columns).fetchall() == [("PER", None), ("per_1", "per")]


def test_what_stops_a_database_leaves_the_old_one_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.duckdb").write_bytes(b"old")
    report = Report("score", {"overall": pl.DataFrame({"f1": [float("nan")]})}, "")
    with pytest.raises(ValueError, match="NaN"):
        save(report, tmp_path / "a.duckdb")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.duckdb", b"old")]


@pytest.mark.parametrize("form", [name for name in FORMS if name != "duckdb"])
def test_the_suffix_says_the_form(form: str, tmp_path: Path) -> None:
    for suffix in FORMS[form].suffixes:
        save(small(), tmp_path / f"x{suffix}")
        content = FORMS[form].render(small())
        expected = content if isinstance(content, bytes) else content.encode()
        assert (tmp_path / f"x{suffix}").read_bytes() == expected


def test_the_form_wins_over_the_suffix(tmp_path: Path) -> None:
    save(small(), tmp_path / "x.txt", form="json")
    assert json.loads((tmp_path / "x.txt").read_text("utf-8"))["command"] == "score"


@pytest.mark.parametrize("name", ["x.xls", "x"])
def test_an_unknown_suffix_is_answered_with_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.parquet"):
        save(small(), tmp_path / name)


def test_a_misspelt_form_or_table_is_answered_with_its_near_misses(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean `markdown`"):
        emit(small(), form="markdwon")
    with pytest.raises(UsageError, match="did you mean `labels`"):
        save(small(), tmp_path / "x.csv", table="label")
    with pytest.raises(UsageError, match="did you mean `labels`"):
        emit(small(), table="label")


def test_a_directory_gets_a_file_a_table_and_the_signature(tmp_path: Path) -> None:
    save(small(), f"{tmp_path}/out/", form="csv")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["labels.csv", "overall.csv", "signature.txt"]
    assert (tmp_path / "out/overall.csv").read_bytes() == rendered("csv").encode()
    assert (tmp_path / "out/signature.txt").read_text() == "coleval:0.1.0|task:span|unit:span\n"


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("json", ["report.json"]),
        ("markdown", ["labels.md", "overall.md"]),
        ("parquet", ["labels.parquet", "overall.parquet"]),
    ],
)
def test_an_existing_directory_needs_no_slash(form: str, names: list[str], tmp_path: Path) -> None:
    save(small(), tmp_path, form=form)
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_directory_without_a_form_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="form of the files in a directory"):
        save(small(), tmp_path)


def test_a_missing_directory_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"mkdir -p .*/no"):
        save(small(), tmp_path / "no/x.json")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.json").write_text("old")

    def full(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DataError, match="No space left"):
        save(small(), tmp_path / "x.json")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").read_text() == "old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    save(small(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text("utf-8") == rendered("json")


def test_a_device_is_written_to_and_not_replaced() -> None:
    save(small(), "/dev/null", form="csv")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_stdout_holds_the_data_and_nothing_else(
    form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    emit(small(), form=form)
    sys.stdout.flush()
    content = FORMS[form].render(small())
    expected = content if isinstance(content, bytes) else content.encode()
    assert capfdbinary.readouterr() == (expected, b"")


def test_without_a_form_stdout_gets_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    emit(small(), table="overall")
    shown = capsys.readouterr().out
    assert shown.startswith("overall  systems, best first")
    assert shown.endswith("coleval:0.1.0|task:span|unit:span\n")


def test_parquet_is_not_thrown_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(UsageError, match="-o FILE"):
        emit(small(), form="parquet")


def test_asking_for_the_room_loads_nothing_heavy() -> None:
    heavy = "{'rich', 'polars', 'pyarrow', 'duckdb', 'numpy'}"
    code = f"import coleval.render, sys; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
