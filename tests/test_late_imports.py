"""``late_imports``: modules stand there until somebody looks at what is in them."""

import subprocess
import sys

import pytest

from coleval.late_imports import LATE

WAYS = {
    "subprocess": ("subprocess.PIPE", "from subprocess import Popen, PIPE; Popen and PIPE"),
    "pickle": ("pickle.loads(pickle.dumps([1]))", "from pickle import Pickler; Pickler"),
    "uuid": ("uuid.uuid4()", "from uuid import UUID; UUID"),
    "importlib.metadata": (
        "importlib.metadata.version('numpy')",
        "from importlib.metadata import version; version('numpy')",
    ),
}


def run(*lines: str) -> str:
    """Return what a new Python prints."""
    code = "\n".join(["import sys", "from coleval.late_imports import import_late", *lines])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_there_is_a_way_for_each_module():
    assert WAYS.keys() == {*LATE}


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("way", [0, 1])
def test_a_module_is_imported_when_somebody_looks_at_what_is_in_it(name, way):
    parts = f"import {name}\nbefore = type(sys.modules[{name!r}]).__name__"
    after = f"print(before, type(sys.modules[{name!r}]).__name__, sys.modules[{name!r}].__name__)"
    assert run("import_late()", parts, WAYS[name][way], after) == f"_LateModule module {name}"


def test_a_module_that_is_there_stays_as_it_is():
    told = run("import pickle", "import_late()", "print(type(pickle).__name__)")
    assert told == "module"


def test_what_is_not_in_a_module_is_not_there():
    told = run("import_late()", "import uuid", "print(hasattr(uuid, 'nothing_of_the_kind'))")
    assert told == "False"


def test_threads_that_look_at_once_see_one_module():
    told = run(
        "import_late()",
        "import subprocess",
        "from threading import Barrier, Thread",
        "barrier, found = Barrier(8), []",
        "look = lambda: (barrier.wait(), found.append(subprocess.Popen))",
        "threads = [Thread(target=look) for _ in range(8)]",
        "[t.start() for t in threads], [t.join() for t in threads]",
        "print(len(found), len({*found}), found[0] is sys.modules['subprocess'].Popen)",
    )
    assert told == "8 1 True"


def test_a_report_needs_none_of_them(tmp_path):
    gold = tmp_path / "gold.conll"
    gold.write_text("a B-X\nb O\n\nc B-Y\n", encoding="utf-8")
    command = [
        "report",
        str(gold),
        f"one={gold}",
        f"two={gold}",
        "--quiet",
        "-o",
        str(tmp_path / "r.json"),
    ]
    told = run(
        "import coleval.__main__ as main",
        f"sys.argv = ['coleval', *{command!r}]",
        f"told = lambda code: print(code, [type(sys.modules[n]).__name__ for n in {LATE!r}])",
        "main._leave = told",
        "main.run()",
    )
    assert told == f"0 {['_LateModule'] * len(LATE)}"
