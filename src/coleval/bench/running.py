"""``bench``: every step and every peer in turn, timed, with the tables bench and machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.bench.machine import LIBRARIES, machine
from coleval.bench.peers import PEERS, difference, missing, run
from coleval.bench.sample import sampled
from coleval.bench.timing import noise, seconds_of
from coleval.corpus.report import Report
from coleval.corpus.scratch import scratched
from coleval.corpus.signature import gold_hash
from coleval.errors import ColevalError, DataError
from coleval.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from coleval.bench.peers import Peer
    from coleval.bench.sample import Sample
    from coleval.corpus.corpus import Corpus


Progress = Callable[[str], None]
_SCHEMA = {
    "program": pl.String, "step": pl.String, "about": pl.String, "seconds": pl.Float64,
    "answers": pl.Int64, "answers_per_second": pl.Float64, "ratio": pl.Float64,
    "noise": pl.Float64, "note": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TimingPlan:
    """How often every side takes its turn, and how many tokens peers are measured on."""

    rounds: int = 3
    sample: int = 50_000


@dataclass(frozen=True, slots=True)
class _TimedSide:
    """Something that takes its turns: it is prepared, then timed; ``out`` says why it is not."""

    program: str
    step: str
    about: str
    answers: int
    prepare: Callable[[], Any]
    run: Callable[[Any], object]
    out: str = ""


def bench(subject: Subject, plan: TimingPlan, progress: Progress) -> Report:
    """Return how long each step and each peer takes, once their answers are known to be equal."""
    corpus = subject.opened()
    progress("checking")
    _same(subject)
    with scratched("bench") as folder:
        ours = [_step(step, subject, corpus) for step in STEPS.values()]
        theirs = _peers(corpus, plan, folder)
        seconds = _seconds([*ours, *theirs], plan.rounds, progress)
    rows = _rows([*ours, *theirs], seconds, _cells(corpus))
    table = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return Report("bench", {"bench": table, "machine": _machine()}, _signature(corpus, plan))


def turns(plan: TimingPlan) -> int:
    """Return how many times progress is reported."""
    return 1 + plan.rounds * (len(STEPS) + len(PEERS))


def _same(subject: Subject) -> None:
    """Raise if text and store do not score alike; there would be nothing to time."""
    if subject.read is None:
        return
    read, opened = subject.read().score().tables, subject.opened().score().tables
    if any(not read[name].equals(opened[name]) for name in read):
        raise DataError(
            "the store gives other scores than the files", remedy="this is a bug; please report it"
        )


def _cells(corpus: Corpus) -> int:
    unit = "token" if "token" in corpus.units else None
    return len(corpus.at(unit)) * len(corpus.systems)


def _step(step: Step, subject: Subject, corpus: Corpus) -> _TimedSide:
    """Return a step as a side; one that these data do not allow is out, and says why."""
    out = "there is no text: the source is a store" if step.text and not subject.read else ""
    if not out:
        try:
            step.run(step.prepare(subject))
        except ColevalError as error:
            out = error.problem
    prepare = partial(step.prepare, subject)
    return _TimedSide("coleval", step.name, step.about, _cells(corpus), prepare, step.run, out)


def _peers(corpus: Corpus, plan: TimingPlan, folder: Path) -> list[_TimedSide]:
    if "token" not in corpus.units or not len(corpus.at("token")):
        return [_left_out(peer, f"has nothing for --task {corpus.task}") for peer in PEERS.values()]
    sample = sampled(corpus, plan.sample, folder)
    return [_peer(peer, sample) for peer in PEERS.values()]


def _peer(peer: Peer, sample: Sample) -> _TimedSide:
    out = missing(peer, sample.task) or difference(peer, sample)
    if out:
        return _left_out(peer, out)
    return _TimedSide(
        peer.name, " + ".join(peer.beside), peer.about, sample.tokens,
        lambda: sample, lambda files: run(peer, files),
    )  # fmt: skip


def _left_out(peer: Peer, why: str) -> _TimedSide:
    return _TimedSide(peer.name, " + ".join(peer.beside), peer.about, 0, dict, bool, why)


def _seconds(
    sides: list[_TimedSide], rounds: int, progress: Progress
) -> dict[tuple[str, str], list[float]]:
    seconds: dict[tuple[str, str], list[float]] = {(s.program, s.step): [] for s in sides}
    for _ in range(rounds):
        for side in sides:
            progress(f"{side.program} {side.step}")
            if not side.out:
                given = side.prepare()
                seconds[side.program, side.step].append(seconds_of(partial(side.run, given)))
    return seconds


def _rows(
    sides: list[_TimedSide], seconds: dict[tuple[str, str], list[float]], cells: int
) -> list[dict[str, Any]]:
    best = {
        step: min(times)
        for (program, step), times in seconds.items()
        if program == "coleval" and times
    }
    return [_row(side, seconds[side.program, side.step], best, cells) for side in sides]


def _row(
    side: _TimedSide, times: list[float], best: dict[str, float], cells: int
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_SCHEMA)
    row |= {"program": side.program, "step": side.step, "about": side.about, "note": side.out}
    if not times:
        return row
    low = min(times)
    row |= {"seconds": low, "answers": side.answers, "noise": noise(times)}
    row["answers_per_second"] = side.answers / low
    steps = side.step.split(" + ")
    if side.program != "coleval" and all(step in best for step in steps):
        whole = low / side.answers * cells
        row["ratio"] = whole / sum(best[step] for step in steps)
        row["note"] = f"one system, {side.answers:,} tokens; all of it would take {whole:,.1f} s"
    return row


def _machine() -> pl.DataFrame:
    known = machine((*LIBRARIES, *PEERS))
    return pl.DataFrame({"what": list(known), "value": list(known.values())})


def _signature(corpus: Corpus, plan: TimingPlan) -> str:
    gold = gold_hash(corpus)
    n = _cells(corpus) // max(1, len(corpus.systems))
    return (
        f"coleval:{__version__}|bench:least of {plan.rounds}|task:{corpus.task}|items:{n}"
        f"|systems:{len(corpus.systems)}|gold:{gold}"
    )


REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: how the corpus is opened, and how it is read, None where no text is."""

    opened: Callable[[], Corpus]
    read: Callable[[], Corpus] | None = None

    def items(self) -> Corpus:
        """Return the corpus as nobody has worked on it yet, but with all its columns read."""
        return touched(self.opened())


