"""docs/methods.md: every test it names exists, every command it names is one that parses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]
SHELL = sorted(set(re.findall(r"`(coleval [^`]+)`", PAGE)))
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED, ids="::".join)
def test_every_test_that_is_named_exists(file, name):
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


@pytest.mark.parametrize("command", SHELL)
def test_every_command_parses_and_has_the_table_that_it_names(command):
    _, name, *rest = shlex.split(command)
    arguments = parser_of(COMMANDS[name]).parse_intermixed_args(rest)
    table = getattr(arguments, "table", None)
    assert table is None or table in {each.name for each in ANALYSES[name].tables}


def test_every_function_that_is_named_exists():
    names = re.findall(r"`coleval\.(\w+)\(", PAGE)
    assert names
    assert [name for name in names if not callable(getattr(coleval, name, None))] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_is_proven_by_a_test_or_says_that_it_is_not(row):
    what, command, tests = row
    assert what
    if re.search(r"`test_\w+\.py::\w+`", tests):
        assert "`coleval" in command
    else:
        assert tests.startswith("not yet")


def test_the_page_has_the_five_sources_and_the_readme_points_to_it():
    heads = re.findall(r"^## (.*)", PAGE, re.MULTILINE)
    assert [head.split(" (")[0].split(":")[0] for head in heads] == [
        "Differential evaluation", "ComparEval", "FairEval", "InterpretEval", "The slides",
    ]  # fmt: skip
    assert "(docs/methods.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
