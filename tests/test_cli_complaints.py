"""What is wrong with a call is said with the option, near misses, and the command that has it."""

from __future__ import annotations

import pytest

from coleval.cli.main import main

GOLD = "John\tB-PER\nin\tO\nYork\tB-LOC\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "gold.conll").write_text(GOLD, encoding="utf-8")
    (tmp_path / "crf.conll").write_text(GOLD.replace("B-LOC", "O"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--tabel labels", ("no option of `score` is called `--tabel`", "did you mean `--table`")),
        ("--whre x", ("`--whre`", "`--where`")),
        ("--gate max_drop=1", ("no option of `score` is called `--gate`", "`coleval changes`")),
        ("--qqq", ("`--qqq`", "see `coleval score --help`")),
        ("--threads two", ("--threads: `two` is not a whole number",)),
        ("--threshold high", ("--threshold: `high` is not a number",)),
        ("--place al", ("--place: no value is called `al`", "did you mean `all`?")),
        ("--table", ("--table: its value is missing",)),
        ("--memory 2", ("--memory: `2` has no unit", "gigabytes are 2GB")),
        ("--as tabel", ("--as: no form is called `tabel`", "`table`")),
        ("--engine polar", ("--engine: no engine is called `polar`", "`polars`")),
    ],
)
def test_an_option_that_is_wrong_is_named_with_what_to_do(files, capsys, options, said):
    assert main(["score", "gold.conll", "crf.conll", *options.split(" ")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert [part for part in said if part not in err] == []


def test_a_call_without_sources_shows_one_with_sources(files, capsys):
    assert main(["score"]) == 2
    assert "SOURCE is missing, for example coleval score gold.conll" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["gold = PER", 'gold = "PER"', "gold in (LOC, PER)"])
def test_a_text_without_quotes_is_told_from_a_column(files, capsys, where):
    assert main(["show", "gold.conll", "crf.conll", "--where", where]) == 2
    assert "a text needs single quotes: '" in capsys.readouterr().err


def test_a_misspelt_column_has_near_misses_and_no_quotes(files, capsys):
    assert main(["show", "gold.conll", "crf.conll", "--where", "gol = 'PER'"]) == 2
    err = capsys.readouterr().err
    assert "did you mean `gold`?" in err
    assert "quotes" not in err


def test_colour_is_forced_and_forbidden_by_the_environment(files, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["score", "gold.conll", "crf.conll"])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["score", "gold.conll", "crf.conll"])
    assert "\x1b[" not in capsys.readouterr().out
