"""Mutations of the code itself: do tests notice when a comparison turns round or a number is one off?

``python -m tests.fuzz.mutate --each 12 --seed 1 [MODULE …]`` changes one thing at a time in the
modules of ``TESTS`` and runs the tests beside them; what they do not notice is printed as a diff. A
child is forked for each change, so that libraries are imported once.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "coleval"
# Modules by the tests that are about them, quick ones first.
TESTS: dict[str, tuple[str, ...]] = {
    "corpus/schemes.py": ("test_schemes.py", "test_schemes_sentences.py"),
    "kernels/bins.py": ("test_bins.py", "test_bins_properties.py"),
    "kernels/confusion.py": ("test_properties.py",),
    "kernels/transitions.py": ("test_changes.py", "test_changes_properties.py"),
    "kernels/pairs.py": ("test_python_pairs.py", "test_changes_properties.py", "test_oracle.py"),
    "kernels/ballots.py": ("test_oracle.py", "test_changes_properties.py", "test_audit.py"),
    "kernels/combining.py": ("test_oracle.py", "test_changes_properties.py", "test_oracle_groups.py"),
    "kernels/flips.py": ("test_minimal_pairs.py",),
    "kernels/patterns.py": ("test_items.py", "test_items_properties.py"),
    "kernels/agreement.py": ("test_agree.py", "test_agree_weighted.py"),
    "kernels/agreeing.py": ("test_agree.py", "test_agree_weighted.py"),
    "kernels/units.py": ("test_compare.py", "test_compare_properties.py", "test_exact_exchanges.py"),
    "kernels/buckets.py": ("test_buckets.py", "test_buckets_properties.py"),
    "kernels/chains.py": ("test_coref.py", "test_coref_properties.py"),
    "kernels/coref_classes.py": ("test_coref.py", "test_coref_properties.py", "test_coref_antecedents.py"),
    "kernels/span_slots.py": ("test_properties.py", "test_loading.py", "test_crowded.py"),
    "kernels/boundaries.py": ("test_errors.py", "test_errors_properties.py"),
    "kernels/assignment.py": ("test_corefud.py", "test_corefud_properties.py", "test_coref_properties.py"),
    "kernels/active_rows.py": ("test_bins_properties.py", "test_properties.py", "test_changes_properties.py"),
    "statistics/prf.py": ("test_ratio.py", "test_properties.py"),
    "statistics/change.py": ("test_changes.py", "test_changes_properties.py"),
    "statistics/correlation.py": ("test_measure.py", "test_buckets_properties.py", "test_items_published.py"),
    "statistics/paired.py": ("test_compare.py", "test_exact_exchanges.py", "test_tail_ends.py"),
    "statistics/exchanges.py": ("test_exact_exchanges.py", "test_compare.py"),
    "statistics/multiple.py": ("test_compare.py", "test_items_properties.py", "test_buckets.py"),
    "statistics/retrieval.py": ("test_measure.py", "test_measure_slides.py"),
    "statistics/thresholds.py": ("test_measure_trade_off.py",),
    "statistics/clustering.py": ("test_measure.py", "test_measure_slides.py"),
    "statistics/response.py": ("test_items.py", "test_items_properties.py"),
    "statistics/rasch.py": ("test_items.py", "test_items_properties.py"),
    "statistics/folds.py": ("test_folds.py",),
    "statistics/fair.py": ("test_errors.py", "test_errors_properties.py"),
    "statistics/agreement.py": ("test_agree.py", "test_agree_weighted.py"),
    "statistics/combination.py": ("test_oracle.py", "test_changes_properties.py"),
    "statistics/coref.py": ("test_coref.py", "test_coref_properties.py"),
    "statistics/resampling.py": ("test_compare_properties.py", "test_compare.py", "test_draws.py"),
    "statistics/breakdown.py": ("test_buckets.py", "test_buckets_properties.py", "test_buckets_gaps.py"),
    "loading/align/position.py": ("test_alignment.py", "test_loading.py", "test_stacked_tokens.py"),
    "loading/align/sentences.py": ("test_alignment.py",),
    "loading/align/words.py": ("test_alignment.py", "test_word_segmentation.py"),
    "loading/align/characters.py": ("test_alignment.py", "test_offsets_texts.py"),
    "loading/align/rows.py": ("test_alignment.py", "test_loading.py"),
    "loading/align/offsets.py": ("test_offsets.py", "test_offsets_oracle.py", "test_offsets_texts.py"),
    "loading/align/ids.py": ("test_reading_ids.py", "test_reading_pairs.py", "test_label_lists.py", "test_loading.py"),
}  # fmt: skip
# So many of the tests that call a function are run, and for so long.
MOST, SECONDS = 60, 12.0
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


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module another text."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = "coleval." + mutant.module.removesuffix(".py").replace("/", ".")

    def find_spec(self, name, _path=None, _target=None):
        if name != self.name:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(SRC / self.mutant.module))

    def exec_module(self, module) -> None:
        module.__file__ = str(SRC / self.mutant.module)
        exec(compile(self.mutant.text, module.__file__, "exec"), vars(module))  # noqa: S102


def survives(mutant: Mutant | None, tests: tuple[str, ...], seconds: float) -> str:
    """Run tests in a child with a changed module; return survived, killed or timeout."""
    child = os.fork()
    if child == 0:
        _child(mutant, tests)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if status == 0 else "killed"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def _child(mutant: Mutant | None, tests: tuple[str, ...]) -> None:
    os.setsid()
    code = 1
    try:
        os.chdir(ROOT)
        if mutant is not None:
            sys.meta_path.insert(0, _Mutated(mutant))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        import pytest

        paths = [name if "/" in name else f"tests/{name}" for name in tests]
        code = int(
            pytest.main(
                [
                    *paths,
                    "-x",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                    "-W",
                    "ignore::pytest.PytestAssertRewriteWarning",
                    f"--basetemp=/tmp/mutate.{os.getpid()}",
                ]
            )
        )
    finally:
        os._exit(code)


def main() -> int:
    """Print the survivors and a table by module."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutate", description=__doc__)
    parser.add_argument("module", nargs="*", help="some of the modules (default: all)")
    parser.add_argument("--each", type=int, default=10, help="so many changes of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=90, help="for the tests of one change")
    parser.add_argument("--hits", type=Path, help="what `python -m tests.fuzz.tracing` wrote")
    given = parser.parse_args()
    hits = json.loads(given.hits.read_text()) if given.hits else {}
    _imports()
    rows = []
    for module in given.module or TESTS:
        every = mutants(module)
        some = Random(f"{given.seed}/{module}").sample(every, min(given.each, len(every)))
        if not hits and survives(None, TESTS[module], given.seconds) != "survived":
            print(f"{module}: its tests fail as it is", flush=True)
            continue
        found = [(one, survives(one, _tests_of(one, hits), given.seconds)) for one in some]
        for one, fate in found:
            if fate == "survived":
                print(_difference(one), flush=True)
        left = sum(fate == "survived" for _, fate in found)
        rows.append((module, len(every), len(some), left))
        print(
            f"| {module} | {len(every)} | {len(some)} | {len(some) - left} | {left} |", flush=True
        )
    tried, left = sum(row[2] for row in rows), sum(row[3] for row in rows)
    print(f"| all | {sum(row[1] for row in rows)} | {tried} | {tried - left} | {left} |")
    return 0


def _tests_of(mutant: Mutant, hits: dict[str, list[list]]) -> tuple[str, ...]:
    """Return the quickest tests that call the changed function, else those of the module."""
    inside = []
    for key in hits:
        module, first, last = key.split(":")
        if module == mutant.module and int(first) <= mutant.line <= int(last):
            inside.append((int(last) - int(first), key))
    if not inside:
        return tuple(f"tests/{name}" for name in TESTS[mutant.module])
    some, seconds = [], 0.0
    for took, name in hits[min(inside)[1]]:
        if len(some) >= MOST or seconds > SECONDS:
            break
        some.append(name)
        seconds += took
    return tuple(some)


def _imports() -> None:
    """Import what all children need, but nothing that is changed."""
    for name in (
        "numpy",
        "polars",
        "pyarrow",
        "duckdb",
        "scipy.stats",
        "scipy.special",
        "hypothesis",
        "pytest",
        "rich.console",
        "sklearn.metrics",
        "seqeval.metrics",
        "statsmodels.api",
        "krippendorff",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _difference(mutant: Mutant) -> str:
    before = ast.unparse(ast.parse((SRC / mutant.module).read_text(encoding="utf-8"))).split("\n")
    lines = difflib.unified_diff(before, mutant.text.split("\n"), lineterm="", n=1)
    body = [line for line in lines if not line.startswith(("---", "+++"))]
    return "\n".join([f"SURVIVED {mutant.module}:{mutant.line} ({mutant.kind})", *body])


if __name__ == "__main__":
    sys.exit(main())
