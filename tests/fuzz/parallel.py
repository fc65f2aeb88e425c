"""One corpus and one store, used from many sides at once: the same numbers, and no deadlock."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import coleval
from coleval.errors import ColevalError, DataError
from fuzz.model import Harness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from coleval.corpus.corpus import Corpus

_TAGS = ("O", "O", "O", "B-PER", "I-PER", "B-LOC", "B-ORG")
# What is asked at the same time: counts in numpy and Polars, SQL, conditions, tables that are kept.
ASKED: dict[str, Callable[[Corpus], Any]] = {
    "score": lambda corpus: corpus.score().table().rows(),
    "tokens": lambda corpus: corpus.score(unit="token").table().rows(),
    "confusion": lambda corpus: corpus.confusion().table().rows(),
    "bins": lambda corpus: corpus.bins().table().rows(),
    "changes": lambda corpus: corpus.changes().table().rows(),
    "errors": lambda corpus: corpus.errors().table().rows(),
    "buckets": lambda corpus: corpus.buckets(attributes="eLen,sLen").table().rows(),
    "where": lambda corpus: corpus.score(where="eLen = 1").table().rows(),
    "sql": lambda corpus: corpus.sql(
        "select gold, count(*) from item group by 1 order by 1"
    ).rows(),
    "in SQL": lambda corpus: corpus.with_options(engine="sql").confusion().table().rows(),
    "items": lambda corpus: corpus.items.rows(),
}


def written(random: Random, folder: Path, systems: int = 3) -> tuple[str, dict[str, str]]:
    """Write gold and some systems; return where they are."""
    words = [f"w{random.randrange(50)}" for _ in range(random.randint(20, 300))]
    ends = [random.random() < 0.2 for _ in words]
    paths = {}
    for name in ("gold", *(f"s{k}" for k in range(systems))):
        lines = (
            f"{word}\t{random.choice(_TAGS)}\n" + ("\n" if end else "")
            for word, end in zip(words, ends, strict=True)
        )
        paths[name] = str(folder / f"{name}.conll")
        (folder / f"{name}.conll").write_text("".join(lines))
    return paths.pop("gold"), paths


def answered(where: str, name: str) -> Any:
    """Return an answer over a store, opened here."""
    return ASKED[name](coleval.open(where))


def _made(random: Random, folder: Path) -> tuple[Path, dict[str, Any], list[str]]:
    gold, systems = written(random, folder)
    store = coleval.load(gold, systems).save(folder / "store")
    expected = {name: ask(coleval.open(store)) for name, ask in ASKED.items()}
    return store, expected, random.choices(list(ASKED), k=16)


def _threads(random: Random, folder: Path) -> None:
    store, expected, asked = _made(random, folder)
    corpus = coleval.open(store, memory=random.choice((None, "8GB")))
    barrier = threading.Barrier(4)

    def answer(name: str) -> Any:
        return ASKED[name](corpus)

    with ThreadPoolExecutor(4, initializer=partial(barrier.wait, 30)) as pool:
        found = list(pool.map(answer, asked))
    assert found == [expected[name] for name in asked]


def _tasks(random: Random, folder: Path) -> None:
    store, expected, asked = _made(random, folder)
    corpus = coleval.open(store)

    async def every() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(ASKED[name], corpus) for name in asked))

    assert asyncio.run(every()) == [expected[name] for name in asked]


@cache
def _pool(method: str) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=get_context(method))


def _processes(random: Random, folder: Path) -> None:
    store, expected, asked = _made(random, folder)
    pool = _pool(random.choice(("forkserver", "spawn")))
    found = list(pool.map(partial(answered, str(store)), asked[:6]))
    assert found == [expected[name] for name in asked[:6]]


def refused_in_a_fork(store: str, pipe: Any) -> None:
    """Tell what a process says that was forked too late."""
    try:
        coleval.open(store).score()
    except ColevalError as error:
        pipe.send(str(error))
    else:
        pipe.send("nothing")


def _forks(random: Random, folder: Path) -> None:
    """Polars hangs in a fork of a process that has used it: an error says so instead."""
    store, _, _ = _made(random, folder)
    ours, theirs = get_context("fork").Pipe()
    process = get_context("fork").Process(target=refused_in_a_fork, args=(str(store), theirs))
    process.start()
    assert ours.poll(10), "the process hangs"
    assert "was forked from one that had used coleval" in ours.recv()
    process.join(10)
    assert process.exitcode == 0


def _while_loaded(random: Random, folder: Path) -> None:
    """Who reads while others write sees a store that was there, or hears that it was replaced."""
    gold, systems = written(random, folder, 4)
    choices = [random.sample(sorted(systems), random.randint(1, 4)) for _ in range(6)]
    corpora = [coleval.load(gold, {name: systems[name] for name in one}) for one in choices]
    known = [corpus.score().table().rows() for corpus in corpora]
    store = corpora[0].save(folder / "store")
    done = threading.Event()

    def write(part: list[Corpus]) -> None:
        for corpus in part:
            corpus.save(store)

    def read() -> int:
        seen = 0
        while not done.is_set():
            try:
                found = coleval.open(store).score().table().rows()
            except DataError:
                continue
            assert found in known, "numbers of no store that there was"
            seen += 1
        return seen

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        writers = [pool.submit(write, corpora[1:4]), pool.submit(write, corpora[4:])]
        try:
            for one in writers:
                one.result(60)
        finally:
            done.set()
        for one in readers:
            one.result(60)
    assert coleval.open(store).score().table().rows() in known
    assert not list(folder.glob(".*"))


HARNESSES = (
    Harness("threads", "many threads ask one corpus", _threads, in_ci=0, seconds=60),
    Harness("asyncio", "tasks of asyncio ask one corpus", _tasks, in_ci=0, seconds=60),
    Harness("processes", "forkserver and spawn over one store", _processes, in_ci=0, seconds=120),
    Harness(
        "fork", "a process that was forked too late gets an error", _forks, in_ci=0, seconds=60
    ),
    Harness("replaced", "readers while others write", _while_loaded, in_ci=0, seconds=120),
)
