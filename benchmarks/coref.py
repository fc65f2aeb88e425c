"""Coreference beside CoVal, which is fetched by hand and never part of this code.

    git clone https://github.com/andreasvc/coval /tmp/coval
    python benchmarks/coref.py --coval /tmp/coval                 # 10,000 documents, 10M tokens
    python benchmarks/coref.py --tokens 50000 --coval /tmp/coval

Two corpora are made up (`coref_made.py`): one long document (140,000 tokens), and documents of
1,000 tokens. Each side reads both files and scores MUC, B³, CEAFe, CEAFm and LEA; we score BLANC
and ARCS besides. Ours is the whole command on all documents, start-up, hash of gold and tables
included; CoVal runs on a tenth of the documents (`--share 10`), its seconds are counted after its
imports, and scaled. Its numbers are compared with ours for that tenth before a time is told.
Processor time is what counts: `wall` stands beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from math import log
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from foundation import compiled
from measure import HERE, Target, begin, command, faster, main, skipped

if TYPE_CHECKING:
    import argparse

LONG = (140_000, 1)
PER_DOCUMENT = 1000
SHARED = ("muc", "b3", "ceafe", "ceafm", "lea")
NAMES = {"one document": "CoVal ÷ coleval, one document", "documents": "CoVal ÷ coleval, documents"}
MUST = {"documents": 25, "one document": 8}


def targets(asked: argparse.Namespace) -> list[Target]:
    """Make the corpora, run both sides, compare, and return what was measured."""
    compiled()
    tokens = asked.tokens
    corpora = {"one document": LONG, "documents": (tokens, max(1, tokens // PER_DOCUMENT))}
    if tokens < LONG[0]:
        corpora.pop("one document")
    found = [_figure(name, *size, asked) for name, size in corpora.items()]
    return [*found, *(_growth(tokens, asked) if getattr(asked, "growth", False) else ())]


def _figure(name: str, tokens: int, documents: int, asked: argparse.Namespace) -> Target:
    if asked.coval is None:
        return skipped(NAMES[name], "no --coval DIR (github:andreasvc/coval)", row=5)
    begin(f"coreference, {name}: {tokens:,} tokens")
    share = min(getattr(asked, "share", 10), documents)
    with tempfile.TemporaryDirectory() as folder:
        part = _written(asked, tokens // share, documents // share)
        ours = _ours(part, Path(folder) / "part.json")["scores"]
        theirs = _coval_process(part, asked.coval)
        _compare(ours, theirs["scores"])
        whole = _written(asked, tokens, documents)
        runs = [_ours(whole, Path(folder) / "all.json") for _ in range(asked.rounds)]
    best = min(runs, key=lambda run: run["cpu"])
    size = sum(path.stat().st_size for path in whole)
    wall = min(run["wall"] for run in runs)
    how = (
        f"processor time; {tokens:,} tokens, {documents:,} documents, {best['mentions']:,} "
        f"mentions, {size / 1e6:,.0f} MB; CoVal on 1 of {share} documents, all its numbers equal; "
        f"wall {wall:.2f} s and {theirs['wall'] * share:.1f} s; ours peaks at "
        f"{best['peak'] / 2**20:,.0f} MiB, CoVal on its share at {theirs['peak'] / 2**20:,.0f} MiB"
    )
    seconds = {"ours": [run["cpu"] for run in runs], "theirs": [theirs["cpu"]]}
    return faster(NAMES[name], seconds, "ours", "theirs", MUST[name], scale=share, row=5, how=how)


def _growth(tokens: int, asked: argparse.Namespace) -> list[Target]:
    """Return the exponents of processor time: more documents, a longer one, one larger entity."""
    most = max(1, tokens // PER_DOCUMENT)
    axes = {
        "documents of 1,000 tokens": [(n * PER_DOCUMENT, n) for n in (most // 4, most)],
        "documents of 2 tokens": [(2 * n, n) for n in (2 * most, 8 * most)],
        "tokens of one document": [(n, 1) for n in (tokens // 40, tokens // 10)],
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        empty = min(_ours(_written(asked, 40, 2), Path(folder) / "r.json")["cpu"] for _ in range(3))
        for axis, (small, large) in axes.items():
            seconds = [
                min(_ours(_written(asked, *size), Path(folder) / "r.json")["cpu"]
                    for _ in range(asked.rounds)) - empty
                for size in (small, large)
            ]  # fmt: skip
            slope = log(seconds[1] / seconds[0]) / log(large[0] / small[0])
            how = f"start-up ({empty:.2f} s) taken off; {small[0]:,} and {large[0]:,} tokens"
            found.append(Target(f"slope: {axis}", seconds[1], seconds[0], slope, 1.1, how=how))
    return found


def _written(asked: argparse.Namespace, tokens: int, documents: int) -> tuple[Path, Path]:
    """Return the two files of a corpus, made in a process of its own: this one stays small."""
    code = (
        "import sys, pathlib, coref_made\n"
        "folder, tokens, documents = sys.argv[1:]\n"
        "found = coref_made.written(pathlib.Path(folder), int(tokens), int(documents))\n"
        "print(*found, sep='\\n')"
    )
    folder = (asked.data or HERE / "data").resolve()
    words = [sys.executable, "-c", code, str(folder), str(tokens), str(documents)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=HERE)
    gold, system = done.stdout.split("\n")[:2]
    return Path(gold), Path(system)


def _ours(files: tuple[Path, Path], answer: Path) -> dict[str, Any]:
    """Return our scores, and what the whole command took."""
    said = command("score", *files, "--task", "coref", "--quiet", "--as", "json", "-o", answer)
    used = _used([*said])
    rows = json.loads(answer.read_text(encoding="utf-8"))["tables"]["overall"]
    scores = {row["metric"]: [row["recall"], row["precision"], row["f1"]] for row in rows}
    mentions = next(row["recall_den"] for row in rows if row["metric"] == "mentions")
    return {**used, "scores": scores, "mentions": int(mentions)}


def _used(words: list[str]) -> dict[str, Any]:
    """Return the processor time, the seconds and the peak of a process."""
    start = perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        child = subprocess.Popen(words, stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"benchmarks: `{' '.join(words)}` failed")
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": perf_counter() - start,
            "peak": usage.ru_maxrss * 1024}  # fmt: skip


def _coval_process(files: tuple[Path, Path], reference: Path) -> dict[str, Any]:
    words = [sys.executable, __file__, "--side", *map(str, files), str(reference.resolve())]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _side(gold: str, system: str, reference: str) -> None:
    """Be the process of CoVal: its own reader and its own metrics; print what it found."""
    from resource import RUSAGE_SELF, getrusage

    sys.path.insert(0, reference)
    with redirect_stdout(sys.stderr):
        from coval.conll import reader
        from coval.eval import evaluator

        metrics = dict(zip(SHARED, (evaluator.muc, evaluator.b_cubed, evaluator.ceafe,
                                    evaluator.ceafm, evaluator.lea), strict=True))  # fmt: skip
        start, clock = process_time(), perf_counter()
        found = reader.get_coref_infos(gold, system, False, False, True, False)
        scores = {n: evaluator.evaluate_documents(found, m, beta=1) for n, m in metrics.items()}
        used = {"cpu": process_time() - start, "wall": perf_counter() - clock}
    plain = {name: list(map(float, score)) for name, score in scores.items()}
    print(json.dumps({**used, "peak": getrusage(RUSAGE_SELF).ru_maxrss * 1024, "scores": plain}))


def _compare(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> None:
    for metric, values in theirs.items():
        if any(abs(a - b) > 1e-9 for a, b in zip(ours[metric], values, strict=True)):
            sys.exit(f"{metric} differs: coleval {ours[metric]}, CoVal {values}")


def options(parser: argparse.ArgumentParser) -> None:
    """Add where CoVal is, on how many documents it runs, and whether growth is measured."""
    parser.add_argument("--coval", type=Path, help="the folder of CoVal")
    parser.add_argument(
        "--share", type=int, default=10, help="CoVal runs on 1 of so many documents"
    )
    parser.add_argument("--growth", action="store_true", help="fit slopes in documents and tokens")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        _side(*sys.argv[2:])
    else:
        main(__doc__, targets, options, tokens=10_000_000, systems=1, rounds=3)
