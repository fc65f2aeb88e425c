"""What a harness is, and what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

Case = Callable[[Random, Path], None]


@dataclass(frozen=True, slots=True)
class Harness:
    """A way of making cases that must hold.

    ``case`` makes one in an empty folder and raises if it does not hold. ``in_ci`` of them are run
    by the test suite (none of what takes long). A case that takes more than ``seconds`` hangs.
    """

    name: str
    about: str
    case: Case
    in_ci: int = 5
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that did not hold, and how to have it again."""

    harness: str
    seed: int
    number: int
    error: str
    trace: str

    @property
    def again(self) -> str:
        """Return the command that runs this case alone."""
        return f"python -m tests.fuzz --only {self.harness} --seed {self.seed} --case {self.number}"


class HungError(AssertionError):
    """A case took longer than its harness allows."""
