"""Completion is made from what commands declare: bash itself completes, the others are read."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from coleval.analyses.registry import ANALYSES
from coleval.cli.completion import completion, words_of
from coleval.cli.main import main
from coleval.cli.overview import COMMANDS

ASK = """
{script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_coleval
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def bash():
    if not shutil.which("bash"):
        pytest.skip("bash is not installed")
    script = completion("bash")

    def complete(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", ASK.format(script=script, words=quoted)],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stderr == ""
        return done.stdout.split()

    return complete


def test_bash_completes_commands(bash):
    assert bash("coleval", "") == list(COMMANDS)
    assert bash("coleval", "co") == ["confusion", "compare", "completion"]


@pytest.mark.parametrize("command", ["score", "buckets", "validate", "demo"])
def test_bash_completes_the_options_of_each_command(bash, command):
    assert set(bash("coleval", command, "--")) == {
        flag for flag in words_of(command) if flag.startswith("--")
    }


def test_bash_completes_tables_and_values(bash):
    tables = dict.fromkeys(table.name for table in ANALYSES["bins"].tables)
    assert bash("coleval", "bins", "--table", "") == list(tables)
    assert bash("coleval", "score", "--scheme", "bi") == ["bilou", "bioes"][::-1]
    assert "conlleval" in bash("coleval", "score", "--profile", "")
    assert bash("coleval", "compare", "--correct", "h") == ["holm"]
    assert bash("coleval", "completion", "b") == ["bash"]
    assert "bins.tps" in bash("coleval", "help", "bins.")


def test_bash_completes_files_where_files_are_meant(bash, tmp_path, monkeypatch):
    (tmp_path / "gold.conll").touch()
    monkeypatch.chdir(tmp_path)
    assert bash("coleval", "score", "go") == ["gold.conll"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_knows_every_command_and_table(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    names = {table.name for one in ANALYSES.values() for table in one.tables}
    assert [name for name in (*COMMANDS, *names) if name not in script] == []
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n"], input=script, text=True, check=True)
