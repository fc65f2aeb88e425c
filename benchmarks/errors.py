"""Span errors beside the reference program, which is fetched by hand and never part of this code.

    git clone https://github.com/rubcompling/FairEval /tmp/FairEval
    python benchmarks/errors.py --reference /tmp/FairEval/src          # 2M tokens × 24 systems
    python benchmarks/errors.py --tokens 50000 --systems 3 --reference /tmp/FairEval/src

Both sides are given spans: the reference lists of spans by sentence, coleval its item table. The
reference is timed inside ``compare_spans`` only. All counts of all systems are compared first.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from generate import ensure, files
from measure import machine

if TYPE_CHECKING:
    from coleval.corpus import Corpus

KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")


def main() -> None:
    """Compare, then measure one system and all systems, and say what the figures mean."""
    asked = _arguments()
    sys.path.insert(0, str(asked.reference))
    directory = (
        asked.data or Path(__file__).parent / "data" / f"span-{asked.tokens}x{asked.systems}"
    )
    ensure(directory, tokens=asked.tokens, systems=asked.systems, seed=0, task="span")
    corpus = _loaded(directory)
    theirs = {name: _reference(corpus, name) for name in corpus.systems[: asked.measured]}
    _compare(corpus, {name: counts for name, (_, counts) in theirs.items()})
    gc.collect()
    figures = _figures(corpus, {name: t for name, (t, _) in theirs.items()}, asked)
    _show(figures)
    if asked.output:
        asked.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _loaded(directory: Path) -> Corpus:
    import coleval

    gold, systems = files(directory)
    corpus = coleval.load(gold, systems)
    corpus.at("span").answers  # noqa: B018  - the items are made before anything is timed
    return corpus


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
    import FairEval  # type: ignore[import-not-found]

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


def _ours(corpus: Corpus, rounds: int) -> float:
    """Return the least seconds from items to counts of all kinds by label pair and system."""
    from coleval.analyses.span_counts import events, fates, sides

    seconds = []
    for _ in range(rounds):
        gc.collect()
        start = perf_counter()
        found = fates(corpus)
        events(found)
        sides(found)
        seconds.append(perf_counter() - start)
    return min(seconds)


def _figures(corpus: Corpus, theirs: dict[str, float], asked: argparse.Namespace) -> dict[str, Any]:
    n = len(corpus.systems)
    first = corpus.systems[0]
    one = _ours(corpus.chosen(first), asked.rounds)
    every = _ours(corpus, asked.rounds)
    scaled = sum(theirs.values()) * n / len(theirs)
    single = min(theirs[first], *(_reference(corpus, first)[0] for _ in range(2)))
    start = perf_counter()
    corpus.errors()
    whole = perf_counter() - start
    return {
        "sentences": corpus.at("span").group_count,
        "spans": int((corpus.at("span").gold != 0).sum()),
        "systems": n,
        "compared": len(theirs),
        "one": {"ours": one, "reference": single, "ratio": single / one},
        "all": {"ours": every, "reference": scaled, "ratio": scaled / every},
        "tables": whole,
        "machine": machine(),
    }


def _show(figures: dict[str, Any]) -> None:
    n, compared = figures["systems"], figures["compared"]
    scaled = "measured" if n == compared else f"measured on {compared}, × {n}/{compared}"
    print(f"{figures['sentences']:,} sentences, {figures['spans']:,} gold spans, {n} systems")
    print(f"all counts by label and kind equal for {compared} systems")
    for name, bound, how in (("one", 20, "measured"), ("all", 30, scaled)):
        part = figures[name]
        met = "met" if part["ratio"] >= bound else "MISSED"
        print(
            f"{name:>4}  reference {part['reference']:8.3f} s ({how})  coleval {part['ours']:.4f} s"
            f"  {part['ratio']:6.1f} × (≥ {bound}: {met})"
        )
    print(f"      all tables of `coleval errors`: {figures['tables']:.3f} s")
    print(
        "      spans in memory on both sides; least of the rounds (one: 3 for the reference; all:"
    )
    print("      the reference runs once, without garbage collection)")
    print("      machine: " + ", ".join(f"{k} {v}" for k, v in figures["machine"].items()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True, help="the folder of FairEval.py")
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--measured", type=int, default=24, help="systems the reference runs on")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, help="where the corpus is, or goes")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
