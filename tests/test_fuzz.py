"""A few cases of every harness of ``tests/fuzz``; ``python -m tests.fuzz`` runs more."""

from __future__ import annotations

import pytest

from fuzz.model import Harness
from fuzz.registry import harnesses
from fuzz.running import finding_of, findings_of


@pytest.mark.parametrize("name", [name for name, one in harnesses().items() if one.in_ci])
def test_nothing_is_found(name: str) -> None:
    one = harnesses()[name]
    found = findings_of(one, 0, one.in_ci)
    assert not found, f"{found[0].again}\n{found[0].trace}"


def test_a_case_that_fails_is_found_with_the_way_to_have_it_again() -> None:
    def wrong(random, folder):
        raise ValueError(f"{random.random() < 2}")

    found = finding_of(Harness("wrong", "", wrong), 3, 5)
    assert found is not None
    assert found.error == "ValueError: True"
    assert found.again == "python -m tests.fuzz --only wrong --seed 3 --case 5"


def test_a_case_that_hangs_is_found() -> None:
    def endless(random, folder):
        while True:
            pass

    found = finding_of(Harness("endless", "", endless, seconds=0.05), 0, 0)
    assert found is not None
    assert found.error.startswith("HungError")
