"""Every analysis against its plain loops: the Hypothesis tests of this folder's parent, for longer.

A case runs one of them with a seed of its own, over as many examples as CI takes.
"""

from __future__ import annotations

import inspect
import itertools
from importlib import import_module
from typing import TYPE_CHECKING, Any
from unittest import mock

from hypothesis import HealthCheck, settings

from fuzz.model import Harness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

# Modules whose tests compare with loops, or say what may not change a number.
MODULES = (
    "test_properties", "test_bins_properties", "test_changes_properties", "test_compare_properties",
    "test_errors_properties", "test_items_properties", "test_buckets_properties", "test_coref_properties",
    "test_schemes", "test_schemes_sentences", "test_alignment", "test_exact_exchanges", "test_ratio",
    "test_measure", "test_agree", "test_agree_weighted", "test_folds", "test_pivot", "test_expressions",
    "test_tree_relations", "test_tree_paths", "test_tree_attributes", "test_word_segmentation", "test_slices",
    "test_oracle_groups", "test_minimal_pairs", "test_means", "test_train_overlap", "test_folding",
)  # fmt: skip


def _tests(module: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the Hypothesis tests of a module, with each set of their parameters."""
    for test in vars(import_module(module)).values():
        if not hasattr(test, "hypothesis"):
            continue
        marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
        choices = [list(_parameters(*mark.args)) for mark in marks]
        needed = set(inspect.signature(test).parameters)
        for some in itertools.product(*choices):
            given = {name: value for one in some for name, value in one.items()}
            if needed == set(given):
                yield test, given


def _parameters(names: Any, values: Any) -> Iterator[dict[str, Any]]:
    keys = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    for value in values:
        own = getattr(value, "values", value) if type(value).__name__ == "ParameterSet" else value
        if len(keys) == 1 and type(value).__name__ != "ParameterSet":
            own = (own,)
        yield dict(zip(keys, own, strict=True))


def _case(random: Random, _: Path) -> None:
    found: list[Any] = []
    while not found:
        found = list(_tests(random.choice(MODULES)))
    test, given = random.choice(found)
    own = settings(
        max_examples=random.choice((5, 20)), deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    with (
        mock.patch.object(test, "_hypothesis_internal_use_settings", own),
        mock.patch.object(
            test, "_hypothesis_internal_use_seed", random.getrandbits(32), create=True
        ),
    ):
        test(**given)


HARNESSES = (
    Harness(
        "oracles",
        "analyses against plain loops: the Hypothesis tests, for longer",
        _case,
        in_ci=1,
        seconds=120,
    ),
)
