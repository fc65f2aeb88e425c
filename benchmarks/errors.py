"""Span errors beside the reference program, which is fetched by hand and never part of this code.

    git clone https://github.com/rubcompling/FairEval /tmp/FairEval
    python benchmarks/errors.py --reference /tmp/FairEval/src          # 2M tokens × 24 systems
    python benchmarks/errors.py --tokens 50000 --systems 3 --reference /tmp/FairEval/src

Both sides are given spans: the reference lists of spans by sentence, coleval its item table. The
reference is timed inside ``compare_spans`` only. All counts of all systems are compared first.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loaded import anew, generated
from measure import Target, faster, in_turn, main, skipped

if TYPE_CHECKING:
    import argparse

    from coleval.corpus.corpus import Corpus

ONE, ALL = "FairEval ÷ fair errors, one system", "FairEval ÷ fair errors, all systems"
KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")


def targets(asked: argparse.Namespace) -> list[Target]:
    """Compare, then measure one system and all systems."""
    if asked.reference is None:
        why = "no --reference: the folder of FairEval.py (github:rubcompling/FairEval, src)"
        return [skipped(name, why, row=3) for name in (ONE, ALL)]
    sys.path.insert(0, str(asked.reference))
    corpus = generated(asked)
    theirs = {name: _reference(corpus, name) for name in corpus.systems[: asked.measured]}
    _compare(corpus, {name: counts for name, (_, counts) in theirs.items()})
    gc.collect()
    return _figures(corpus, {name: t for name, (t, _) in theirs.items()}, asked)


def checked_seconds(corpus: Corpus, reference: Path) -> float:
    """Return the seconds FairEval takes for the first system, its counts found equal to ours."""
    sys.path.insert(0, str(reference))
    first = corpus.systems[0]
    seconds, counts = _reference(corpus, first)
    _compare(corpus.chosen(first), {first: counts})
    return seconds


def _sentences(corpus: Corpus, name: str) -> list[list[list[Any]]]:
    """Return the spans of a layer by sentence, as the reference wants them."""
    items = corpus.at("span")
    codes = items.gold if name == "gold" else items.answers[name]
    found: list[list[list[Any]]] = [[] for _ in range(items.group_count)]
    context = items.context
    place = zip(*(context[c].to_list() for c in ("sentence", "start", "end")), strict=True)
    for (sentence, start, end), code in zip(place, codes.tolist(), strict=True):
        if code:
            label = items.labels[code - 1]
            found[sentence].append([label, start, end - 1, set(range(start, end))])
    return found


def _reference(corpus: Corpus, name: str) -> tuple[float, Counter[tuple[str, str]]]:
    """Return the seconds the reference's calls take for one system, and its counts by label.

    The calls empty the lists they are given, so each system has its own.
    """
    import FairEval

    pairs = list(zip(_sentences(corpus, "gold"), _sentences(corpus, name), strict=True))
    gc.collect()
    gc.disable()  # the collector would walk millions of sets that are only there to be compared
    start = perf_counter()
    found = [FairEval.compare_spans(gold, system) for gold, system in pairs]
    seconds = perf_counter() - start
    gc.enable()
    counts: Counter[tuple[str, str]] = Counter()
    for sentence in found:
        for label, by_kind in sentence["per_label"]["fair"].items():
            for kind in KINDS:
                counts[label, kind] += by_kind[kind.upper()]
    return seconds, +counts


def _compare(corpus: Corpus, theirs: dict[str, Counter[tuple[str, str]]]) -> None:
    """Leave if a single count of a single label differs."""
    rows = corpus.errors().table("labels").to_dicts()
    for name, counts in theirs.items():
        mine = Counter(
            {
                (row["label"], kind): row[kind]
                for row in rows
                if row["system"] == name and row["method"] == "fair"
                for kind in KINDS
                if row[kind]
            }
        )
        if mine != counts:
            sys.exit(f"benchmarks: {name}: {mine - counts} here, {counts - mine} there")


def _counted(corpus: Corpus) -> None:
    """Go from items to counts of all kinds by label pair and system."""
    from coleval.analyses.errors.counts import events, fates, sides

    found = fates(corpus)
    events(found)
    sides(found)


def _figures(corpus: Corpus, theirs: dict[str, float], asked: argparse.Namespace) -> list[Target]:
    n, first = len(corpus.systems), corpus.systems[0]
    one = corpus.chosen(first)
    seconds = in_turn(
        asked.rounds,
        {
            "one": lambda: _counted(anew(one)),
            "all": lambda: _counted(anew(corpus)),
            "tables": lambda: anew(corpus).errors(),
        },
    )
    seconds |= {"reference": [theirs[first], _reference(corpus, first)[0]]}
    seconds |= {"references": [sum(theirs.values()) * n / len(theirs)]}
    scaled = "measured" if n == len(theirs) else f"on {len(theirs)} systems, × {n}/{len(theirs)}"
    equal = f"all counts of {len(theirs)} systems equal; spans in memory on both sides"
    return [
        faster(ONE, seconds, "one", "reference", how=equal),
        faster(ALL, seconds, "all", "references", 150, row=3,
               how=f"{equal}; FairEval {scaled}, without garbage collection"),
        faster("FairEval ÷ all tables of errors", seconds, "tables", "references"),
    ]  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reference", type=Path, help="the folder of FairEval.py")
    parser.add_argument("--measured", type=int, default=24, help="systems the reference runs on")


if __name__ == "__main__":
    main(__doc__, targets, _options)
