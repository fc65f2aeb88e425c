"""The walls between rooms, read from the imports; and the files that must tell the truth."""

from __future__ import annotations

import ast
import re
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from coleval.analyses.registry import ANALYSES
from coleval.annotate.attributes import ATTRIBUTES
from coleval.cli.commands import RUN
from coleval.cli.overview import COMMANDS
from coleval.corpus.profiles import PROFILES
from coleval.loading.readers.formats import FORMATS
from coleval.render import FORMS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "coleval"
MODULES = sorted(SRC.rglob("*.py"))
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", ".ci/run")]
TEXTS += sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.[mp][dy]")])
FILES = sorted(p for p in SRC.rglob("*") if p.is_file() and p.suffix != ".pyc")

# The rooms from the ground up, each with what it may import: rooms below it, or modules of theirs.
# ``errors``, ``plugins`` and ``version`` are for all. Imports within functions count as well.
ROOMS = {
    "declare": (),
    "statistics": (),
    "corpus": ("declare",),
    "counts": ("corpus", "statistics.draws", "statistics.pairwise"),
    "loading.readers": ("corpus.schemes", "corpus.selection", "corpus.problems",
                        "corpus.statuses", "corpus.paths", "corpus.plain_names",
                        "corpus.sorting"),
    "loading.align": ("corpus", "loading.readers"),
    "loading.tasks": ("corpus", "counts", "loading.readers", "loading.align"),
    "loading": ("declare", "corpus", "loading.readers", "loading.tasks"),
    "store": ("corpus", "loading"),
    "metrics": ("declare", "corpus", "counts", "statistics"),
    "annotate": ("corpus", "counts", "statistics.ratio"),
    "query": ("corpus", "annotate"),
    "render": ("declare", "corpus"),
    "analyses": ("declare", "corpus", "loading.tasks", "annotate", "counts", "query", "metrics",
                 "statistics", "render.sheet", "render.columns", "render.listing", "render.wide",
                 "render.fitting", "render.halves", "render.heads", "render.marks",
                 "render.triangle", "render.visible"),
    "demo": ("corpus",),
    "bench": ("corpus", "loading"),
    "cli": ("declare", "corpus", "loading", "store", "query", "render", "analyses", "demo",
            "bench"),
}  # fmt: skip
BASE = ("errors", "plugins", "version")
# The doors for answers in memory: `coleval.score`, `coleval.seqeval`.
DOORS = ("answers", "seqeval")
OUTERMOST = ("__init__", "__main__", *DOORS, *BASE)

# Who may look up at a room above it, and why. A line that is not needed any more fails a test.
KEPT = {
    ("corpus.corpus", "analyses"): "the registry of analyses is what a corpus can be asked",
    ("corpus.corpus", "loading"): "a method of Corpus passes on what it is asked, when it is",
    ("corpus.corpus", "loading.tasks"): "which items count is asked of the task, when it is known",
    ("corpus.corpus", "metrics"): "the name of a metric is checked by their registry",
    ("corpus.corpus", "query"): "a method of Corpus passes on what it is asked, when it is",
    ("corpus.corpus", "store"): "a method of Corpus passes on what it is asked, when it is",
    ("corpus.items", "annotate"): "a column that is asked for by name is made on first use",
    ("corpus.report", "render"): "a method of Report draws it, when it is asked to",
    ("corpus.tasks.coref", "counts"): "a task names its functions in other rooms",
    ("corpus.views", "render"): "names of strangers are made visible in one place",
    ("declare.analysis", "analyses"): "a declaration is run when its method is called",
    ("declare.describing", "analyses"): "the error of a misspelt option names who has it",
    ("declare.describing", "corpus"): "the error of a misspelt option names what load has",
    ("declare.wording", "cli"): "the names of options are those of the command line",
    ("analyses.registries", "loading.readers"): "the table of formats lists the readers' registry",
    ("loading.readers.addresses", "query"): "a table of a database is read by what knows SQL",
    ("loading.distant", "counts"): "a frame of Spark is looked at by what knows Spark",
    ("store.loading_apart", "counts"): "the workers of a session read the files",
    ("store.opening", "counts"): "a session that is given counts the store, once it is open",
    ("store.views", "query"): "a store has views for other programs, which a database holds",
    ("render.database", "query"): "a database is written by what knows SQL",
    ("render.database", "analyses"): "what a table is for is declared by its analysis",
    ("render.views", "analyses"): "how a table is read is declared by its analysis",
}
# Modules from outside that are for some rooms only.
ONLY_IN = {
    "duckdb": {"query", "counts"},
    "pyspark": {"counts"},
    "rich": {"render", "cli"},
    "scipy": {"statistics", "counts", "analyses"},
}
# Modules from outside that a room does without, and what it would do with them.
NOT_IN = {
    ("cli", "polars"): "compute", ("cli", "numpy"): "compute", ("cli", "pyarrow"): "compute",
    ("render", "numpy"): "compute", ("declare", "numpy"): "compute",
    ("declare", "polars"): "compute",
    ("statistics", "pathlib"): "see files", ("statistics", "os"): "see files",
    ("statistics", "io"): "see files",
}  # fmt: skip
HEAVY = {"scipy", "pyarrow", "rich", "duckdb", "pyspark", "altair"}
# What draws for a terminal is imported when a terminal is drawn for.
EARLY = {("render.console", "rich"), ("render.drawing", "rich"), ("render.visible", "rich")}


