"""Who takes part in the made-up shared task: names, how good they are, how they tend to err."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.demo.chance import ANSWERS, TEAM, Reals, stream

if TYPE_CHECKING:
    from coleval.demo.likeness import Likeness


@dataclass(frozen=True, slots=True)
class Team:
    """One system.

    ``skill`` is on the scale of the items' difficulty. ``wrong`` weighs its ways to err on a span:
    missed, wrong label, wrong boundary, both. ``eager`` is how easily it sees spans where there
    are none, ``stray`` the share of its spans that begin with I-. A twin repeats another system's
    answers but for a few.
    """

    name: str
    skill: float
    wrong: tuple[float, float, float, float] = (4, 3, 3, 1)
    eager: float = 0.0
    stray: float = 0.0
    twin: int | None = None


_MISSES, _LABELS, _BOUNDS = (7.0, 2.0, 2.0, 0.5), (2.0, 6.0, 2.0, 1.0), (2.0, 2.0, 6.0, 1.0)

_KNOWN = (
    Team("baseline", 0.54, _MISSES, eager=-0.3),
    Team("crf", 0.80),
    Team("bilstm-softmax", 0.95, _BOUNDS, eager=0.2, stray=0.012),
    Team("bert-base", 1.35),
    Team("bert-base-seed2", 1.35, twin=3),
    Team("llm-zero-shot", 0.9, _BOUNDS, eager=0.9, stray=0.004),
    Team("roberta-large", 1.75, _LABELS, eager=-0.2),
    Team("deberta-v3", 1.9, eager=-0.4),
    Team("gazetteer", 0.76, _LABELS, eager=0.5),
    Team("flair", 1.20, _MISSES),
    Team("xlm-r", 1.45, _LABELS, eager=0.1),
    Team("llm-few-shot", 1.30, _BOUNDS, eager=0.4, stray=0.001),
)


def team(number: int, seed: int) -> Team:
    """Return the system of that number: a dozen well-known ones first, then runs of teams."""
    if number < len(_KNOWN):
        return _KNOWN[number]
    group, run = divmod(number - len(_KNOWN), 3)
    name = f"team-{group + 1:02d}.run{run + 1}"
    made = _made_up(name, group, seed)
    if run == 1 and group % 2 == 0:
        return replace(made, name=name, twin=number - 1)
    return replace(made, name=name, skill=made.skill - 0.12 * run)


def mind(shared: Reals, number: int, seed: int, alike: Likeness) -> tuple[Reals, Reals]:
    """Return a system's noise per item, and its leanings, most of them shared by all.

    A twin has its model's, but for one item in twelve.
    """
    rng = stream(seed, ANSWERS, number, 0)
    noise: Reals = rng.standard_normal((shared.shape[1],), np.float32)
    noise *= np.float32(alike.own)
    own = rng.random(shared.shape, np.float32)
    lean = np.where(rng.random(shared.shape, np.float32) < alike.lean, shared, own)
    model = team(number, seed).twin
    if model is None:
        return noise, lean
    apart = rng.random(shared.shape[1], np.float32) < 1 / 12
    model_noise, model_lean = mind(shared, model, seed, alike)
    return np.where(apart, noise, model_noise), np.where(apart, lean, model_lean)


def _made_up(name: str, group: int, seed: int) -> Team:
    rng = stream(seed, TEAM, group)
    return Team(
        name,
        skill=float(rng.uniform(0.85, 1.8)),
        wrong=((4.0, 3.0, 3.0, 1.0), _MISSES, _LABELS, _BOUNDS)[rng.integers(4)],
        eager=float(rng.normal(0, 0.3)),
        stray=0.006 if rng.random() < 0.15 else 0.0,
    )
