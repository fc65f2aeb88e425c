"""``examples``: items in their sentences, with what gold has and who says what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.contexts import PLACE
from coleval.analyses.examples.answering import Answering
from coleval.analyses.examples.chosen import Choice, chosen, solved_by
from coleval.analyses.judging import judged
from coleval.annotate.text import after, before, text_of
from coleval.errors import unknown

if TYPE_CHECKING:
    from coleval.analyses.examples.chosen import Example
    from coleval.analyses.examples.spec import Options
    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

# Words that are shown on either side of an item.
WORDS = 12
_ANSWERS: dict[str, Any] = {
    "rank": pl.Int64, "answer": pl.String, "right": pl.Boolean, "n": pl.Int64,
    "systems": pl.List(pl.String),
}  # fmt: skip


def examples(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return the tables ``examples`` and ``answers``."""
    known = judged(corpus)
    solved = solved_by(known)
    choice = Choice(corpus, known, solved, _pair(known, options), options.limit)
    found = chosen(choice)
    rows, classes = [example.row for example in found], corpus.task_kind.mentions
    answering = Answering(known, rows, beyond=_beyond(corpus), classes=classes)
    return {
        "examples": _placed(corpus, choice, found, answering),
        "answers": pl.DataFrame(
            [
                (rank, answer.text, answer.right, len(answer.systems), answer.systems)
                for rank, _ in enumerate(found, start=1)
                for answer in answering.of(rank - 1)
            ],
            schema=_ANSWERS,
            orient="row",
        ),
    }


def _beyond(corpus: Corpus) -> str:
    """Return what may be wrong where the label is right."""
    return "another head" if corpus.task_kind.trees else ""


def _pair(known: Judged, options: Options) -> tuple[str, ...]:
    """Return the two systems that are compared: those named, else those that solve most."""
    systems = known.systems
    if options.pair:
        for name in options.pair[0]:
            if name not in systems:
                raise unknown("system", name, systems, where="--pair")
        return tuple(options.pair[0])
    gold = known.items.gold
    right = {s: int(((known.items.answers[s] == gold) & (gold != 0)).sum()) for s in systems}
    return tuple(sorted(systems, key=lambda name: -right[name])[:2])


def _placed(
    corpus: Corpus, choice: Choice, found: list[Example], answering: Answering
) -> pl.DataFrame:
    """Return where each item is, the words around it, gold's answer, and how many solve it."""
    rows = np.array([example.row for example in found], np.intp)
    items = choice.known.items.where(rows)
    solved = choice.solved[rows]
    there = [items.context[name] for name in PLACE if name in items.context.columns]
    return pl.DataFrame([
        pl.Series("rank", np.arange(1, len(rows) + 1, dtype=np.int64)),
        pl.Series("kind", [example.kind for example in found], dtype=pl.String),
        pl.Series("about", [example.about for example in found], dtype=pl.String),
        pl.Series("item", items.numbers.astype(np.int64)),
        *there,
        *_sides(corpus, items),
        pl.Series("gold", answering.gold, dtype=pl.String),
        pl.Series("difficulty", [None if n < 0 else int(n) for n in solved], dtype=pl.Int64),
        pl.Series("of", np.full(len(rows), len(choice.known.systems), np.int64)),
    ])  # fmt: skip


def _sides(corpus: Corpus, items: Items) -> list[pl.Series]:
    """Return the words before each item, the item, the words behind it, where there is text."""
    form = items.form() if items.has_form else None
    named = items.context["id"] if form is None and "id" in items.context.columns else form
    if named is None:
        named = pl.Series("form", [None] * len(items), dtype=pl.String)
    own = [named.cast(pl.String).rename("form")]
    placed = {"position", "end"} & set(items.context.columns)
    text = text_of(corpus) if placed and "sentence" in items.context.columns else None
    if text is None or not len(items):
        return own
    left, right = before(items, text, WORDS), after(items, text, WORDS)
    return [left.rename("left"), *own, right.rename("right")]
