"""The README's kinds of questions, each against one count(*) group-by over the same two columns.

    python benchmarks/queries.py                               # 10M tokens × 24 systems
    python benchmarks/queries.py --tokens 20000 --systems 3    # does the harness still run?

Every question is a query or a pivot on an opened store. Both sides find the columns they name
there already; "cold" is what the first question after opening takes, which makes them.
One answer is checked against numpy's before any time is told.
"""
# ruff: noqa: S608  - the names in these queries are those of systems that we generated

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from generate import ensure, files
from measure import Target, in_turn, machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus import Corpus

HERE = Path(__file__).parent
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


def main() -> None:
    """Measure, show, and leave with 1 if a target is missed and ``--gate`` was given."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        store = _stored(asked, Path(folder, "store"))
        targets, cold = _measured(store, asked)
    result = {
        "tokens": asked.tokens, "systems": asked.systems, "rounds": asked.rounds,
        "machine": machine(), "cold": cold, "peak_gb": _peak(),
        "targets": [target.plain() for target in targets],
    }  # fmt: skip
    if asked.output:
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for target in targets:
        print(f"{target.name:32} {target.ours:8.3f} s  {target.ratio:6.2f} × {target.other:.3f} s")
    print(f"cold: {cold:.2f} s, peak {_peak():.2f} GB")
    if asked.gate and not all(target.met for target in targets):
        sys.exit(1)


def _stored(asked: argparse.Namespace, store: Path) -> Path:
    """Return a store of a generated corpus, loaded in this process's child for its memory."""
    import subprocess

    name = f"span-{asked.tokens}x{asked.systems}"
    directory = (asked.data or HERE / "data") / name
    ensure(directory, tokens=asked.tokens, systems=asked.systems, seed=0, task="span")
    gold, systems = files(directory)
    sources = [str(gold), *(f"{system}={path}" for system, path in systems.items())]
    command = [sys.executable, "-m", "coleval", "load", *sources, "-o", str(store), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return store


def _measured(store: Path, asked: argparse.Namespace) -> tuple[list[Target], float]:
    import coleval

    start = perf_counter()
    corpus = coleval.open(store).with_options(unit="token")
    a, b = corpus.systems[:2]
    corpus.sql("select difficulty, count(*) from item group by all")
    cold = perf_counter() - start
    _checked(corpus, a)
    return [_target(corpus, question, asked.rounds) for question in questions(a, b)], cold


def _target(corpus: Corpus, question: Question, rounds: int) -> Target:
    one, two = (f'"{name}"' for name in question.columns)
    yard = f"select {one}, {two}, count(*) n from {question.view} group by all"
    ask = _asking(corpus, question)
    ask()
    seconds = in_turn(rounds, {"ours": ask, "other": lambda: corpus.sql(yard)})
    ours, other = min(seconds["ours"]), min(seconds["other"])
    return Target(question.name, ours, other, ours / other, BOUND, how=yard, samples=seconds)


def _asking(corpus: Corpus, question: Question) -> Callable[[], object]:
    if question.sql:
        return lambda: corpus.sql(question.sql)
    return lambda: corpus.pivot(**dict(question.pivot))


def _checked(corpus: Corpus, system: str) -> None:
    import numpy as np

    items = corpus.at("token")
    right = int(np.count_nonzero((items.answers[system] == items.gold) & (items.gold != 0)))
    told = corpus.sql(f"select count(*) n from item where \"outcome_{system}\" = 'correct'").item()
    if told != right:
        sys.exit(f"benchmarks: {told} answers of {system} are right in SQL, {right} in numpy")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="where the generated corpora are kept")
    parser.add_argument("--gate", action="store_true", help="leave with 1 if a target is missed")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
