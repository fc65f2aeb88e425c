"""Mutations of the code itself: do tests notice when a comparison turns round or a number is one off?

``python -m tests.fuzz.mutate --each 12 --seed 1 [MODULE …]`` changes one thing at a time in the
modules of ``TESTS`` and runs tests that call the changed function (found by running all of them
once); what they do not notice is printed as a diff. Tests are collected once: a child is forked
for each change, in which the code of the functions is exchanged.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import types
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Hits = dict[str, list[tuple[float, str]]]
ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "coleval"
# Modules by the tests that are about them, quick ones first.
TESTS: dict[str, tuple[str, ...]] = {
    "corpus/schemes.py": ("test_schemes.py", "test_schemes_sentences.py"),
    "kernels/bins.py": ("test_bins.py", "test_bins_properties.py"),
    "kernels/confusion.py": ("test_properties.py",),
    "kernels/transitions.py": ("test_changes.py", "test_changes_properties.py", "test_python_pairs.py", "test_oracle.py", "test_minimal_pairs.py", "test_errors.py", "test_errors_properties.py"),
    "kernels/ballots.py": ("test_oracle.py", "test_changes_properties.py", "test_audit.py"),
    "kernels/combining.py": ("test_oracle.py", "test_changes_properties.py", "test_oracle_groups.py"),
    "kernels/patterns.py": ("test_items.py", "test_items_properties.py"),
    "kernels/agreement.py": ("test_agree.py", "test_agree_weighted.py"),
    "kernels/active_rows.py": ("test_agree.py", "test_agree_weighted.py", "test_bins_properties.py", "test_properties.py", "test_changes_properties.py"),
    "kernels/units.py": ("test_compare.py", "test_compare_properties.py", "test_exact_exchanges.py"),
    "kernels/buckets.py": ("test_buckets.py", "test_buckets_properties.py"),
    "kernels/chains.py": ("test_coref.py", "test_coref_properties.py", "test_corefud.py", "test_corefud_properties.py"),
    "kernels/coref_classes.py": ("test_coref.py", "test_coref_properties.py", "test_coref_antecedents.py"),
    "kernels/span_slots.py": ("test_properties.py", "test_loading.py", "test_crowded.py"),
    "statistics/prf.py": ("test_ratio.py", "test_properties.py"),
    "statistics/change.py": ("test_changes.py", "test_changes_properties.py"),
    "statistics/classic.py": ("test_measure.py", "test_buckets_properties.py", "test_items_published.py", "test_measure_slides.py"),
    "statistics/paired.py": ("test_compare.py", "test_exact_exchanges.py", "test_tail_ends.py", "test_items_properties.py", "test_buckets.py"),
    "statistics/exchanges.py": ("test_exact_exchanges.py", "test_compare.py"),
    "statistics/retrieval.py": ("test_measure.py", "test_measure_slides.py", "test_measure_trade_off.py"),
    "statistics/response.py": ("test_items.py", "test_items_properties.py"),
    "statistics/blocks.py": ("test_folds.py",),
    "statistics/fair.py": ("test_errors.py", "test_errors_properties.py"),
    "statistics/agreement.py": ("test_agree.py", "test_agree_weighted.py"),
    "statistics/combination.py": ("test_oracle.py", "test_changes_properties.py"),
    "statistics/coref.py": ("test_coref.py", "test_coref_properties.py"),
    "statistics/resampling.py": ("test_compare_properties.py", "test_compare.py", "test_draws.py"),
    "statistics/breakdown.py": ("test_buckets.py", "test_buckets_properties.py", "test_buckets_gaps.py"),
    "loading/align/position.py": ("test_alignment.py", "test_loading.py", "test_stacked_tokens.py"),
    "loading/align/words.py": ("test_alignment.py", "test_word_segmentation.py"),
    "loading/align/characters.py": ("test_alignment.py", "test_offsets_texts.py"),
    "loading/align/rows.py": ("test_alignment.py", "test_loading.py"),
    "loading/align/offsets.py": ("test_offsets.py", "test_offsets_oracle.py", "test_offsets_texts.py"),
    "loading/align/records.py": ("test_reading_ids.py", "test_reading_pairs.py", "test_label_lists.py", "test_loading.py"),
}  # fmt: skip
# So many of the tests that call a function are run, and for so long.
MOST, SECONDS = 30, 3.0
_FLIPS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
          ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
          ast.NotIn: ast.In}  # fmt: skip
_SUMS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
         ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
         ast.Mod: ast.FloorDiv}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module after one change: what it was, on which line, and the new text."""

    module: str
    kind: str
    line: int
    text: str


def mutants(module: str) -> list[Mutant]:
    """Return all changes of a module, one by one."""
    source = (SRC / module).read_text(encoding="utf-8")
    tree = ast.parse(source)
    count = len(list(_sites(tree)))
    found = []
    for number in range(count):
        again = ast.parse(source)
        node, kind, change = list(_sites(again))[number]
        change()
        text = ast.unparse(ast.fix_missing_locations(again))
        found.append(Mutant(module, kind, getattr(node, "lineno", 0), text))
    return found


