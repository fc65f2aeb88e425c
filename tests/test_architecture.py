"""The walls between rooms, read from the imports; and the files that must tell the truth."""

from __future__ import annotations

import ast
import re
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest

from coleval.analyses import ANALYSES
from coleval.annotate.attributes import ATTRIBUTES
from coleval.cli.arguments import COMMANDS
from coleval.cli.commands import RUN
from coleval.corpus.profiles import PROFILES
from coleval.loading.readers.formats import FORMATS
from coleval.render import FORMS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "coleval"
MODULES = sorted(SRC.rglob("*.py"))
FILES = sorted(p for p in SRC.rglob("*") if p.is_file() and p.suffix != ".pyc")

# What a room must not import, at any level of nesting.
WALLS = {
    "readers": {"duckdb", "coleval.engines", "coleval.corpus", "coleval.scores", "coleval.queries"},
    "align": {"duckdb", "coleval.engines", "coleval.corpus", "coleval.scores"},
    "tasks": {"duckdb", "coleval.engines", "coleval.analyses", "coleval.scores"},
    "scores": {"duckdb", "pathlib", "coleval.readers", "coleval.corpus", "coleval.engines"},
    "annotate": {"duckdb", "coleval.readers", "coleval.engines", "coleval.renderers"},
    "analyses": {"duckdb", "rich", "coleval.readers", "coleval.renderers", "coleval.cli"},
    "renderers": {"duckdb", "coleval.engines", "coleval.scores", "coleval.corpus"},
    "python": {"duckdb", "coleval.readers", "coleval.engines", "coleval.scores", "coleval.cli"},
    "store": {"duckdb", "coleval.engines", "coleval.analyses"},
}
LATE = {"scipy", "pyarrow", "rich", "pyspark", "altair"}


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Return (module, at start) for every import of a file, those for type checking left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        found += [(name, id(node) in top) for name in names]
    return tuple(found)


def under(name: str, wall: str) -> bool:
    return name == wall or name.startswith(f"{wall}.")


@pytest.mark.parametrize("room", [r for r in WALLS if (SRC / r).is_dir()])
def test_no_room_imports_what_is_behind_its_wall(room):
    crossed = [
        (path.name, name)
        for path in (SRC / room).rglob("*.py")
        for name, _ in imports(path)
        for wall in WALLS[room]
        if under(name, wall)
    ]
    assert crossed == []


def test_only_engines_know_their_drivers():
    drivers = {
        path.relative_to(SRC).parts[0]
        for path in MODULES
        for name, _ in imports(path)
        if under(name, "duckdb") or under(name, "pyspark")
    }
    assert drivers == {"engines"}


def test_heavy_modules_are_imported_where_they_are_used():
    early = [
        (path.relative_to(SRC).as_posix(), name)
        for path in MODULES
        for name, at_start in imports(path)
        if at_start and any(under(name, heavy) for heavy in LATE)
        if path.relative_to(SRC).parts[0] not in ("renderers", "engines")
    ]
    assert early == []


def test_the_command_line_computes_nothing():
    known = {name for name, _ in imports(SRC / "cli.py")}
    assert not any(under(name, heavy) for name in known for heavy in ("polars", "numpy", "duckdb"))


def test_library_code_prints_nothing():
    printing = [
        path.relative_to(SRC).as_posix()
        for path in MODULES
        if re.search(r"(?<![\w.])print\(", path.read_text(encoding="utf-8"))
    ]
    assert set(printing) <= {"console.py"}


def test_modules_are_small():
    long = {
        path.relative_to(SRC).as_posix(): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 350
    }
    assert long == {}


def test_every_command_is_run_by_something():
    assert set(COMMANDS) == set(RUN)
    assert set(ANALYSES) <= set(COMMANDS)


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("heading", "registry"),
    [("Commands", COMMANDS), ("Input formats", FORMATS), ("Profiles", PROFILES),
     ("Output forms", FORMS), ("Attributes", ATTRIBUTES)],
)  # fmt: skip
def test_the_readme_has_a_row_for_everything_in_a_registry(readme, heading, registry):
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ )", readme, re.MULTILINE | re.DOTALL)
    assert section, f"README has no section {heading}"
    rows = re.findall(r"^\| `([^`]+)`", section.group(1), re.MULTILINE)
    assert sorted(rows) == sorted(registry)


def test_ci_runs_the_test_command_of_the_readme(readme):
    command = re.search(r"```sh\n(python3 -m venv .*pytest)\n```", readme)
    assert command, "README has no test command"
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in command.group(1).split(" && "):
        essence = step.replace(" -q ", " ").split("#")[0].strip()
        words = [w for w in essence.split() if not w.startswith("-q")]
        assert all(word in ci for word in words), step


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> dict[str, set[str]]:
    """Return the names in a wheel, and those in a source distribution without its folder."""
    pytest.importorskip("hatchling")
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    folder = str(tmp_path_factory.mktemp("dist"))
    wheel = next(WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"]))
    sdist = next(SdistBuilder(str(ROOT)).build(directory=folder, versions=["standard"]))
    with tarfile.open(sdist) as files:
        sources = {name.partition("/")[2] for name in files.getnames()}
    return {"wheel": set(zipfile.ZipFile(wheel).namelist()), "sdist": sources}


def test_the_wheel_holds_every_file_of_the_package_and_every_query(shipped):
    package = {f"coleval/{p.relative_to(SRC).as_posix()}" for p in FILES}
    queries = {f"coleval/sql/{p.relative_to(ROOT / 'sql').as_posix()}"
               for p in (ROOT / "sql").rglob("*.sql")}  # fmt: skip
    assert package <= shipped["wheel"]
    assert {"coleval/py.typed", "coleval/render/assets/page.css"} <= package
    assert {name for name in shipped["wheel"] if name.endswith(".sql")} == queries


def test_the_source_distribution_holds_all_that_the_wheel_is_made_of(shipped):
    made_of = [*FILES, *(ROOT / "sql").rglob("*.sql")]
    assert {p.relative_to(ROOT).as_posix() for p in made_of} <= shipped["sdist"]
