"""Which tests call which functions: what ``tests.fuzz.mutate`` chooses its tests by.

``python -m tests.fuzz.tracing HITS.json tests/test_bins.py …`` runs tests and writes, for every
function of the modules that are changed, the tests that call it, quick ones first. Leave out files
that compute while they are collected: threads do not live on in a forked child.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.mutate import ROOT, SRC, TESTS

_HIT = "_coleval_function_was_called"
_LATE = "ignore::pytest.PytestAssertRewriteWarning"


class _Traced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads modules with a call at the beginning of every function."""

    def __init__(self) -> None:
        self.modules = {"coleval." + name[:-3].replace("/", "."): name for name in TESTS}

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        if name not in self.modules:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(SRC / self.modules[name]))

    def exec_module(self, module: Any) -> None:
        name = self.modules[module.__name__]
        tree = ast.parse((SRC / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                said = f"{_HIT}({f'{name}:{node.lineno}:{node.end_lineno}'!r})"
                first = 1 if ast.get_docstring(node) else 0
                node.body.insert(first, ast.parse(said).body[0])
        module.__file__ = str(SRC / name)
        code = compile(ast.fix_missing_locations(tree), module.__file__, "exec")
        exec(code, vars(module))  # noqa: S102


class _Tests:
    """Notes which test runs, how long it takes, and what it calls."""

    def __init__(self) -> None:
        self.current: str | None = None
        self.hits: dict[str, set[str]] = {}
        self.seconds: dict[str, float] = {}

    def hit(self, function: str) -> None:
        if self.current:
            self.hits.setdefault(function, set()).add(self.current)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.current = nodeid

    def pytest_runtest_logfinish(self) -> None:
        self.current = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def main() -> int:
    """Run tests and write what they call."""
    into, *files = sys.argv[1:]
    os.chdir(ROOT)
    tests = _Tests()
    setattr(builtins, _HIT, tests.hit)
    sys.meta_path.insert(0, _Traced())
    code = pytest.main([*files, "-q", "-p", "no:cacheprovider", "-W", _LATE], plugins=[tests])
    found = {
        function: sorted((round(tests.seconds.get(name, 9.0), 3), name) for name in names)
        for function, names in tests.hits.items()
    }
    Path(into).write_text(json.dumps(found), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