def named(path: Path) -> str:
    """Return the dotted name of a module or a package, without ``coleval``."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def room_of(module: str) -> str:
    """Return the room a module is in, the innermost one; nothing for what is in none."""
    inside = [room for room in ROOMS if under(module, room)]
    return max(inside, key=len, default="")


def under(name: str, wall: str) -> bool:
    return name == wall or name.startswith(f"{wall}.")


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
            names = [_module(f"{node.module}.{a.name}", node.module) for a in node.names]
        found += [(name, id(node) in top) for name in names]
    return tuple(found)


def _module(name: str, package: str) -> str:
    """Return ``name`` if it is a module of ours, else the module that holds it."""
    place = SRC.parent / Path(*name.split("."))
    return name if place.is_dir() or place.with_suffix(".py").is_file() else package


def own(room: str) -> list[Path]:
    return [path for path in MODULES if room_of(named(path)) == room]


def crossings(room: str) -> set[tuple[str, str]]:
    """Return (module, room) for every import that leaves a room for one it may not look into."""
    return {
        (named(path), room_of(target))
        for path in own(room)
        for name, _ in imports(path)
        if under(name, "coleval") and (target := name.partition(".")[2])
        if room_of(target) != room
        if not any(under(target, wall) for wall in (*ROOMS[room], *BASE))
    }


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_looks_into_another_but_those_it_stands_on(room):
    assert crossings(room) - set(KEPT) == set()


def test_every_exception_is_needed():
    crossed = set().union(*map(crossings, ROOMS))
    assert set(KEPT) - crossed == set()


def test_rooms_stand_on_one_another_without_a_circle():
    order = list(ROOMS)
    for room, below in ROOMS.items():
        for name in below:
            assert order.index(room_of(name)) < order.index(room), (room, name)


@pytest.mark.parametrize("name", BASE)
def test_what_all_rooms_stand_on_imports_none_of_them_to_begin_with(name):
    early = [module for module, at_start in imports(SRC / f"{name}.py") if at_start]
    assert [module for module in early if under(module, "coleval")] == []


def test_every_room_is_listed_and_nothing_lies_loose():
    entries = {path.name for path in SRC.iterdir() if path.name != "__pycache__"}
    rooms = {room.partition(".")[0] for room in ROOMS}
    assert entries == rooms | {f"{name}.py" for name in OUTERMOST} | {"py.typed"}
    inner = {
        f"loading.{p.name}" for p in (SRC / "loading").iterdir() if (p / "__init__.py").exists()
    }
    assert inner == {room for room in ROOMS if room.startswith("loading.")}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_it_leaves_to_others(room):
    source = (SRC / Path(*room.split(".")) / "__init__.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    assert len(docstring.split()) > 12
    assert re.search(r"\bleaves?\b", docstring)


@pytest.mark.parametrize("path", [p for p in MODULES if p.name == "__init__.py"], ids=named)
def test_every_package_has_a_docstring(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert re.search(r"\w{3}", docstring)


@pytest.mark.parametrize("driver", ONLY_IN)
def test_a_module_from_outside_is_known_to_the_rooms_that_need_it(driver):
    rooms = {
        room_of(named(path)) for path in MODULES for name, _ in imports(path) if under(name, driver)
    }
    assert rooms <= ONLY_IN[driver]


@pytest.mark.parametrize(("room", "module"), NOT_IN, ids=map("-".join, NOT_IN))
def test_a_room_does_without_what_it_has_no_use_for(room, module):
    known = [named(path) for path in own(room) for name, _ in imports(path) if under(name, module)]
    assert known == [], f"{room} does not {NOT_IN[room, module]}"


def test_readers_and_tasks_see_no_sql():
    paths = [path for path in MODULES if under(named(path), "loading")]
    assert [named(p) for p in paths if ".sql(" in p.read_text(encoding="utf-8")] == []


def test_heavy_modules_are_imported_where_they_are_used():
    early = {
        (named(path), heavy)
        for path in MODULES
        for name, at_start in imports(path)
        for heavy in HEAVY
        if at_start and under(name, heavy)
    }
    assert early == EARLY


def test_library_code_prints_nothing():
    printing = [
        path.relative_to(SRC).as_posix()
        for path in MODULES
        if re.search(r"(?<![\w.])print\(", path.read_text(encoding="utf-8"))
    ]
    assert set(printing) <= {"cli/console.py"}


def test_modules_are_small():
    long = {
        path.relative_to(SRC).as_posix(): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert long == {}


def test_every_command_is_run_by_something():
    assert set(COMMANDS) == set(RUN)
    assert set(ANALYSES) <= set(COMMANDS)


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "heading", "registry"),
    [("docs/formats.md", "Input formats", FORMATS),
     ("docs/profiles.md", "Profiles", PROFILES), ("docs/output.md", "Output forms", FORMS),
     ("docs/buckets.md", "Attributes", ATTRIBUTES)],
)  # fmt: skip
def test_the_docs_have_a_row_for_everything_in_a_registry(page, heading, registry):
    text = (ROOT / page).read_text(encoding="utf-8")
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"{page} has no section {heading}"
    rows = re.findall(r"^\| `([^`]+)`", section.group(1), re.MULTILINE)
    assert sorted(rows) == sorted(registry)


def test_contributing_has_a_row_for_every_room():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Where things live")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w/]+)/`", section, re.MULTILINE)
    assert sorted(rows) == sorted([*(room.replace(".", "/") for room in ROOMS), "sql"])


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_place_that_a_text_names_is_there(path):
    text = path.read_text(encoding="utf-8")
    if path.name == "CONTRIBUTING.md":
        # What its worked examples add is not there: tests/test_contributing.py adds it to a copy.
        added = r"^New file `.*$|^```(?:python|text|markdown|sql)\n(?:.*\n)*?```$"
        text = re.sub(added, "", text, flags=re.MULTILINE)
    # What lies in benchmarks/data is made there by a run.
    files = re.findall(r"`([\w<>/]+\.(?:py|sql|css|js|md))`", text)
    folders = re.findall(
        r"\b((?:src/coleval|tests|benchmarks(?!/data)|docs|sql)/[\w/-]*\w(?:\.\w+)?)", text
    )
    rooms = re.findall(r"`([\w/]+)/`", text) if path.name == "CONTRIBUTING.md" else []
    modules = re.findall(r"\bcoleval((?:\.\w+)+)", text)
    assert [name for name in (*files, *folders, *rooms) if not _is_there(path, name)] == []
    assert [name for name in modules if not _is_part(name)] == []


def _is_there(text: Path, name: str) -> bool:
    pattern = re.sub("<[^>]*>", "*", name)
    return any(any(place.glob(pattern)) for place in (ROOT, SRC, text.parent))


def _is_part(name: str) -> bool:
    """Return whether a dotted name that begins as a room does is there."""
    if not (SRC / name.split(".")[1]).is_dir():
        return True
    try:
        resolve_name(f"coleval{name}")
    except (ImportError, AttributeError):
        return False
    return True


def test_ci_runs_the_test_command_of_the_readme(readme):
    command = re.search(r"```sh\n(python3 -m venv .*pytest.*)\n```", readme)
    assert command, "README has no test command"
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in command.group(1).split(" && "):
        essence = step.replace(" -q ", " ").split("#")[0].strip()
        words = [w for w in essence.split() if not w.startswith("-q")]
        assert all(word in ci for word in words), step


def test_one_line_of_the_readme_clones_and_one_sets_up_and_shows_the_demo(readme):
    clone, run = readme.split("```sh\n")[1].split("```")[0].splitlines()
    assert clone.startswith("git clone https://github.com/coleval/coleval && cd coleval ")
    assert re.match(r"python3 -m venv .venv && .* pip install .* && coleval demo ", run)


def test_no_page_is_linked_twice_in_the_readme_s_list_of_pages(readme):
    list_of_pages = readme.split("## Documentation")[1].split("\n## ")[0]
    pages = re.findall(r"\[[^\]]+\]\((\S+)\)", list_of_pages)
    assert sorted(set(pages)) == sorted(pages)


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


def test_the_source_distribution_holds_what_the_wheel_is_made_of_and_what_tests_read(shipped):
    made_of = [*FILES, *(ROOT / "sql").rglob("*.sql"), *TEXTS]
    assert {p.relative_to(ROOT).as_posix() for p in made_of} <= shipped["sdist"]
