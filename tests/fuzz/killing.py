"""Loads that are killed, or fail, at one of their file-system calls.

Whatever the call: the store is the old one or the new one, its numbers are equal, and the next load
makes the new one and leaves nothing else. Calls are those of Python; a file that may not grow is
an error of native libraries too.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coleval
from coleval.cli.main import main
from coleval.store.validating import validate_store
from fuzz.model import Harness

if TYPE_CHECKING:
    from random import Random

GOLD = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
GERMAN = "Ute\tB-PER\nliest\tO\n\nUlm\tB-ORG\n"
RUNS = {
    "a": "Ann\tO\nsees\tO\nRome\tB-LOC\n",
    "b": "Ann\tB-PER\nsees\tB-X\nRome\tO\n",
    "c": "Ann\tB-LOC\nsees\tO\nRome\tB-LOC\n",
}
TASK = ("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")
# A call that ends the process, fails, or no file that may be larger.
WAYS = ("kill", "kill", "ENOSPC", "EIO", "full")
SIZES = (0, 60, 300, 700, 1_500, 4_000, 12_000, 50_000, 300_000)


@dataclass(frozen=True, slots=True)
class Load:
    """A load that changes a store: the commands that made the store before, and the one it is."""

    before: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    later: dict[str, str] = field(default_factory=dict)


def _load(*names: str) -> tuple[str, ...]:
    return ("load", "gold.conll", *(f"{name}.conll" for name in names), "-o", "st", "--quiet")


_GRID = ("load", *TASK, "-o", "st", "--quiet")
LOADS = {
    "new": Load((), _load("a", "b")),
    "adding": Load((_load("a"),), _load("b")),
    "replacing": Load((_load("a", "b"),), _load("b"), {"b.conll": RUNS["c"]}),
    "fresh": Load((_load("a", "b"),), (*_load("c"), "--fresh")),
    "training": Load((_load("a"),), (*_load("b"), "--fresh", "--train", "gold.conll")),
    "new task": Load((), _GRID),
    "new system of a task": Load(
        (_GRID,), _GRID, {"runs/c/en.conll": RUNS["c"], "runs/c/de.conll": GERMAN}
    ),
    "new dataset": Load(
        (_GRID,), _GRID,
        {f"{folder}/fr.conll": GERMAN for folder in ("gold", "runs/a", "runs/b")},
    ),
    "changed run": Load((_GRID,), _GRID, {"runs/b/de.conll": GERMAN.replace("ORG", "LOC")}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """A load made ready: its folder, what the old store and the new one say, how many files."""

    folder: Path
    old: dict[str, Any] | None
    new: dict[str, Any]
    files: frozenset[str]
    calls: int


def quietly(command: tuple[str, ...]) -> int:
    """Run a command in this process without a word."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return main(list(command))


def said_by(store: Path) -> dict[str, Any] | None:
    """Return what a store says, None if there is none."""
    if not store.exists():
        return None
    corpus = coleval.open(store)
    corpus = corpus.chosen(sorted(corpus.systems)).with_options(missing="wrong")
    reports = (corpus.score(), corpus.confusion(), corpus.score(unit="token"))
    tables = {f"{k}{n}": t.rows() for k, r in enumerate(reports) for n, t in r.tables.items()}
    return {**tables, "training": corpus.training is not None}


def files_in(folder: Path) -> frozenset[str]:
    """Return the files below a folder, without the numbers that columns and segments have."""
    every = (str(path.relative_to(folder)) for path in folder.rglob("*"))
    return frozenset(name for name in every if ".parquet" not in name)


@cache
def _root() -> Path:
    """Return where stages are kept for as long as this process lives."""
    root = Path(tempfile.mkdtemp(prefix="fuzz.stages."))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


