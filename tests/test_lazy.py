"""What is made late, is made by one module: once or anew, and never for its name alone."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import polars as pl

from coleval.corpus.lazy import LazyColumn, LazyMapping, Memo, maker_of

SRC = Path(__file__).parents[1] / "src" / "coleval"
OTHERS = {
    "corpus/coding.py",  # numbers labels: the number depends on what came before
    # Counts and stops while it is filled; a frame more for each step of its recursion would reach
    # Python's limit.
    "loading/readers/conllu_paths.py",
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
