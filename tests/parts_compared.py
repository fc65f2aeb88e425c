"""A corpus counted in parts, each of which is passed on as bytes, beside the same counted whole."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from polars.testing import assert_frame_equal

import coleval
from coleval.corpus.spread import spread_over

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

# What every task can be asked, with options that take other ways.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("score", {}), ("score", {"by": "dataset"}), ("score", {"where": "difficulty < 2"}),
    ("bins", {}), ("confusion", {}), ("agree", {}), ("changes", {}), ("oracle", {}),
    ("oracle", {"by": "dataset"}), ("compare", {"replicates": 200}),
    ("compare", {"replicates": 200, "by": "dataset"}),
    ("pivot", {"rows": "difficulty", "cols": "dataset"}), ("buckets", {}), ("errors", {}),
)  # fmt: skip


class Passed:
    """Runs work in this process on what was packed and unpacked, the last part first."""

    ordered = True

    def run(self, work: Any, parts: Any, add: Any) -> list[Any]:
        found = {k: _again(_again(work)(_again(part))) for k, part in reversed([*enumerate(parts)])}
        results = [found[k] for k in range(len(parts))]
        if add is None:
            return results
        half = len(results) // 2
        return [_again(add)(some) for some in (results[:half], results[half:]) if some]


def _again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


def in_parts(store: Path, rows: int) -> Corpus:
    """Return the corpus of a store that is counted in parts of so many items."""
    corpus = coleval.open(store)
    assert corpus.source is not None
    return spread_over(corpus, Passed(), corpus.source.parts(rows))


def outcome(corpus: Corpus, call: str, options: Mapping[str, Any]) -> Report | str:
    """Return a report, or the error that there is instead of one."""
    try:
        report: Report = getattr(corpus, call)(**options)
    except coleval.ColevalError as error:
        return str(error)
    return report


def differences(one: Report | str, other: Report | str) -> list[str]:
    """Return the tables in which two reports differ."""
    if isinstance(one, str) or isinstance(other, str):
        return [] if one == other else [f"{one} / {other}"]
    found = [] if one.signature.replace("|engine:spark", "") == other.signature.replace(
        "|engine:spark", "") else [f"signature {one.signature} / {other.signature}"]  # fmt: skip
    found += [] if one.warnings == other.warnings else [f"{one.warnings} / {other.warnings}"]
    found += [] if list(one.tables) == list(other.tables) else ["names of tables"]
    for name in one.tables:
        try:
            # A mean over items is that of their sums, which are taken in another order.
            assert_frame_equal(one.tables[name], other.tables[name], rel_tol=1e-12, abs_tol=1e-12)
        except AssertionError as error:
            found.append(f"{name}: {error}")
    return found
