"""Answers to the tag task: words of two kinds, rare words and capitals are what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.demo.chance import ITEMS, Codes, Reals, pick_by_row, stream
from coleval.demo.language import TAGS, TAKEN_FOR
from coleval.demo.teams import mind, team

if TYPE_CHECKING:
    from coleval.demo.likeness import Likeness
    from coleval.demo.text import DemoText

LABELS = TAGS


@dataclass(frozen=True, slots=True)
class Tokens:
    """What all systems have in common: the right tag, how hard it is, which it invites."""

    gold: Codes
    lure: Codes
    difficulty: Reals
    lean: Reals


def tokens(text: DemoText, seed: int, alike: Likeness) -> Tokens:
    """Return gold and what makes each token hard; a word of two kinds is of the other at times."""
    rng = stream(seed, ITEMS)
    words, word, n = text.vocabulary, text.word, len(text.word)
    turned = words.ambiguous[word] & (rng.random(n, np.float32) < 0.3)
    gold = np.where(turned, words.other[word], words.tag[word])
    lure = np.where(turned, words.tag[word], words.other[word])
    seen = np.bincount(word, minlength=len(words.form))
    rare = 1 - np.log1p(seen) / np.log1p(seen.max(initial=1))
    known = (0.9 * rare + 0.9 * words.ambiguous - 1.75)[word] + 0.7 * turned
    odd = np.where(rng.random(n, np.float32) < 0.01, 5.0, 0.0)
    drawn = alike.shared * rng.standard_normal(n, np.float32) + odd
    lean = rng.random((1, n), np.float32)
    return Tokens(gold, lure, (known + drawn).astype(np.float32), lean)


def answers(items: Tokens, number: int, seed: int, alike: Likeness) -> Codes:
    """Return the tags a system gives to all tokens."""
    noise, (lean,) = mind(items.lean, number, seed, alike)
    wrong = np.flatnonzero(noise + (0.5 + 0.35 * team(number, seed).skill) < items.difficulty)
    gold, lean = items.gold[wrong], lean[wrong]
    other = pick_by_row(_confusion(), gold, lean / np.float32(0.4) % 1)
    answer = items.gold.copy()
    tempted = (lean < 0.6) & (items.lure[wrong] != gold)
    answer[wrong] = np.where(tempted, items.lure[wrong], other)
    return answer


def _confusion() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    weight = np.full((len(TAGS), len(TAGS)), 0.01)
    for row, tag in enumerate(TAGS):
        for place, name in enumerate(TAKEN_FOR[tag]):
            weight[row, TAGS.index(name)] = 0.5**place
    np.fill_diagonal(weight, 0)
    return weight
