"""Answers to the parsing task: heads and relations beside tags, made from the same text.

Every chain of heads leads towards the root of its sentence, in gold and in all systems, so that
there are no cycles. Trees may cross, as real ones do at times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.demo import tags
from coleval.demo.chance import TREES, Codes, Places, Reals, stream
from coleval.demo.language import RELATIONS, TAGS
from coleval.demo.teams import mind, team

if TYPE_CHECKING:
    from coleval.demo.likeness import Likeness
    from coleval.demo.tags import Tokens
    from coleval.demo.text import DemoText

LABELS = ("root", *dict.fromkeys(name for pair in RELATIONS.values() for name in pair))
_NEAR = 0.55


@dataclass(frozen=True, slots=True)
class Parse:
    """Columns by token: the head, from 1 within the sentence (0: the root), relation and tag."""

    head: Places
    relation: Codes
    tag: Codes


@dataclass(frozen=True, slots=True)
class DemoTrees:
    """What all systems have in common; ``root`` and ``at`` are places in the sentence, from 0."""

    words: Tokens
    gold: Parse
    root: Places
    at: Places
    difficulty: Reals
    lean: Reals


def trees(text: DemoText, seed: int, alike: Likeness) -> DemoTrees:
    """Return gold's trees, and what makes each word hard to attach: far heads above all."""
    words = tags.tokens(text, seed, alike)
    rng, n = stream(seed, TREES), len(text.word)
    first = np.flatnonzero(text.opens)
    size = np.diff(np.append(first, n))
    at = np.arange(n, dtype=np.int32) - np.repeat(first, size).astype(np.int32)
    root = np.repeat((rng.random(len(first)) * size).astype(np.int32), size)
    step = rng.geometric(_NEAR, n)
    head = _towards(at, root, step)
    relation = _relations(words.gold, head, rng.random(n) < 0.3)
    odd = np.where(rng.random(n, np.float32) < 0.02, 5.0, 0.0)
    drawn = alike.shared * rng.standard_normal(n, np.float32) + odd
    difficulty = (0.35 * np.minimum(np.abs(head - 1 - at), 6) - 1.2 + drawn).astype(np.float32)
    gold = Parse(head, relation, words.gold)
    return DemoTrees(words, gold, root, at, difficulty, rng.random((2, n), np.float32))


def answers(items: DemoTrees, number: int, seed: int, alike: Likeness) -> Parse:
    """Return the heads, relations and tags a system gives to all tokens."""
    tag = tags.answers(items.words, number, seed, alike)
    noise, (far, other) = mind(items.lean, number, seed, alike)
    skill = 0.3 + 0.5 * team(number, seed).skill
    wrong = noise + skill < items.difficulty
    moved = _towards(items.at, items.root, 1 + (6 * far).astype(np.int32))
    head = np.where(wrong & (items.gold.head > 0), moved, items.gold.head)
    unsure = wrong & (other < 0.5) | (tag != items.gold.tag)
    relation = np.where(unsure, _relations(tag, head, other < 0.25), items.gold.relation)
    return Parse(head.astype(np.int32), relation.astype(np.uint8), tag)


def _towards(at: Places, root: Places, step: np.ndarray) -> Places:
    """Return the heads so many steps nearer to the root, which itself has head 0."""
    right, left = np.minimum(at + step, root), np.maximum(at - step, root)
    place = np.where(at < root, right, left)
    return np.where(at == root, 0, place + 1).astype(np.int32)


def _relations(tag: Codes, head: Places, second: np.ndarray) -> Codes:
    """Return a relation that its tag makes likely; the word without a head is the root."""
    table = np.array([[LABELS.index(name) for name in RELATIONS[name_]] for name_ in TAGS])
    chosen = table[tag, second.astype(np.intp)]
    return np.where(head == 0, 0, chosen).astype(np.uint8)
