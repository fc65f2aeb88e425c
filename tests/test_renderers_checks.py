"""Forms for CI: annotations of GitHub and cases of JUnit, from problems and from gates."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from coleval.cli.main import main

GOLD = "John\tB-PER\nin\tO\nYork\tB-LOC\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "gold.conll").write_text(GOLD, encoding="utf-8")
    (tmp_path / "old.conll").write_text(GOLD, encoding="utf-8")
    (tmp_path / "new.conll").write_text(GOLD.replace("B-LOC", "O"), encoding="utf-8")
    (tmp_path / "odd,a.conll").write_text(GOLD.replace("B-LOC", "I-100%&<\x01"), encoding="utf-8")
    (tmp_path / "short.conll").write_text("John\tB-PER\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def annotations(out):
    """Return kind, properties and text of each line, as GitHub's runner reads them."""
    found = []
    for line in out.splitlines():
        kind, properties, text = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
        values = dict(part.split("=", 1) for part in properties.split(","))
        found.append((kind, {k: plain(v) for k, v in values.items()}, plain(text)))
    return found


def plain(text):
    for code, letter in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, letter)
    return text


def test_a_problem_is_annotated_at_its_line(files, capsys):
    code = main(["validate", "gold.conll", "odd,a.conll", "short.conll", "--as", "github"])
    assert code == 1
    first, *_, failed, verdict = annotations(capsys.readouterr().out)
    assert first[0] == "warning"
    assert first[1] == {"file": "odd,a.conll", "line": "3", "title": "coleval validate: tag scheme"}
    assert first[2].startswith("`I-100%&<\x01` on `York` after `O` is an invalid tag sequence")
    assert (failed[0], failed[1]["file"]) == ("error", "short.conll")
    assert verdict[0] == "notice"
    assert verdict[2].startswith("1 of 3 failed · coleval:")


def test_a_limit_that_does_not_hold_is_an_error_that_of_another_is_not(files, capsys):
    gate = ["--baseline", "old", "--gate", "max_new_errors=0,max_diff=90%"]
    call = ["changes", "gold.conll", "old.conll", "new.conll", *gate]
    assert main([*call, "--as", "github"]) == 1
    error, verdict = annotations(capsys.readouterr().out)
    assert error[0] == "error"
    assert error[1]["title"] == "coleval changes: old → new: max_new_errors"
    assert verdict[2].startswith("1 of 2 failed")
    assert main([*call, "--as", "junit"]) == 1
    suite = ET.fromstring(capsys.readouterr().out)[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("name"): case.find("failure") for case in suite.iter("testcase")}
    assert cases["old → new: max_diff"] is None
    assert cases["old → new: max_new_errors"].get("message") == error[2]


def test_junit_has_a_case_for_each_file_and_is_xml_whatever_a_file_holds(files, capsys):
    call = ["validate", "gold.conll", "odd,a.conll", "short.conll"]
    assert main([*call, "-o", "report.xml"]) == 1
    suite = ET.parse(files / "report.xml").getroot()[0]  # noqa: S314
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == ["gold.conll", "odd,a.conll", "short.conll"]
    assert [name for name, case in cases.items() if case.find("failure") is not None] == [
        "short.conll"
    ]
    assert "100%&<" in cases["odd,a.conll"].find("system-out").text


def test_an_error_that_ends_a_command_is_annotated_too(files, capsys):
    assert main(["score", "gold.conll", "short.conll", "--as", "github"]) == 1
    out, err = capsys.readouterr()
    ((kind, place, text),) = annotations(out)
    assert (kind, place["file"]) == ("error", "short.conll")
    assert text.splitlines()[0] in err


def test_a_report_that_checks_nothing_has_its_warnings(files, capsys):
    assert main(["score", "gold.conll", "odd,a.conll", "--as", "github"]) == 0
    *warnings, verdict = annotations(capsys.readouterr().out)
    assert {warning[0] for warning in warnings} == {"warning"}
    assert verdict[2].startswith("1 passed · coleval:")


def test_a_screen_has_what_keeps_a_file_from_being_scored_first_and_counts_what_is_alike(
    files, capsys
):
    tags = "".join(f"w{k}\tI-PER\nv\tO\n" for k in range(6))
    (files / "many.conll").write_text(tags, encoding="utf-8")
    (files / "words.conll").write_text(tags.replace("I-", "B-"), encoding="utf-8")
    sources = ["words.conll", "many.conll", "short.conll"]
    assert main(["validate", *sources]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("short.conll:")
    assert "  error: " in lines[1]
    assert sum("invalid tag sequence" in line for line in lines) == 3
    assert "    … and 3 more of this kind (lines 7, 9, 11)" in lines
    assert main(["validate", *sources, "--as", "csv"]) == 1
    assert capsys.readouterr().out.count("invalid tag sequence") == 6