def _sites(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """Yield every place that can be changed, with what would change it."""
    for node in _code(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _FLIPS:
            yield node, "comparison", _setter(node.ops, 0, _FLIPS[type(node.ops[0])]())
        elif isinstance(node, ast.BoolOp):
            other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            yield node, "and/or", lambda n=node, o=other: setattr(n, "op", o)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
            yield (
                node,
                "not",
                lambda n=node: (
                    setattr(n, "op", ast.UAdd() if isinstance(n.op, ast.Invert) else ast.Not())
                    or _doubled(n)
                ),
            )
        elif isinstance(node, ast.BinOp) and type(node.op) in _SUMS and not _of_text(node):
            yield node, "arithmetic", lambda n=node: setattr(n, "op", _SUMS[type(n.op)]())
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, "constant", lambda n=node: setattr(n, "value", n.value + 1)
        elif isinstance(node, ast.Call) and len(node.args) > 1 and _apart(*node.args[:2]):
            yield node, "arguments", lambda n=node: n.args.insert(0, n.args.pop(1))


def _setter(where: list, at: int, value: ast.AST):
    return lambda: where.__setitem__(at, value)


def _doubled(node: ast.UnaryOp) -> None:
    """Drop a ``not``: two of them are none."""
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _of_text(node: ast.BinOp) -> bool:
    return any(isinstance(one, (ast.JoinedStr, ast.Constant)) and not isinstance(getattr(one, "value", 0), (int, float))
               for one in (node.left, node.right))  # fmt: skip


def _apart(one: ast.AST, other: ast.AST) -> bool:
    starred = isinstance(one, ast.Starred) or isinstance(other, ast.Starred)
    return not starred and ast.dump(one) != ast.dump(other)


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk what runs inside functions, without annotations, errors and their texts."""

    def walk(node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            return
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child)

    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield from walk(statement)


def exchange(mutant: Mutant) -> None:
    """Give the functions of a module the code of a changed one, wherever they were imported."""
    old = import_module("coleval." + mutant.module.removesuffix(".py").replace("/", "."))
    new = types.ModuleType(old.__name__)
    vars(new).update({k: v for k, v in vars(old).items() if k.startswith("__")})
    # Dataclasses look their module up while they are made.
    sys.modules[old.__name__] = new
    exec(compile(mutant.text, str(old.__file__), "exec"), vars(new))  # noqa: S102
    sys.modules[old.__name__] = old
    _exchange(vars(old), vars(new), old.__name__)


def _exchange(old: Mapping[str, Any], new: Mapping[str, Any], home: str) -> None:
    for name, value in new.items():
        ours, theirs = _function(old.get(name)), _function(value)
        if isinstance(value, type) and getattr(value, "__module__", "") == home:
            _exchange(vars(old[name]), vars(value), home)
        elif ours is not None and theirs is not None and theirs.__module__ == home:
            ours.__code__, ours.__defaults__ = theirs.__code__, theirs.__defaults__
            ours.__kwdefaults__ = theirs.__kwdefaults__


def _function(value: Any) -> types.FunctionType | None:
    """Return the function inside a property, a cached or a decorated one."""
    for name in ("fget", "func", "__func__", "__wrapped__"):
        value = getattr(value, name, value)
    return value if isinstance(value, types.FunctionType) else None


class Mutating:
    """A plugin of pytest that runs tests over and over, with one change at a time."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.rows: list[tuple[str, int, int, int]] = []
        self.items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        hits = json.loads(self.given.hits.read_text())
        sampled = {module: self._sample(module, hits) for module in self.given.module or TESTS}
        called = {
            name for _, some in sampled.values() for one in some for name in _chosen(one, hits)
        }
        items = {item.nodeid: item for item in session.items if item.nodeid in called}
        self.items = items if self.given.sure else _sound(items)
        for module, (every, some) in sampled.items():
            self._unchanged(module, some, hits)
            self._module(module, every, some, hits)
        tried, left = sum(row[2] for row in self.rows), sum(row[3] for row in self.rows)
        every = sum(row[1] for row in self.rows)
        print(f"| all | {every} | {tried} | {tried - left} | {left} |", flush=True)
        return True

    def _unchanged(self, module: str, some: list[Mutant], hits: Hits) -> None:
        """Raise if exchanging the code for itself is noticed: then nothing would survive."""
        text = ast.unparse(ast.parse((SRC / module).read_text(encoding="utf-8")))
        names = [name for one in some[:1] for name in _chosen(one, hits) if name in self.items]
        same = Mutant(module, "none", 0, text)
        fate = fate_of(same, [self.items[name] for name in names], self.given.seconds)
        assert fate == "survived", f"{module}: its own code is {fate}"

    def _sample(self, module: str, hits: Hits) -> tuple[int, list[Mutant]]:
        every = [one for one in mutants(module) if _key(one, hits) is not None]
        random = Random(f"{self.given.seed}/{module}")
        return len(every), random.sample(every, min(self.given.each, len(every)))

    def _module(self, module: str, every: int, some: list[Mutant], hits: Hits) -> None:
        left = 0
        for one in some:
            tests = [self.items[name] for name in _chosen(one, hits) if name in self.items]
            fate = fate_of(one, tests, self.given.seconds) if tests else "no tests"
            if fate == "survived":
                # The quickest tests may only pass by: those that are about the module have a say.
                slow = [self.items[name] for name in _about(one, hits) if name in self.items]
                # Slow tests may not have come to their end: that says nothing about the change.
                late = fate_of(one, slow, self.given.seconds) if slow else fate
                fate = "killed" if late == "killed" else fate
            if fate != "killed":
                print(f"{fate.upper()} {_difference(one)}", flush=True)
            left += fate in ("survived", "no tests")
        self.rows.append((module, every, len(some), left))
        print(f"| {module} | {every} | {len(some)} | {len(some) - left} | {left} |", flush=True)


def _sound(items: dict[str, pytest.Item]) -> dict[str, pytest.Item]:
    """Return the tests that pass in a child without any change: the others would say nothing."""
    with tempfile.NamedTemporaryFile("r") as said:
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with Path(said.name).open("w") as into:
                for name, item in items.items():
                    if not _fails(item):
                        into.write(f"{name}\n")
                        into.flush()
            os._exit(0)
        os.waitpid(child, 0)
        passed = said.read().splitlines()
    print(f"{len(passed)} of {len(items)} tests pass as it is", flush=True)
    return {name: items[name] for name in passed}


def fate_of(mutant: Mutant | None, tests: list[pytest.Item], seconds: float) -> str:
    """Run tests in a child with changed code until one fails; return what became of the change."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            if mutant is not None:
                exchange(mutant)
            code = int(any(_fails(test) for test in tests))
        finally:
            os._exit(code)
    end = time.monotonic() + 10 * seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "killed" if code > 0 else "timeout"
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _fails(test: pytest.Item) -> bool:
    from _pytest.runner import runtestprotocol

    reports = runtestprotocol(test, nextitem=None, log=False)
    return any(report.failed for report in reports)


def _key(mutant: Mutant, hits: Hits) -> str | None:
    """Return the innermost function that tests call and the change is in."""
    found = []
    for key in hits:
        module, first, last = key.split(":")
        if module == mutant.module and int(first) <= mutant.line <= int(last):
            found.append((int(last) - int(first), key))
    return min(found)[1] if found else None


def _chosen(mutant: Mutant, hits: Hits) -> list[str]:
    """Return the quickest tests that call the changed function."""
    key = _key(mutant, hits)
    some, seconds = [], 0.0
    for took, name in hits[key] if key else ():
        if len(some) >= MOST or seconds > SECONDS:
            break
        some.append(name)
        seconds += took
    return some


def _about(mutant: Mutant, hits: Hits) -> list[str]:
    """Return the tests of the module's own files that call the changed function, slow ones too."""
    key, files = _key(mutant, hits), TESTS[mutant.module]
    quick = set(_chosen(mutant, hits))
    every = [name for _, name in hits[key]] if key else []
    return [n for n in every if n not in quick and n.split("::")[0].split("/")[-1] in files]


def main() -> int:
    """Print the survivors and a table by module."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutate", description=__doc__)
    parser.add_argument("module", nargs="*", help="some of the modules (default: all)")
    parser.add_argument("--each", type=int, default=10, help="so many changes of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=60, help="of the processor, for one change"
    )
    parser.add_argument("--hits", type=Path, required=True, help="what `tests.fuzz.tracing` wrote")
    parser.add_argument("--sure", action="store_true", help="all tests are known to pass")
    given = parser.parse_args()
    os.chdir(ROOT)
    # What fails need not be made small, and a change must not be noticed by chance alone.
    settings.register_profile(
        "mutate", phases=(Phase.explicit, Phase.generate), database=None, derandomize=True
    )
    settings.load_profile("mutate")
    hits = json.loads(given.hits.read_text())
    files = sorted({name.split("::")[0] for found in hits.values() for _, name in found})
    code = pytest.main([*files, "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
                        "-W", "ignore::pytest.PytestAssertRewriteWarning", f"--basetemp=/tmp/mutate.{os.getpid()}"], plugins=[Mutating(given)])  # fmt: skip
    return int(code)


def _difference(mutant: Mutant) -> str:
    before = ast.unparse(ast.parse((SRC / mutant.module).read_text(encoding="utf-8"))).split("\n")
    lines = difflib.unified_diff(before, mutant.text.split("\n"), lineterm="", n=1)
    body = [line for line in lines if not line.startswith(("---", "+++"))]
    return "\n".join([f"{mutant.module}:{mutant.line} ({mutant.kind})", *body])


if __name__ == "__main__":
    sys.exit(main())
