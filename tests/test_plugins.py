"""Packages that add to coleval by entry points: a sample of each kind, and what is left out.

The sample is installed as ``pip`` would do it, into a folder of its own: a package, and beside it
its metadata. Each command is a process, for what is installed is looked up once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parent / "plugin" / "coleval_sample"
SOUND = """\
[coleval.formats]
slashes = coleval_sample.slashes:SLASHES
[coleval.attributes]
vowel = coleval_sample.extras:VOWEL
[coleval.metrics]
wrong = coleval_sample.extras:WRONG
[coleval.forms]
outline = coleval_sample.extras:OUTLINE
[coleval.analyses]
lengths = coleval_sample.lengths.spec:LENGTHS
[console_scripts]
other = coleval_sample.nowhere:run
"""
GOLD = "the/DT old/JJ dog/NN\na/DT cat/NN sleeps/VB\n"
SYSTEM = "the/DT old/NN dog/NN\na/DT cat/NN sleeps/VB\n"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "gold.pos").write_text(GOLD)
    (tmp_path / "tagger.pos").write_text(SYSTEM)

    def installed(entries, *words, python=""):
        folder = tmp_path / "installed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SAMPLE, folder / "coleval_sample")
        metadata = folder / "coleval_sample-1.5.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: coleval-sample\nVersion: 1.5\n"
        )
        (metadata / "entry_points.txt").write_text(entries)
        path = os.pathsep.join([str(folder), str(Path(__file__).parents[1] / "src")])
        command = ["-c", python] if python else ["-m", "coleval", *words]
        return subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, cwd=tmp_path, check=False,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    return installed


def test_the_version_says_what_is_added_by_whom(run):
    done = run(SOUND, "--version")
    assert "  formats: slashes (coleval-sample 1.5)\n" in done.stdout
    assert "  analyses: lengths (coleval-sample 1.5)\n" in done.stdout
    assert "other" not in done.stdout, "a console script is not for coleval"


def test_a_format_is_recognised_and_read(run):
    done = run(SOUND, "score", "gold.pos", "tagger.pos", "--as", "csv", "--table", "overall")
    # Five of six tags are right.
    assert "0.8333" in done.stdout, done.stderr
    assert not done.stderr


def test_a_format_may_be_named_and_is_listed(run):
    done = run(SOUND, "formats", "--as", "csv")
    assert "slashes,tag" in done.stdout
    done = run(SOUND, "validate", "gold.pos", "tagger.pos", "--format", "slashes")
    assert done.returncode == 0, done.stderr


def test_an_analysis_is_a_command_with_its_options_and_help(run):
    done = run(SOUND, "lengths", "gold.pos", "tagger.pos", "--least", "6", "--as", "csv")
    assert done.stdout.startswith("system,items\ntagger,6\n"), done.stderr
    assert "how many items each system answers" in run(SOUND, "--help").stdout
    assert "--least N" in run(SOUND, "lengths", "--help").stdout


def test_an_analysis_is_a_method_of_the_corpus(run):
    code = (
        "import coleval\n"
        "corpus = coleval.load('gold.pos', ['tagger.pos'])\n"
        "print(corpus.lengths(least=1).table('lengths').rows(), hasattr(corpus, 'widths'))"
    )
    assert run(SOUND, python=code).stdout == "[('tagger', 6)] False\n"


def test_an_attribute_has_buckets(run):
    done = run(SOUND, "buckets", "gold.pos", "tagger.pos", "--attributes", "vowel", "--as", "csv",
               "--table", "buckets")  # fmt: skip
    assert "vowel" in done.stdout, done.stderr


def test_a_metric_is_compared(run):
    done = run(SOUND, "compare", "gold.pos", "a=tagger.pos", "b=tagger.pos", "--metric", "wrong",
               "--as", "json")  # fmt: skip
    # One of six tags is wrong.
    assert "0.1666" in done.stdout, done.stderr


def test_a_form_is_chosen_by_its_name_and_its_suffix(run, tmp_path):
    done = run(SOUND, "score", "gold.pos", "tagger.pos", "--as", "outline")
    assert "* overall\n" in done.stdout, done.stderr
    run(SOUND, "score", "gold.pos", "tagger.pos", "-o", "all.outline")
    assert "* overall\n" in (tmp_path / "all.outline").read_text()


BROKEN = {
    "a module that is missing": ("formats", "odd", "coleval_sample.missing:ODD", "No module named"),
    "a thing that is missing": ("forms", "odd", "coleval_sample.extras:ODD", "has no attribute"),
    "a thing of another kind": (
        "formats", "odd", "coleval_sample.extras:NOTHING", "is not of type Format",
    ),
    "a name of ours": (
        "formats", "table", "coleval_sample.slashes:SLASHES", "called `table` already",
    ),
    "another name": ("attributes", "odd", "coleval_sample.extras:VOWEL", "has another name"),
    "a command of ours": (
        "analyses", "score", "coleval_sample.lengths.spec:LENGTHS", "called `score` already",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_used_is_left_out_with_its_name_and_a_remedy(run, case):
    kind, name, place, reason = BROKEN[case]
    words = {"forms": ["score", "gold.pos", "tagger.pos"], "analyses": ["--help"]}.get(kind, [kind])
    sound = "[coleval.formats]\nslashes = coleval_sample.slashes:SLASHES\n"
    if kind == "formats":
        entries = f"{sound}{name} = {place}\n"
    else:
        entries = f"{sound}[coleval.{kind}]\n{name} = {place}\n"
    done = run(entries, *words, *(["--as", "odder"] if kind == "forms" else []))
    assert f"`{name}`, which coleval-sample 1.5 adds to the {kind}, is left out" in done.stderr
    assert reason in done.stderr
    assert "update the package or uninstall it" in done.stderr
    assert done.returncode == (2 if kind == "forms" else 0), "other commands go on"


def test_a_format_that_fails_to_recognise_a_file_leaves_it_to_others(run, tmp_path):
    (tmp_path / "gold.conll").write_text("a DT\nb NN\n\n")
    failing = SAMPLE / "slashes.py"
    entries = "[coleval.formats]\nslashes = coleval_sample.failing:SLASHES\n"
    text = failing.read_text().replace("_TAGGED.match(beginning.line) is not None", "1 / 0 > 0")
    code = (
        f"import pathlib, sys; pathlib.Path(sys.path[1], 'coleval_sample', 'failing.py')"
        f".write_text({text!r})\n"
        "from coleval.cli.main import main\n"
        "sys.exit(main(['score', 'gold.conll', 'gold.conll', '--as', 'csv']))"
    )
    done = run(entries, python=code)
    assert done.returncode == 0, done.stderr
    assert "fails to recognise files (division by zero)" in done.stderr
