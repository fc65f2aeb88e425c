"""How much systems err alike: what is hard for one is hard for all, or each has its own trouble."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from coleval.errors import UsageError

USUAL = 0.75


@dataclass(frozen=True, slots=True)
class Likeness:
    """How far items differ for all systems, how far for each by itself, and who errs the same way.

    ``lean`` is the share of mistakes on which two systems follow the same temptation.
    """

    shared: float = 0.85
    own: float = 0.33
    lean: float = USUAL


def likeness(alike: float = USUAL) -> Likeness:
    """Return the likeness from 0, everybody errs alone, to 1, the better one never errs alone.

    The spread of what a system meets is the same for all, and so are the scores, nearly.
    """
    if not 0 <= alike <= 1:
        raise UsageError(f"alike cannot be {alike}", remedy="a number from 0 to 1")
    usual = Likeness()
    if alike == USUAL:
        return usual
    whole = usual.shared**2 + usual.own**2
    # The usual value divides the whole as the usual likeness does; 0 and 1 give all to one side.
    odds = (usual.own / usual.shared) ** 2 * USUAL / (1 - USUAL)
    share = alike / (alike + (1 - alike) * odds)
    return Likeness(sqrt(whole * share), sqrt(whole * (1 - share)), alike)
