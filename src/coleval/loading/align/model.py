"""What aligning a system with gold comes to, whatever the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.loading.align.characters import Characters


@dataclass(frozen=True, slots=True)
class Alignment:
    """How well a system's tokens are gold's; ``differ`` numbers the tokens with other strings.

    Where the system has tokens of its own, ``match`` has the gold token of each, -1 for none,
    ``home`` the gold sentence each stands in, and ``characters`` say where that is; else its k-th
    token is gold's k-th.
    """

    differ: NDArray[np.intp]
    breaks_differ: int
    problems: tuple[Problem, ...]
    match: NDArray[np.integer] | None = None
    home: NDArray[np.integer] | None = None
    characters: Characters | None = None

    @property
    def forms_differ(self) -> int:
        """Return how many tokens have another string than gold's."""
        return len(self.differ)


IDENTICAL = Alignment(np.empty(0, np.intp), 0, ())
