"""Whole shared tasks: CoNLL 2018 beside its official script, and a corpus in parts beside one file.

    python benchmarks/grids.py --parts 1000                       # 2M × 24 cut into 1,000 datasets
    python benchmarks/grids.py --ud conll18_ud_eval.py --conll18 DIR --parts 0

``--conll18 DIR`` has ``gold/TREEBANK.conllu`` and ``systems/TEAM/TREEBANK.conllu`` (for instance
of pkolachi/depparse-conll-data, branch conll2018), all of them packed by gzip or none: coleval
unpacks what it reads, the script gets plain files. Each side is whole processes, start-up
included. The script runs on a sample of pairs, scaled by bytes; its counts are compared with ours
before a time is told, and so are the scores of parts with those of the one corpus.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate import files
from measure import Target, begin, command, corpus, in_turn, least, main, skipped, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

CONLL = "official script, pair by pair ÷ coleval"
PEAK = "peak of CoNLL 2018, all processes"


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of a real shared task and of a corpus in parts."""
    return [*_conll18(asked), *(_parts(asked) if asked.parts else ())]


def _conll18(asked: argparse.Namespace) -> list[Target]:
    if asked.ud is None or asked.conll18 is None:
        return [skipped(CONLL, "needs --ud FILE and --conll18 DIR")]
    root = asked.conll18
    packed = ".gz" if next(root.glob("gold/*.gz"), None) else ""
    templates = (
        root / f"gold/{{dataset}}.conllu{packed}",
        root / f"systems/{{system}}/{{dataset}}.conllu{packed}",
    )
    with tempfile.TemporaryDirectory() as folder:
        found, store = Path(folder) / "ours.json", Path(folder) / "store"
        score = ("--by", "dataset", "--missing", "wrong", "--quiet", "--as", "json", "-o", found)
        text = command("score", *templates, "--task", "dep", *score)
        begin("CoNLL 2018 from text and from a store")
        samples = [whole(text) for _ in range(asked.rounds)]
        pairs = _pairs(root, Path(folder))
        sample = pairs[:: max(len(pairs) // asked.sample, 1)]
        whole(command("load", *templates, "--task", "dep", "-o", store, "--quiet"))
        reopened = [whole(command("score", store, *score)) for _ in range(asked.rounds)]
        begin(f"the official script on {len(sample)} of {len(pairs):,} pairs")
        scores = json.loads(found.read_text())
        _compare(scores, sample, asked.ud)
        script = [sum(_alone(asked.ud, pair) for pair in sample)]
        scale = sum(map(_bytes, pairs)) / sum(map(_bytes, sample))
        peak, single, cells = _peak(text), max(peak for _, peak in samples), _words(scores)
    ours = [s for s, _ in samples]
    how = f"{len(pairs):,} pairs, script on {len(sample)} × {scale:.1f} by bytes, counts equal"
    least_ = min(ours)
    return [
        Target(CONLL, least_, script[0] * scale, script[0] * scale / least_, 25, at_least=True,
               how=how, samples={"ours": ours, "script": script}),
        Target(PEAK, peak, cells, peak / cells, 60, "B",
               how=f"bytes per word of gold × run; the largest process alone {single / cells:.0f}"),
        least("CoNLL 2018 from a store ÷ from text",
              {"store": [s for s, _ in reopened], "text": ours}, "store", "text", 0.4),
    ]  # fmt: skip


def _pairs(root: Path, folder: Path) -> list[tuple[Path, Path]]:
    """Return gold and run of every pair as plain files, unpacked to a folder if they are not."""
    for file in sorted(root.glob("*/**/*.conllu.gz")):
        plain = folder / file.relative_to(root).with_suffix("")
        plain.parent.mkdir(parents=True, exist_ok=True)
        plain.write_bytes(gzip.decompress(file.read_bytes()))
    where = folder if (folder / "gold").is_dir() else root
    runs = sorted(where.glob("systems/*/*.conllu"))
    golds = [where / "gold" / run.name for run in runs]
    return [(gold, run) for gold, run in zip(golds, runs, strict=True) if gold.exists()]


def _words(scores: dict[str, Any]) -> int:
    """Return how many words of gold there are, once for each system that has run."""
    rows = scores["tables"]["by"]
    return sum(row["gold"] for row in rows if row["metric"] == "Words" and row["ran"])


def _peak(words: Sequence[object]) -> int:
    """Return the most bytes that a command and the processes it starts have had in memory.

    What several of them have in common, their libraries, is counted once.
    """
    most = 0
    with subprocess.Popen([str(word) for word in words]) as run:
        while run.poll() is None:
            most = max(most, sum(map(_resident, _processes(run.pid))))
            time.sleep(0.02)
    return most


def _processes(first: int) -> list[int]:
    """Return a process and those it has started, as far as they are still there."""
    tasks = Path(f"/proc/{first}/task").glob("*/children")
    with suppress(OSError):
        children = [int(one) for task in tasks for one in task.read_text().split()]
        return [first, *(p for child in children for p in _processes(child))]
    return []


def _resident(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def _bytes(pair: tuple[Path, Path]) -> int:
    return sum(path.stat().st_size for path in pair)


def _alone(script: Path, pair: tuple[Path, Path]) -> float:
    """Return how long a process of the script takes for one pair."""
    return whole([sys.executable, script, "-v", *pair])[0]


def _compare(ours: dict[str, Any], pairs: Sequence[tuple[Path, Path]], script: Path) -> None:
    """Leave if a count of some pairs is not the script's."""
    from dep import COUNTS, THEIRS, _script

    rows = {(r["by"], r["system"], r["metric"]): r for r in ours["tables"]["by"]}
    program = _script(script)
    for gold, run in pairs:
        read = (program.load_conllu_file(str(path)) for path in (gold, run))
        for metric, score in program.evaluate(*read).items():
            row = rows[gold.stem, run.parent.name, metric]
            for mine, theirs in zip(COUNTS, THEIRS, strict=True):
                a, b = row[mine], getattr(score, theirs)
                if None not in (a, b) and a != b:
                    sys.exit(f"benchmarks: {run} {metric} {mine}: coleval {a}, the script {b}")


def _parts(asked: argparse.Namespace) -> list[Target]:
    directory = corpus(asked)
    # A file of a line or two may have no token, but a mark of documents alone.
    number = max(min(asked.parts, asked.tokens // 200), 2)
    folder = directory.with_name(f"{directory.name}-{number}parts")
    gold, systems = files(directory)
    _cut({"gold": gold, **systems}, folder, number)
    one = command("score", gold, *systems.values(), "--quiet", "--as", "json", "-o")
    runs = [folder / name / "{dataset}.conll" for name in systems]
    named = [f"{name}={path}" for name, path in zip(systems, runs, strict=True)]
    parts = folder / "gold/{dataset}.conll"
    many = command("score", parts, *named, "--quiet", "--as", "json", "-o")
    with tempfile.TemporaryDirectory() as place:
        answers = {name: Path(place) / f"{name}.json" for name in ("one", "many", "opened")}
        whole([*one, answers["one"]])
        whole([*many, answers["many"]])
        _same(answers["one"], answers["many"])
        stores = _stores(parts, named, Path(place))
        seconds = in_turn(asked.rounds, {
            "one file": lambda: whole([*one, answers["one"]]),
            f"{number} parts": lambda: whole([*many, answers["many"]]),
            "one part opened": lambda: _opened(stores["part"]),
            "all parts opened": lambda: _opened(stores["all"]),
        })  # fmt: skip
    size = f"{asked.tokens:,} tokens × {asked.systems}"
    return [
        least(f"{number:,} parts ÷ one file each", seconds, f"{number} parts",
              "one file", 1.5, how=f"score, whole processes, {size}"),
        least(f"a store of {number:,} parts ÷ of one part, opened", seconds,
              "all parts opened", "one part opened", 2, how="coleval.open, whole processes"),
    ]  # fmt: skip


def _cut(paths: dict[str, Path], folder: Path, parts: int) -> None:
    """Write every file in as many parts, of whole sentences, the same in all files."""
    if folder.is_dir():
        return
    begin(f"{len(paths)} files in {parts:,} parts")
    for name, path in paths.items():
        sentences = path.read_text(encoding="utf-8").split("\n\n")
        step = -(-len(sentences) // parts)
        (folder / name).mkdir(parents=True)
        for at in range(0, len(sentences), step):
            text = "\n\n".join(sentences[at : at + step]).rstrip("\n") + "\n"
            if text.strip():
                (folder / name / f"{at // step}.conll").write_text(text, encoding="utf-8")


def _stores(gold: Path, named: list[str], place: Path) -> dict[str, Path]:
    """Return a store of all parts, and one of the first."""
    stores = {"all": place / "all", "part": place / "part"}
    whole(command("load", gold, *named, "-o", stores["all"], "--quiet"))
    first = [str(text).replace("{dataset}", "0") for text in (gold, *named)]
    whole(command("load", *first, "-o", stores["part"], "--quiet"))
    return stores


def _opened(store: Path) -> object:
    code = "import sys, coleval; print(len(coleval.open(sys.argv[1]).systems))"
    return whole([sys.executable, "-c", code, store])


def _same(one: Path, many: Path) -> None:
    """Leave if the pooled leaderboard of parts is not that of the corpus they were cut from."""
    left, right = (
        {row["system"]: row for row in json.loads(path.read_text())["tables"]["overall"]}
        for path in (one, many)
    )
    counts = ("tp", "fp", "fn", "sentences_correct")
    for name, row in left.items():
        if any(row[count] != right[name][count] for count in counts):
            shutil.rmtree(one.parent, ignore_errors=True)
            sys.exit(f"benchmarks: {name}: {right[name]} in parts, {row} in one file")


def options(parser: argparse.ArgumentParser) -> None:
    """Add where the script and the shared task are, and how many parts there are."""
    parser.add_argument("--ud", type=Path, help="conll18_ud_eval.py (github:ufal/conll2018)")
    parser.add_argument("--conll18", type=Path, help="folder of gold/ and systems/TEAM/")
    parser.add_argument("--sample", type=int, default=30, help="pairs the script runs on")
    parser.add_argument("--parts", type=int, default=1000, help="datasets to cut a corpus into")


if __name__ == "__main__":
    main(__doc__, targets, options, rounds=2)
