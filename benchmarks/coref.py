"""Coreference beside CoVal, which is fetched by hand and never part of this code.

    git clone https://github.com/andreasvc/coval /tmp/coval
    python benchmarks/coref.py --coval /tmp/coval                 # 10M tokens, some minutes
    python benchmarks/coref.py --tokens 50000 --coval /tmp/coval

Two corpora are made up: one long document (140,000 tokens, 20,000 mentions) and many short ones.
Each side reads both files and scores MUC, B³, CEAFe, CEAFm and LEA, in a process of its own; we
score BLANC and ARCS besides. All numbers are compared before a time is told.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from measure import HERE, Target, begin, faster, main, skipped

if TYPE_CHECKING:
    import argparse

LONG = (140_000, 1)
PER_DOCUMENT = 1000
SHARED = ("muc", "b3", "ceafe", "ceafm", "lea")


def targets(asked: argparse.Namespace) -> list[Target]:
    """Make the corpora, run both sides, compare, and return what was measured."""
    tokens = getattr(asked, "coref_tokens", asked.tokens)
    corpora = {"one document": LONG, "documents": (tokens, max(1, tokens // PER_DOCUMENT))}
    if tokens < LONG[0]:
        corpora.pop("one document")
    return [_figure(name, *size, asked) for name, size in corpora.items()]


def _figure(name: str, tokens: int, documents: int, asked: argparse.Namespace) -> Target:
    begin(f"coreference, {name}: {tokens:,} tokens")
    gold, system = _files(asked.data or HERE / "data", tokens, documents)
    ours = [_run("coleval", gold, system, asked.coval) for _ in range(asked.rounds)]
    best = min(ours, key=lambda run: run["seconds"])
    how = (
        f"{tokens:,} tokens, {documents:,} documents, {best['mentions']:,} mentions; ours: read "
        f"{best['read']:.2f} s, peak {best['peak'] / 2**30:.2f} GiB"
    )
    if asked.coval is None:
        return skipped(
            f"CoVal ÷ coleval, {name}", f"no --coval DIR; {best['seconds']:.2f} s, {how}"
        )
    theirs = _run("coval", gold, system, asked.coval)
    _compare(best["scores"], theirs["scores"])
    seconds = {"ours": [run["seconds"] for run in ours], "theirs": [theirs["seconds"]]}
    how += f"; CoVal's peak {theirs['peak'] / 2**30:.2f} GiB, all its numbers equal"
    return faster(f"CoVal ÷ coleval, {name}", seconds, "ours", "theirs", how=how)


def _run(side: str, gold: Path, system: Path, reference: Path | None) -> dict[str, Any]:
    command = [sys.executable, __file__, "--side", side, str(gold), str(system)]
    command += [str(reference)] if reference else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _side(name: str, gold: str, system: str, reference: str = "") -> None:
    """Be the process of one side, and print what it found."""
    with redirect_stdout(sys.stderr):
        found = _SIDES[name](Path(gold), Path(system), Path(reference))
    print(json.dumps(found))


def _peak() -> int:
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def _coleval(gold: Path, system: Path, _: Path) -> dict[str, Any]:
    """Return our scores, and the seconds after the imports."""
    import scipy.optimize
    import scipy.sparse.csgraph  # noqa: F401

    import coleval

    _ = coleval.load, coleval.open
    begin = perf_counter()
    corpus = coleval.load(str(gold), {"s": str(system)}, task="coref", columns="pos=5")
    read = perf_counter() - begin
    rows = corpus.score().tables["overall"].to_dicts()
    seconds = perf_counter() - begin
    scores = {r["metric"]: [r["recall"], r["precision"], r["f1"]] for r in rows}
    mentions = next(r["recall_den"] for r in rows if r["metric"] == "mentions")
    return {"seconds": seconds, "read": read, "peak": _peak(), "scores": scores,
            "mentions": int(mentions)}  # fmt: skip


def _coval(gold: Path, system: Path, reference: Path) -> dict[str, Any]:
    """Return CoVal's scores: its own reader and its own metrics."""
    sys.path.insert(0, str(reference))
    from coval.conll import reader
    from coval.eval import evaluator

    metrics = dict(zip(SHARED, (evaluator.muc, evaluator.b_cubed, evaluator.ceafe,
                                evaluator.ceafm, evaluator.lea), strict=True))  # fmt: skip
    begin = perf_counter()
    found = reader.get_coref_infos(str(gold), str(system), False, False, True, False)
    scores = {n: evaluator.evaluate_documents(found, m, beta=1) for n, m in metrics.items()}
    return {"seconds": perf_counter() - begin, "peak": _peak(),
            "scores": {n: list(map(float, s)) for n, s in scores.items()}}  # fmt: skip


_SIDES = {"coleval": _coleval, "coval": _coval}


def _compare(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> None:
    for metric, values in theirs.items():
        if any(abs(a - b) > 1e-9 for a, b in zip(ours[metric], values, strict=True)):
            sys.exit(f"{metric} differs: coleval {ours[metric]}, CoVal {values}")


def _files(root: Path, tokens: int, documents: int) -> tuple[Path, Path]:
    """Return a gold and a system file, made if they are not there."""
    directory = root / f"coref-{tokens}x{documents}"
    gold, system = directory / "gold.conll", directory / "system.conll"
    if not system.exists():
        directory.mkdir(parents=True, exist_ok=True)
        draw = np.random.default_rng(0)
        partial = system.with_suffix(".part")
        with gold.open("w") as a, partial.open("w") as b:
            for number in range(documents):
                _document(number, tokens // documents, draw, a, b)
        partial.rename(system)
    return gold, system


def _document(number: int, tokens: int, draw: np.random.Generator, gold: Any, system: Any) -> None:
    """Write a document: a seventh of its tokens begin a mention, 4 to a chain, long tails."""
    n = tokens // 7
    start = np.sort(draw.choice(tokens - 4, n, replace=False))
    end = start + draw.integers(0, 4, n)
    chain = np.minimum(draw.zipf(1.6, n) * draw.integers(1, n // 8 + 2, n), n) % (n // 3 + 1)
    noise = draw.random(n)
    said = np.where(noise < 0.15, draw.integers(0, n // 3 + 1, n), chain)
    moved = np.where((noise > 0.8) & (noise < 0.86), start, end)
    heard = noise < 0.92
    _write(gold, number, tokens, start, end, chain)
    _write(system, number, tokens, start[heard], moved[heard], said[heard])


def _write(
    file: Any, number: int, tokens: int, start: np.ndarray, end: np.ndarray, chain: np.ndarray
) -> None:
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    # The longest opens first; what opened last closes first.
    for s, e, c in sorted(zip(start.tolist(), end.tolist(), chain.tolist(), strict=True),
                          key=lambda m: (m[0], -m[1])):  # fmt: skip
        opening.setdefault(s, []).append(f"({c})" if s == e else f"({c}")
        if s != e:
            closing.setdefault(e, []).insert(0, f"{c})")
    file.write(f"#begin document (made/up/{number:05d}); part 000\n")
    for at in range(tokens):
        field = "|".join(opening.get(at, []) + closing.get(at, [])) or "-"
        file.write(f"made/up/{number:05d}\t0\t{at % 25}\tw{at % 9973}\tNN\t*\t-\t{field}\n")
        if at % 25 == 24:
            file.write("\n")
    file.write("\n#end document\n")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coval", type=Path, help="the folder of CoVal")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        _side(*sys.argv[2:])
    else:
        main(__doc__, targets, _options, tokens=10_000_000, systems=1, rounds=3)
