"""Other programs on the same data: results are compared and must be equal, then times are told.

    python benchmarks/peers.py                                    # what is installed
    python benchmarks/peers.py --faireval DIR --compareval DIR --coval DIR --ud FILE

seqeval, nervaluate, scikit-learn and seqscore are measured if they are installed, a conlleval loop
always; FairEval, ComparEval, CoVal and the UD evaluation where a path says where they were fetched.
What is not there is named with the way to get it. A peer runs on a sample of one system; its time
for all tokens and systems is extrapolated, and said to be.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import compareval
import coref
import dep
import errors
import plain
from coleval.bench.peers import PEERS, difference, missing, run
from coleval.bench.running import touched
from coleval.bench.sample import sampled
from loaded import anew, load
from measure import Target, begin, corpus, faster, in_turn, main, skipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from coleval.bench.sample import Sample

PARTS = ("seqeval", "nervaluate")
ALL = "seqeval + nervaluate + FairEval ÷ whole report"
# How many times as long a peer has to take at least: row 2 of PERFORMANCE.md §8.
MUST = {"seqeval": 200, "seqscore": 60, "scikit-learn": 120, "nervaluate": 200}


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return a figure a peer, and the whole report beside three of them together."""
    directory = corpus(asked)
    found = touched(load(directory, task="span"))
    cells = asked.tokens * asked.systems
    with tempfile.TemporaryDirectory() as folder:
        sample = sampled(found, min(asked.sample, asked.tokens), Path(folder))
        theirs = _theirs(sample)
        sides = {"reading": lambda: touched(load(directory, task="span")),
                 "score": lambda: anew(found).score(), "errors": lambda: anew(found).errors(),
                 "report": lambda: load(directory, task="span").report()}  # fmt: skip
        seconds = in_turn(asked.rounds, sides | theirs)
    scale = cells / sample.tokens
    rows = [_peer(name, seconds, scale, sample.tokens) for name in (*PEERS, "conlleval loop")
            if name in theirs]  # fmt: skip
    return [*rows, *_left_out(sample), *_together(asked, found, seconds, scale), *_fetched(asked)]


def _theirs(sample: Sample) -> dict[str, Callable[[], object]]:
    """Return the peers that are there, each known to come to our numbers."""
    sides: dict[str, Callable[[], object]] = {}
    for name, peer in PEERS.items():
        if not missing(peer, sample.task):
            begin(f"comparing with {name}")
            if problem := difference(peer, sample):
                sys.exit(f"benchmarks: {name} {problem}")
            sides[name] = partial(run, peer, sample)
    ours = plain.sets(*sample.read())
    if plain.conlleval(*sample.read()) != ours:
        sys.exit("benchmarks: the conlleval loop counts other spans than sets do")
    sides["conlleval loop"] = lambda: plain.conlleval(*sample.read())
    return sides


def _peer(name: str, seconds: dict[str, list[float]], scale: float, tokens: int) -> Target:
    steps = PEERS[name].beside if name in PEERS else ("reading", "score")
    together = {name: seconds[name], "ours": [sum(min(seconds[step]) for step in steps)]}
    how = (
        f"files to numbers, equal first; {name} on {tokens:,} tokens of one system, × "
        f"{scale:,.0f}, extrapolated; ours: {' + '.join(steps)} of everything"
    )
    return faster(f"{name} ÷ coleval", together, "ours", name, MUST.get(name), scale=scale,
                  row=2 if name in MUST else 0, how=how)  # fmt: skip


def _left_out(sample: Sample) -> list[Target]:
    return [skipped(f"{name} ÷ coleval", why, row=2) for name, peer in PEERS.items()
            if (why := missing(peer, sample.task))]  # fmt: skip


def _together(
    asked: argparse.Namespace, found: Any, seconds: dict[str, list[float]], scale: float
) -> list[Target]:
    """Return what three peers take for their parts of what one report tells."""
    lacking = [name for name in PARTS if name not in seconds]
    if asked.faireval is None or lacking:
        return [skipped(ALL, f"needs {', '.join([*lacking, '--faireval DIR'])}", row=1)]
    begin("FairEval on one system")
    fair = errors.checked_seconds(found, asked.faireval) * asked.systems
    parts = [min(seconds[name]) * scale for name in PARTS]
    every = {"report": seconds["report"], "parts": [sum(parts) + fair]}
    told = ", ".join(f"{name} {s:,.0f} s" for name, s in zip(PARTS, parts, strict=True))
    how = (
        f"extrapolated to {asked.systems} systems: {told} (from a sample), FairEval {fair:,.0f} s "
        "(from one system, spans given)"
    )
    return [faster(ALL, every, "report", "parts", 200, row=1, how=how)]


def _fetched(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of what was fetched by hand, or where it is to be had."""
    rows: list[Target] = []
    for name, row, path, measure, where in (
        ("FairEval", 3, asked.faireval, _faireval,
         "--faireval DIR: github:rubcompling/FairEval, src"),
        ("UD evaluation", 4, asked.ud, dep.targets,
         "--ud FILE: github:ufal/conll2018, evaluation_script/conll18_ud_eval.py"),
        ("CoVal", 5, asked.coval, _coval, "--coval DIR: github:andreasvc/coval"),
        ("ComparEval", 0, asked.compareval, compareval.targets,
         "--compareval DIR: github:dtuggener/ComparEval"),
    ):  # fmt: skip
        rows += measure(asked) if path else [skipped(f"{name} ÷ coleval", where, row=row)]
    return rows


def _faireval(asked: argparse.Namespace) -> list[Target]:
    asked.reference, asked.measured = asked.faireval, asked.systems_measured
    return errors.targets(asked)


def _coval(asked: argparse.Namespace) -> list[Target]:
    tokens = asked.coref_tokens or 5 * asked.tokens
    return coref.targets(Namespace(**{**vars(asked), "tokens": tokens, "rounds": 3}))


def _options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--sample", type=int, default=200_000, help="tokens peers are measured on")
    add("--systems-measured", type=int, default=3, help="systems that FairEval runs on")
    add("--faireval", type=Path, help="the folder of FairEval.py")
    add("--compareval", type=Path, help="the folder of ComparEval")
    add("--coval", type=Path, help="the folder of CoVal")
    add("--coref-tokens", type=int, help="tokens of the documents for CoVal (default 5 × --tokens)")
    dep.options(parser)


if __name__ == "__main__":
    main(__doc__, targets, _options)
