"""What is made late, is made by one module: once or anew, and never for its name alone."""

from __future__ import annotations

import ast
import gc
import json
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.corpus.lazy import LazyColumn, LazyMapping, Memo, Once, maker_of

SRC = Path(__file__).parents[1] / "src" / "coleval"
OTHERS = {
    "corpus/coding.py",  # numbers labels: the number depends on what came before
    # Counts and stops while it is filled; a frame more for each step of its recursion would reach
    # Python's limit.
    "loading/readers/conllu_edges.py",
}


def caching(tree: ast.AST) -> list[int]:
    """Return the lines that read ``if key not in self.values: self.values[key] = made``."""
    lines = []
    for node in (found for found in ast.walk(tree) if isinstance(found, ast.If)):
        if not (isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.NotIn)):
            continue
        values = ast.unparse(node.test.comparators[0])
        for inner in (found for part in node.body for found in ast.walk(part)):
            targets = inner.targets if isinstance(inner, ast.Assign) else []
            kept = any(ast.unparse(t).startswith(f"{values}[") for t in targets)
            # A flag that something was done is no value that was made.
            if kept and values.startswith("self.") and ast.unparse(inner.value) != "()":
                lines.append(node.lineno)
    return lines


def test_no_other_module_keeps_what_it_made_in_a_dict_of_its_own():
    found = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if caching(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == {"corpus/lazy.py"} | OTHERS


def test_no_other_class_of_the_library_is_a_mapping_of_makers():
    found = {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).startswith("Mapping[") for base in node.bases)
        and any(isinstance(a, ast.AnnAssign) and "Callable[" in ast.unparse(a.annotation)
                for a in node.body)
    }  # fmt: skip
    assert found == {"corpus/lazy.py"}


def counting(made: list[str], name: str):
    def make() -> str:
        made.append(name)
        return name.upper()

    return make


def test_a_lazy_mapping_makes_what_is_looked_at_and_keeps_it():
    made: list[str] = []
    things = LazyMapping({name: counting(made, name) for name in "ab"})
    assert (list(things), len(things), "a" in things, made) == (["a", "b"], 2, True, [])
    assert (things["b"], things["b"], made) == ("B", "B", ["b"])


def test_a_lazy_mapping_that_keeps_nothing_makes_anew():
    made: list[str] = []
    things = LazyMapping({"a": counting(made, "a")}, keep=False)
    assert (things["a"], things["a"], made) == ("A", "A", ["a", "a"])


def test_a_memo_makes_the_value_of_a_key_once():
    made: list[str] = []
    memo = Memo()
    assert [memo.get(("a", 1), counting(made, "a")) for _ in range(2)] == ["A", "A"]
    assert memo.get(("a", 2), counting(made, "b")) == "B"
    assert made == ["a", "b"]


def test_rows_of_a_lazy_column_are_chosen_before_anything_is_made():
    asked: list[object] = []

    def make(rows: np.ndarray | None) -> pl.Series:
        asked.append(rows)
        return pl.Series(["a", "b", "c", "d"])[[0, 1, 2, 3] if rows is None else rows.tolist()]

    column = LazyColumn(make).at(np.array([3, 1, 0])).at(np.array([2, 0]))
    assert asked == []
    assert column().to_list() == ["a", "d"]
    assert LazyColumn(make)().to_list() == ["a", "b", "c", "d"]


def test_rows_of_a_column_that_is_made_whole_are_taken_from_it():
    column = LazyColumn.of_whole(maker_of(pl.Series(["a", "b", "c"])))
    assert column.at(np.array([2, 2]))().to_list() == ["c", "c"]
    assert column().to_list() == ["a", "b", "c"]


# What a cold command does without: each of these took longer to import than it is of use there.
_NOT_TO_READ = (
    "coleval.loading.readers", "coleval.loading.align", "coleval.loading.tasks.layers",
    "coleval.store.parts", "coleval.corpus.joined",
    "rich.console", "pandas",
)  # fmt: skip
_WITHOUT = {
    "report": (*_NOT_TO_READ, "duckdb", "pyarrow", "scipy.stats"),
    "sql": (*_NOT_TO_READ, "scipy",
            "coleval.render.page", "numpy.random"),
}  # fmt: skip
_LOADED = """
import json, sys
from coleval.cli.main import main
main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump(sorted(sys.modules), file)
"""


@pytest.fixture(scope="module")
def small_store(tmp_path_factory):
    """Return a store of two systems and some documents, over which tests are counted."""
    folder = tmp_path_factory.mktemp("cold")
    rng = np.random.default_rng(3)
    lines = {name: [] for name in ("gold", "one", "two")}
    for _ in range(6):
        for found in lines.values():
            tags = np.where(rng.random(20) < 0.4, "B-PER", "O")
            found.extend(["-DOCSTART-\tO", "", *(f"w{k}\t{tag}" for k, tag in enumerate(tags)), ""])
    for name, found in lines.items():
        (folder / f"{name}.conll").write_text("\n".join(found) + "\n", encoding="utf-8")
    systems = {name: str(folder / f"{name}.conll") for name in ("one", "two")}
    return coleval.load(str(folder / "gold.conll"), systems, task="span").save(folder / "store")


@pytest.mark.parametrize("command", _WITHOUT)
def test_a_cold_command_on_a_store_imports_only_what_it_uses(command, small_store, tmp_path):
    more, form = (["hardest-labels", "--as", "csv"], "csv") if command == "sql" else ([], "json")
    words = [command, str(small_store), *more, "--quiet", "-o", str(tmp_path / f"found.{form}")]
    told = tmp_path / "modules.json"
    done = subprocess.run([sys.executable, "-c", _LOADED, str(told), *words],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = json.loads(told.read_text(encoding="utf-8"))
    unused = _WITHOUT[command]
    assert [n for n in loaded if n in unused or n.startswith("coleval.loading.readers.")] == []
    own = [name for name in loaded if name.startswith("coleval")]
    assert len(own) < {"report": 300, "sql": 190}[command]


def test_one_thing_is_made_once_and_what_it_was_made_of_goes():
    whole = np.arange(9)
    gone = weakref.ref(whole)
    once = Once(partial(np.sum, whole))
    del whole
    assert gone() is not None
    with ThreadPoolExecutor(4) as pool:
        assert {int(one.result()) for one in [pool.submit(once) for _ in range(20)]} == {36}
    gc.collect()
    assert gone() is None


def test_what_could_not_be_made_is_tried_again():
    tried = []

    def make():
        tried.append(1)
        return 1 // (len(tried) - 1)

    once = Once(make)
    with pytest.raises(ZeroDivisionError):
        once()
    assert (once(), once(), len(tried)) == (1, 1, 2)


@pytest.mark.parametrize("made", [False, True])
def test_a_thing_that_is_made_once_can_be_sent(made):
    once = Once(partial(sum, [1, 2]))
    if made:
        once()
    assert pickle.loads(pickle.dumps(once))() == 3  # noqa: S301
