"""Help fits a screen, has examples that run, and explains commands, tables and options."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from coleval.cli.help import SCREEN, WIDTH
from coleval.cli.main import main
from coleval.cli.overview import COMMANDS
from coleval.demo import generate, write

if TYPE_CHECKING:
    from pathlib import Path

# What needs a shell, or measures the machine.
NOT_RUN = {"completion", "bench"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that examples name: gold, systems, training data, a store."""
    place = tmp_path_factory.mktemp("examples")
    gold, *systems = write(generate(tokens=3000, systems=4, seed=3), place / "systems")
    gold.rename(place / "gold.conll")
    write(generate(tokens=3000, systems=1, seed=4), place / "more")[0].rename(place / "train.conll")
    names = [str(place / "gold.conll"), *map(str, systems)]
    assert main(["load", *names, "-o", str(place / "corpus"), "--quiet"]) == 0
    return place


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_a_screen_and_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: coleval")
    assert len(lines) <= SCREEN + 1
    assert max(map(len, lines)) <= WIDTH
    examples = lines[lines.index("Example:") + 1 :]
    assert [f"  {line}" for line in COMMANDS[command].examples] == examples
    assert examples


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_named_on_the_screen_and_explained_in_full(command, capsys):
    main([command, "--help"])
    short = capsys.readouterr().out
    main([command, "--help-all"])
    whole = capsys.readouterr().out
    flags = set(re.findall(r"^  (?:-\w(?: \w+)?, )?(--[a-z-]+)", whole, re.MULTILINE))
    assert flags
    named = set(re.findall(r"--[a-z-]+", short)) | {"--help", "--help-all", "--output", "--store"}
    assert flags - named == set()


EXAMPLES = [(name, line) for name, one in COMMANDS.items() for line in one.examples]


@pytest.mark.parametrize("line", [line for name, line in EXAMPLES if name not in NOT_RUN])
def test_every_example_runs(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    argv: list[str] = []
    for word in shlex.split(line)[1:]:
        argv += sorted(map(str, folder.glob(word))) if word == "systems/*.conll" else [word]
    if "--gate" in argv:
        assert main(argv) in (0, 1)
    else:
        assert main([*argv]) == 0
    out, err = capsys.readouterr()
    assert out or "-o" in argv
    assert "Traceback" not in err


def test_a_table_is_explained_by_its_name_or_with_its_command(capsys):
    assert main(["help", "tps"]) == 0
    by_name = capsys.readouterr().out
    assert main(["help", "bins.tps"]) == 0
    assert capsys.readouterr().out == by_name
    assert re.search(r"^share +tp ÷ items of the bin$", by_name, re.MULTILINE)
    assert main(["help", "overall"]) == 0
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("score.overall", "agree.overall", "Krippendorff"))


def test_an_option_is_explained_with_the_commands_that_have_it(capsys):
    assert main(["help", "--gate"]) == 0
    shown = capsys.readouterr().out
    assert "--gate LIMITS" in shown
    assert shown.rstrip().endswith("Option of: changes.")


@pytest.mark.parametrize(
    ("name", "about"),
    [("eLen", "entity length: tokens"), ("conlleval", "conlleval.pl"), ("brat", ".ann"),
     ("who-alone", "alone solves")],
)  # fmt: skip
def test_names_of_registries_are_explained(name, about, capsys):
    assert main(["help", name]) == 0
    shown = capsys.readouterr().out
    assert name in shown
    assert about in shown


def test_help_of_a_command_is_its_help(capsys):
    main(["help", "bins"])
    first = capsys.readouterr().out
    main(["bins", "-h"])
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("topic", "near"),
    [
        ("ovrall", "`overall`"),
        ("--gat", "`--gate`"),
        ("scor", "`score`"),
        ("conlevall", "`conlleval`"),
    ],
)
def test_a_misspelt_topic_has_near_misses(topic, near, capsys):
    assert main(["help", topic]) == 2
    assert near in capsys.readouterr().err


def test_a_topic_that_is_like_no_name_has_the_nearest_and_the_lists_not_all_names(capsys):
    assert main(["help", "nonsense"]) == 2
    err = capsys.readouterr().err
    assert "the nearest names are `chosen`, " in err
    assert "`coleval formats`" in err
    assert len(err) < 400
