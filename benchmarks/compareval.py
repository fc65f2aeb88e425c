"""Changes from one tagger to another beside ComparEval's script, fetched by hand.

    git clone https://github.com/dtuggener/ComparEval /tmp/ComparEval
    python benchmarks/compareval.py --compareval /tmp/ComparEval

The script is of Python 2 and is translated by lib2to3 into a temporary directory. Both sides are
whole processes, from three files to what is printed. Every transition is compared first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from generate import files
from measure import Target, begin, command, corpus, faster, in_turn, main, skipped

if TYPE_CHECKING:
    import argparse

NAME = "ComparEval ÷ coleval, one pair of taggers"
SCRIPT = "pos_tagging/compare_pos_taggers.py"
_LINE = re.compile(
    r"^(\S+ -> \S+(?: -> \S+)?)\s+[\d.]+ % \((\d+)/\d+\)\s+(correction|new error|changed error)$"
)
Changes = Counter[tuple[str, str]]


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figure, or why there is none."""
    if asked.compareval is None:
        return [skipped(NAME, "no --compareval DIR: github:dtuggener/ComparEval")]
    tokens = min(asked.tokens, getattr(asked, "sample", asked.tokens))
    directory = corpus(asked, tokens=tokens, systems=2, task="tag")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        script = _translated(asked.compareval / SCRIPT, place)
        if script is None:
            return [skipped(NAME, "this Python has no lib2to3, and the script is of Python 2")]
        gold, one, other = _plain(directory, place)
        begin(f"ComparEval on {tokens:,} tokens")
        theirs = [sys.executable, str(script), str(gold), str(one), str(other)]
        ours = command("changes", gold, one, other, "--pair", one.stem, other.stem, "--quiet")
        _compare(_ours([*ours, "--as", "json"]), _theirs(theirs))
        sides = {"ours": lambda: _said(ours), "theirs": lambda: _said(theirs)}
        seconds = in_turn(asked.rounds, sides)
    how = f"{tokens:,} tokens, whole processes, every transition equal; told only"
    return [faster(NAME, seconds, "ours", "theirs", how=how)]


def _translated(source: Path, place: Path) -> Path | None:
    """Return the script in Python 3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from lib2to3 import refactor
        except ImportError:
            return None
    names = refactor.get_fixers_from_package("lib2to3.fixes")
    text = source.read_text(encoding="utf-8") + "\n"
    tree = refactor.RefactoringTool(names).refactor_string(text, source.name)
    target = place / source.name
    target.write_text(str(tree), encoding="utf-8")
    return target


def _plain(directory: Path, place: Path) -> list[Path]:
    """Return the files without the lines of documents, which the script would count."""
    gold, systems = files(directory)
    made = []
    for path in (gold, *systems.values()):
        made.append(place / path.name)
        text = path.read_text(encoding="utf-8").replace("-DOCSTART-\tNOUN\n\n", "")
        made[-1].write_text(text.replace("-DOCSTART-\tO\n\n", ""), encoding="utf-8")
    return made


def _said(run: list[str]) -> str:
    return subprocess.run(
        run, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout


def _theirs(run: list[str]) -> Changes:
    """Return the script's list of label changes: kind and transition."""
    _, _, listed = _said(run).partition("Label changes by frequency:")
    found: Changes = Counter()
    for line in listed.split("\n\n")[0].splitlines():
        if match := _LINE.match(re.sub(r"\s+", " ", line).strip()):
            found[match[3], match[1]] += int(match[2])
    return found


def _ours(run: list[str]) -> Changes:
    found: Changes = Counter()
    for row in json.loads(_said(run))["tables"]["changes"]:
        labels = [row["gold"], row["label_before"], row["label_after"]]
        path = " -> ".join(labels[0 if row["kind"] == "changed error" else 1 :])
        found[row["kind"], path] += row["n"]
    return found


def _compare(ours: Changes, theirs: Changes) -> None:
    if not theirs or ours != theirs:
        sys.exit(f"benchmarks: ComparEval has {theirs - ours}, coleval {ours - theirs}")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compareval", type=Path, help="the folder of ComparEval")


if __name__ == "__main__":
    main(__doc__, targets, _options, tokens=200_000, systems=2, rounds=3)
