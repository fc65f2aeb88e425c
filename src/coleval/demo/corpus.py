"""The made-up shared task as one value: text, gold, and every system's answers as codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from coleval.demo import spans, tags
from coleval.demo.chance import Codes, Places
from coleval.demo.teams import team
from coleval.demo.text import Text, text
from coleval.demo.words import vocabulary
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    import polars as pl

TASKS = ("span", "tag")


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """Columns by token; codes count into ``labels``. Sentences and documents count from 0."""

    task: str
    form: pl.Series
    sentence: Places
    document: Places
    labels: tuple[str, ...]
    gold: Codes
    systems: Mapping[str, Codes]

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.form)


def generate(
    *, tokens: int = 100_000, systems: int = 8, seed: int = 0, task: str = "span"
) -> DemoCorpus:
    """Return a made-up shared task: entities in IOB2 (``span``) or parts of speech (``tag``)."""
    _check(tokens, systems, seed, task)
    words = text(vocabulary(seed), tokens, seed)
    labels, gold, answers = (_span_task if task == "span" else _tag_task)(words, seed)
    return DemoCorpus(
        task,
        words.vocabulary.form.gather(words.word).rename("form"),
        words.sentence,
        words.document,
        labels,
        gold,
        {team(number, seed).name: answers(number) for number in range(systems)},
    )


_Task: TypeAlias = tuple[tuple[str, ...], Codes, Callable[[int], Codes]]


def _span_task(words: Text, seed: int) -> _Task:
    items = spans.spans(words, seed)
    return spans.LABELS, spans.gold(words), lambda number: spans.answers(items, number, seed)


def _tag_task(words: Text, seed: int) -> _Task:
    items = tags.tokens(words, seed)
    return tags.LABELS, items.gold, lambda number: tags.answers(items, number, seed)


def _check(tokens: int, systems: int, seed: int, task: str) -> None:
    if task not in TASKS:
        raise unknown("demo task", task, TASKS)
    for name, value, least in (("tokens", tokens, 1), ("systems", systems, 1), ("seed", seed, 0)):
        if value < least:
            raise UsageError(f"{name} cannot be {value}", remedy=f"ask for {least} or more")
