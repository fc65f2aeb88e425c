"""``coleval.toml``: where it is found, what goes before, what is refused and at which line."""

from __future__ import annotations

import json

import pytest

from coleval.cli.main import main

GOLD = "John\tB-PER\nin\tO\nYork\tB-LOC\n\nMary\tB-PER\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with a folder of files, in which one works."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "gold.conll").write_text(GOLD, encoding="utf-8")
    (folder / "crf.conll").write_text(GOLD.replace("B-LOC", "O"), encoding="utf-8")
    (folder / "other.conll").write_text(GOLD.replace("B-PER", "O", 1), encoding="utf-8")
    monkeypatch.chdir(folder)
    return tmp_path


def score(capsys, *options, command="score", sources=("gold.conll", "crf.conll", "other.conll")):
    code = main([command, *sources, *options, "--as", "json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out), err


def write(place, text):
    (place / "coleval.toml").write_text(text, encoding="utf-8")


def test_defaults_come_from_the_repository_and_the_signature_says_so(project, capsys):
    write(project, 'labels = ["PER"]\n[compare]\nreplicates = 50\ntest = "bootstrap"\n')
    report, err = score(capsys)
    assert {row["label"] for row in report["tables"]["labels"]} == {"PER"}
    assert report["signature"].endswith("|config:coleval.toml")
    assert "coleval.toml: labels = PER" in err
    report, err = score(capsys, command="compare")
    assert "|test:bootstrap/50|" in report["signature"]
    assert "replicates = 50" in err


def test_what_is_given_goes_before_and_a_table_before_what_is_for_all(project, capsys):
    write(project, 'seed = 1\nlabels = "PER"\n[compare]\nseed = 2\n')
    report, _ = score(capsys, command="compare")
    assert "|seed:2|" in report["signature"]
    report, _ = score(capsys, "--seed", "3", "--labels", "LOC", command="compare")
    assert "|seed:3|" in report["signature"]
    assert "config:" not in report["signature"]


def test_nothing_is_said_where_it_has_no_effect_or_is_not_read(project, capsys):
    plain, _ = score(capsys)
    write(project, "[bins]\npercent = true\n")
    assert score(capsys) == (plain, "")
    write(project, 'labels = "PER"\n')
    assert score(capsys, "--no-config") == (plain, "")


def test_the_nearest_file_counts_and_none_beyond_the_repository(project, capsys):
    write(project, 'labels = "PER"\n')
    write(project / "runs", 'labels = "LOC"\n')
    report, _ = score(capsys)
    assert {row["label"] for row in report["tables"]["labels"]} == {"LOC"}
    (project / "runs" / "coleval.toml").unlink()
    (project / "runs" / ".git").mkdir()
    report, _ = score(capsys)
    assert "config:" not in report["signature"]


def test_how_files_were_read_is_no_matter_for_a_store(project, capsys):
    main(["load", "gold.conll", "crf.conll", "-o", "store", "--quiet"])
    capsys.readouterr()
    write(project, 'scheme = "iob1"\nunit = "token"\n')
    report, err = score(capsys, sources=["store"])
    assert "unit:token" in report["signature"]
    assert "scheme" not in err


def test_commands_that_evaluate_nothing_have_their_own_table_alone(project, capsys):
    write(project, 'task = "dep"\n[demo]\ntokens = 600\nsystems = 2\n')
    assert main(["demo", "--as", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["signature"].endswith("|config:coleval.toml")
    assert "coleval.toml: tokens = 600, systems = 2" in err
    assert main(["formats"]) == 0


def test_pairs_switches_and_lists_are_written_as_toml_has_them(project, capsys):
    write(project, '[changes]\npair = ["crf", "other"]\nitems = true\nby = ["form", "sentence"]\n')
    report, _ = score(capsys, command="changes")
    assert [row["before"] for row in report["tables"]["summary"]] == ["crf"]
    assert {"items", "by"} <= set(report["tables"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed = 1\nreplicats = 4\n", (":2: no option is called `replicats`", "`replicates`")),
        ("\n[scor]\nseed = 1\n", (":2: no command is called `scor`", "`score`")),
        ("[score]\ngate = 'x'\n", (":2: no option of score is called `gate`",)),
        ("output = 'x'\n", (":1: no option is called `output`",)),
        ("seed = 'a'\n", (":1: `a` is not a whole number",)),
        ("replicates = 0\n", (":1: 0 is too small", "use 1 or more")),
        ("place = 'al'\n", (":1: no value is called `al`", "`all`")),
        ("labels = true\n", (":1: `true` is not a value of it",)),
        ("seed = 1\nx 5\n", (":2: Expected '=' after a key",)),
    ],
)
def test_what_is_wrong_is_named_with_its_line(project, capsys, text, said):
    write(project, text)
    assert main(["score", "gold.conll", "crf.conll"]) == 2
    err = capsys.readouterr().err
    assert [part for part in said if part not in err] == []
    assert "coleval.toml:" in err


@pytest.mark.parametrize("text", ["replicats = 4\n", "[demo\n", "[demo]\nseed = 9\nsystem = 2\n"])
@pytest.mark.parametrize(
    "command", ["help bins", "formats", "profiles", "demo --tokens 300 --systems 2"]
)
def test_help_lists_and_the_demo_run_beside_a_broken_file_and_name_its_line(
    project, capsys, command, text
):
    assert main(command.split()) == 0
    plain = capsys.readouterr().out
    write(project, text)
    assert main(command.split()) == 0
    out, err = capsys.readouterr()
    assert out == plain
    said = "help" not in command
    assert ("warning: ../coleval.toml:" in err and "the file was not read" in err) == said