@dataclass(frozen=True, slots=True)
class Step:
    """A step: ``run`` is timed on what ``prepare`` gives; ``text`` steps begin with files."""

    name: str
    about: str
    run: Callable[[Any], object]
    prepare: Callable[[Subject], Any] = Subject.items
    text: bool = False


def touched(corpus: Corpus) -> Corpus:
    """Return a corpus whose items of every unit are there, gold and all answers."""
    for unit in corpus.units:
        items = corpus.at(unit)
        for codes in (items.gold, *items.answers.values()):
            codes.any()
    return corpus


def _itself(subject: Subject) -> Subject:
    return subject


def _reading(subject: Subject) -> object:
    return touched(subject.read()) if subject.read else None


def _told(subject: Subject) -> object:
    return subject.read().report() if subject.read else None


STEPS = {
    step.name: step
    for step in (
        Step("reading", "files to items, tokens and sentences checked", _reading, _itself, True),
        Step("score", "precision, recall, F1 of all systems and labels", lambda c: c.score()),
        Step("bins", "difficulty of every item", lambda c: c.bins()),
        Step("confusion", "confusion of labels, all systems", lambda c: c.confusion()),
        Step("all pairs", "every change between any two systems", lambda c: c.changes()),
        Step("oracle", "upper bounds, ladder, votes", lambda c: c.oracle()),
        Step("errors", "fair span errors", lambda c: c.errors()),
        Step("buckets", "scores by attributes", lambda c: c.buckets()),
        Step("bootstrap", f"{REPLICATES:,} replicates, all pairs",
             lambda c: c.compare(replicates=REPLICATES)),
        Step("report from text", "all of it, files to tables", _told, _itself, True),
        Step("report from store", "all of it, store to tables",
             lambda s: s.opened().report(), _itself),
    )
}  # fmt: skip
