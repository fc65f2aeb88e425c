"""Precision, recall, F1 per type: coleval beside seqeval, a conlleval loop, and sets in Python.

    python benchmarks/spans.py                            # 2M tokens, one system
    python benchmarks/spans.py --tokens 20000             # does the harness still run?

From memory (row 11): codes for us, lists of labels for them, both prepared before. From files
(row 12): all of it. Everybody's numbers are compared first. Imports count on no side.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

import plain
from coleval.bench.running import seconds_of
from coleval.corpus.schemes import decode, scheme_named, tag_table
from coleval.kernels.span_slots import proposed, slots
from generate import files
from loaded import load
from measure import Target, corpus, faster, in_turn, main, skipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

Counts = dict[str, tuple[int, int, int]]
_BITS = 12
SEQEVAL = ("seqeval f1_score", "seqeval report")


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of one system from memory and from files."""
    directory = corpus(asked, systems=1)
    gold, systems = files(directory)
    paths = (gold, *systems.values())
    tags = tuple(plain.read_sentences(path) for path in paths)
    found = load(directory, 1, task="span")
    _compare(found, tags)
    ours = {"codes": from_codes(found), "files": lambda: load(directory, 1, task="span").score()}
    loops = _loops(tags)
    seconds = in_turn(asked.rounds, ours | loops)
    reading = {f"files, {name}": _from_files(name, paths) for name in ("sets", "conlleval loop")}
    seconds |= in_turn(1, reading)
    if not _has_seqeval():
        return [*_figures(seconds, ()), *(skipped(name, "seqeval is not installed", row=row)
                                          for row in (11, 12) for name in SEQEVAL)]  # fmt: skip
    for name, run in _seqeval(tags).items():
        seconds[name] = [seconds_of(run)]
        seconds[f"files, {name}"] = [seconds_of(_from_files(name, paths))]
    return _figures(seconds, SEQEVAL)


BOUNDS = {  # from memory: must, stretch; from files: must, stretch
    "seqeval f1_score": (80, 200, 12, 30),
    "seqeval report": (400, 1000, 50, 120),
    "conlleval loop": (25, 60, None, None),
    "sets": (8, 20, 5, 13),
}


def _figures(seconds: dict[str, list[float]], more: tuple[str, ...]) -> list[Target]:
    rows = []
    for name in (*more, "conlleval loop", "sets"):
        must, stretch, file_must, file_stretch = BOUNDS[name]
        rows += [
            faster(f"{name} ÷ codes to P, R, F", seconds, "codes", name, must, stretch=stretch,
                   row=11, how="labels in memory on both sides"),
            faster(f"{name} ÷ files to P, R, F", seconds, "files", f"files, {name}", file_must,
                   stretch=file_stretch, row=12, how="they read in a plain loop; all our tables"),
        ]  # fmt: skip
    return sorted(rows, key=lambda target: target.row)


def from_codes(found: Corpus) -> Callable[[], dict[str, Counts]]:
    """Return what goes from the codes of tags to counts by type of every system."""
    ready = _ready(found)

    def counted() -> dict[str, Counts]:
        layers = {name: ready.spans(codes) for name, codes in ready.layers.items()}
        names = ready.kinds
        made = slots(layers.pop(""), layers, names, bits=_BITS)
        gold = made.codes[""]
        return {name: _by_type(gold, made.codes[name], names) for name in layers}

    return counted


def extraction(found: Corpus) -> Callable[[], object]:
    """Return what goes from the codes of tags to the spans of gold and every system."""
    ready = _ready(found)
    return lambda: [ready.spans(codes) for codes in ready.layers.values()]


class _Ready:
    """The codes of a corpus' tags, with what decoding them needs."""

    def __init__(self, found: Corpus) -> None:
        items = found.at("token")
        self.layers = {"": items.gold, **items.answers}
        self.breaks = np.diff(items.context["sentence"].to_numpy(), prepend=-1) != 0
        self.kinds: list[str] = []
        self.scheme = scheme_named("iob2")
        self.table = tag_table(items.labels, self._kind, self.scheme)

    def _kind(self, name: str) -> int:
        if name not in self.kinds:
            self.kinds.append(name)
        return self.kinds.index(name) + 1

    def spans(self, codes: np.ndarray) -> Any:
        found = decode(codes, self.breaks, self.table, self.scheme, "begin")
        key = found.start.astype(np.int64) << _BITS
        return proposed(key | (found.end - found.start), found.kind)


def _ready(found: Corpus) -> _Ready:
    return _Ready(found)


def _by_type(gold: np.ndarray, answer: np.ndarray, names: list[str]) -> Counts:
    n = len(names) + 1
    tp = np.bincount(gold[gold == answer], minlength=n)[1:].tolist()
    said, there = (np.bincount(codes, minlength=n)[1:].tolist() for codes in (answer, gold))
    return {name: (t, s - t, g - t) for name, t, s, g in zip(names, tp, said, there, strict=True)}


def _loops(tags: tuple[Any, Any]) -> dict[str, Callable[[], object]]:
    return {"conlleval loop": lambda: plain.conlleval(*tags), "sets": lambda: plain.sets(*tags)}


def _seqeval(tags: tuple[Any, Any]) -> dict[str, Callable[[], object]]:
    return {name: lambda name=name: plain.SEQEVAL[name](*tags) for name in SEQEVAL}


def _from_files(name: str, paths: tuple[Path, ...]) -> Callable[[], object]:
    known = {"sets": plain.sets, "conlleval loop": plain.conlleval, **plain.SEQEVAL}
    return lambda: known[name](*(plain.read_sentences(path) for path in paths))


def _has_seqeval() -> bool:
    from coleval.bench.machine import installed

    if installed("seqeval") == "not installed":
        return False
    import seqeval.metrics  # noqa: F401  its import is not what we compare

    return True


def _compare(found: Corpus, tags: tuple[Any, Any]) -> None:
    """Leave if a count, or a ratio of seqeval's, is not ours."""
    rows = found.score().table("labels").to_dicts()
    ours = {row["label"]: (row["tp"], row["fp"], row["fn"]) for row in rows}
    others = {"sets": plain.sets(*tags), "conlleval loop": plain.conlleval(*tags)}
    others |= {"codes": from_codes(found)()[found.systems[0]]}
    for name, counts in others.items():
        if ours != counts:
            sys.exit(f"benchmarks: {name} counts {counts}, coleval {ours}")
    if _has_seqeval():
        report: Any = plain.SEQEVAL["seqeval report"](*tags)
        for row in rows:
            theirs = report[row["label"]]
            pairs = [(row[k], theirs[k if k != "f1" else "f1-score"]) for k in _RATIOS]
            if any(abs((mine or 0.0) - other) > 1e-12 for mine, other in pairs):
                sys.exit(f"benchmarks: {row['label']}: coleval {row}, seqeval {theirs}")


_RATIOS = ("precision", "recall", "f1")


if __name__ == "__main__":
    main(__doc__, targets, systems=1)
