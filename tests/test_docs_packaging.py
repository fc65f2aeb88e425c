"""What others run or read: the action, the hook, workflows, the citation, templates of issues."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from coleval.version import __version__

ROOT = Path(__file__).parents[1]
yaml = pytest.importorskip("yaml")
GOLD = "John\tB-PER\nin\tO\nYork\tB-LOC\n"


def read(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def action(tmp_path):
    """Return what runs the script of the action as a job would: exit code, log, summary."""
    (tmp_path / "gold.conll").write_text(GOLD, encoding="utf-8")
    (tmp_path / "my run.conll").write_text(GOLD.replace("B-LOC", "O"), encoding="utf-8")
    (tmp_path / "short.conll").write_text("John\tB-PER\n", encoding="utf-8")
    steps = read("action.yml")["runs"]["steps"]
    script = steps[-1]["run"].replace("$GITHUB_ACTION_PATH", str(ROOT))

    def run(command, arguments):
        summary = tmp_path / "summary.md"
        environment = {**os.environ, "COMMAND": command, "ARGUMENTS": arguments, "SUMMARY": "true",
                       "GITHUB_STEP_SUMMARY": str(summary),
                       "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # fmt: skip
        done = subprocess.run(["bash", "-c", script], env=environment, cwd=tmp_path, text=True,
                              capture_output=True, check=False)  # fmt: skip
        shown = summary.read_text(encoding="utf-8") if summary.exists() else ""
        return done.returncode, done.stdout, shown

    return run


def test_the_action_passes_with_a_table_in_the_summary(action):
    code, log, summary = action("validate", "gold.conll 'my run.conll'")
    assert code == 0
    assert log.splitlines()[-1].startswith("::notice title=coleval validate::2 passed")
    assert "| my run" in summary


def test_the_action_fails_with_an_annotation_where_a_gate_does_not_hold(action):
    call = "gold.conll old=gold.conll new='my run.conll' --baseline old --gate max_new_errors=0"
    code, log, _ = action("changes", call)
    assert code == 1
    assert log.startswith("::error title=coleval changes%3A old → new%3A max_new_errors::")


def test_arguments_of_the_action_are_words_and_nothing_of_them_is_run(action, tmp_path):
    code, _, _ = action("validate", "gold.conll $(touch run) `touch run` ; touch run")
    assert code != 0
    assert not list(tmp_path.glob("run*"))


def test_the_inputs_of_the_action_are_those_that_docs_and_script_use():
    inputs = read("action.yml")["inputs"]
    documented = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(re.search(r"```yaml\n(# .github.*?)```", documented, re.DOTALL)[1])
    steps = [s for s in workflow["jobs"]["evaluate"]["steps"] if s["uses"].startswith("coleval/")]
    assert len(steps) == 2
    for step in steps:
        assert step["uses"].endswith(f"@v{__version__}")
        assert set(step["with"]) <= set(inputs)
        words = [w for w in step["with"]["arguments"].split() if w]
        parser_of(COMMANDS[step["with"]["command"]]).parse_intermixed_args(words)


def test_the_hook_is_a_command_that_takes_files_after_gold(tmp_path, monkeypatch):
    (hook,) = read(".pre-commit-hooks.yaml")
    documented = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    config = yaml.safe_load(re.search(r"```yaml\n(# .pre-commit.*?)```", documented, re.DOTALL)[1])
    (repo,) = config["repos"]
    assert repo["rev"] == f"v{__version__}"
    (used,) = repo["hooks"]
    assert used["id"] == hook["id"]
    _, name, *rest = hook["entry"].split()
    given = parser_of(COMMANDS[name]).parse_intermixed_args([*rest, *used["args"], "a.conll"])
    assert given.source == ["data/gold.conll", "a.conll"]


def test_workflows_run_scripts_that_are_there_and_publish_without_a_token():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        runs = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
        for script in re.findall(r"^(\.ci/\w+)", "\n".join(runs), re.MULTILINE):
            assert os.access(ROOT / script, os.X_OK)
    publish = read(".github/workflows/publish.yml")
    assert publish["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert "password" not in str(publish)


def test_the_versions_of_python_are_the_same_wherever_they_are_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {c.rpartition(" ")[2] for c in project["classifiers"] if ":: 3." in c}
    matrix = read(".github/workflows/ci.yml")["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    assert named == set(matrix)
    assert project["requires-python"] == f">={min(named, key=lambda v: int(v[2:]))}"


def test_citation_and_changelog_are_of_this_version():
    assert read("CITATION.cff")["version"] == __version__
    heads = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heads[:2] == ["Unreleased", __version__]


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")),
                         ids=lambda path: path.name)  # fmt: skip
def test_a_template_of_issues_is_one(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(part["attributes"]["label"] for part in form["body"])


def test_the_readme_has_at_most_150_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# What PyPI and conda call differently.
CONDA = {"duckdb": "python-duckdb"}


def recipe() -> dict:
    text = (ROOT / "packaging/meta.yaml").read_text(encoding="utf-8")
    version = re.search(r'set version = "(.*)"', text)[1]
    lines = [line for line in text.splitlines() if not line.startswith("{%")]
    values = {"version": version, "PYTHON": "python"}
    return yaml.safe_load(
        re.sub(r"\{\{ (\w+) \}\}", lambda match: values[match[1]], "\n".join(lines))
    )


def test_the_conda_recipe_has_the_version_and_the_requirements_of_the_project():
    found = recipe()
    assert found["package"] == {"name": "coleval", "version": __version__}
    project = PYPROJECT["project"]
    needed = {f"python {project['requires-python']}"}
    for text in project["dependencies"]:
        name, least = re.fullmatch(r"([\w-]+)(>=.*)", text).groups()
        needed.add(f"{CONDA.get(name, name)} {least}")
    assert set(found["requirements"]["run"]) == needed
    (build,) = PYPROJECT["build-system"]["requires"]
    assert build.replace(">=", " >=") in found["requirements"]["host"]
    (script,) = project["scripts"].items()
    assert found["build"]["entry_points"] == [" = ".join(script)]


def test_the_docker_file_copies_what_the_wheel_is_built_of():
    text = (ROOT / "packaging/Dockerfile").read_text(encoding="utf-8")
    copied = set(re.findall(r"^COPY (?!--)(.*) /source", text, re.MULTILINE))
    names = {name for line in copied for name in line.split()}
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    project = PYPROJECT["project"]
    assert {"pyproject.toml", project["readme"], *project["license-files"]} <= names
    assert {path.partition("/")[0] for path in wheel} <= names
    assert all((ROOT / name).exists() for name in names)
    assert re.search(r"^FROM python:3\.(\d+)", text, re.MULTILINE)[1] in {"11", "12", "13"}


def test_the_commands_of_the_conda_recipe_run():
    for line in recipe()["test"]["commands"]:
        done = subprocess.run(
            [sys.executable, "-m", *line.split()], capture_output=True, check=False
        )
        assert done.returncode == 0