@cache
def stage(name: str) -> Stage:
    """Make a load ready: do it once, unharmed, to know what comes out."""
    load, folder = LOADS[name], _root() / name.replace(" ", "-")
    folder.mkdir()
    texts = {"gold.conll": GOLD, **{f"{one}.conll": text for one, text in RUNS.items()}}
    texts |= {"gold/en.conll": GOLD, "gold/de.conll": GERMAN}
    texts |= {f"runs/{one}/en.conll": RUNS[one] for one in "ab"}
    texts |= {f"runs/{one}/de.conll": GERMAN for one in "ab"}
    _put(folder, texts)
    here = Path.cwd()
    os.chdir(folder)
    try:
        for command in load.before:
            assert quietly(command) == 0
        old = said_by(Path("st"))
        _put(folder, load.later)
    finally:
        os.chdir(here)
    scratch = _root() / f"{folder.name}-once"
    shutil.copytree(folder, scratch)
    code, calls, text = in_child(load.command, scratch, 0, "kill")
    assert code == 0, text
    return Stage(folder, old, said_by(scratch / "st") or {}, files_in(scratch), calls)


def _put(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@cache
def server() -> subprocess.Popen[str]:
    """Return the process that forks for every command."""
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("child.py"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def in_child(command: tuple[str, ...], folder: Path, due: int, how: str) -> tuple[int, int, str]:
    """Run a command that ends at a call; return its exit code, its calls and what it said."""
    beside = folder.with_name(f"{folder.name}.beside")
    (beside / "tmp").mkdir(parents=True)
    names = {name: str(beside / name) for name in ("said", "counter", "tmp")}
    job = {"command": command, "folder": str(folder), "due": due, "how": how, **names}
    child = server()
    assert child.stdin is not None
    assert child.stdout is not None
    print(json.dumps(job), file=child.stdin, flush=True)
    code = int(child.stdout.readline())
    calls = int((beside / "counter").read_text() or 0)
    left = [path.name for path in (beside / "tmp").iterdir()]
    assert how == "kill" or not left, f"temporary files are left: {left}"
    return code, calls, (beside / "said").read_text()


def check(ready: Stage, folder: Path, code: int, text: str, how: str) -> None:
    """Raise unless a store is the old one or the new one, and the next load makes the new one."""
    assert "Traceback" not in text, text
    found = said_by(folder / "st")
    if how == "kill":
        assert code in (-9, 0), (code, text)
        assert found in (ready.old, ready.new), "neither the old store nor the new one"
    else:
        assert code == 0 or "error: " in text, (code, text)
        assert found == ready.new if code == 0 else found in (ready.old, ready.new), text
    here = Path.cwd()
    os.chdir(folder)
    try:
        command = next(load.command for name, load in LOADS.items() if _is(ready, name))
        assert quietly(command) == 0, "the next load fails"
        report = validate_store(Path("st"), lambda _: None)
    finally:
        os.chdir(here)
    assert said_by(folder / "st") == ready.new, "the next load does not make the new store"
    assert not report["problems"].height, report["problems"].rows()
    more = files_in(folder) - ready.files
    assert not more, f"left beside the store: {sorted(more)}"
    assert not [one for one in folder.rglob(".*") if one.name != ".beside"]


def _is(ready: Stage, name: str) -> bool:
    return ready.folder.name == name.replace(" ", "-")


def _calls(random: Random, folder: Path) -> None:
    name, how = random.choice(list(LOADS)), random.choice(WAYS)
    ready = stage(name)
    place = folder / "here"
    shutil.copytree(ready.folder, place)
    due = random.choice(SIZES) if how == "full" else random.randint(1, ready.calls)
    code, _, text = in_child(LOADS[name].command, place, due, how)
    try:
        check(ready, place, code, text, how)
    except BaseException as error:
        error.add_note(f"{name}: {how} at call {due} of {ready.calls}")
        raise


HARNESSES = (
    Harness("kill", "loads that end at a call, or fail there", _calls, in_ci=3, seconds=60),
)
