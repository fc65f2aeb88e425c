"""The README's kinds of questions, each against one count(*) group-by over the same two columns.

    python benchmarks/queries.py                               # 10M tokens × 24 systems
    python benchmarks/queries.py --tokens 20000 --systems 3    # does the harness still run?

The questions that come with coleval (`coleval sql STORE NAME`) are whole processes, each beside a
process in which DuckDB counts two Parquet columns of that store; the worst is row 30.

Every other question is a query or a pivot on an opened store. Both sides find the columns they name
there already; "cold" is what the first question after opening takes, which makes them.
One answer is checked against numpy's before any time is told.
"""
# ruff: noqa: S608  - the names in these queries are those of systems that we generated

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import coleval
from coleval.query import shipped
from foundation import compiled
from loaded import stored
from measure import LEAST, Target, command, in_turn, least, main, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

BOUND = 20.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in SQL or as the options of a pivot, and the two columns of the yardstick."""

    name: str
    columns: tuple[str, str]
    sql: str = ""
    pivot: tuple[tuple[str, str], ...] = ()
    view: str = "item"


def questions(a: str, b: str) -> tuple[Question, ...]:
    """Return the questions about two systems, whose columns are quoted in SQL."""
    one, out, next_ = (f'"{name}"' for name in (a, f"outcome_{a}", f"outcome_{b}"))
    return (
        Question("hardest labels", ("difficulty", "gold"),
                 "select gold, count(*) n, avg(difficulty) d from item group by gold order by d"),
        Question("what nobody finds", ("difficulty", "gold"),
                 "select gold, count(*) n from item where difficulty = 0 group by gold order by n"),
        Question("who is alone right", ("difficulty", f"outcome_{a}"),
                 f"select count(*) from item where difficulty = 1 and {out} = 'correct'"),
        Question("changes by label", (f"outcome_{a}", f"outcome_{b}"),
                 f"select gold, count(*) n from item where {out} <> 'correct' and "
                 f"{next_} = 'correct' group by gold order by n desc"),
        Question("errors by form", ("gold", "form"),
                 f"select form, count(*) n from item where {one} is distinct from gold "
                 "group by form order by n desc limit 20"),
        Question("documents by accuracy", ("document", f"outcome_{a}"),
                 f"select document, avg(({out} = 'correct')::int) x from item "
                 "group by document order by x limit 20"),
        Question("outcome of all systems", ("system", "outcome"),
                 "select system, outcome, count(*) n from outcome group by all", view="outcome"),
        Question("answers of all systems", ("system", "answer"),
                 "select system, answer, count(*) n from answer where gold is not null "
                 "group by all order by n desc", view="answer"),
        Question("pivot: difficulty × gold", ("difficulty", "gold"),
                 pivot=(("rows", "difficulty"), ("cols", "gold"))),
        Question("pivot: changes × label", (f"outcome_{a}", "gold"),
                 pivot=(("rows", f"{out} || ' > ' || {next_}"), ("cols", "gold"))),
        Question("pivot: length × gold, accuracy", ("form", "gold"),
                 pivot=(("rows", "length(form)"), ("cols", "gold"), ("value", f"accuracy:{a}"))),
    )  # fmt: skip


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return a figure a question, and what the first question after opening takes."""
    with stored(asked) as store:
        named = _named(asked, store)
        start = perf_counter()
        corpus = coleval.open(store).with_options(unit="token")
        a, b = corpus.systems[:2]
        corpus.sql("select difficulty, count(*) from item group by all")
        cold = perf_counter() - start
        _checked(corpus, a)
        found = [_target(corpus, question, asked.rounds) for question in questions(a, b)]
    return [*named, *found, Target("the first question after opening", cold, found[0].other,
                           cold / found[0].other, how="÷ a count(*) group-by")]  # fmt: skip


def _named(asked: argparse.Namespace, store: Path) -> list[Target]:
    """Return a figure for each named question, as a whole process; the worst stands on a row."""
    compiled()
    names = [name.partition("/")[2] for name in shipped.names() if name.startswith("questions/")]
    # Small corpora are for a look at the harness.
    chosen = names if asked.tokens >= LEAST else names[:2]
    yard = f"select gold, sentence, count(*) from '{store}/item/span/*.parquet' group by all"
    bare = [sys.executable, "-c", f"import duckdb; duckdb.connect().execute({yard!r})"]
    sides = {
        name: partial(whole, command("sql", store, name, "--as", "csv", "--quiet"))
        for name in chosen
        if "dataset" not in shipped.query(f"questions/{name}").text
    }
    seconds = in_turn(asked.rounds, {"other": partial(whole, bare), **sides})
    found = [least(f"named question: {name}", seconds, name, "other", how=yard) for name in sides]
    worst = max(found, key=lambda target: target.ratio)
    how = f"{worst.name.partition(': ')[2]}, the worst of {len(found)}, whole processes; {yard}"
    return [
        replace(worst, name="named question ÷ count(*)", bound=4, how=how),
        *found,
    ]


def _target(corpus: Corpus, question: Question, rounds: int) -> Target:
    one, two = (f'"{name}"' for name in question.columns)
    yard = f"select {one}, {two}, count(*) n from {question.view} group by all"
    ask = _asking(corpus, question)
    ask()
    seconds = in_turn(rounds, {"ours": ask, "other": lambda: corpus.sql(yard)})
    return least(question.name, seconds, "ours", "other", BOUND, how=yard)


def _asking(corpus: Corpus, question: Question) -> Callable[[], object]:
    if question.sql:
        return lambda: corpus.sql(question.sql)
    options: dict[str, Any] = dict(question.pivot)
    return lambda: corpus.pivot(**options)


def _checked(corpus: Corpus, system: str) -> None:
    import numpy as np

    items = corpus.at("token")
    right = int(np.count_nonzero((items.answers[system] == items.gold) & (items.gold != 0)))
    told = corpus.sql(f"select count(*) n from item where \"outcome_{system}\" = 'correct'").item()
    if told != right:
        sys.exit(f"benchmarks: {told} answers of {system} are right in SQL, {right} in numpy")


if __name__ == "__main__":
    main(__doc__, targets, tokens=10_000_000, rounds=3)
