"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coleval.cli.console import warn
from coleval.cli.main import main
from coleval.cli.overview import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

GOLD = "John\tB-PER\nlives\tO\nin\tO\nNew\tB-LOC\nYork\tI-LOC\n\nMary\tB-PER\nsleeps\tO\n"
NEAR = GOLD.replace("I-LOC", "B-LOC")
SILENT = "\n".join(line.split("\t")[0] + "\tO" if line else "" for line in GOLD.split("\n"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold and two systems in the current directory."""
    for name, text in (("gold", GOLD), ("near", NEAR), ("silent", SILENT)):
        (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    return main(list(arguments))


def test_score_prints_tables_on_stdout_and_nothing_else_there(files, capsys):
    assert run("score", "gold.conll", "near.conll", "silent.conll") == 0
    out, err = capsys.readouterr()
    assert "near" in out
    assert "signature" not in err
    assert err == ""


def test_a_file_against_itself_is_gold_and_a_system_of_another_name(tmp_path, capsys):
    path = tmp_path / "gold.conll"
    path.write_text("a B-X\nb O\n")
    assert run("score", str(path), str(path), "--table", "overall", "--as", "csv") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("gold2,1,1,")
    # A pattern or a folder brings gold along, and does not mean it.
    assert run("score", str(path), str(tmp_path)) == 2
    assert "no system to compare" in capsys.readouterr().err


def test_json_is_one_object_with_full_precision_and_null_for_undefined(files, capsys):
    assert run("score", "gold.conll", "near.conll", "silent.conll", "--as", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"coleval", "command", "signature", "warnings", "tables"}
    near, silent = report["tables"]["overall"]
    assert (near["system"], near["tp"], near["fp"], near["fn"]) == ("near", 2, 2, 1)
    assert near["f1"] == 4 / 7
    assert silent["precision"] is None
    assert silent["f1"] == 0.0


def test_csv_gives_one_table_and_names_choose_another(files, capsys):
    run("score", "gold.conll", "near.conll", "--as", "csv", "--table", "labels")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "system,label,tp,fp,fn,precision,recall,f1,support"
    assert lines[1].startswith("near,LOC,0,2,1,")


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv", "md", "tex", "parquet", "txt"])
def test_a_suffix_chooses_the_form(files, suffix):
    assert run("score", "gold.conll", "near.conll", "-o", f"out.{suffix}") == 0
    assert (files / f"out.{suffix}").stat().st_size > 0


def test_a_directory_gets_one_file_a_table(files):
    assert run("score", "gold.conll", "near.conll", "--as", "csv", "-o", "out/") == 0
    assert {p.name for p in (files / "out").iterdir()} >= {"overall.csv", "labels.csv"}


def test_names_globs_and_directories_name_systems(files, capsys):
    (files / "runs").mkdir()
    for name in ("a", "b"):
        (files / "runs" / f"{name}.conll").write_text(NEAR, encoding="utf-8")
    run("score", "gold.conll", "best=near.conll", "silent*", "runs", "--as", "csv")
    systems = {line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]}
    assert systems == {"best", "silent", "a", "b"}


def test_a_glob_may_bring_gold_along(files, capsys):
    assert run("score", "gold.conll", "*.conll", "--as", "csv") == 0
    systems = [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert systems == ["near", "silent"]


def test_standard_input_is_a_source(files):
    done = subprocess.run(
        [sys.executable, "-m", "coleval", "score", "gold.conll", "piped=-", "--as", "csv"],
        input=NEAR.encode(),
        capture_output=True,
        check=True,
    )
    assert b"\npiped,3,2," in done.stdout


def test_a_broken_pipe_is_silent(files):
    command = f"{sys.executable} -m coleval score gold.conll near.conll | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_no_colour_without_a_terminal(files, capsys):
    run("score", "gold.conll", "near.conll")
    assert "\x1b" not in capsys.readouterr().out


def test_warnings_go_to_stderr_and_quiet_hides_them(files, capsys):
    (files / "odd.conll").write_text(GOLD.replace("B-LOC", "I-LOC"), encoding="utf-8")
    run("score", "gold.conll", "odd.conll")
    out, err = capsys.readouterr()
    assert "warning: odd: `I-LOC` on `New`" in err
    assert "odd.conll:4" in err
    run("score", "gold.conll", "odd.conll", "--quiet")
    assert capsys.readouterr() == (out, "")


@pytest.mark.parametrize(
    ("kinds", "told", "rest"),
    [
        (1, 1, "19 more like these"),
        (8, 8, "12 more like these"),
        (9, 8, "12 more"),
        (20, 8, "12 more"),
    ],
)
def test_of_many_warnings_the_first_of_each_kind_is_printed(kinds, told, rest, capsys):
    warn(tuple(f"s{k}: odd; what was done {k % kinds}" for k in range(20)))
    lines = capsys.readouterr().err.splitlines()
    assert lines[:-1] == [f"warning: s{k}: odd; what was done {k}" for k in range(told)]
    assert lines[-1] == f"warning: {rest}; `coleval validate` lists them all"


def test_few_warnings_are_printed_whatever_their_kind(capsys):
    warn(tuple(f"s{k}: odd; left out" for k in range(8)))
    assert capsys.readouterr().err.count("warning: s") == 8


def test_where_keeps_only_some_items(files, capsys):
    run("score", "gold.conll", "near.conll", "--where", "sentence = 1", "--as", "csv")
    assert capsys.readouterr().out.splitlines()[1].startswith("near,1,1,")


def test_confusion_lists_what_stands_for_what(files, capsys):
    run("confusion", "gold.conll", "near.conll", "--as", "csv")
    lines = set(capsys.readouterr().out.splitlines())
    assert "near,PER,PER,2" in lines
    assert "near,LOC,,1" in lines
    assert "near,,LOC,2" in lines


def test_validate_finds_every_problem_and_exits_1(files, capsys):
    lost = NEAR.replace("in\tO\n", "")
    (files / "lost.conll").write_text(lost, encoding="utf-8")
    (files / "odd.conll").write_text(GOLD.replace("B-", "I-"), encoding="utf-8")
    assert (
        run("validate", "gold.conll", "near.conll", "lost.conll", "odd.conll", "--as", "json") == 1
    )
    problems = json.loads(capsys.readouterr().out)["tables"]["problems"]
    found = {(p["file"], p["line"], p["kind"], p["fatal"]) for p in problems}
    assert ("lost.conll", 3, "token count", True) in found
    assert {("odd.conll", line, "tag scheme", False) for line in (1, 4, 7)} <= found


def test_validate_says_ok_with_exit_0(files, capsys):
    assert run("validate", "gold.conll", "near.conll") == 0
    assert "ok" in capsys.readouterr().out


def test_repair_error_stops_at_the_first_broken_sequence(files, capsys):
    (files / "odd.conll").write_text(GOLD.replace("B-LOC", "I-LOC"), encoding="utf-8")
    assert run("score", "gold.conll", "odd.conll", "--repair", "error") == 1
    assert "odd.conll:4" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["formats", "profiles"])
def test_lists_say_what_there_is(command, capsys):
    assert run(command, "--as", "json") == 0
    assert len(json.loads(capsys.readouterr().out)["tables"][command]) > 4


def test_demo_scores_a_generated_corpus_and_keeps_it_on_request(files, capsys):
    assert run("demo", "--tokens", "3000", "--systems", "3", "--keep", "kept", "--as", "json") == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["tables"]["score.overall"]) == 3
    assert "3,000 tokens" in err
    assert (files / "kept" / "gold.conll").is_file()
    assert run("score", "kept/gold.conll", "kept/baseline.conll", "--as", "csv") == 0


def test_help_names_every_command(capsys):
    assert run("--help") == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    assert run(command, "--help") == 0
    assert f"coleval {command}" in capsys.readouterr().out


def test_help_imports_nothing_heavy():
    code = "import sys, coleval.cli.main as c; c.main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    heavy = {"polars", "numpy", "duckdb", "pyarrow", "rich", "scipy"}
    assert not heavy & set(done.stdout.splitlines()[-1].replace("'", "").strip("[]").split(", "))


def test_an_interrupt_leaves_with_130(files, monkeypatch, capsys):
    from coleval.cli import commands

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "RUN", {"score": interrupted})
    assert run("score", "gold.conll", "near.conll") == 130
    assert "interrupted" in capsys.readouterr().err


def test_version_is_printed(capsys):
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("coleval 0.")


def test_no_arguments_is_a_wrong_call(capsys):
    assert run() == 2
    assert "usage: coleval" in capsys.readouterr().out


def test_threads_are_passed_on(files, monkeypatch):
    monkeypatch.setenv("POLARS_MAX_THREADS", "2")
    assert run("score", "gold.conll", "near.conll", "--threads", "1") == 0
    assert os.environ["POLARS_MAX_THREADS"] == "1"
