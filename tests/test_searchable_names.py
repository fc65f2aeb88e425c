"""A name in the code can be searched for: one class has it, and it is that of the language page."""

from __future__ import annotations

import ast
import tokenize
from collections import defaultdict
from functools import cache
from pathlib import Path
from token import NAME

import pytest

SRC = Path(__file__).parents[1] / "src" / "coleval"
# What every analysis declares under one name, so that it is found there.
DECLARED = {"Options"}


@cache
def names(path: Path) -> frozenset[str]:
    """Return the names that the code of a module uses."""
    with path.open("rb") as file:
        return frozenset(t.string for t in tokenize.tokenize(file.readline) if t.type == NAME)


def test_no_two_classes_have_one_name():
    places = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path.relative_to(SRC).as_posix())
    twice = {n: where for n, where in places.items() if len(where) > 1 and n not in DECLARED}
    assert twice == {}


@pytest.mark.parametrize(
    "name",
    ["filler", "told_of", "retold", "heads_told", "_Told", "Later", "Known", "Fresh", "Forms"],
)
def test_names_that_were_riddles_are_gone(name):
    found = [path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py") if name in names(path)]
    # What a renderer's forms are called is said where they are registered.
    assert [path for path in found if path != "render/files.py"] == []


def test_the_table_of_attributes_says_what_each_applies_to():
    from coleval.analyses.registries import listed

    assert "applies_to" in listed("attributes").table().columns
