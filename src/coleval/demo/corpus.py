"""The made-up shared task as one value: text, gold, and every system's answers as codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from coleval.demo import spans, tags, trees
from coleval.demo.chance import Codes, Places
from coleval.demo.likeness import USUAL, likeness
from coleval.demo.teams import team
from coleval.demo.text import DemoText, text
from coleval.demo.words import vocabulary
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    import polars as pl

    from coleval.demo.likeness import Likeness
    from coleval.demo.trees import Parse

TASKS = ("span", "tag", "dep")


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """Columns by token; codes count into ``labels``. Sentences and documents count from 0.

    ``parses`` are of the task ``dep`` alone, gold's under the empty name.
    """

    task: str
    form: pl.Series
    sentence: Places
    document: Places
    labels: tuple[str, ...]
    gold: Codes
    systems: Mapping[str, Codes]
    parses: Mapping[str, Parse] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.form)


def generate(
    *,
    tokens: int = 100_000,
    systems: int = 8,
    seed: int = 0,
    task: str = "span",
    alike: float = USUAL,
) -> DemoCorpus:
    """Return a made-up shared task: entities in IOB2, parts of speech (``tag``), trees (``dep``).

    ``alike`` from 0 to 1 is how much systems err on the same items and in the same way.
    """
    _check(tokens, systems, seed, task)
    words, kind = text(vocabulary(seed), tokens, seed), likeness(alike)
    names = [team(number, seed).name for number in range(systems)]
    form = words.vocabulary.form.gather(words.word).rename("form")
    columns = (task, form, words.sentence, words.document)
    if task == "dep":
        return _parsed(columns, words, names, seed, kind)
    labels, gold, answers = _LABELLED[task](words, seed, kind)
    return DemoCorpus(*columns, labels, gold, {n: answers(k) for k, n in enumerate(names)})


_Task: TypeAlias = tuple[tuple[str, ...], Codes, Callable[[int], Codes]]
_Columns: TypeAlias = "tuple[str, pl.Series, Places, Places]"


def _span_task(words: DemoText, seed: int, kind: Likeness) -> _Task:
    items = spans.spans(words, seed, kind)
    return spans.LABELS, spans.gold(words), lambda number: spans.answers(items, number, seed, kind)


def _tag_task(words: DemoText, seed: int, kind: Likeness) -> _Task:
    items = tags.tokens(words, seed, kind)
    return tags.LABELS, items.gold, lambda number: tags.answers(items, number, seed, kind)


_LABELLED = {"span": _span_task, "tag": _tag_task}


def _parsed(
    columns: _Columns, words: DemoText, names: list[str], seed: int, kind: Likeness
) -> DemoCorpus:
    items = trees.trees(words, seed, kind)
    found = {name: trees.answers(items, k, seed, kind) for k, name in enumerate(names)}
    relations = {name: parse.relation for name, parse in found.items()}
    gold = items.gold
    return DemoCorpus(*columns, trees.LABELS, gold.relation, relations, {"": gold, **found})


def _check(tokens: int, systems: int, seed: int, task: str) -> None:
    if task not in TASKS:
        raise unknown("demo task", task, TASKS)
    for name, value, least in (("tokens", tokens, 1), ("systems", systems, 1), ("seed", seed, 0)):
        if value < least:
            raise UsageError(f"{name} cannot be {value}", remedy=f"use {least} or more")
