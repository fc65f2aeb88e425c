"""25 parsers of raw text: ``coleval.load(gold, runs, task='dep').score()`` and the official script.

    python benchmarks/dep.py --ud conll18_ud_eval.py        # en_gum, fetched script run 25 times

The runs are real (COLEVAL_DATA, conll18-ud/en_gum); each side reads them from text that is not
packed. Counts of all metrics are compared with the script's own, and with the file of expected
numbers beside the data, before a time is told.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coleval
from coleval.bench.timing import seconds_of
from coleval.errors import ColevalError
from measure import Target, begin, faster, in_turn, main, skipped

if TYPE_CHECKING:
    import argparse

NAME = "UD evaluation ÷ coleval"
COUNTS = ("correct", "gold", "predicted", "aligned")
THEIRS = ("correct", "gold_total", "system_total", "aligned_total")
Scores = dict[tuple[str, str], tuple[int | None, ...]]


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figure of one treebank, or why there is none."""
    data = asked.ud_data or _data()
    if asked.ud is None or not data.is_dir():
        lacking = "--ud FILE" if asked.ud is None else f"{data} (COLEVAL_DATA or --ud-data)"
        return [skipped(NAME, f"needs {lacking}", row=4)]
    with tempfile.TemporaryDirectory() as folder:
        gold, systems = _unpacked(data, Path(folder))
        try:
            ours = _ours(gold, systems)
        except ColevalError as error:
            return [skipped(NAME, f"coleval cannot read these: {error.problem}", row=4)]
        begin(f"the official script on {len(systems)} runs")
        theirs: Scores = {}
        script = _script(asked.ud)
        once = seconds_of(lambda: theirs.update(_theirs(script, gold, systems)))
        _compare(ours, theirs, "the script")
        _compare(ours, _expected(data), "the file of expected numbers")
        seconds = in_turn(asked.rounds, {"ours": lambda: _ours(gold, systems)})
    seconds["script"] = [once]
    how = f"{data.name}, {len(systems)} runs from text to 13 metrics, {len(theirs)} rows equal"
    return [faster(NAME, seconds, "ours", "script", 35, row=4, how=how)]


def _data() -> Path:
    root = os.environ.get("COLEVAL_DATA") or Path(__file__).parents[2] / "shared/data"
    return Path(root) / "conll18-ud" / "en_gum"


def _unpacked(data: Path, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Return gold and the runs as plain files: unpacking is not what we compare."""
    systems = {}
    for packed in sorted((data / "systems").glob("*.conllu.gz")):
        name = packed.name.removesuffix(".conllu.gz")
        systems[name] = folder / f"{name}.conllu"
        systems[name].write_bytes(gzip.decompress(packed.read_bytes()))
    return data / "gold.conllu", systems


def _ours(gold: Path, systems: dict[str, Path]) -> Scores:
    paths = {name: str(path) for name, path in systems.items()}
    table = coleval.load(str(gold), paths, task="dep").score().table("overall")
    return {(r["system"], r["metric"]): tuple(r[c] for c in COUNTS) for r in table.to_dicts()}


def _script(path: Path) -> Any:
    """Return the official script as a module."""
    spec = importlib.util.spec_from_file_location("conll18_ud_eval", path)
    if spec is None or spec.loader is None:
        sys.exit(f"benchmarks: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module


def _theirs(script: Any, gold: Path, systems: dict[str, Path]) -> Scores:
    """Return what the script says of every run; it reads gold anew each time, as when run."""
    found: Scores = {}
    for name, path in systems.items():
        scores = script.evaluate(
            script.load_conllu_file(str(gold)), script.load_conllu_file(str(path))
        )
        for metric, row in scores.items():
            found[name, metric] = tuple(getattr(row, count) for count in THEIRS)
    return found


def _expected(data: Path) -> Scores:
    with (data / "expected_conll18_ud_eval.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return {
        (row["system"], row["metric"]): tuple(int(row[c]) if row[c] else None for c in THEIRS)
        for row in rows
    }


def _compare(ours: Scores, theirs: Scores, name: str) -> None:
    """Leave if a count that both sides have differs; every row of theirs has to be ours too."""
    for key, counts in theirs.items():
        mine = ours.get(key)
        pairs = zip(mine or (), counts, strict=False)
        if mine is None or any(None not in (a, b) and a != b for a, b in pairs):
            sys.exit(f"benchmarks: {key}: {name} has {counts}, coleval {mine}")


def options(parser: argparse.ArgumentParser) -> None:
    """Add where the script and the runs are."""
    parser.add_argument("--ud", type=Path, help="conll18_ud_eval.py (github:ufal/conll2018)")
    parser.add_argument("--ud-data", type=Path, help="the treebank (default: en_gum of the data)")


if __name__ == "__main__":
    main(__doc__, targets, options, rounds=3)
